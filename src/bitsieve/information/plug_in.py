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
from bitsieve.counts.tables import EntropyTerms, MinimumFormula, PairFormula, PairSums, Sums, make_entropy_terms
from bitsieve.information.protocol import (
    ConditionalInformation,
    DisjointPairs,
    Information,
    PairInformation,
    PairQuantity,
    Quantity,
    counted_by_class,
)
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.memory import square_matrix

BITS_PER_CELL = 0.7213475204444817  # 1 / (2 ln 2): the correction of Miller and Madow for a cell, times N
CACHE_BYTES = 256 << 20  # of cached rows
CACHED_PAIRS = 1 << 14  # single pairs that are cached beside rows
SLAB_BYTES = 8 << 20  # allocated at once for rows: with one allocation a row, page faults take as long as counting


class SumInformation(Information):
    """Information quantities that are integer combinations of sums of entropy terms, in bits.

    A subclass says which terms. The sums of a pivot with all features, a row, cost one pass over the counts. Rows are
    cached, so that a pivot costs nothing the second time. A matrix is computed in one fused pass and not cached.
    """

    conditions_on_sets: ClassVar[bool] = True

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.sums = self.sums_of_source(source)
        self.entropy_terms = self.terms_of(source.n_samples)
        self._rows: dict[int, PairSums] = {}  # by pivot: its sums with all features
        self._pairs: dict[int, dict[int, int]] = {}  # by pivot and column: ``S_xy``
        self._pairs_left = CACHED_PAIRS
        self._row_limit = max(2, CACHE_BYTES // (16 * max(source.n_features, 1)))
        self._free_rows: list[Integers] = []  # allocated, and not yet used

    #: The entropy terms of the estimator, for tables of so many samples.
    terms_of = staticmethod(make_entropy_terms)

    def sums_of_source(self, source: CountSource) -> Sums:
        """The sums of entropy terms over the tables of a source."""
        return sums_of(source)

    def conditional(self) -> ConditionalInformation:
        return ConditionalInformation(self.entropy_terms, conditioning(self.source).partition())

    @cached_property
    def total(self) -> int:
        """``T[N]``."""
        return self.sums.total(self.entropy_terms)

    @cached_property
    def class_sum(self) -> int:
        """``S_c``."""
        return self.sums.class_sum(self.entropy_terms)

    @cached_property
    def marginals(self) -> tuple[Integers, Integers]:
        """``S_i`` and ``S_ic`` of every feature."""
        return self.sums.marginal_sums(self.entropy_terms)

    def bits(self, sums: Integers) -> Floats:
        """Sums of terms as bits."""
        return sums / self.entropy_terms.per_bit

    @cached_property
    def entropy(self) -> Floats:
        return self.bits(self.total - self.marginals[0])

    @property
    def entropy_by_class(self) -> Floats:
        return self.bits(self.class_sum - self.marginals[1])

    @cached_property
    def class_entropy(self) -> float:
        return (self.total - self.class_sum) / self.entropy_terms.per_bit

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self._relevance_sums())

    def _relevance_sums(self) -> Integers:
        pooled, by_class = self.marginals
        return self.total - pooled - self.class_sum + by_class

    @cached_property
    def varies(self) -> Flags:
        return np.asarray(self.marginals[0] != self.total)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> SumPair:
        row = self._rows.get(pivot)
        if row is not None and (row.by_class is not None or not by_class):
            sums = row if columns is None else row.of_columns(columns)
            return self.of_sums(pivot, columns, sums)
        if columns is None:
            return self.of_sums(pivot, None, self._count_row(pivot, by_class))
        return self.of_sums(pivot, columns, self._count_pairs(pivot, columns, by_class))

    def _count_row(self, pivot: int, by_class: bool) -> PairSums:
        """The sums of a pivot with all features; they are cached while there is room."""
        out = PairSums(self._new_row(), self._new_row() if by_class else None)
        row = self.sums.pair_sums(self.entropy_terms, pivot, None, by_class, out)
        if len(self._rows) < self._row_limit:
            self._rows[pivot] = row
        return row

    def _count_pairs(self, pivot: int, columns: Columns, by_class: bool) -> PairSums:
        """The sums of a pivot with some columns; the pooled ones are cached while there is room."""
        sums = self.sums.pair_sums(self.entropy_terms, pivot, columns, by_class)
        if len(columns) <= self._pairs_left:
            self._pairs_left -= len(columns)
            self._pairs.setdefault(pivot, {}).update(zip(columns.tolist(), sums.pooled.tolist(), strict=True))
        return sums

    def _cached_pair_sums(self, pivot: int, columns: Columns) -> Integers | None:
        """``S_xy`` of a pivot with columns; None unless all of them are cached."""
        if pivot in self._rows:
            return self._rows[pivot].pooled[columns]
        cached = self._pairs.get(pivot, {})
        sums = [cached.get(column) for column in columns.tolist()]
        return None if None in sums else np.array(sums, np.int64)

    def of_sums(self, pivot: int, columns: Columns | None, sums: PairSums) -> SumPair:
        """The information of ``columns`` (None: all) with one pivot, given their sums."""
        return SumPair(self, pivot, columns, sums)

    def _new_row(self) -> Integers:
        if not self._free_rows:
            n_rows = max(1, min(128, SLAB_BYTES // (8 * max(self.n_features, 1))))
            self._free_rows = list(np.empty((n_rows, self.n_features), np.int64))
        return self._free_rows.pop(0)

    def minima(self, quantity: PairQuantity, *, capped: bool, n_smallest: int = 1) -> Scores | None:
        pooled, by_class = self.marginals
        if quantity == "conditional_relevance":
            pivot_sums = pooled - by_class
        elif quantity == "joint_relevance":
            pivot_sums = np.full(self.n_features, self.total - self.class_sum)
        else:
            return None
        formula = MinimumFormula(
            start=self.relevance if capped else np.full(self.n_features, np.inf),
            pivot_sums=pivot_sums,
            pivot_bits=np.zeros(self.n_features),
            per_bit=self.entropy_terms.per_bit,
            n_smallest=n_smallest,
        )
        return self.sums.minima(self.entropy_terms, formula)

    def disjoint_pairs(self) -> DisjointPairs | None:
        support = self.sums.disjoint_support(self.entropy_terms, self.marginals[0])
        if support is None:
            return None

        def pair_of_sums(pivot: int, columns: Columns, pooled: Integers) -> SumPair:
            return self.of_sums(pivot, columns, PairSums(pooled, None))

        return DisjointPairs(support, pair_of_sums)

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        pooled, by_class = self.marginals
        formula = PairFormula(
            pooled_sign=-1,
            class_sign=1,
            row_offsets=pooled - by_class,
            column_offsets=np.zeros_like(pooled),
            per_bit=self.entropy_terms.per_bit,
            symmetric=False,
        )
        cached_rows = [self._rows[pivot] for pivot in pivots.tolist() if pivot in self._rows]
        if len(cached_rows) == len(pivots) and all(row.by_class is not None for row in cached_rows):
            sums = PairSums(
                pooled=np.array([row.pooled[columns] for row in cached_rows]),
                by_class=np.array([counted_by_class(row.by_class)[columns] for row in cached_rows]),
            )
            return formula.values(pivots[:, None], columns, sums)
        out = np.empty((len(pivots), len(columns)))
        self.sums.matrix_rows(self.entropy_terms, formula, pivots, columns, out)
        return out

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        if quantity == "redundancy" and columns is not None:
            cached_matrix = self._cached_redundancy(columns, dtype)
            if cached_matrix is not None:
                return cached_matrix
        matrix = self.sums.matrix(self.entropy_terms, self._formula(quantity), dtype, columns, progress)
        if quantity in ("conditional_relevance", "mean_relevance"):
            np.fill_diagonal(matrix, self.relevance if columns is None else self.relevance[columns])
        return matrix

    def _cached_redundancy(self, columns: Columns, dtype: DTypeLike) -> Matrix | None:
        """The matrix of redundancies, with entropies on the diagonal; None unless the sums of all pairs are cached."""
        cached_pivots = self._rows.keys() | self._pairs.keys()
        if not cached_pivots >= set(columns[:-1].tolist()):
            return None
        matrix = square_matrix(len(columns), dtype)
        np.fill_diagonal(matrix, self.entropy[columns])
        for index, pivot in enumerate(columns.tolist()):
            later_columns = columns[index + 1 :]
            pooled = self._cached_pair_sums(pivot, later_columns)
            if pooled is None:
                return None
            redundancy = self.of_sums(pivot, later_columns, PairSums(pooled, None)).redundancy
            matrix[index, index + 1 :] = redundancy
            matrix[index + 1 :, index] = redundancy
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        self.sums.matrix_rows(self.entropy_terms, self._formula("mean_relevance"), pivots, columns, out)
        self.put_relevance(pivots, columns, out)

    def _formula(self, quantity: Quantity) -> PairFormula:
        """The formula of a quantity, by the sums of a pair.

        I(Xi;Xj)    (T[N] - S_i - S_j + S_ij) / B
        I(Xi;Xj|C)  (S_c - S_ic - S_jc + S_ijc) / B
        I(Xi;C|Xj)  (S_j - S_jc - S_ij + S_ijc) / B
        """
        pooled, by_class = self.marginals
        per_bit = self.entropy_terms.per_bit
        if quantity == "redundancy":
            return PairFormula(
                pooled_sign=1,
                class_sign=0,
                row_offsets=self.total - pooled,
                column_offsets=-pooled,
                per_bit=per_bit,
                symmetric=False,
            )
        if quantity == "conditional_redundancy":
            return PairFormula(
                pooled_sign=0,
                class_sign=1,
                row_offsets=self.class_sum - by_class,
                column_offsets=-by_class,
                per_bit=per_bit,
                symmetric=False,
            )
        return PairFormula(
            pooled_sign=-1,
            class_sign=1,
            row_offsets=np.zeros_like(pooled),
            column_offsets=pooled - by_class,
            per_bit=per_bit,
            symmetric=quantity == "mean_relevance",
        )


class SumPair(PairInformation):
    """The information of features with one pivot: every quantity follows from the same sums."""

    information: SumInformation

    def __init__(self, information: SumInformation, pivot: int, columns: Columns | None, sums: PairSums) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._sums = sums

    @property
    def redundancy(self) -> Floats:
        info = self.information
        pooled, _ = info.marginals
        return info.bits(self._sums.pooled + (info.total - pooled[self.pivot]) - self.of_features(pooled))

    @property
    def conditional_redundancy(self) -> Floats:
        info = self.information
        _, by_class = info.marginals
        return info.bits(self._sums_by_class + (info.class_sum - by_class[self.pivot]) - self.of_features(by_class))

    @property
    def conditional_relevance(self) -> Floats:
        pooled, by_class = self.information.marginals
        return self.information.bits(
            self._sums_by_class - self._sums.pooled + (pooled[self.pivot] - by_class[self.pivot])
        )

    @property
    def joint_relevance(self) -> Floats:
        info = self.information
        return info.bits(self._sums_by_class - self._sums.pooled + (info.total - info.class_sum))

    @property
    def joint_entropy(self) -> Floats:
        return self.information.bits(self.information.total - self._sums_by_class)

    @property
    def symmetric_relevance(self) -> Floats:
        info = self.information
        joint = self._sums_by_class - self._sums.pooled + (info.total - info.class_sum)
        return joint / np.maximum(info.total - self._sums_by_class, 1)  # where the entropy is 0, so is the information

    @property
    def _sums_by_class(self) -> Integers:
        """``S_xyc``."""
        return counted_by_class(self._sums.by_class)


class PlugInInformation(SumInformation):
    """The plug-in estimate, in bits: entropies of the observed frequencies."""

    estimator: ClassVar[str] = "plug-in"

    @cached_property
    def min_redundancy(self) -> Floats:
        return np.zeros(self.n_features)


@lru_cache(maxsize=8)
def miller_madow_terms(n_samples: int) -> EntropyTerms:
    """The terms of ``n_samples`` less the penalty of a non-empty cell."""
    plain = make_entropy_terms(n_samples)
    table = plain.table.copy()
    table[1:] -= round(ldexp(BITS_PER_CELL, plain.shift))
    table.flags.writeable = False
    return EntropyTerms(n_samples, plain.shift, table)


class MillerMadowInformation(SumInformation):
    """Information quantities of corrected entropies, in bits; any of them but an entropy may be negative."""

    estimator: ClassVar[str] = "miller-madow"
    terms_of = staticmethod(miller_madow_terms)
