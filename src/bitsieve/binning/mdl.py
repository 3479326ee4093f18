"""Cuts by the minimum description length principle."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve import _native
from bitsieve.binning.base import Binner
from bitsieve.binning.repeated import RepeatedCuts
from bitsieve.common.parameters import check_choice
from bitsieve.counts.terms import entropy_terms
from bitsieve.table.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.counts.search import ClassSearch
    from bitsieve.table.extents import Extents, NumericBlock
    from bitsieve.table.sparse import SparseTable
    from bitsieve.table.table import Table

_TERMS = 1 << 22
NO_TARGET = "MDL cuts by the class: give a target, or use another binning such as 'quantile'"


class MDLBinner(Binner):
    """Cut every numeric column where a cut tells more about the class than its description costs.

    Fayyad and Irani's rule [1]_. Candidates are the midpoints between adjacent distinct values, but for those where
    all samples of both values are of one same class. The best cut has the smallest class entropy
    ``E = N1/N Ent(S1) + N2/N Ent(S2)`` in bits; among equal ones (1e-12) it is the smallest. It is accepted if ::

        Ent(S) - E > log2(N - 1)/N + (log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)])/N

    with k, k1, k2 the classes present in S, S1, S2; then both sides are cut in turn. A value on a cut goes left. The
    entropies are compared as integers, so the cuts are the same on every machine. Costs a few passes over a long column
    and a sort of those stretches in which a cut may lie; at most a sort and O(N) for every level of cuts.

    Parameters
    ----------
    uncut : {"leave", "median"}, default="leave"
        What becomes of a numeric column without an accepted cut: one bin, or two bins cut at the lower median (the
        order statistic of rank ``ceil(N / 2)``; a value on the cut goes left; no cut where no value lies above).
    missing : {"error", "bin"}, default="error"
        What missing values are: an error that names the columns, or a code of their own, the last one of every
        column (NaN takes no part in cutting).
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is every core. The result does not depend on it.

    Attributes
    ----------
    bin_edges_ : sequence of ndarray of float64
        Inner edges of every column, ascending; empty for a categorical column and for one that was left whole.
    uncut_ : ndarray of int
        The numeric columns in which no cut was accepted.
    categories_ : list of ndarray or None
        Sorted values of every categorical column, None for a numeric one.
    n_bins_ : ndarray of int, shape (n_features,)
        Codes of every column; with ``missing="bin"`` the code of the missing values is one of them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they are strings.

    References
    ----------
    .. [1] U. M. Fayyad and K. B. Irani, "Multi-interval discretization of continuous-valued attributes for
       classification learning", IJCAI 1993, pp. 1022-1027.

    Examples
    --------
    >>> from bitsieve.binning import MDLBinner
    >>> X = [[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]
    >>> binner = MDLBinner().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> binner.bin_edges_[0].tolist(), binner.transform(X).ravel().tolist()
    ([6.5], [0, 0, 0, 1, 1, 1])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"uncut": partial(check_choice, choices=("leave", "median"))}
    sees = "classes"

    def __init__(self, *, uncut: str = "leave", missing: str = "error", n_jobs: int | None = None) -> None:
        self.uncut = uncut
        self.missing = missing
        self.n_jobs = n_jobs

    def _fit_numeric(self, table: Table, extents: Extents) -> None:
        super()._fit_numeric(table, extents)
        numeric = np.concatenate([np.empty(0, np.int64), *(block.places for block in extents.blocks)])
        self.uncut_ = np.sort(numeric[self.bin_edges_.lengths[numeric] == 0])
        if self.uncut == "median" and len(self.uncut_):
            medians = [self._medians(table, block) for block in extents.blocks]
            accepted = np.arange(table.n_features), self.bin_edges_.values, self.bin_edges_.ends
            self.bin_edges_ = Ragged.merged(table.n_features, [accepted, *(some for some in medians if len(some[0]))])
            self.n_bins_[self.uncut_] += self.bin_edges_.lengths[self.uncut_]

    def search(self, table: Table) -> ClassSearch:
        """The cuts, which can be made again with other classes.

        Parameters
        ----------
        table : Table
            That it was fitted on.

        Returns
        -------
        ClassSearch
        """
        return RepeatedCuts(table, self, self.uncut == "median")

    def _medians(
        self, table: Table, block: NumericBlock
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """The lower medians of the columns of a block that have no cut; none where nothing lies above."""
        chosen = np.flatnonzero(self.bin_edges_.lengths[block.places] == 0)
        if not len(chosen):
            return block.places[:0], np.empty(0), np.empty(0, np.int64)
        values, ends = _native.order_statistic_cuts(block.part(chosen).values, 2, table.weights)
        return block.places[chosen], values, ends

    def _cut(
        self, table: Table, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        target = table.y
        if target is None:
            raise ValueError(NO_TARGET)
        n_samples = table.total_weight
        terms = entropy_terms(n_samples, limit=min(n_samples + 1, _TERMS))
        classes = target.codes.reshape(1, -1)
        return _native.mdl_cuts(block.values, classes, target.n_classes, terms.table, terms.shift, table.weights)

    def _cut_stored(self, table: SparseTable, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        target = table.y
        if target is None:
            raise ValueError(NO_TARGET)
        n_samples, stored = table.total_weight, (table.start, table.row, table.value, first, last)
        terms = entropy_terms(n_samples, limit=min(n_samples + 1, _TERMS))
        classes = np.asarray(target.codes, np.int32), target.n_classes
        found = _native.stored_mdl_cuts(*stored, *classes, terms.table, terms.shift, table.weights)
        if self.uncut == "leave":
            return found
        medians = Ragged(*_native.stored_order_cuts(*stored, table.n_samples, 2, table.weights))
        whole = np.flatnonzero(np.diff(found[1], prepend=0) == 0)
        median = medians.take(whole)
        both = Ragged.merged(last - first, [(np.arange(last - first), *found), (whole, median.values, median.ends)])
        return both.values, both.ends
