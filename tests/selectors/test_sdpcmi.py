"""SDPCMI: the subset, its certificate, the ranking, and mistakes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from bitsieve import SDPCMI, SpecCMI, conditional_mutual_information_matrix
from bitsieve.utils.progress import listening


def q_of(codes, classes):
    given = conditional_mutual_information_matrix(codes, classes, binning="none")
    return (given + given.T) / 2


def objective(q, subset):
    return q[np.ix_(subset, subset)].sum()


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.mark.slow("every subset")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from(["sphere", "align", "factor"]), st.booleans())
def test_the_bound_holds_for_every_subset(seed, k, rounding, swaps):
    random = np.random.default_rng(seed)
    codes, classes = random.integers(0, 3, (30, 7)), random.integers(0, 2, 30)
    codes[:2], classes[:2] = [[0] * 7, [1] * 7], [0, 1]  # every column varies
    codes[:, 3] ^= classes
    fitted = SDPCMI(k, rounding=rounding, refine="swap" if swaps else None, binning="none").fit(codes, classes)
    q = q_of(codes, classes)
    best = max(objective(q, subset) for subset in combinations(range(7), k))
    assert best <= fitted.upper_bound_ + 1e-12  # rounding of 49 entries
    assert abs(fitted.objective_ - objective(q, fitted.selected_)) <= 1e-12  # as above
    assert fitted.gap_ == (fitted.upper_bound_ - fitted.objective_) / fitted.upper_bound_
    assert 0 <= fitted.gap_ < 1
    assert abs(fitted.membership_.sum() - k) <= 1e-9  # rounding of seven cosines


def test_attributes(cancer):
    X, y = cancer
    fitted = SDPCMI(6, refine=None).fit(X, y)
    assert sorted(fitted.ranking_.tolist()) == list(range(1, 31))
    assert fitted.ranking_[fitted.selected_].tolist() == [1, 2, 3, 4, 5, 6]
    assert np.flatnonzero(fitted.support_).tolist() == sorted(fitted.selected_.tolist())
    assert (np.diff(fitted.scores_) <= 1e-10).all()  # a tie may stand in column order
    assert abs(fitted.scores_.sum() - fitted.objective_) <= 1e-13  # rounding of 36 entries
    varying = fitted.binner_.n_bins_ > 1
    chosen = fitted.weights_[fitted.selected_]
    others = np.flatnonzero(varying & ~fitted.support_)
    assert chosen.min() >= fitted.weights_[others].max() - 1e-10  # rounded, not refined: the largest cosines
    assert (np.diff(fitted.weights_[others[np.argsort(fitted.ranking_[others])]]) <= 1e-10).all()
    assert ((fitted.membership_ >= 0) & (fitted.membership_ <= 1)).all()


def test_swaps_only_help(cancer):
    X, y = cancer
    for k in (2, 5, 12):
        plain, refined = SDPCMI(k, refine=None).fit(X, y), SDPCMI(k).fit(X, y)
        assert refined.objective_ >= plain.objective_
        assert refined.upper_bound_ == plain.upper_bound_
        assert refined.weights_.tobytes() == plain.weights_.tobytes()


def test_the_order_of_the_columns_changes_little(cancer):
    """Rounded alone the subset may hang on it; after swaps it is a local best, here the same from anywhere."""
    X, y = cancer
    reached = {
        round(SDPCMI(6).fit(X[:, order], y).objective_, 9)
        for order in map(np.random.default_rng(0).permutation, [30] * 5)
    }
    assert len(reached) == 1


def test_the_bound_is_no_worse_than_the_spectral_one(cancer):
    X, y = cancer
    for k in (1, 8, 20):
        assert SDPCMI(k).fit(X, y).upper_bound_ <= k * SpecCMI(k).fit(X, y).eigenvalue_


def test_the_relaxation_has_rank_two(cancer):
    """What the paper's roundings agree by: the vectors lie near a plane, so any direction orders them much the same."""
    from bitsieve.optimize.low_rank_sdp import solve_low_rank

    X, y = cancer
    given = conditional_mutual_information_matrix(X, y, binning="quantile")
    strengths = np.linalg.svd(solve_low_rank((given + given.T) / 2, 10).factor, compute_uv=False)
    assert strengths[1] > 0.05 * strengths[0]
    assert strengths[2] < 0.05 * strengths[0]


def test_example_1_of_the_paper():
    """S is one of 4 values, C = S > 2, G is C but for 5 in 100."""
    samples = np.array([(s, int(s >= 2) ^ flip) for s in range(4) for flip in [0] * 19 + [1]])
    fitted = SDPCMI(1, binning="none").fit(samples, samples[:, 0] >= 2)
    assert fitted.selected_.tolist() == [0]
    assert abs(fitted.objective_ - 1) <= 1e-12  # I(S;C) = 1 bit, one rounding
    assert fitted.gap_ <= 1e-12  # the best row is the bound


@pytest.mark.parametrize("rounding", ["sphere", "align", "factor"])
def test_constant_columns_come_last(make_table, rounding):
    codes, classes = make_table(100, 10, seed=3)
    codes[:, [0, 4, 9]] = 3
    fitted = SDPCMI(5, rounding=rounding, binning="none").fit(codes, classes)
    assert fitted.ranking_[[0, 4, 9]].tolist() == [8, 9, 10]
    assert fitted.weights_[[0, 4, 9]].tolist() == [-1, -1, -1]
    without = SDPCMI(5, rounding=rounding, binning="none").fit(np.delete(codes, [0, 4, 9], axis=1), classes)
    assert fitted.objective_ == without.objective_
    assert fitted.upper_bound_ == without.upper_bound_
    more = SDPCMI(9, rounding=rounding, binning="none").fit(codes, classes)
    assert more.selected_[7:].tolist() == [0, 4]
    assert more.scores_[7:].tolist() == [0, 0]
    assert more.gap_ <= 1e-12  # all that vary: there is one such subset


def test_copies_tie_to_the_lower_column(make_table):
    codes, classes = make_table(200, 5, seed=4)
    fitted = SDPCMI(5, binning="none").fit(np.column_stack([codes, codes]), classes)
    assert (fitted.ranking_[:5] < fitted.ranking_[5:]).all()


def test_nothing_varies():
    fitted = SDPCMI(2, binning="none").fit(np.ones((6, 3), int), [0, 1] * 3)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.scores_.tolist() == [0, 0]
    assert (fitted.objective_, fitted.upper_bound_, fitted.gap_) == (0, 0, 0)


def test_nothing_tells():
    """Columns that vary, each and together independent of the class."""
    a, b = np.arange(8) & 1, np.arange(8) >> 1 & 1
    fitted = SDPCMI(1, binning="none").fit(np.column_stack([a, b]), np.arange(8) >> 2)
    assert fitted.selected_.tolist() == [0]
    assert fitted.objective_ == 0


def test_seeds(cancer):
    X, y = cancer
    one, again, other = (SDPCMI(5, n_roundings=1, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert one.weights_.tobytes() == again.weights_.tobytes()
    assert one.weights_.tobytes() != other.weights_.tobytes()


def test_equal_for_any_number_of_threads(cancer):
    X, y = cancer
    one, two = SDPCMI(5, n_jobs=1).fit(X, y), SDPCMI(5, n_jobs=2).fit(X, y)
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.upper_bound_ == two.upper_bound_


def test_progress_is_heard(cancer):
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        SDPCMI(5).fit(*cancer)
    assert any(phase.startswith("counting pairs, ") for phase in heard)
    assert any(phase.startswith("ranking, ") for phase in heard)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rounding": "cube"}, r"^rounding='cube' is not allowed: give 'sphere' or 'align' or 'factor'$"),
        ({"n_roundings": 0}, r"^n_roundings=0 is not allowed: give a whole number from 1 to 1000000$"),
        ({"n_roundings": 2.5}, r"^n_roundings=2.5 is not allowed: give a whole number from 1 to 1000000$"),
        ({"refine": "greedy"}, r"^refine='greedy' is not allowed: give None or 'swap'$"),
        ({"random_state": "x"}, r"^random_state='x' is not allowed: give a whole number"),
        ({"n_features_to_select": 0}, r"n_features_to_select=0 is not allowed: give a whole number from 1 to 2"),
    ],
)
def test_mistakes(parameters, message):
    with pytest.raises(ValueError, match=message):
        SDPCMI(**{"n_features_to_select": 1, "binning": "none", **parameters}).fit([[0, 1], [1, 0]], [0, 1])
