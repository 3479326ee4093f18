"""The rank test is that of Kruskal and Wallis for classes, and the rank correlation for the classes of a quantity."""

import numpy as np
import pytest
from scipy import stats

from bitsieve.dataset.rank_test import NO_DIFFERENCE, rank_tests
from bitsieve.dataset.read import read_xy


def rank_test(values, classes, n_classes, weights, *, is_ordered):
    """The test of one column."""
    (test,) = rank_tests([values], classes, n_classes, weights, is_ordered=is_ordered)
    return test


def tied_table(seed, n_classes):
    """Values with ties and gaps, and classes of unequal sizes."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 12, 80).astype(float)
    values[random.random(80) < 0.1] = np.nan
    return values, random.integers(0, n_classes, 80) * random.integers(0, 2, 80)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_classes", [2, 5])
def test_classes_as_scipy_has_them(seed, n_classes):
    values, classes = tied_table(seed, n_classes)
    test = rank_test(values, classes, n_classes, None, is_ordered=False)
    samples = [values[(classes == c) & ~np.isnan(values)] for c in np.unique(classes)]
    expected = stats.kruskal(*samples)
    assert np.isclose(test.statistic, expected.statistic, rtol=1e-12)  # sums of floats against sums of integers
    assert np.isclose(test.p, expected.pvalue, rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_ordered_classes_have_the_squared_rank_correlation(seed):
    values, classes = tied_table(seed, 5)
    test = rank_test(values, classes, 5, None, is_ordered=True)
    is_present = ~np.isnan(values)
    rho = stats.spearmanr(values[is_present], classes[is_present]).statistic
    expected = (is_present.sum() - 1) * rho**2
    assert np.isclose(test.statistic, expected, rtol=1e-10)  # the floats of a correlation
    assert np.isclose(test.p, stats.chi2.sf(expected, 1), rtol=1e-10)


@pytest.mark.parametrize("is_ordered", [False, True])
def test_weights_are_repeated_rows_and_order_does_not_matter(is_ordered):
    values, classes = tied_table(7, 3)
    random = np.random.default_rng(8)
    weights = random.integers(1, 4, len(values))
    weighted = rank_test(values, classes, 3, weights, is_ordered=is_ordered)
    order = random.permutation(weights.sum())
    repeated = rank_test(
        np.repeat(values, weights)[order], np.repeat(classes, weights)[order], 3, None, is_ordered=is_ordered
    )
    assert weighted == repeated


def test_a_monotone_function_of_the_values_changes_nothing():
    values, classes = tied_table(9, 3)
    test = rank_test(values, classes, 3, None, is_ordered=False)
    assert rank_test(np.exp(values), classes, 3, None, is_ordered=False) == test


def test_two_classes_without_overlap_have_the_largest_statistic():
    # The ranks of n rows of each class lie n apart: H = 3 n^2 / (2 n + 1).
    values = np.arange(20.0)
    test = rank_test(values, np.arange(20) // 10, 2, None, is_ordered=False)
    assert test.statistic == 300 / 21


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1]),
        ([1.0, 2.0, np.nan, np.nan], [0, 0, 1, 1]),
        ([np.nan, np.nan, np.nan, np.nan], [0, 0, 1, 1]),
        ([3.0, np.nan, np.nan, np.nan], [0, 0, 1, 1]),
    ],
)
def test_nothing_to_compare_is_no_difference(values, classes, is_ordered):
    assert rank_test(np.array(values), np.array(classes), 2, None, is_ordered=is_ordered) == NO_DIFFERENCE


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize("weights", [None, "weights"])
def test_columns_that_are_tested_together_have_the_tests_of_each(is_ordered, weights):
    tables = [tied_table(seed, 4) for seed in range(6)]
    classes = tables[0][1]
    columns = [*[values for values, _ in tables], np.zeros(80), np.full(80, np.nan)]
    if weights is not None:
        weights = np.random.default_rng(3).integers(1, 4, 80)
    together = rank_tests(columns, classes, 4, weights, is_ordered=is_ordered)
    alone = [rank_test(column, classes, 4, weights, is_ordered=is_ordered) for column in columns]
    assert together == alone
    assert together[-2:] == [NO_DIFFERENCE, NO_DIFFERENCE]


def test_ties_of_very_many_samples_are_exact():
    # Two values of n = 2^30 samples each, one in each class: H = (2 n - 1) n^2 / n^2 by hand, of sums up to 2^92.
    n = 2**30
    test = rank_test(np.array([0.0, 1.0]), np.array([0, 1]), 2, np.array([n, n]), is_ordered=False)
    assert test.statistic == 2 * n - 1


@pytest.mark.parametrize("n_jobs", [None, 2, 5])
def test_threads_change_nothing(n_jobs):
    random = np.random.default_rng(10)
    X = random.normal(size=(3000, 40))
    table = read_xy(X, random.integers(0, 3, 3000))
    columns = [17, 3, *range(20, 40)]
    expected = [rank_test(X[:, j].copy(), table.target.codes, 3, None, is_ordered=False) for j in columns]
    assert table.rank_tests(columns, n_jobs) == expected
