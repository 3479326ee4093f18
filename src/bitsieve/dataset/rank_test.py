"""A test whether the ranks of a column differ between the classes, for columns that no cut separates by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.chi_squared import chi_squared_tail


class RankTest(NamedTuple):
    """A statistic of ranks, and its p by the tail of the chi-squared distribution."""

    statistic: float
    p: float


NO_DIFFERENCE = RankTest(statistic=0.0, p=1.0)


def rank_tests(
    columns: Sequence[Floats], classes: Values, n_classes: int, weights: Integers | None, *, is_ordered: bool
) -> list[RankTest]:
    """Test of every column whether the ranks of its values depend on the classes.

    ``r_i`` are the ranks of the values, equal values share their mean rank, and ``n_c`` are the samples of class c, N
    in all. Missing values are left out. The statistic of Kruskal and Wallis, which corrects for ties, is

        H = (N - 1) sum_c n_c (mean of r in c - mean of r)^2 / sum_i (r_i - mean of r)^2

    with one degree of freedom less than there are classes. The classes of a quantity are ordered: there the statistic
    is ``(N - 1) rho^2``, rho the correlation of the ranks of values and classes, with one degree of freedom.

    Parameters
    ----------
    columns : sequence of ndarray of float, shape (n_samples,)
        NaN is a missing value.
    classes : ndarray of int, shape (n_samples,)
        The codes of the classes, from 0.
    n_classes : int
        The number of classes.
    weights : ndarray of int, shape (n_samples,), or None
        Frequency weights, 1 or more; None for 1 each.
    is_ordered : bool
        Whether the classes are the intervals of a quantity, in their order.

    Returns
    -------
    list of RankTest, length n_columns
        A statistic of 0 and p = 1 if all values of a column are equal, or all of one class.
    """
    n_samples, deviations, ties_high, ties_low = _native.rank_sums(
        columns, np.asarray(classes, np.int32), n_classes, weights
    )
    n_per_class = n_samples.reshape(len(columns), n_classes)
    # Of twice the mean rank of equal values, less twice the mean of all ranks: whole numbers
    sums_of_classes = deviations.reshape(len(columns), n_classes)
    statistic_and_freedom = _rank_correlation if is_ordered else _kruskal_wallis
    tests = []
    for j in range(len(columns)):
        has_samples = n_per_class[j] > 0
        ties = (int(ties_high[j]) << 32) + int(ties_low[j])
        squares = _sum_of_squares(int(n_per_class[j].sum()), ties)
        if np.count_nonzero(has_samples) < 2 or squares == 0:
            tests.append(NO_DIFFERENCE)
            continue
        statistic, freedom = statistic_and_freedom(
            n_per_class[j, has_samples], sums_of_classes[j, has_samples].tolist(), squares
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
    n_samples = int(n_up_to[-1])
    squares_of_classes = _sum_of_squares(n_samples, sum(n**3 - n for n in n_per_class.tolist()))
    return (n_samples - 1) * covariance**2 / (squares * squares_of_classes), 1


def _sum_of_squares(n_samples: int, ties: int) -> int:
    """The sum of the squared deviations of all samples, ``(N^3 - N - ties) / 3``.

    ``ties`` is the sum of ``t^3 - t`` over the values, of t samples each.
    """
    return (n_samples**3 - n_samples - ties) // 3
