"""A test whether the ranks of a column differ between the classes, for columns that no cut separates by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.chi_squared import chi_squared_tail


@dataclass(frozen=True)
class RankTest:
    """A statistic of ranks, and its p by the tail of the chi-squared distribution."""

    statistic: float
    p: float


NO_DIFFERENCE = RankTest(statistic=0.0, p=1.0)


def rank_tests(
    values: Floats, classes: Values, n_classes: int, weights: Integers | None, *, is_ordered: bool
) -> list[RankTest]:
    """Test of every column whether the ranks of its values depend on the classes.

    ``r_i`` are the ranks of the values, equal values share their mean rank, and ``n_c`` are the samples of class c, N
    in all. Missing values are left out. The statistic of Kruskal and Wallis, which corrects for ties, is

        H = (N - 1) sum_c n_c (mean of r in c - mean of r)^2 / sum_i (r_i - mean of r)^2

    with one degree of freedom less than there are classes. The classes of a quantity are ordered: there the statistic
    is ``(N - 1) rho^2``, rho the correlation of the ranks of values and classes, with one degree of freedom.

    Parameters
    ----------
    values : ndarray of float, shape (n_samples, n_columns)
        NaN is a missing value.
    classes : ndarray of int, shape (n_samples,)
        The codes of the classes, from 0.
    n_classes : int
        The number of classes.
    weights : ndarray of int, shape (n_samples,), or None
        Frequency weights; None for 1 each.
    is_ordered : bool
        Whether the classes are the intervals of a quantity, in their order.

    Returns
    -------
    list of RankTest, length n_columns
        A statistic of 0 and p = 1 if all values of a column are equal, or all of one class.
    """
    n_columns = values.shape[1]
    order = np.argsort(values, axis=0)
    sorted_values = np.take_along_axis(values, order, axis=0)
    sorted_classes = classes[order]
    is_present = ~np.isnan(sorted_values)
    n_samples = is_present.astype(np.int64) if weights is None else is_present * weights[order]

    differs_from_previous = sorted_values[1:] != sorted_values[:-1]  # a missing value differs from all, and counts 0
    end = np.ones((1, n_columns), bool)
    is_first_of_value = np.concatenate([end, differs_from_previous])
    is_last_of_value = np.concatenate([differs_from_previous, end])
    n_up_to = np.cumsum(n_samples, axis=0)
    n_total = n_up_to[-1]
    n_smaller = np.maximum.accumulate(np.where(is_first_of_value, n_up_to - n_samples, 0), axis=0)
    n_not_larger = np.minimum.accumulate(np.where(is_last_of_value, n_up_to, n_total)[::-1], axis=0)[::-1]
    # Twice the mean rank of equal values, less twice the mean of all ranks: whole numbers
    rank_deviations = n_smaller + n_not_larger - n_total
    n_of_value = np.where(is_first_of_value, n_not_larger - n_smaller, 0)

    column = np.broadcast_to(np.arange(n_columns), order.shape)
    n_per_class = np.zeros((n_classes, n_columns), np.int64)
    np.add.at(n_per_class, (sorted_classes, column), n_samples)
    sums_of_classes = np.zeros((n_classes, n_columns), np.int64)
    np.add.at(sums_of_classes, (sorted_classes, column), n_samples * rank_deviations)
    statistic_and_freedom = _rank_correlation if is_ordered else _kruskal_wallis
    tests = []
    for j in range(n_columns):
        has_samples = n_per_class[:, j] > 0
        squares = _sum_of_squares(n_of_value[:, j])
        if np.count_nonzero(has_samples) < 2 or squares == 0:
            tests.append(NO_DIFFERENCE)
            continue
        statistic, freedom = statistic_and_freedom(
            n_per_class[has_samples, j], sums_of_classes[has_samples, j].tolist(), squares
        )
        tests.append(RankTest(statistic=statistic, p=chi_squared_tail(freedom, statistic)))
    return tests


def _kruskal_wallis(n_per_class: Integers, sums_of_classes: list[int], squares: int) -> tuple[float, int]:
    """The statistic H, and its degrees of freedom."""
    between = 0.0
    for n_of_class, sum_of_class in zip(n_per_class.tolist(), sums_of_classes, strict=True):
        between += sum_of_class**2 / n_of_class
    return (int(n_per_class.sum()) - 1) * between / squares, len(n_per_class) - 1


def _rank_correlation(n_per_class: Integers, sums_of_classes: list[int], squares: int) -> tuple[float, int]:
    """The statistic (N - 1) rho^2, and its degrees of freedom."""
    covariance = 0  # of the ranks, times a constant: integers of any length
    n_up_to = np.cumsum(n_per_class)
    class_deviations = 2 * n_up_to - n_per_class - n_up_to[-1]
    for class_deviation, sum_of_class in zip(class_deviations.tolist(), sums_of_classes, strict=True):
        covariance += class_deviation * sum_of_class
    return (int(n_up_to[-1]) - 1) * covariance**2 / (squares * _sum_of_squares(n_per_class)), 1


def _sum_of_squares(counts: Integers) -> int:
    """The sum of the squared deviations of all samples, ``(N^3 - N - sum_t (t^3 - t)) / 3`` for ties of t samples."""
    n_samples = int(counts.sum())
    tied: int = sum(t**3 - t for t in counts[counts > 1].tolist())
    return (n_samples**3 - n_samples - tied) // 3
