"""Plug-in and Miller-Madow estimates: information of two features and a class, from sums of entropy terms.

With ``S`` the sum of the fixed-point terms ``T[count]`` over the cells of a table (see :mod:`bitsieve.counts.tables`)
and ``B = N 2**shift``, ``H = (T[N] - S) / B``. Every mutual information is an integer combination of such sums, which
becomes a float once. With x the pivot, y a feature and c the class:

===========  =======================================  ==================================
Sum          Table                                    Name here
===========  =======================================  ==================================
``T[N]``     all samples, one cell                    ``total``
``S_c``      the classes                              ``class_sum``
``S_y``      a feature                                ``marginals[0]``, ``pooled``
``S_yc``     a feature and the class                  ``marginals[1]``, ``with_class``
``S_xy``     the pivot and a feature                  ``pair_pooled``
``S_xyc``    the pivot, a feature and the class       ``pair_with_class``
===========  =======================================  ==================================

docs/reference/numerics.md has all formulas. None is clipped: by plug-in, independence shows as 0 up to the rounding of
the terms.

Miller and Madow add ``(K - 1) / (2 N ln 2)`` bits to an entropy, K the non-empty cells of its table. With the terms
``T[c] - 2**shift / (2 ln 2)`` for c > 0 every formula holds as it stands, with the same exactness.

G. A. Miller, "Note on the bias of information estimates", in: Information Theory in Psychology, 1955, pp. 95-100.
"""

from __future__ import annotations

from functools import lru_cache, partial
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

BITS_PER_CELL = 0.7213475204444817  # 1 / (2 ln 2): N times the bits that Miller and Madow add for a cell
MAX_CACHE_BYTES = 256 << 20  # of rows of sums: a pivot with all features
MAX_CACHED_PAIRS = 1 << 14  # sums of a pivot with single features, beside the rows
SLAB_BYTES = 8 << 20  # allocated at once for many rows: page faults of one array a row take as long as counting


class SumInformation(Information):
    """Information quantities that are integer combinations of sums of entropy terms, in bits.

    A subclass says by ``terms_of(n_samples)`` what the terms are. A row of sums, those of a pivot with all features,
    costs one pass over their counts and is cached. A matrix is computed in one fused pass and not cached.
    """

    conditions_on_sets: ClassVar[bool] = True

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.sums = sums_of(source)
        self.terms = self.terms_of(source.n_samples)
        self._cached_rows: dict[int, tuple[Integers, Integers | None]] = {}  # pivot to S_xy and S_xyc of all features
        self._cached_pairs: dict[int, dict[int, int]] = {}  # pivot and feature to S_xy
        self._n_cached_pairs = 0
        self._max_cached_rows = max(2, MAX_CACHE_BYTES // (16 * max(source.n_features, 1)))
        self._free_rows: list[Integers] = []

    terms_of = staticmethod(entropy_terms)

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
        """``S_y`` and ``S_yc`` of every feature."""
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
        row = self._cached_row(pivot, by_class)
        if row is None and columns is not None:
            pair_pooled, pair_with_class = self._count_pairs(pivot, columns, by_class)
            return self.of_sums(pivot, columns, pair_pooled, pair_with_class)
        if row is None:
            row = self._count_row(pivot, by_class)
        pair_pooled, pair_with_class = row
        if columns is not None:
            pair_pooled = pair_pooled[columns]
        if columns is not None and pair_with_class is not None:
            pair_with_class = pair_with_class[columns]
        return self.of_sums(pivot, columns, pair_pooled, pair_with_class)

    def _cached_row(self, pivot: int, by_class: bool) -> tuple[Integers, Integers | None] | None:
        """``S_xy`` and ``S_xyc`` of the pivot with all features; None unless what is asked for is cached."""
        row = self._cached_rows.get(pivot)
        if row is not None and by_class and row[1] is None:
            return None
        return row

    def _count_row(self, pivot: int, by_class: bool) -> tuple[Integers, Integers | None]:
        """``S_xy`` and, if ``by_class``, ``S_xyc`` of the pivot with all features; cached if there is room."""
        out = self._new_row(), self._new_row() if by_class else None
        row = self.sums.pair_sums(self.terms, pivot, None, by_class, out)
        if len(self._cached_rows) < self._max_cached_rows:
            self._cached_rows[pivot] = row
        return row

    def _count_pairs(self, pivot: int, columns: Columns, by_class: bool) -> tuple[Integers, Integers | None]:
        """``S_xy`` and, if ``by_class``, ``S_xyc`` of the pivot with some features; ``S_xy`` is cached."""
        pair_pooled, pair_with_class = self.sums.pair_sums(self.terms, pivot, columns, by_class)
        if self._n_cached_pairs + len(columns) <= MAX_CACHED_PAIRS:
            self._n_cached_pairs += len(columns)
            cached_pairs = self._cached_pairs.setdefault(pivot, {})
            cached_pairs.update(zip(columns.tolist(), pair_pooled.tolist(), strict=True))
        return pair_pooled, pair_with_class

    def _cached_sums(self, pivot: int, columns: Columns) -> Integers | None:
        """``S_xy`` of the pivot with some features; None unless all of them are cached."""
        if pivot in self._cached_rows:
            pair_pooled, _ = self._cached_rows[pivot]
            return pair_pooled[columns]
        cached_pairs = self._cached_pairs.get(pivot, {})
        sums = [cached_pairs.get(column) for column in columns.tolist()]
        return None if None in sums else np.array(sums, np.int64)

    def of_sums(
        self, pivot: int, columns: Columns | None, pair_pooled: Integers, pair_with_class: Integers | None
    ) -> SumPair:
        """The information of features with one pivot, from ``S_xy`` and ``S_xyc``; without the latter, less of it."""
        return SumPair(self, pivot, columns, pair_pooled, pair_with_class)

    def _new_row(self) -> Integers:
        """An uninitialised row, from a slab of many."""
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
        return DisjointPairs(support, partial(self.of_sums, pair_with_class=None))

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        pooled, with_class = self.marginals
        form = PairForm(-1, 1, pooled - with_class, np.zeros_like(pooled), self.terms.per_bit, False)
        rows = [self._cached_rows.get(pivot, (None, None)) for pivot in pivots.tolist()]
        pooled_rows = [row for row, _ in rows if row is not None]
        class_rows = [row for _, row in rows if row is not None]
        if len(class_rows) == len(pivots):
            pair_pooled = np.array([row[columns] for row in pooled_rows])
            pair_with_class = np.array([row[columns] for row in class_rows])
            return form.values(pivots[:, None], columns, pair_pooled, pair_with_class)
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
        if quantity == "redundancy" and columns is not None:
            cached_matrix = self._cached_redundancy(columns, dtype)
            if cached_matrix is not None:
                return cached_matrix
        matrix = self.sums.matrix(self.terms, self._form(quantity), dtype, columns, progress)
        if quantity in ("conditional_relevance", "mean_relevance"):
            np.fill_diagonal(matrix, self.relevance if columns is None else self.relevance[columns])
        return matrix

    def _cached_redundancy(self, columns: Columns, dtype: DTypeLike) -> Matrix | None:
        """The redundancy of some columns with each other, from cached sums; None unless all of them are cached."""
        cached_pivots = self._cached_rows.keys() | self._cached_pairs.keys()
        if not cached_pivots >= set(columns[:-1].tolist()):
            return None
        matrix = square_matrix(len(columns), dtype)
        np.fill_diagonal(matrix, self.entropy[columns])
        for i, pivot in enumerate(columns.tolist()):
            later_columns = columns[i + 1 :]
            pair_pooled = self._cached_sums(pivot, later_columns)
            if pair_pooled is None:
                return None
            redundancy = self.of_sums(pivot, later_columns, pair_pooled, None).redundancy
            matrix[i, i + 1 :] = redundancy
            matrix[i + 1 :, i] = redundancy
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        self.sums.matrix_rows(self.terms, self._form("mean_relevance"), pivots, columns, out)
        self.put_relevance(pivots, columns, out)

    def _form(self, quantity: Quantity) -> PairForm:
        """The weights with which the entries of a matrix are made of the sums of pairs."""
        pooled, with_class = self.marginals
        bit = self.terms.per_bit
        if quantity == "redundancy":
            return PairForm(1, 0, self.total - pooled, -pooled, bit, False)
        if quantity == "conditional_redundancy":
            return PairForm(0, 1, self.class_sum - with_class, -with_class, bit, False)
        return PairForm(-1, 1, np.zeros_like(pooled), pooled - with_class, bit, quantity == "mean_relevance")


class SumPair(PairInformation):
    """The information of some features y with one pivot x; each quantity is computed when it is read."""

    information: SumInformation

    def __init__(
        self,
        information: SumInformation,
        pivot: int,
        columns: Columns | None,
        pair_pooled: Integers,
        pair_with_class: Integers | None,
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._pooled = pair_pooled  # S_xy
        self._counted_with_class = pair_with_class  # S_xyc, if it was counted

    @property
    def redundancy(self) -> Floats:
        info = self.information
        pooled, _ = info.marginals
        return info.bits(self._pooled + (info.total - pooled[self.pivot]) - self.of(pooled))

    @property
    def conditional_redundancy(self) -> Floats:
        info = self.information
        _, with_class = info.marginals
        return info.bits(self._with_class + (info.class_sum - with_class[self.pivot]) - self.of(with_class))

    @property
    def conditional_relevance(self) -> Floats:
        pooled, with_class = self.information.marginals
        return self.information.bits(self._with_class - self._pooled + (pooled[self.pivot] - with_class[self.pivot]))

    @property
    def joint_relevance(self) -> Floats:
        info = self.information
        return info.bits(self._with_class - self._pooled + (info.total - info.class_sum))

    @property
    def joint_entropy(self) -> Floats:
        return self.information.bits(self.information.total - self._with_class)

    @property
    def symmetric_relevance(self) -> Floats:
        info = self.information
        joint_relevance = self._with_class - self._pooled + (info.total - info.class_sum)
        joint_entropy = info.total - self._with_class
        return joint_relevance / np.maximum(joint_entropy, 1)  # if the entropy is 0, so is the information

    @property
    def _with_class(self) -> Integers:
        """S_xyc."""
        return counted_by_class(self._counted_with_class)


class PlugInInformation(SumInformation):
    """The plug-in estimate, in bits: entropies of the observed frequencies."""

    estimator: ClassVar[str] = "plug-in"

    @cached_property
    def least_redundancy(self) -> Floats:
        return np.zeros(self.n_features)


@lru_cache(maxsize=8)
def miller_madow_terms(n_samples: int) -> Terms:
    """The terms of ``n_samples`` samples, each less what Miller and Madow add for a non-empty cell."""
    plain = entropy_terms(n_samples)
    table = plain.table.copy()
    table[1:] -= round(ldexp(BITS_PER_CELL, plain.shift))
    table.flags.writeable = False
    return Terms(n_samples, plain.shift, table)


class MillerMadowInformation(SumInformation):
    """Information quantities of corrected entropies, in bits; any of them but an entropy may be negative."""

    estimator: ClassVar[str] = "miller-madow"
    terms_of = staticmethod(miller_madow_terms)
