"""Cuts of a numeric column by minimum description length within strata, by the effect that the strata have in common.

One set of cuts serves all strata. With O_c the samples of class c on a side of a cut, and E_c their mean after shuffles
of the classes within the strata s, to which a sample of stratum s adds ``n_cs / n_s``, the gain of a cut is

    sum over both sides and c of O_c log2(O_c / E_c), less the same of the interval that is cut

It is accepted if it exceeds the price of Fayyad and Irani, whose entropies and classes are those of all samples. With
one stratum this is their rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bitsieve.counts.search import Labels
from bitsieve.utils.arrays import Floats, Integers

MAX_TIE = 1e-12  # bits a sample: gains that differ by no more are equal, and the smallest cut is taken


@dataclass(frozen=True)
class ClassShares:
    """What a sample of each stratum adds to the expected counts of the classes."""

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
    """The accepted cuts of a column, ascending; missing values take no part.

    ``values``, ``classes``, ``strata`` and ``weights`` have one entry for each row, which is as many samples as its
    weight; None: one.
    """
    present = np.flatnonzero(~np.isnan(values))
    order = present[np.argsort(values[present], kind="stable")]
    if not len(order):
        return np.empty(0)
    weights_in_order = np.ones(len(order), np.int64) if weights is None else weights[order]
    column = _SortedColumn.of_rows(values[order], classes[order], strata[order], weights_in_order, n_classes, shares)
    cuts: list[float] = []
    intervals = [(0, column.n_values)]
    while intervals:
        first, end = intervals.pop()
        cut = column.accepted_cut(first, end)
        if cut is not None:
            cuts.append(column.midpoint(cut))
            intervals += [(first, cut), (cut, end)]
    return np.sort(np.array(cuts, np.float64))


@dataclass(frozen=True)
class _SortedColumn:
    """The distinct values of a column, ascending, and running sums over their samples."""

    distinct: Floats
    observed: Integers  # shape (n_values + 1, n_classes): the samples of each class below every value
    expected_sums: Integers  # shape (n_values + 1, n_classes): their sums of shares
    shares: ClassShares

    @classmethod
    def of_rows(
        cls,
        values: Floats,
        classes: Labels,
        strata: Integers,
        weights: Integers,
        n_classes: int,
        shares: ClassShares,
    ) -> Self:
        """Sum over rows in the order of their values."""
        starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
        observed = np.zeros((len(starts) + 1, n_classes), np.int64)
        expected_sums = np.zeros((len(starts) + 1, n_classes), np.int64)
        for c in range(n_classes):
            observed[1:, c] = np.cumsum(np.add.reduceat((classes == c) * weights, starts))
            expected_sums[1:, c] = np.cumsum(np.add.reduceat(shares.share[strata, c] * weights, starts))
        return cls(values[starts], observed, expected_sums, shares)

    @property
    def n_values(self) -> int:
        return len(self.distinct)

    def midpoint(self, cut: int) -> float:
        """The cut below the value of index ``cut``: the midpoint, or the lower value where that would be the upper."""
        low = float(self.distinct[cut - 1])
        high = float(self.distinct[cut])
        middle = low / 2 + high / 2
        return middle if low <= middle < high else low

    def accepted_cut(self, first: int, end: int) -> int | None:
        """The index of the value above the best cut of values ``first .. end - 1``; None if no cut is accepted."""
        if end - first < 2:
            return None
        left = self.observed[first + 1 : end] - self.observed[first]
        right = self.observed[end] - self.observed[first + 1 : end]
        interval = self.observed[end] - self.observed[first]
        gain = (
            self._divergence(left, self.expected_sums[first + 1 : end] - self.expected_sums[first])
            + self._divergence(right, self.expected_sums[end] - self.expected_sums[first + 1 : end])
            - self._divergence(interval, self.expected_sums[end] - self.expected_sums[first])
        )
        n_samples = int(interval.sum())
        best = int(np.flatnonzero(gain >= gain.max() - MAX_TIE * n_samples)[0])
        price = _price(interval, left[best], right[best])
        is_accepted = float(gain[best]) > price + MAX_TIE * n_samples
        return first + 1 + best if is_accepted else None

    def _divergence(self, observed: Integers, expected_sums: Integers) -> Floats:
        """``sum over c of O_c log2(O_c / E_c)``."""
        expected = self.shares.expected(expected_sums)
        ratio = np.divide(observed, expected, out=np.ones_like(expected), where=observed > 0)
        divergence: Floats = (observed * np.log2(ratio)).sum(axis=-1)
        return divergence


def _price(interval: Integers, left: Integers, right: Integers) -> float:
    """``log2(n - 1) + log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)]``, in bits, of class counts."""
    n_classes = int((interval > 0).sum())
    log_sets = float(np.log2(3.0**n_classes - 2)) if n_classes <= 40 else n_classes * float(np.log2(3.0))
    entropies = _classes_times_entropy(interval) - _classes_times_entropy(left) - _classes_times_entropy(right)
    return float(np.log2(float(interval.sum()) - 1)) + log_sets - entropies


def _classes_times_entropy(counts: Integers) -> float:
    """``k Ent(S)`` of class counts."""
    counts = counts[counts > 0]
    shares = counts / counts.sum()
    return len(counts) * float(-(shares * np.log2(shares)).sum())
