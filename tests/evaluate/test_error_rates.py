"""Losses, paired tests, standard errors and the choice of a number: by hand and by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bitsieve.metrics.choice import choose, outer_error, standard_errors
from bitsieve.metrics.losses import short_of_auc
from bitsieve.metrics.paired_test import paired_test


def test_a_class_that_was_not_learned():
    truth = np.array([0, 0, 1, 1, 2])
    scores = np.array([[2.0, 1.0], [1.0, 2.0], [0.0, 3.0], [0.0, 4.0], [0.0, 0.0]])
    areas = [1.0, 1.0, 0.5]
    assert short_of_auc(scores, truth) == pytest.approx(len(truth) * (1 - np.mean(areas)))


def test_one_standard_error():
    rates = np.array([[0.30, 0.12, 0.10, 0.11], [0.31, 0.13, 0.11, 0.11]])
    spread = np.full((2, 4), 0.025)
    counts = np.array([1, 2, 3, 4])
    choice = choose(["a", "b"], counts, rates, spread)
    assert (choice.method, choice.n_features) == ("a", 2)
    assert (choice.best_method, choice.best_n_features, choice.best_error) == ("a", 3, 0.10)
    assert str(choice) == (
        "a with 2 features: error 12.0 % +- 2.5, not more than one standard error above the best (a with 3: 10.0 %)"
    )
    assert choose(["a", "b"], counts, rates, spread / 10).n_features == 3
    assert choose(["a", "b"], counts, rates, np.full((2, 4), np.nan)).n_features == 3
    swapped = choose(["b", "a"], counts, rates[::-1], spread)
    assert (swapped.method, swapped.n_features) == ("a", 2)  # the lower error of two with as many features
    # Just inside one standard error of the best, and just outside.
    assert choose(["a", "b"], counts, rates, np.full((2, 4), 0.0201)).n_features == 2
    assert choose(["a", "b"], counts, rates, np.full((2, 4), 0.0199)).n_features == 3
    of_the_best = np.array([[1.0, 1.0, 0.0199, 1.0], [1.0] * 4])  # that of the best counts, not the candidate's
    assert choose(["a", "b"], counts, rates, of_the_best).n_features == 3
    tied = choose(["a", "b"], counts, np.array([rates[0], rates[0]]), spread)
    assert tied.method == "a"
    one = ["a"], counts[:1], rates[:1, :1], spread[:1, :1]
    others = [("a", 0.3), ("b", 0.3), ("mean", 0.31), ("all columns", 0.25), ("c", 0.2)]
    assert str(choose(*one)).endswith("error 30.0 % +- 2.5, the smallest of all")
    assert str(choose(*one, others=others[:3])).endswith("+- 2.5, the smallest of all, tied with b")
    assert str(choose(*one, others=others[2:4])).endswith("+- 2.5, the smallest except all columns (25.0 %)")
    lower = "the smallest except all columns (25.0 %) and c (20.0 %), tied with b"
    assert str(choose(*one, others=others)).endswith(f"+- 2.5, {lower}")
    near = choose(["a", "b"], counts, rates, spread, others=[("b", 0.11), ("all columns", 0.09)])
    assert str(near).endswith("above the best (a with 3: 10.0 %) except all columns (9.0 %)")


def test_standard_error_by_hand():
    # rates 1/4, 2/4 and 0/2: mean 1/4, variance (0 + 1/16 + 1/16) / 2, divided by three folds
    errors = np.array([[[1], [2], [0]]])
    assert standard_errors(errors, np.array([4, 4, 2])) == pytest.approx(np.sqrt(1 / 16 / 3), abs=1e-15)
    assert np.isnan(standard_errors(errors[:, :1], np.array([4]))).all()


def test_outer_error_by_hand():
    """In each of three folds of 10 the two others choose, by one standard error of the least."""
    errors = np.array([[[4, 1], [4, 2], [1, 6]]])  # of one method with one column and with two
    found = outer_error(np.array([1, 2]), errors, np.array([10, 10, 10]), np.array([5, 5, 4]))
    # Folds 2 and 3 choose one column (5 wrong; two: 8), 1 and 3 too (5; two are 7), 1 and 2 two (3; one is 8 +- 0).
    assert found.error == pytest.approx((4 + 4 + 6) / 30)
    assert found.majority == pytest.approx(14 / 30)
    gains = np.array([0.1, 0.1, -0.2])
    t = gains.mean() / (gains.std(ddof=1) * np.sqrt(1 / 3 + 1 / 2))
    assert found.p == pytest.approx(stats.t.sf(t, 2))
    assert not found.is_better
    assert "not shown to be below that of the majority class (46.7 %, p = 0.5)" in str(found)


def test_outer_error_of_equal_folds_one_fold_and_many():
    def outer(n_folds, wrong, without):
        ones = np.ones(n_folds, int)
        return outer_error(np.array([1]), (wrong * ones)[None, :, None], 10 * ones, without * ones)

    assert (outer(4, 2, 5).p, outer(4, 5, 5).p, outer(4, 6, 5).p) == (0.0, 1.0, 1.0)
    assert outer(1, 2, 5).p == 1.0  # one fold shows nothing
    assert outer(60, 2, 5).error == pytest.approx(0.2)


def test_the_least_of_many_curves_of_noise_is_no_better_than_the_majority():
    """40 curves of coins: the least of each set is below a half, the outer error is not."""
    least, outer, better = [], [], 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        errors, majority = random.binomial(10, 0.5, (2, 10, 20)), random.binomial(10, 0.5, 10)
        least.append(errors.sum(axis=1).min() / 100)
        found = outer_error(np.arange(1, 21), errors, np.full(10, 10), majority)
        outer.append(found.error)
        better += found.is_better
    assert np.mean(least) < 0.42
    assert np.mean(outer) == pytest.approx(0.5, abs=0.02)  # 0.005 is one standard error
    assert better <= 12  # 5 of 100 expected at most; more than 12 has probability 0.002


@pytest.mark.parametrize("seed", range(5))
def test_paired_test_is_scipys(seed):
    random = np.random.default_rng(seed)
    first = random.random(20)
    second = first + random.normal(0.02 * (seed - 2), 0.05, 20)
    test = paired_test(first, second)
    for p, alternative in ((test.p_lower, "less"), (test.p_higher, "greater")):
        wanted = stats.ttest_rel(first, second, alternative=alternative).pvalue
        assert p == pytest.approx(wanted, rel=1e-10)  # two ways to the same distribution function


def test_outcomes():
    curve = np.linspace(0.3, 0.1, 9)
    assert paired_test(curve, curve + 0.01).outcome == "+"
    assert paired_test(curve + 0.01, curve).outcome == "-"
    assert paired_test(curve, curve).outcome == "="
    assert paired_test(curve, curve + np.array([1, -1] * 4 + [0])).outcome == "="
    assert paired_test([0.1], [0.3]).outcome is None
