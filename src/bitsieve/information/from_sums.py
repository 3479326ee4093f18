r"""Information quantities of two features and a class, from sums of the entropy terms of an estimator.

With ``S`` the sum of the fixed-point terms over a table (see :mod:`bitsieve.counts.terms`) and ``B = N 2**shift``,
``H = (T[N] - S) / B``, and every mutual information is an integer combination of such sums, made a float once:

=====================  ==================================================
entropy                ``H(Xi)       = (T[N] - S_i) / B``
relevance              ``I(Xi;C)     = (T[N] - S_i - S_c + S_ic) / B``
redundancy             ``I(Xi;Xj)    = (T[N] - S_i - S_j + S_ij) / B``
conditional redundancy ``I(Xi;Xj|C)  = (S_c - S_ic - S_jc + S_ijc) / B``
conditional relevance  ``I(Xi;C|Xj)  = (S_j - S_jc - S_ij + S_ijc) / B``
joint relevance        ``I(Xi,Xj;C)  = (T[N] - S_c - S_ij + S_ijc) / B``
joint entropy          ``H(Xi,Xj,C)  = (T[N] - S_ijc) / B``
=====================  ==================================================

All are in bits, by the estimator whose terms are summed. None is clipped: by plug-in, independence shows as 0 up to the
rounding of the terms, at most ``log2(N) / 2**62`` bit a non-empty cell, either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.lazy import cached_property
from bitsieve.counts.source import PairForm
from bitsieve.information.apart import ApartPairs
from bitsieve.information.conditional import ConditionalInformation
from bitsieve.information.minima import information_minima
from bitsieve.information.protocol import counted_by_class, put_relevance, redundancies_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.source import CountSource
    from bitsieve.counts.terms import Terms
    from bitsieve.information.minima import InformationMinima

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]
    Matrix = NDArray[np.floating]
    Progress = Callable[[int, int], object] | None

CACHE_BYTES = 256 << 20  # rows kept for later questions about the same pivots
SLAB_BYTES = 8 << 20  # allocated at once for rows: a fresh array a row spends as long on page faults as on counting


class SumInformation:
    """Information quantities that are integer combinations of sums of entropy terms, in bits.

    Parameters
    ----------
    source : CountSource
    terms : Terms
        Of the estimator.

    Notes
    -----
    A row costs one pass over the counts of the pivot with all features; rows asked for are kept, so that asking
    again for a pivot costs nothing. A matrix is computed in one fused pass and not kept.
    """

    estimator: ClassVar[str]
    conditions_on_sets: ClassVar[bool] = True

    def __init__(self, source: CountSource, terms: Terms) -> None:
        self.source, self.terms = source, terms
        self._rows: dict[int, tuple[Integers, Integers | None]] = {}
        self._row_limit = max(2, CACHE_BYTES // (16 * max(source.n_features, 1)))
        self._free_rows: list[Integers] = []

    def conditional(self) -> ConditionalInformation:
        """Information conditional on a set of features, which is empty and to be refined."""
        return ConditionalInformation(self, self.source.partition())

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.source.n_features

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
        return self.source.marginal_sums(self.terms)

    def bits(self, sums: Integers) -> Floats:
        """Sums of terms as bits."""
        return sums / self.terms.per_bit

    @cached_property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""
        return self.bits(self.total - self.marginals[0])

    @cached_property
    def class_entropy(self) -> float:
        """H(C)."""
        return (self.total - self.class_sum) / self.terms.per_bit

    @cached_property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""
        alone, with_class = self.marginals
        return self.bits(self.total - alone - self.class_sum + with_class)

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """False for columns of one code: they carry no information about anything."""
        return self.marginals[0] != self.total

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> SumPair:
        """The information of every feature of ``columns`` (None: all) with the pivot."""
        kept = self._rows.get(pivot)
        if kept is None or (by_class and kept[1] is None):
            if columns is not None:
                return SumPair(self, pivot, columns, *self.source.pair_sums(self.terms, pivot, columns, by_class))
            out = self._new_row(), self._new_row() if by_class else None
            kept = self.source.pair_sums(self.terms, pivot, None, by_class, out)
            if len(self._rows) < self._row_limit:
                self._rows[pivot] = kept
        if columns is None:
            return SumPair(self, pivot, None, *kept)
        return SumPair(self, pivot, columns, kept[0][columns], None if kept[1] is None else kept[1][columns])

    def pair_of_sums(self, pivot: int, columns: Columns, xy: Integers) -> SumPair:
        """The redundancy of ``columns`` with the pivot, given ``S_xy``."""
        return SumPair(self, pivot, columns, xy, None)

    def apart(self) -> ApartPairs | None:
        """What columns that are apart share; None where it is not known of any."""
        sums = self.source.apart(self.terms, self.marginals[0])
        return None if sums is None else ApartPairs(self, sums)

    def minima(self, quantity: str, *, capped: bool) -> InformationMinima | None:
        """The least of a quantity of pairs over chosen features; None: no quicker way than :meth:`pair` is known."""
        return information_minima(self, quantity, capped)

    def redundancies(self, columns: Columns) -> Matrix:
        """[i, j] = I(Xi;Xj) of ``columns`` for i > j; what stands elsewhere means nothing."""
        gathered = None if self._rows.keys() >= set(columns[:-1].tolist()) else self.source.gathered(columns)
        if gathered is None:
            return redundancies_of_rows(self, columns)
        return SumInformation(gathered, self.terms).mutual_information_matrix()

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        """[s, i] = I(Xi;C|Xs) of ``columns`` with each of some pivots; only these pairs are counted."""
        kept = [self._rows[pivot] for pivot in pivots.tolist() if pivot in self._rows]
        alone, with_class = self.marginals
        form = PairForm(-1, 1, alone - with_class, np.zeros_like(alone), self.terms.per_bit, False)
        if len(kept) == len(pivots) and all(row is not None for _, row in kept):
            xy = np.array([row[columns] for row, _ in kept])
            xyc = np.array([counted_by_class(row)[columns] for _, row in kept])
            return form.values(pivots[:, None], columns, xy, xyc)
        both = np.union1d(pivots, columns)
        gathered = self.source.gathered(both)
        if gathered is not None:
            places = np.searchsorted(both, pivots), np.searchsorted(both, columns)
            return SumInformation(gathered, self.terms).conditional_rows(*places)
        out = np.empty((len(pivots), len(columns)))
        self.source.matrix_rows(self.terms, form, pivots, columns, out)
        return out

    def _new_row(self) -> Integers:
        if not self._free_rows:
            n_rows = max(1, min(128, SLAB_BYTES // (8 * max(self.n_features, 1))))
            self._free_rows = list(np.empty((n_rows, self.n_features), np.int64))
        return self._free_rows.pop(0)

    def mutual_information_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj) of every pair of ``columns`` (None: all), H(Xi) on the diagonal."""
        alone, _ = self.marginals
        form = PairForm(1, 0, self.total - alone, -alone, self.terms.per_bit, False)
        return self.source.matrix(self.terms, form, dtype, columns, progress)

    def conditional_redundancy_matrix(
        self, dtype: DTypeLike = np.float64, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        """I(Xi;Xj|C) of every pair of ``columns`` (None: all), H(Xi|C) on the diagonal."""
        _, with_class = self.marginals
        form = PairForm(0, 1, self.class_sum - with_class, -with_class, self.terms.per_bit, False)
        return self.source.matrix(self.terms, form, dtype, columns, progress)

    def conditional_mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
        *,
        symmetric: bool = False,
    ) -> Matrix:
        """[i, j] = I(Xi;C|Xj), the diagonal I(Xi;C); ``symmetric``: the mean with its transpose."""
        matrix = self.source.matrix(self.terms, self._conditional_form(symmetric), dtype, columns, progress)
        np.fill_diagonal(matrix, self.relevance if columns is None else self.relevance[columns])
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: NDArray[np.floating]) -> None:
        """Rows of the symmetric conditional matrix, written to ``out`` of shape (pivots, columns).

        The numbers are those of the matrix, bit for bit; only these rows are counted.
        """
        self.source.matrix_rows(self.terms, self._conditional_form(True), pivots, columns, out)
        put_relevance(out, pivots, columns, self.relevance)

    def _conditional_form(self, symmetric: bool) -> PairForm:
        alone, with_class = self.marginals
        return PairForm(-1, 1, np.zeros_like(alone), alone - with_class, self.terms.per_bit, symmetric)


class SumPair:
    """The information of some features with one pivot, each number computed when asked for."""

    def __init__(
        self, information: SumInformation, pivot: int, columns: Columns | None, xy: Integers, xyc: Integers | None
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._xy = xy
        self._xyc = xyc

    def of(self, values: NDArray) -> NDArray:
        """Per-feature values (such as ``information.entropy``) of the features of these numbers."""
        return values if self.columns is None else values[self.columns]

    @property
    def redundancy(self) -> Floats:
        """I(Xi;Xs), s the pivot."""
        info = self.information
        alone, _ = info.marginals
        return info.bits(self._xy + (info.total - alone[self.pivot]) - self.of(alone))

    @property
    def conditional_redundancy(self) -> Floats:
        """I(Xi;Xs|C)."""
        info = self.information
        _, with_class = info.marginals
        return info.bits(self._within + (info.class_sum - with_class[self.pivot]) - self.of(with_class))

    @property
    def conditional_relevance(self) -> Floats:
        """I(Xi;C|Xs)."""
        alone, with_class = self.information.marginals
        return self.information.bits(self._within - self._xy + (alone[self.pivot] - with_class[self.pivot]))

    @property
    def joint_relevance(self) -> Floats:
        """I(Xi,Xs;C)."""
        info = self.information
        return info.bits(self._within - self._xy + (info.total - info.class_sum))

    @property
    def joint_entropy(self) -> Floats:
        """H(Xi,Xs,C)."""
        return self.information.bits(self.information.total - self._within)

    @property
    def symmetric_relevance(self) -> Floats:
        """I(Xi,Xs;C) / H(Xi,Xs,C), from the integers; 0 where all three are constant."""
        info = self.information
        joint = self._within - self._xy + (info.total - info.class_sum)
        return joint / np.maximum(info.total - self._within, 1)  # where the entropy is 0, so is the information

    @property
    def _within(self) -> Integers:
        return counted_by_class(self._xyc)
