"""Cuts of a numeric column by minimum description length within strata, by the effect that the strata have in common.

One set of cuts serves all strata. With O_c the samples of class c on a side of a cut, and E_c their mean after shuffles
of the classes within the strata s, to which a sample of stratum s adds ``n_cs / n_s``, the gain of a cut is

    sum over both sides and c of O_c log2(O_c / E_c), less the same of the interval that is cut

It is accepted if it exceeds the price of Fayyad and Irani, whose entropies and classes are those of all samples. With
one stratum this is their rule.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bitsieve.counts.search import Labels
from bitsieve.utils.arrays import Flags, Floats, Integers

MAX_ROUNDING = 1e-6  # bits: far above the rounding errors of a gain by logarithms, which are below 1e-8
MAX_BATCH = 1 << 16  # gains (values x vectors of classes) that are computed at once: they stay in the cache
NEVER_EXPECTED = -1e6  # stands for the logarithm of 0
MAX_TIE = 1e-12  # bits per sample: gains that differ by no more are ties, of which the smallest cut wins


class ClassShares(NamedTuple):
    """The share of each class in each stratum: what a sample of the stratum adds to the expected count of the class."""

    share: Integers  # shape (n_strata, n_classes): n_cs / n_s, in units of ``2**-shift``
    shift: int

    @classmethod
    def of_rows(cls, strata: Integers, classes: Labels, n_classes: int, weights: Integers | None = None) -> Self:
        """The shares of the classes in the strata. A row of weight w is w samples; None: a row is one sample."""
        n_strata = int(strata.max()) + 1
        n_cs = np.bincount(strata * n_classes + classes, weights, n_strata * n_classes).reshape(-1, n_classes)
        n_s = np.maximum(n_cs.sum(axis=1, keepdims=True), 1)  # a stratum may have no rows in a part of the data
        shift = 62 - int(n_cs.sum()).bit_length()  # so that the sum over all samples is within int64
        return cls(np.rint(np.ldexp(n_cs / n_s, shift)).astype(np.int64), shift)

    def expected(self, sums: Integers) -> Floats:
        """Expected counts from sums of shares."""
        return np.ldexp(sums.astype(np.float64), -self.shift)


def cuts_within_strata(
    values: Floats,
    classes: Labels,
    strata: Integers,
    n_classes: int,
    shares: ClassShares,
    weights: Integers | None = None,
) -> Floats:
    """The accepted cuts of a column, ascending. Missing values are left out.

    All arrays but ``shares`` have one entry for each row. A row of weight w is w samples; without weights it is one.
    """
    return SortedColumn.of_values(values, strata, n_classes, shares, weights).cuts(classes)


class SortedColumn(NamedTuple):
    """A column whose values are sorted once, to be cut for any classes that are shuffled within the strata."""

    distinct: Floats  # the values that occur, ascending
    rows: Integers  # the rows with a value, in the order of their values
    starts: Integers  # where the rows of each distinct value start in ``rows``
    weights: Integers  # of ``rows``
    expected_sums: Integers  # shape (n_values + 1, n_classes): the sums of shares of the samples below every value
    shares: ClassShares

    @classmethod
    def of_values(
        cls, values: Floats, strata: Integers, n_classes: int, shares: ClassShares, weights: Integers | None = None
    ) -> Self:
        """Sort the values of a column; missing ones are left out."""
        present = np.flatnonzero(~np.isnan(values))
        rows = present[np.argsort(values[present], kind="stable")]
        sorted_values = values[rows]
        is_next = np.ones(len(rows), bool)
        is_next[1:] = sorted_values[1:] != sorted_values[:-1]
        starts = np.flatnonzero(is_next)
        weights_in_order = np.ones(len(rows), np.int64) if weights is None else weights[rows]
        expected_sums = np.zeros((len(starts) + 1, n_classes), np.int64)
        if len(rows):
            for c in range(n_classes):
                expected = np.add.reduceat(shares.share[strata[rows], c] * weights_in_order, starts)
                expected_sums[1:, c] = np.cumsum(expected)
        return cls(sorted_values[starts], rows, starts, weights_in_order, expected_sums, shares)

    @property
    def n_values(self) -> int:
        return len(self.distinct)

    @property
    def n_classes(self) -> int:
        return len(self.expected_sums[0])

    def cuts(self, classes: Labels) -> Floats:
        """The accepted cuts for the classes of all rows, ascending."""
        if self.n_values < 2:
            return np.empty(0)
        column = _ColumnWithClasses(self, self._observed(classes[None])[0])
        cuts: list[float] = []
        intervals = [(0, self.n_values)]
        while intervals:
            first, end = intervals.pop()
            cut = column.accepted_cut(first, end)
            if cut is not None:
                cuts.append(self.midpoint(cut))
                intervals += [(first, cut), (cut, end)]
        return np.sort(np.array(cuts, np.float64))

    def may_be_cut(self, classes: Labels) -> Flags:
        """Whether :meth:`cuts` may accept a cut, for each vector of ``classes``, shape (n_vectors, n_rows).

        False is certain: the largest gain of a cut is below the lowest price. This takes a fraction of the time of
        :meth:`cuts` and decides for most shuffles.
        """
        may_be_cut = np.zeros(len(classes), bool)
        if self.n_values < 2:
            return may_be_cut
        left_terms, right_terms = self._expected_logarithms()
        n_samples = int(self.weights.sum())
        counts = np.arange(n_samples + 1)
        entropy_term = counts * np.log2(np.maximum(counts, 1))
        batch_size = max(1, MAX_BATCH // self.n_values)
        for first in range(0, len(classes), batch_size):
            batch = slice(first, first + batch_size)
            observed = self._observed(classes[batch])
            left = observed[:, 1:-1]
            interval = observed[:, -1]
            right = interval[:, None] - left
            divergence = entropy_term[left] - left * left_terms + entropy_term[right] - right * right_terms
            gain = divergence.sum(axis=2).max(axis=1) - self._divergence_of_all(interval)
            may_be_cut[batch] = gain > _lowest_price(interval) - MAX_ROUNDING
        return may_be_cut

    def _expected_logarithms(self) -> tuple[Floats, Floats]:
        """log2 of the expected counts of the classes below and above every cut, shape (n_values - 1, n_classes)."""
        left = self.expected_sums[1:-1]
        right = self.expected_sums[-1] - left
        return _logarithm(self.shares.expected(left)), _logarithm(self.shares.expected(right))

    def _divergence_of_all(self, observed: Integers) -> Floats:
        """``sum over c of O_c log2(O_c / E_c)`` of the samples of all values, for each vector of classes."""
        expected = _logarithm(self.shares.expected(self.expected_sums[-1]))
        divergence: Floats = (observed * (np.log2(np.maximum(observed, 1)) - expected)).sum(axis=1)
        return divergence

    def _observed(self, classes: Labels) -> Integers:
        """The samples of each class below every value, shape (n_vectors, n_values + 1, n_classes)."""
        in_order = classes[:, self.rows]
        observed = np.zeros((len(classes), self.n_values + 1, self.n_classes), np.int64)
        for c in range(self.n_classes):
            of_value = np.add.reduceat((in_order == c) * self.weights, self.starts, axis=1)
            np.cumsum(of_value, axis=1, out=observed[:, 1:, c])
        return observed

    def midpoint(self, cut: int) -> float:
        """The cut below the value of index ``cut``: the midpoint, or the lower value where that would be the upper."""
        low = float(self.distinct[cut - 1])
        high = float(self.distinct[cut])
        middle = low / 2 + high / 2
        return middle if low <= middle < high else low


class _ColumnWithClasses(NamedTuple):
    """A sorted column and the classes of its samples."""

    column: SortedColumn
    observed: Integers  # shape (n_values + 1, n_classes): the samples of each class below every value

    def accepted_cut(self, first: int, end: int) -> int | None:
        """The index of the value above the best cut of values ``first .. end - 1``; None if no cut is accepted."""
        if end - first < 2:
            return None
        expected_sums = self.column.expected_sums
        left = self.observed[first + 1 : end] - self.observed[first]
        right = self.observed[end] - self.observed[first + 1 : end]
        interval = self.observed[end] - self.observed[first]
        gain = (
            self._divergence(left, expected_sums[first + 1 : end] - expected_sums[first])
            + self._divergence(right, expected_sums[end] - expected_sums[first + 1 : end])
            - self._divergence(interval, expected_sums[end] - expected_sums[first])
        )
        n_samples = int(interval.sum())
        best = int(np.flatnonzero(gain >= gain.max() - MAX_TIE * n_samples)[0])
        price = _price(interval, left[best], right[best])
        is_accepted = float(gain[best]) > price + MAX_TIE * n_samples
        return first + 1 + best if is_accepted else None

    def _divergence(self, observed: Integers, expected_sums: Integers) -> Floats:
        """``sum over c of O_c log2(O_c / E_c)``."""
        expected = self.column.shares.expected(expected_sums)
        ratio = np.divide(observed, expected, out=np.ones_like(expected), where=observed > 0)
        divergence: Floats = (observed * np.log2(ratio)).sum(axis=-1)
        return divergence


def _price(interval: Integers, left: Integers, right: Integers) -> float:
    """``log2(n - 1) + log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)]``, in bits, of class counts."""
    n_classes = int((interval > 0).sum())
    log_sets = float(np.log2(3.0**n_classes - 2)) if n_classes <= 40 else n_classes * float(np.log2(3.0))
    entropies = _classes_times_entropy(interval) - _classes_times_entropy(left) - _classes_times_entropy(right)
    return float(np.log2(float(interval.sum()) - 1)) + log_sets - entropies


def _lowest_price(intervals: Integers) -> Floats:
    """A lower bound of the price of any cut of intervals with these class counts, shape (n_intervals, n_classes).

    It is the price of a cut whose sides are of one class each, for 40 classes where there are more.
    """
    n_classes = (intervals > 0).sum(axis=1)
    n_samples = intervals.sum(axis=1)
    shares = intervals / n_samples[:, None]
    entropy = -(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    price: Floats = np.log2(n_samples - 1.0) + np.log2(3.0 ** np.minimum(n_classes, 40) - 2) - n_classes * entropy
    return price


def _logarithm(expected: Floats) -> Floats:
    """log2 of expected counts; of 0 a number so low that a class which occurs all the same makes any gain large."""
    return np.where(expected > 0, np.log2(np.where(expected > 0, expected, 1.0)), NEVER_EXPECTED)


def _classes_times_entropy(counts: Integers) -> float:
    """``k Ent(S)`` of class counts."""
    counts = counts[counts > 0]
    shares = counts / counts.sum()
    return len(counts) * float(-(shares * np.log2(shares)).sum())
