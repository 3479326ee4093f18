"""Gaussian knockoffs: their covariance, statistics that change sign with an exchange, the level, and the list."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import promises
from bitsieve import EqualFrequencyBinner, ForwardSelector, GaussianKnockoffStopping, select
from bitsieve.methods.by_counts.dependent.gaussian_knockoffs import GaussianKnockoffs, lasso_wins
from bitsieve.methods.by_counts.dependent.linear_models import shrunk_covariance
from bitsieve.optimize.reconstructability import least_reconstructable


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def autoregressive(seed, n_rows=400, n_columns=12, correlation=0.6):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    for column in range(1, n_columns):
        X[:, column] = correlation * X[:, column - 1] + np.sqrt(1 - correlation**2) * X[:, column]
    return random, X


def linear(seed, n_relevant=15, n_rows=600):
    random, X = autoregressive(seed, n_rows, n_columns=30, correlation=0.3)
    score = 1.5 * X[:, :n_relevant] @ random.choice([-1, 1], n_relevant) + random.logistic(size=n_rows)
    return X, (score > 0).astype(int)


def test_covariance_of_columns_and_knockoffs():
    """C among columns and among knockoffs, C - S between them."""
    random, X = autoregressive(0, n_rows=100_000, n_columns=4)
    scores = standardised(X)
    drawn = GaussianKnockoffs(scores).draw(random)
    covariance = shrunk_covariance(scores)
    between = covariance - np.diag(least_reconstructable(covariance))
    expected = np.block([[covariance, between], [between, covariance]])
    # a covariance of unit columns has a standard error of at most sqrt(2 / 100,000) = 0.0045
    np.testing.assert_allclose(np.cov(np.hstack([scores, drawn]), rowvar=False), expected, atol=0.02)


@pytest.mark.slow("knockoffs of many tables")
def test_irrelevant_columns_win_as_often_as_their_knockoffs():
    """Whatever the size of W, its sign is a fair coin."""
    signs = []
    for seed in range(6):
        X, y = linear(seed, n_relevant=3)
        order = np.argsort(y, kind="stable")
        wins = lasso_wins(standardised(X)[order], y[order], 1, seed, 1)[0, 3:]
        signs.extend(np.sign(wins[wins != 0]).tolist())
    assert len(signs) > 30
    assert abs(np.mean(signs)) < 4 / np.sqrt(len(signs))  # four standard errors


def test_finds_what_is_relevant():
    n_false = 0
    for seed in range(4):
        X, y = linear(seed)
        selected = ForwardSelector("auto", stopping="gaussian-knockoffs").fit(X, y).selected_
        assert np.isin(np.arange(15), selected).sum() >= 12
        n_false += (selected >= 15).sum()
    assert n_false <= 16  # at a rate of 0.1 six or seven are expected


@pytest.mark.slow("a rate over a hundred seeded tables")
def test_rate_of_false_columns():
    design = promises.Design(promises.autoregressive(0.5), n_relevant=20)
    false_shares = []
    for seed in range(100):
        table = promises.draw(design, seed, 400)
        fitted = ForwardSelector("auto", stopping=GaussianKnockoffStopping(0.2)).fit(table.X, table.y)
        is_false = ~np.isin(fitted.selected_, table.relevant)
        false_shares.append(is_false.sum() / max(1, len(is_false)))
    standard_error = np.std(false_shares) / np.sqrt(len(false_shares))
    assert np.mean(false_shares) <= 0.2 + 4 * standard_error


def test_the_list_is_that_of_the_smallest_rates():
    X, y = linear(1)
    fitted = ForwardSelector("auto", stopping=GaussianKnockoffStopping(0.3, n_draws=3)).fit(X, y)
    assert len(fitted.selected_) >= 5
    assert (fitted.stopping_values_ <= 0.3).all()


def test_equal_bits_for_any_number_of_threads_and_other_lists_for_another_seed():
    X, y = linear(2)
    rule = GaussianKnockoffStopping(0.3, n_draws=2)
    values = [ForwardSelector("auto", stopping=rule, n_jobs=n).fit(X, y).stopping_values_ for n in (1, 2)]
    assert values[0].tobytes() == values[1].tobytes()
    scores, classes = standardised(X), np.sort(y)
    assert (lasso_wins(scores, classes, 1, 0, 1) != lasso_wins(scores, classes, 1, 1, 1)).any()


def test_noise_is_not_that_of_data_drawn_by_the_same_seed():
    """A lasso of columns and equal knockoffs would not converge, which is a warning."""
    X = np.random.default_rng(0).normal(size=(200, 4))
    assert lasso_wins(standardised(X), np.repeat([0, 1], 100), 1, 0, 1).shape == (1, 4)


def test_copies_of_columns_are_no_error():
    X, y = linear(7)
    X[:, 20] = X[:, 2]
    fitted = ForwardSelector("auto", stopping=GaussianKnockoffStopping(0.3)).fit(X, y)
    assert len(fitted.selected_) >= 10


@pytest.mark.slow("knockoffs of another table")
def test_each_of_three_classes_has_a_lasso():
    random, X = autoregressive(3)
    classes = np.sort(random.integers(0, 3, len(X)))
    scores = standardised(X)
    of_each = [lasso_wins(scores, np.where(classes == label, 1, 0), 1, 0, 1) for label in range(3)]
    # the folds go by rows, which lie in the same order for all: sums of three numbers may be rounded
    np.testing.assert_allclose(lasso_wins(scores, classes, 1, 0, 1), sum(of_each), atol=1e-12)


@pytest.mark.slow("knockoffs of another table")
def test_too_few_relevant_columns_give_no_list():
    X, y = linear(4, n_relevant=3)
    with pytest.warns(match="knockoffs select at least 10 columns, or none"):
        assert not len(ForwardSelector("auto", stopping="gaussian-knockoffs").fit(X, y).selected_)


def test_every_door_takes_the_bins_of_the_rule():
    X, y = linear(5)
    expected = ForwardSelector("auto", stopping="gaussian-knockoffs", binning=EqualFrequencyBinner(n_bins=20)).fit(X, y)
    selection = select(X, y, n_features_to_select="auto", stopping="gaussian-knockoffs")
    assert selection.indices.tolist() == expected.selected_.tolist()
    assert selection.fit.result.stopping.values.tobytes() == expected.stopping_values_.tobytes()


def test_bins_by_the_class_are_refused():
    X, y = linear(6)
    with pytest.raises(ValueError, match="gaussian-knockoffs needs bins that were made without the target"):
        select(X, y, n_features_to_select="auto", stopping="gaussian-knockoffs", binning="mdl")


@pytest.mark.parametrize(("parameter", "value"), [("level", 2), ("n_draws", 0), ("random_state", -1)])
def test_parameters_out_of_range(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        GaussianKnockoffStopping(**{parameter: value})
