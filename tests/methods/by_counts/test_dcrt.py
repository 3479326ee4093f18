"""The distilled conditional randomisation test: its parts in closed form, its level, and what it cannot see."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve import Constraints, DistilledStopping, EqualFrequencyBinner, ForwardSelector
from bitsieve.methods.by_counts.stopping.dcrt import _residuals_given_others, p_given_others


def sorted_by_class(scores, classes):
    order = np.argsort(classes, kind="stable")
    return scores[order], classes[order]


def autoregressive(seed, n_rows=400, n_columns=20, correlation=0.5):
    """Normal columns, each correlated with the one before."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    for column in range(1, n_columns):
        X[:, column] = correlation * X[:, column - 1] + np.sqrt(1 - correlation**2) * X[:, column]
    return random, X


def linear(seed, relevant=(2, 9, 15), n_rows=400):
    random, X = autoregressive(seed, n_rows)
    score = 1.5 * X[:, list(relevant)].sum(axis=1) + random.logistic(size=n_rows)
    return X, (score > 0).astype(int)


def test_residuals_are_those_of_a_regression_on_all_others():
    _, X = autoregressive(0, n_rows=4000, n_columns=5)
    scores = (X - X.mean(axis=0)) / X.std(axis=0)
    residuals = _residuals_given_others(scores)
    for column in range(5):
        others = np.delete(scores, column, axis=1)
        weights = np.linalg.lstsq(others, scores[:, column], rcond=None)[0]
        # the covariance is shrunk by about 1 / n_rows
        np.testing.assert_allclose(residuals[:, column], scores[:, column] - others @ weights, atol=0.02)


@pytest.mark.slow("a rate over many seeded tables")
def test_p_is_uniform_where_nothing_is_relevant():
    p = []
    for seed in range(30):
        random, X = autoregressive(seed)
        p.append(p_given_others(*sorted_by_class((X - X.mean(axis=0)) / X.std(axis=0), random.integers(0, 2, 400))))
    values = np.concatenate(p)
    for limit in (0.05, 0.2, 0.5):
        # four standard errors of 600 values, taken for independent
        assert abs((values <= limit).mean() - limit) < 4 * np.sqrt(limit * (1 - limit) / len(values))


@pytest.mark.slow("ten tables; golden results hold what the rule takes")
def test_finds_what_is_relevant_and_not_its_neighbours():
    n_false = 0
    for seed in range(10):
        X, y = linear(seed)
        selected = ForwardSelector("auto", stopping="dcrt").fit(X, y).selected_.tolist()
        assert {2, 9, 15} <= set(selected)
        n_false += len(selected) - 3
    assert n_false <= 12  # at a rate of 0.1 three or four are expected; a Poisson variable is larger once in 10^4


def test_is_blind_to_squares():
    X, _ = linear(0)
    y = (X[:, 4] ** 2 > 0.45).astype(int)
    assert 4 not in ForwardSelector("auto", stopping="dcrt").fit(X, y).selected_


def test_a_class_beside_two_others():
    X, _ = linear(1)
    y = np.digitize(X[:, 3] + 0.5 * np.random.default_rng(0).normal(size=400), [-0.5, 0.5])
    assert ForwardSelector("auto", stopping="dcrt").fit(X, y).selected_[0] == 3


def test_a_quantity_is_tested_by_its_classes():
    X, _ = linear(2)
    y = X[:, 3] - X[:, 8] + 0.5 * np.random.default_rng(0).normal(size=400)
    assert {3, 8} <= set(ForwardSelector("auto", stopping="dcrt").fit(X, y).selected_.tolist())


def test_complementary_classes_have_equal_p():
    X, y = linear(3)
    first = ForwardSelector("auto", stopping="dcrt").fit(X, y)
    second = ForwardSelector("auto", stopping="dcrt").fit(X, 1 - y)
    assert sorted(first.selected_) == sorted(second.selected_)


def test_weights_are_rows_that_stand_several_times():
    X, y = linear(4, n_rows=120)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    codes = EqualFrequencyBinner(n_bins=8).fit_transform(X, y)
    weighted = ForwardSelector("auto", stopping="dcrt", binning="none").fit(codes, y, sample_weight=weights)
    repeated = ForwardSelector("auto", stopping="dcrt", binning="none").fit(codes.repeat(weights, 0), y.repeat(weights))
    assert weighted.selected_.tolist() == repeated.selected_.tolist()
    assert weighted.stopping_values_.tobytes() == repeated.stopping_values_.tobytes()


def test_equal_bits_for_any_number_of_threads():
    X, y = linear(5)
    values = [ForwardSelector("auto", stopping="dcrt", n_jobs=n).fit(X, y).stopping_values_ for n in (1, 2)]
    assert values[0].tobytes() == values[1].tobytes()


def test_single_column():
    X, y = linear(6)
    assert ForwardSelector("auto", stopping="dcrt").fit(X[:, [2]], y).selected_.tolist() == [0]


def test_columns_that_are_constant_or_excluded_are_not_tested():
    X, y = linear(7)
    X[:, 0] = 3.0
    fitted = ForwardSelector("auto", stopping="dcrt", constraints=Constraints(exclude=[9])).fit(X, y)
    assert not {0, 9} & set(fitted.selected_.tolist())


@pytest.mark.parametrize(("n_rows", "n_bins"), [(12, 3), (60, 12), (400, 20)])
def test_default_bins(n_rows, n_bins):
    assert DistilledStopping().default_bins(n_rows) == n_bins


def test_every_door_takes_the_bins_of_the_rule():
    X, y = linear(8)
    expected = ForwardSelector("auto", stopping="dcrt", binning=EqualFrequencyBinner(n_bins=20)).fit(X, y)
    fitted = ForwardSelector("auto", stopping="dcrt").fit(X, y)
    selection = bitsieve.select(X, y, n_features_to_select="auto", stopping="dcrt")
    for scores, values in (
        (fitted.scores_, fitted.stopping_values_),
        (selection.scores, selection.fit.result.stopping.values),
    ):
        assert np.asarray(scores).tobytes() == expected.scores_.tobytes()
        assert values.tobytes() == expected.stopping_values_.tobytes()


def test_bins_by_the_class_are_refused():
    X, y = linear(9)
    with pytest.raises(ValueError, match="dcrt needs bins that were made without the target: give binning='quantile'"):
        bitsieve.select(X, y, n_features_to_select="auto", stopping="dcrt", binning="mdl")


def test_level_out_of_range():
    with pytest.raises(ValueError, match="level"):
        DistilledStopping(level=2)


@pytest.mark.parametrize("rule", ["dcrt", "gaussian-knockoffs"])
def test_a_warning_names_columns_of_text_whose_order_is_taken_for_numbers(rule):
    X, y = linear(11)
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    random = np.random.default_rng(11)
    table["town"] = random.choice(["Ulm", "Bonn", "Jena"], len(y))
    table["smoker"] = random.choice(["yes", "no"], len(y))
    table["rooms"] = random.integers(1, 5, len(y))
    with pytest.warns(bitsieve.BitsieveWarning):
        selection = bitsieve.select(table, y, stopping=rule)
    (warning,) = [note for note in selection.diagnostics if note.code == "text-in-order"]
    assert warning.columns == ("town",)
    assert warning.message == (
        f"{rule} takes the values of 1 column of text in alphabetical order, as if they were numbers: 'town'"
    )
    assert "missing-in-order" not in [note.code for note in selection.diagnostics]
    without_town = bitsieve.select(table, y, exclude=["town"], stopping=rule)
    assert "text-in-order" not in [note.code for note in without_town.diagnostics]


@pytest.mark.parametrize("rule", ["dcrt", "gaussian-knockoffs"])
def test_a_warning_names_columns_whose_missing_values_are_taken_for_the_largest(rule):
    X, y = linear(12)
    X[::3, 4] = np.nan
    with pytest.warns(bitsieve.BitsieveWarning):
        selection = bitsieve.select(X, y, stopping=rule)
    (warning,) = [note for note in selection.diagnostics if note.code == "missing-in-order"]
    assert warning.message == f"{rule} takes the missing values of 1 column for the largest ones: 'x4'"
    codes = EqualFrequencyBinner(n_bins=20, missing="bin").fit(X).transform(X)
    assert (codes[::3, 4] == codes[:, 4].max()).all()
    coded = bitsieve.select(codes, y, stopping=rule, binning="none")
    assert coded.fit.result.stopping.values.tobytes() == selection.fit.result.stopping.values.tobytes()
