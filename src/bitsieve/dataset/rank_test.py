"""A test whether the ranks of a column differ between the classes, for columns that no cut separates by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.utils.arrays import Floats, Integers, Values
from bitsieve.utils.libraries import chdtrc


@dataclass(frozen=True)
class RankTest:
    """A statistic of ranks, and its p by the tail of the chi-squared distribution."""

    statistic: float
    p: float


NO_DIFFERENCE = RankTest(statistic=0.0, p=1.0)


def rank_test(
    values: Floats, classes: Values, n_classes: int, weights: Integers | None, *, is_ordered: bool
) -> RankTest:
    """Test whether the ranks of the values depend on the classes.

    ``r_i`` are the ranks of the values, equal values share their mean rank, and ``n_c`` are the samples of class c, N
    in all. Missing values are left out. The statistic of Kruskal and Wallis, which corrects for ties, is

        H = (N - 1) sum_c n_c (mean of r in c - mean of r)^2 / sum_i (r_i - mean of r)^2

    with one degree of freedom less than there are classes. The classes of a quantity are ordered: there the statistic
    is ``(N - 1) rho^2``, rho the correlation of the ranks of values and classes, with one degree of freedom.

    Parameters
    ----------
    values : ndarray of float, shape (n_samples,)
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
    RankTest
        A statistic of 0 and p = 1 if all values are equal, or all of one class.
    """
    n_present = len(values) - np.count_nonzero(np.isnan(values))
    order = np.argsort(values)[:n_present]  # missing values are last
    numbers = values[order]
    classes = classes[order]
    sorted_weights = None if weights is None else weights[order]
    n_per_class = _counts(classes, sorted_weights, n_classes)
    if np.count_nonzero(n_per_class) < 2:
        return NO_DIFFERENCE

    firsts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))  # where equal numbers begin
    n_rows_per_number = np.diff(firsts, append=len(numbers))
    n_per_number = n_rows_per_number if sorted_weights is None else np.add.reduceat(sorted_weights, firsts)
    squares = _sum_of_squares(n_per_number)
    if squares == 0:
        return NO_DIFFERENCE

    n_samples = int(n_per_class.sum())
    deviations = np.repeat(_rank_deviations(n_per_number), n_rows_per_number)
    if sorted_weights is not None:
        deviations = deviations * sorted_weights
    sums_of_classes = np.zeros(n_classes, np.int64)
    np.add.at(sums_of_classes, classes, deviations)

    if is_ordered:
        covariance = 0  # of the ranks, times a constant: integers of any length
        for c, class_deviation in enumerate(_rank_deviations(n_per_class).tolist()):
            covariance += class_deviation * int(sums_of_classes[c])
        statistic = (n_samples - 1) * covariance**2 / (squares * _sum_of_squares(n_per_class))
        freedom = 1
    else:
        between = 0.0
        for c in np.flatnonzero(n_per_class).tolist():
            between += int(sums_of_classes[c]) ** 2 / int(n_per_class[c])
        statistic = (n_samples - 1) * between / squares
        freedom = int(np.count_nonzero(n_per_class)) - 1
    return RankTest(statistic=statistic, p=float(chdtrc(freedom, statistic)))


def _counts(codes: Values, weights: Integers | None, n_codes: int) -> Integers:
    """The samples of every code. Weights sum to 2^31 at most: the floats that bincount makes of them are exact."""
    return np.bincount(codes, weights, n_codes).astype(np.int64)


def _rank_deviations(counts: Integers) -> Integers:
    """Twice the mean rank of the samples of each value, less twice the mean of all ranks: whole numbers.

    ``counts`` are the samples of each value, the values ascending.
    """
    n_up_to = np.cumsum(counts)
    deviations: Integers = 2 * n_up_to - counts - n_up_to[-1]
    return deviations


def _sum_of_squares(counts: Integers) -> int:
    """The sum of the squared deviations of all samples, ``(N^3 - N - sum_t (t^3 - t)) / 3`` for ties of t samples."""
    n_samples = int(counts.sum())
    tied: int = sum(t**3 - t for t in counts[counts > 1].tolist())
    return (n_samples**3 - n_samples - tied) // 3
