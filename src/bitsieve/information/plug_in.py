"""Plug-in and Miller-Madow estimates: information of two features and a class, from sums of entropy terms.

With ``S`` the sum of the fixed-point terms over a table (see :mod:`bitsieve.counts.tables`) and ``B = N 2**shift``,
``H = (T[N] - S) / B``, and every mutual information is an integer combination of such sums, made a float once:
docs/reference/numerics.md has all formulas. None is clipped: by plug-in, independence shows as 0 up to the rounding
of the terms.

Miller and Madow add ``(K - 1) / (2 N ln 2)`` bits to an entropy, K the non-empty cells of its table. With the terms
``T[c] - 2**shift / (2 ln 2)`` for c > 0 every formula holds as it stands, with the same exactness.

G. A. Miller, "Note on the bias of information estimates", in: Information Theory in Psychology, 1955, pp. 95-100.
"""

from __future__ import annotations

from functools import lru_cache
from math import ldexp
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.counts.source import CountSource, conditioning, sums_of
from bitsieve.counts.tables import PairForm, Terms, entropy_terms
from bitsieve.information.protocol import (
    ConditionalInformation,
    DisjointPairs,
    Information,
    PairInformation,
    Quantity,
    counted_by_class,
)
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import square_matrix

BITS_PER_CELL = 0.7213475204444817  # 1 / (2 ln 2), times N
CACHE_BYTES = 256 << 20  # rows kept for later questions about the same pivots
CACHED_PAIRS = 1 << 14  # and pairs of a pivot with some columns
SLAB_BYTES = 8 << 20  # allocated at once for rows: a fresh array a row spends as long on page faults as on counting


class SumInformation(Information):
    """Information quantities that are integer combinations of sums of entropy terms, in bits; a subclass says which.

    A row costs one pass over the counts of the pivot with all features; rows asked for are kept, so that asking
    again for a pivot costs nothing. A matrix is computed in one fused pass and not kept.
    """

    conditions_on_sets: ClassVar[bool] = True

    def __init__(self, source: CountSource) -> None:
        self.source, self.sums, self.terms = source, sums_of(source), self.terms_of(source.n_samples)
        self._rows: dict[int, tuple[Integers, Integers | None]] = {}
        self._pairs: dict[int, dict[int, int]] = {}  # S_xy of a pivot with some columns
        self._pairs_left = CACHED_PAIRS
        self._row_limit = max(2, CACHE_BYTES // (16 * max(source.n_features, 1)))
        self._free_rows: list[Integers] = []

    terms_of = staticmethod(entropy_terms)  # of tables of so many samples

    def conditional(self) -> ConditionalInformation:
        return ConditionalInformation(self.terms, conditioning(self.source).partition())

    @cached_property
    def total(self) -> int:
        """``T[N]``."""
        return self.terms.sum(np.array([self.source.n_samples], np.int64))

    @cached_property
    def class_sum(self) -> int:
        """``S_c``."""
        return self.terms.sum(self.source.class_sizes)

    @cached_property
    def marginals(self) -> tuple[Integers, Integers]:
        """``S_i`` and ``S_ic`` of every feature."""
        return self.sums.marginal_sums(self.terms)

    def bits(self, sums: Integers) -> Floats:
        """Sums of terms as bits."""
        return sums / self.terms.per_bit

    @cached_property
    def entropy(self) -> Floats:
        return self.bits(self.total - self.marginals[0])

    @property
    def entropy_by_class(self) -> Floats:
        return self.bits(self.class_sum - self.marginals[1])

    @cached_property
    def class_entropy(self) -> float:
        return (self.total - self.class_sum) / self.terms.per_bit

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self._relevance_sums())

    def _relevance_sums(self) -> Integers:
        pooled, with_class = self.marginals
        return self.total - pooled - self.class_sum + with_class

    @cached_property
    def varies(self) -> Flags:
        return np.asarray(self.marginals[0] != self.total)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> SumPair:
        cached_row = self._rows.get(pivot)
        if cached_row is None or (by_class and cached_row[1] is None):
            if columns is not None:
                xy, xyc = self.sums.pair_sums(self.terms, pivot, columns, by_class)
                if len(columns) <= self._pairs_left:
                    self._pairs_left -= len(columns)
                    self._pairs.setdefault(pivot, {}).update(zip(columns.tolist(), xy.tolist(), strict=True))
                return self.of_sums(pivot, columns, xy, xyc)
            out = self._new_row(), self._new_row() if by_class else None
            cached_row = self.sums.pair_sums(self.terms, pivot, None, by_class, out)
            if len(self._rows) < self._row_limit:
                self._rows[pivot] = cached_row
        if columns is None:
            return self.of_sums(pivot, None, *cached_row)
        return self.of_sums(
            pivot, columns, cached_row[0][columns], None if cached_row[1] is None else cached_row[1][columns]
        )

    def _recalled(self, feature: int, columns: Columns) -> Integers | None:
        """``S_xy`` of a pivot with columns, where it was asked for with each of them before."""
        if feature in self._rows:
            return self._rows[feature][0][columns]
        cached = self._pairs.get(feature, {})
        sums = [cached.get(column) for column in columns.tolist()]
        return None if None in sums else np.array(sums, np.int64)

    def of_sums(self, pivot: int, columns: Columns | None, xy: Integers, xyc: Integers | None) -> SumPair:
        """The information of features with one pivot, given ``S_xy`` and, where it was asked for, ``S_xyc``."""
        return SumPair(self, pivot, columns, xy, xyc)

    def _new_row(self) -> Integers:
        if not self._free_rows:
            n_rows = max(1, min(128, SLAB_BYTES // (8 * max(self.n_features, 1))))
            self._free_rows = list(np.empty((n_rows, self.n_features), np.int64))
        return self._free_rows.pop(0)

    def minima(self, quantity: str, *, capped: bool) -> Scores | None:
        pooled, with_class = self.marginals
        if quantity == "conditional_relevance":
            offsets = pooled - with_class
        elif quantity == "joint_relevance":
            offsets = np.full(self.n_features, self.total - self.class_sum)
        else:
            return None
        start = self._relevance_sums() if capped else np.full(self.n_features, np.iinfo(np.int64).max)
        return self.sums.minima(self.terms, start, offsets)

    def disjoint_pairs(self) -> DisjointPairs | None:
        support = self.sums.disjoint_support(self.terms, self.marginals[0])
        if support is None:
            return None
        return DisjointPairs(support, lambda feature, columns, xy: self.of_sums(feature, columns, xy, None))

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        cached_rows = [self._rows[feature] for feature in pivots.tolist() if feature in self._rows]
        pooled, with_class = self.marginals
        form = PairForm(-1, 1, pooled - with_class, np.zeros_like(pooled), self.terms.per_bit, False)
        if len(cached_rows) == len(pivots) and all(row is not None for _, row in cached_rows):
            xy = np.array([row[columns] for row, _ in cached_rows])
            xyc = np.array([counted_by_class(row)[columns] for _, row in cached_rows])
            return form.values(pivots[:, None], columns, xy, xyc)
        out = np.empty((len(pivots), len(columns)))
        self.sums.matrix_rows(self.terms, form, pivots, columns, out)
        return out

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        pivots = self._rows.keys() | self._pairs.keys()
        if quantity == "redundancy" and columns is not None and pivots >= set(columns[:-1].tolist()):
            recalled = square_matrix(len(columns), dtype)
            np.fill_diagonal(recalled, self.entropy[columns])
            for index, feature in enumerate(columns.tolist(), 1):
                later = columns[index:]
                xy = self._recalled(feature, later)
                if xy is None:
                    break
                recalled[index - 1, index:] = recalled[index:, index - 1] = self.of_sums(
                    feature, later, xy, None
                ).redundancy
            else:
                return recalled
        matrix = self.sums.matrix(self.terms, self._form(quantity), dtype, columns, progress)
        if quantity in ("conditional_relevance", "mean_relevance"):
            np.fill_diagonal(matrix, self.relevance if columns is None else self.relevance[columns])
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        self.sums.matrix_rows(self.terms, self._form("mean_relevance"), pivots, columns, out)
        self.put_relevance(pivots, columns, out)

    def _form(self, quantity: Quantity) -> PairForm:
        """How the entries of a matrix are made of the sums of pairs."""
        pooled, with_class = self.marginals
        bit = self.terms.per_bit
        if quantity == "redundancy":
            return PairForm(1, 0, self.total - pooled, -pooled, bit, False)
        if quantity == "conditional_redundancy":
            return PairForm(0, 1, self.class_sum - with_class, -with_class, bit, False)
        return PairForm(-1, 1, np.zeros_like(pooled), pooled - with_class, bit, quantity == "mean_relevance")


class SumPair(PairInformation):
    """The information of some features with one pivot, each number computed when asked for."""

    information: SumInformation

    def __init__(
        self, information: SumInformation, pivot: int, columns: Columns | None, xy: Integers, xyc: Integers | None
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._xy = xy
        self._xyc = xyc

    @property
    def redundancy(self) -> Floats:
        info = self.information
        pooled, _ = info.marginals
        return info.bits(self._xy + (info.total - pooled[self.pivot]) - self.of(pooled))

    @property
    def conditional_redundancy(self) -> Floats:
        info = self.information
        _, with_class = info.marginals
        return info.bits(self._within + (info.class_sum - with_class[self.pivot]) - self.of(with_class))

    @property
    def conditional_relevance(self) -> Floats:
        pooled, with_class = self.information.marginals
        return self.information.bits(self._within - self._xy + (pooled[self.pivot] - with_class[self.pivot]))

    @property
    def joint_relevance(self) -> Floats:
        info = self.information
        return info.bits(self._within - self._xy + (info.total - info.class_sum))

    @property
    def joint_entropy(self) -> Floats:
        return self.information.bits(self.information.total - self._within)

    @property
    def symmetric_relevance(self) -> Floats:
        info = self.information
        joint = self._within - self._xy + (info.total - info.class_sum)
        return joint / np.maximum(info.total - self._within, 1)  # where the entropy is 0, so is the information

    @property
    def _within(self) -> Integers:
        return counted_by_class(self._xyc)


class PlugInInformation(SumInformation):
    """The plug-in estimate, in bits: entropies of the observed frequencies."""

    estimator: ClassVar[str] = "plug-in"

    @cached_property
    def least_redundancy(self) -> Floats:
        return np.zeros(self.n_features)


@lru_cache(maxsize=8)
def miller_madow_terms(n_samples: int) -> Terms:
    """The terms of ``n_samples`` less the penalty of a non-empty cell."""
    plain = entropy_terms(n_samples)
    table = plain.table.copy()
    table[1:] -= round(ldexp(BITS_PER_CELL, plain.shift))
    table.flags.writeable = False
    return Terms(n_samples, plain.shift, table)


class MillerMadowInformation(SumInformation):
    """Information quantities of corrected entropies, in bits; any of them but an entropy may be negative."""

    estimator: ClassVar[str] = "miller-madow"
    terms_of = staticmethod(miller_madow_terms)
