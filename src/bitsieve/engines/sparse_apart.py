"""Sparse columns that list no row in common: their tables follow from the margins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.apart import Apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.terms import Terms
    from bitsieve.engines.sparse import SparseSource

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]


class SparseApart(Apart):
    """Columns of a :class:`~bitsieve.engines.sparse.SparseSource` that list no row in common.

    Parameters
    ----------
    source : SparseSource
    terms : Terms
    own, marginals : ndarray of int64, shape (n_features,)
        The sums of the terms of the listed codes of every column, and of all its codes. Together they tell how many
        samples it lists, and so its sums with whatever is apart from it.
    """

    def __init__(self, source: SparseSource, terms: Terms, own: tuple[Integers, Integers], marginals: Integers) -> None:
        self.source, self.terms, self.own = source, terms, own
        order = np.lexsort((marginals, own[0]))
        new = np.ones(len(order), bool)
        new[1:] = (np.diff(own[0][order]) != 0) | (np.diff(marginals[order]) != 0)
        self.of_kind = order[new]
        self.kind = np.empty(len(order), np.intp)
        self.kind[order] = np.cumsum(new) - 1

    def met(self, pivot: int, most: int) -> tuple[Columns, Integers] | None:
        """The columns that list a row of the pivot, and their ``S_xy``; None if its rows list more than ``most``."""
        division = self.source.division(pivot)
        n_listed = int(self.source.row_lengths[division.row].sum())
        if n_listed > most:
            return None
        columns, xy = np.empty((2, n_listed), np.int64)
        n = self.source.counts.sums_met(self.terms.table, self.terms.shift, *division, *self.own, columns, xy)
        return columns[:n], xy[:n]

    def sums(self, pivot: int) -> Integers:
        """``S_xy`` of the pivot with a column of every kind from which it is apart."""
        xy = np.empty(len(self.of_kind), np.int64)
        division = self.source.division(pivot)
        self.source.counts.sums_apart(self.terms.table, self.terms.shift, *division, *self.own, self.of_kind, xy)
        return xy
