r"""Every information quantity of two features and a class, from sums of entropy terms.

With ``S`` the sum of the fixed-point terms over a table (see :mod:`bitsieve.counts.terms`) and ``unit = N 2**shift``,
``H = (T[N] - S) / unit``, and every mutual information is an integer combination of such sums, made a float once:

=====================  ==================================================
entropy                ``H(Xi)       = (T[N] - S_i) / unit``
relevance              ``I(Xi;C)     = (T[N] - S_i - S_c + S_ic) / unit``
redundancy             ``I(Xi;Xj)    = (T[N] - S_i - S_j + S_ij) / unit``
conditional redundancy ``I(Xi;Xj|C)  = (S_c - S_ic - S_jc + S_ijc) / unit``
conditional relevance  ``I(Xi;C|Xj)  = (S_j - S_jc - S_ij + S_ijc) / unit``
joint relevance        ``I(Xi,Xj;C)  = (T[N] - S_c - S_ij + S_ijc) / unit``
joint entropy          ``H(Xi,Xj,C)  = (T[N] - S_ijc) / unit``
=====================  ==================================================

All are plug-in estimates in bits. None is clipped: independence shows as 0 up to the rounding of the terms, at most
``log2(N) / 2**62`` bit a non-empty cell, either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.counts.source import PairForm
from bitsieve.counts.terms import entropy_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from bitsieve.counts.source import CountSource

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]

CACHE_BYTES = 256 << 20  # rows kept for later questions about the same pivots
SLAB_BYTES = 8 << 20  # allocated at once for rows: a fresh array a row spends as long on page faults as on counting


class PairwiseInformation:
    """Relevance, redundancy and their conditional forms over a count source, in bits.

    Parameters
    ----------
    source : CountSource

    Notes
    -----
    A row costs one pass over the counts of the pivot with all features; rows asked for are kept, so that asking
    again for a pivot costs nothing. A matrix is computed in one fused pass and not kept.
    """

    estimator: ClassVar[str] = "plug-in"

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self._rows: dict[int, tuple[Integers, Integers | None]] = {}
        self._row_limit = max(2, CACHE_BYTES // (16 * max(source.n_features, 1)))
        self._free_rows: list[Integers] = []

    def plug_in(self) -> PairwiseInformation:
        """The plug-in estimates of the same counts: what tests of significance are about, whatever the estimator."""
        if self.estimator == "plug-in":
            return self
        return PairwiseInformation(self.source.with_terms(entropy_terms(self.source.n_samples)))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.source.n_features

    @cached_property
    def total(self) -> int:
        """``T[N]``."""
        return self.source.terms.sum(np.array([self.source.n_samples], np.int64))

    @cached_property
    def class_sum(self) -> int:
        """``S_c``."""
        return self.source.terms.sum(self.source.class_sizes)

    @cached_property
    def marginals(self) -> tuple[Integers, Integers]:
        """``S_i`` and ``S_ic`` of every feature."""
        return self.source.marginal_sums()

    def bits(self, units: Integers) -> Floats:
        """Sums of terms as bits."""
        return units / self.source.terms.unit

    @cached_property
    def entropy(self) -> Floats:
        """H(Xi), shape (n_features,)."""
        return self.bits(self.total - self.marginals[0])

    @cached_property
    def class_entropy(self) -> float:
        """H(C)."""
        return (self.total - self.class_sum) / self.source.terms.unit

    @cached_property
    def relevance(self) -> Floats:
        """I(Xi;C), shape (n_features,)."""
        alone, with_class = self.marginals
        return self.bits(self.total - alone - self.class_sum + with_class)

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """False for columns of one code: they carry no information about anything."""
        return self.marginals[0] != self.total

    def pair(self, pivot: int, columns: Columns | None = None, *, within_classes: bool = True) -> PairTerms:
        """The terms of every feature of ``columns`` (None: all) with the pivot.

        Parameters
        ----------
        pivot : int
        columns : ndarray of int, optional
        within_classes : bool
            False if only the unconditional terms will be asked for: they are cheaper.
        """
        kept = self._rows.get(pivot)
        if kept is None or (within_classes and kept[1] is None):
            if columns is not None:
                return PairTerms(self, pivot, columns, *self.source.pair_sums(pivot, columns, within_classes))
            out = self._new_row(), self._new_row() if within_classes else None
            kept = self.source.pair_sums(pivot, None, within_classes, out)
            if len(self._rows) < self._row_limit:
                self._rows[pivot] = kept
        if columns is None:
            return PairTerms(self, pivot, None, *kept)
        return PairTerms(self, pivot, columns, kept[0][columns], None if kept[1] is None else kept[1][columns])

    def _new_row(self) -> Integers:
        if not self._free_rows:
            n_rows = max(1, min(128, SLAB_BYTES // (8 * max(self.n_features, 1))))
            self._free_rows = list(np.empty((n_rows, self.n_features), np.int64))
        return self._free_rows.pop(0)

    def mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.floating]:
        """I(Xi;Xj) of every pair of ``columns`` (None: all), H(Xi) on the diagonal."""
        alone, _ = self.marginals
        form = PairForm(1, 0, self.total - alone, -alone, self.source.terms.unit, False)
        return self.source.matrix(form, dtype, columns, progress)

    def conditional_redundancy_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NDArray[np.floating]:
        """I(Xi;Xj|C) of every pair of ``columns`` (None: all), H(Xi|C) on the diagonal."""
        _, with_class = self.marginals
        form = PairForm(0, 1, self.class_sum - with_class, -with_class, self.source.terms.unit, False)
        return self.source.matrix(form, dtype, columns, progress)

    def conditional_mutual_information_matrix(
        self,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Callable[[int, int], object] | None = None,
        *,
        symmetric: bool = False,
    ) -> NDArray[np.floating]:
        """[i, j] = I(Xi;C|Xj), the diagonal I(Xi;C); ``symmetric``: the mean with its transpose."""
        matrix = self.source.matrix(self._conditional_form(symmetric), dtype, columns, progress)
        np.fill_diagonal(matrix, self.relevance if columns is None else self.relevance[columns])
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: NDArray[np.floating]) -> None:
        """Rows of the symmetric conditional matrix, written to ``out`` of shape (pivots, columns).

        The numbers are those of the matrix, bit for bit; only these rows are counted.
        """
        self.source.matrix_rows(self._conditional_form(True), pivots, columns, out)
        place = np.full(self.n_features, -1, np.intp)
        place[columns] = np.arange(len(columns))
        own = np.flatnonzero(place[pivots] >= 0)
        out[own, place[pivots[own]]] = self.relevance[pivots[own]]

    def _conditional_form(self, symmetric: bool) -> PairForm:
        alone, with_class = self.marginals
        return PairForm(-1, 1, np.zeros_like(alone), alone - with_class, self.source.terms.unit, symmetric)


class PairTerms:
    """The terms of some features with one pivot, each computed when asked for."""

    def __init__(
        self,
        information: PairwiseInformation,
        pivot: int,
        columns: Columns | None,
        xy: Integers,
        xyc: Integers | None,
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self._xy = xy
        self._xyc = xyc

    def of(self, values: NDArray) -> NDArray:
        """Per-feature values (such as ``information.entropy``) of the features of these terms."""
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
        return joint / np.maximum(info.total - self._within, 1)  # an entropy of 0 units has information of 0 units

    @property
    def _within(self) -> Integers:
        if self._xyc is None:
            raise TypeError("these terms were counted without the class; ask for them with within_classes=True")
        return self._xyc
