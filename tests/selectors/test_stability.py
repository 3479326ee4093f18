"""Stability selection: halves, frequencies, and the bound on the false columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from bitsieve import FCBF, ForwardSelector, ReliefF, StabilitySelector, plot_stability
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.selectors.stability import expected_false_selections, half_of, min_threshold

X, y = load_breast_cancer(return_X_y=True, as_frame=True)


def planted(seed, n_noise=40):
    random = np.random.default_rng(seed)
    X = random.normal(size=(240, 4 + n_noise))
    return X, (X[:, :4].sum(axis=1) + 0.5 * random.normal(size=240) > 0).astype(int)


def test_frequencies_are_those_of_fits_on_the_halves():
    stable = StabilitySelector(ForwardSelector(4), n_pairs=5, threshold=0.7, random_state=3).fit(X, y)
    table = read_xy(X, y)
    fits = [ForwardSelector(4).fit_table(half_of(table, b, which, 3)).support_ for b in range(5) for which in (0, 1)]
    assert np.array_equal(stable.frequencies_, np.mean(fits, axis=0))
    assert set(stable.selected_) == set(np.flatnonzero(np.mean(fits, axis=0) >= 0.7))
    assert (np.diff(stable.scores_) <= 0).all()
    assert stable.n_chosen_ == 4


@pytest.mark.parametrize("weighted", [False, True])
def test_two_halves_are_the_whole_and_hold_each_class_evenly(weighted):
    weights = np.arange(len(y)) % 4 + 1 if weighted else None
    table = read_xy(np.arange(len(y))[:, None], y, weights)
    halves = [half_of(table, 7, which, 0) for which in (0, 1)]
    times = np.zeros(len(y), int)
    for half in halves:
        times[half.values(0)] += 1 if half.weights is None else half.weights
    assert np.array_equal(times, np.ones(len(y)) if weights is None else weights)
    sizes = [np.bincount(half.target.codes, half.weights) for half in halves]
    assert abs(sizes[0] - sizes[1]).max() <= 1
    assert not np.array_equal(half_of(table, 8, 0, 0).values(0), halves[0].values(0))


@pytest.mark.parametrize(
    "selector",
    [
        ForwardSelector(5),
        FCBF(delta=0.0),
        pytest.param(ReliefF(5), marks=pytest.mark.slow("halves of the same rows for another method")),
        pytest.param(
            ForwardSelector("auto", stopping="fdr"), marks=pytest.mark.slow("halves of the same rows by another rule")
        ),
    ],
    ids=str,
)
def test_any_selector(selector):
    data = planted(1)
    stable = StabilitySelector(selector, n_pairs=10, threshold=0.8).fit(*data)
    assert len(set(stable.selected_) & set(range(4))) >= 2
    assert stable.expected_false_ <= stable.n_chosen_
    again = clone(stable).set_params(n_jobs=3).fit(*data)
    assert again.frequencies_.tobytes() == stable.frequencies_.tobytes()
    other = clone(stable).set_params(random_state=1).fit(*data)
    assert other.frequencies_.tobytes() != stable.frequencies_.tobytes()


@pytest.mark.slow("a rate over many seeded tables")
def test_the_bound_holds_on_noise():
    """The mean of 20 numbers of false columns strays from 0.5 by less than 0.5 (three errors of a Poisson number)."""
    false = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        stable = StabilitySelector(ForwardSelector(4, binning="quantile"), expected_false=0.5, n_pairs=8)
        stable.fit(random.normal(size=(80, 40)), random.integers(0, 2, 80))
        assert stable.expected_false_ <= 0.5
        false += len(stable.selected_)
    assert false / 20 <= 1.0


def test_bounds_by_hand():
    """Shah and Samworth, theorems 1 and 2, with q = 10 of 100 columns and B = 50."""
    assert expected_false_selections(10, 100, 50, 0.9) == pytest.approx(4 * (0.1 + 0.01) / 1.02, rel=1e-12)
    assert expected_false_selections(10, 100, 50, 0.6) == pytest.approx(1 / (2 * (0.2 - 0.01)), rel=1e-12)
    assert expected_false_selections(80, 100, 50, 0.9) == pytest.approx(64 / 0.8, rel=1e-12)  # too many for one peak
    assert expected_false_selections(80, 100, 50, 0.51) == 80  # no more than are chosen
    assert expected_false_selections(10, 100, 50, 1.01) == 0
    threshold = min_threshold(10, 100, 50, 0.5)
    assert expected_false_selections(10, 100, 50, threshold) <= 0.5
    assert expected_false_selections(10, 100, 50, threshold - 0.01) > 0.5
    assert min_threshold(80, 100, 50, 0.5) > 1


def test_weights_are_repeated_rows_and_missing_values_and_names_pass():
    frame = X.iloc[:, :6].mask(np.random.default_rng(0).random((len(X), 6)) < 0.05)
    stable = StabilitySelector(ForwardSelector(2, binning=MDLBinner(missing="bin")), n_pairs=4, threshold=0.6)
    fitted = stable.fit(frame, y, sample_weight=np.full(len(y), 2))
    assert fitted.get_feature_names_out().tolist() == list(frame.columns[np.sort(fitted.selected_)])
    assert fitted.transform(frame).shape == (len(X), len(fitted.selected_))


@pytest.mark.parametrize("selector", [ForwardSelector(2), ReliefF(2)])
@pytest.mark.parametrize("kind", ["classes", "quantity"])
def test_a_half_of_one_class_chooses_nothing(selector, kind):
    random = np.random.default_rng(0)
    y = np.full(60, 0.5 if kind == "quantity" else 1)
    y[7] = 3  # in one half of each pair
    stable = StabilitySelector(selector, n_pairs=4, target_kind=kind).fit(random.normal(size=(60, 5)), y)
    assert stable.frequencies_.max() <= 0.5
    assert not len(stable.selected_)


def test_the_figure_shows_the_threshold():
    pytest.importorskip("matplotlib")
    stable = StabilitySelector(ForwardSelector(3), n_pairs=3, threshold=0.75).fit(X, y)
    ax = plot_stability(stable, n_names=2)
    assert [line.get_ydata()[0] for line in ax.lines][-1] == 0.75
    assert len(ax.lines[0].get_xdata()) == len(stable.selected_)
    assert ax.texts[0].get_text().strip() == X.columns[stable.frequencies_.argmax()]
    with pytest.raises(ValueError, match="has no frequencies: give a fitted StabilitySelector"):
        plot_stability(ForwardSelector(2).fit(X, y))


@pytest.mark.parametrize(
    "wrong", [{"threshold": 0.5}, {"threshold": 1.5}, {"n_pairs": 1}, {"expected_false": 0}, {"selector": "jmi"}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}=.* is "):
        StabilitySelector(**{"selector": ForwardSelector(2), **wrong}).fit(X, y)


def strata_of_samples(seed=0):
    random = np.random.default_rng(seed)
    strata = random.integers(0, 4, 240)
    codes = random.integers(0, 3, (240, 6))
    classes = (codes[:, 0] + strata + random.integers(0, 2, 240) > 3).astype(int)
    return codes, classes, strata


def test_halves_divide_each_class_of_each_stratum_evenly():
    codes, classes, strata = strata_of_samples()
    table = read_xy(codes, classes, strata=strata)
    for pair in range(3):
        half = half_of(table, pair, 0, 5)
        for stratum in range(4):
            for label in range(2):
                n_all = ((table.strata == stratum) & (table.target.codes == label)).sum()
                n_half = ((half.strata == stratum) & (half.target.codes == label)).sum()
                assert abs(2 * n_half - n_all) <= 1


def test_halves_keep_matched_sets_whole():
    pairs = np.repeat(np.arange(31), 2)
    table = read_xy(np.arange(124).reshape(62, 2) % 5, np.tile([0, 1], 31), strata=pairs)
    halves = [half_of(table, pair, half_index, 0) for pair in range(3) for half_index in (0, 1)]
    for half in halves:
        assert (np.bincount(half.strata) == 2).all()
    assert {half.n_samples for half in halves} == {30, 32}
    first_halves = [half.columns for half in halves[::2]]
    assert not np.array_equal(np.asarray(first_halves[0]), np.asarray(first_halves[1]))


def test_stability_within_strata_is_that_of_selections_within_strata():
    codes, classes, strata = strata_of_samples()
    stable = StabilitySelector(ForwardSelector(2, binning="none"), n_pairs=3, threshold=0.7).fit(
        codes, classes, strata=strata
    )
    table = read_xy(codes, classes, strata=strata)
    halves = [half_of(table, pair, half_index, 0) for pair in range(3) for half_index in (0, 1)]
    fits = [ForwardSelector(2, binning="none").fit_table(half).support_ for half in halves]
    assert np.array_equal(stable.frequencies_, np.mean(fits, axis=0))
    with pytest.raises(ValueError, match="ReliefF") as raised:
        StabilitySelector(ReliefF(2), n_pairs=3).fit(codes, classes, strata=strata)
    assert raised.value.code == "strata-not-supported"
