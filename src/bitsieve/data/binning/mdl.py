"""Cuts by the minimum description length principle, and the same cuts made again for other classes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bitsieve import _native
from bitsieve.common.lazy import cached_property, gammaln
from bitsieve.common.parameters import check_choice
from bitsieve.counts.search import ClassSearch, Dependence, dependence_of_codes
from bitsieve.counts.terms import entropy_terms
from bitsieve.data.binning.base import Binner
from bitsieve.data.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from bitsieve.common.parameters import Rule
    from bitsieve.counts.search import Parts
    from bitsieve.counts.terms import Terms
    from bitsieve.data.extents import Extents, NumericBlock
    from bitsieve.data.sparse import SparseTable
    from bitsieve.data.table import Table

    Integers = NDArray[np.int64]
    Labels = NDArray[np.int32]


class RepeatedCuts(ClassSearch):
    """The cuts of all numeric columns of a table by description length, for any classes of its samples.

    A sample of frequency weight w is w samples. Categorical columns keep their codes.

    Parameters
    ----------
    table : Table
    binner : Binner
        Fitted on it.
    cut_at_median : bool
        Whether a column in which no cut was accepted is cut at its lower median.
    """

    def __init__(self, table: Table, binner: Binner, cut_at_median: bool) -> None:
        self.table, self.binner, self.cut_at_median = table, binner, cut_at_median
        self.n_classes = table.target.n_classes
        self.rows = np.repeat(np.arange(table.n_samples), 1 if table.weights is None else table.weights)
        self.classes = table.target.codes[self.rows].astype(np.int32)

    def codes(self, column: int) -> Integers:
        """The codes that the binner made."""
        return self._codes[self.rows, column].astype(np.int64)

    @cached_property
    def _codes(self) -> NDArray[Any]:
        return self.binner.codes(self.table)

    def recoded(self, classes: Labels, columns: NDArray[np.intp]) -> Iterator[tuple[int, Integers]]:
        """Those of ``columns`` that have several codes when they are cut by other classes, and these codes."""
        terms = entropy_terms(len(classes))
        for column in columns.tolist():
            codes = self._recut(column, classes, terms) if self.table.is_numeric(column) else self.codes(column)
            if codes.max() > 0:
                yield column, codes

    def _recut(self, column: int, classes: Labels, terms: Terms) -> Integers:
        values = self._values(column)
        there = ~np.isnan(values)
        cuts, _ = _native.mdl_cuts([values], classes.reshape(1, -1), self.n_classes, terms.table, terms.shift, None)
        if not len(cuts) and self.cut_at_median:
            cuts, _ = _native.order_statistic_cuts([values], 2, None)
        codes = np.searchsorted(cuts, values, side="left")
        return np.where(there, codes, len(cuts) + 1 if there.any() else 0).astype(np.int64)

    def dependence(self, classes: Labels, columns: NDArray[np.intp], parts: Parts, terms: Terms) -> Dependence:
        """Of ``columns``, cut anew by each row of ``classes``, on that row; a column is sorted once."""
        found = Dependence(*np.zeros((2, len(columns), len(classes)), np.int64))
        numeric = np.array([self.table.is_numeric(column) for column in columns.tolist()], bool)
        if numeric.any():
            values = np.empty((len(self.classes), int(numeric.sum())), order="F")
            for place, column in enumerate(columns[numeric].tolist()):
                values[:, place] = self._values(column)
            made = _native.dependence_of_cuts(
                values, classes, self.n_classes, *parts, terms.table, terms.shift, self.cut_at_median
            )
            for all_of_them, some in zip(found, made, strict=True):
                all_of_them[numeric] = some.reshape(-1, len(classes))
        for place in np.flatnonzero(~numeric).tolist():
            codes = self.codes(int(columns[place]))
            for all_of_them, one in zip(
                found, dependence_of_codes(codes, classes, self.n_classes, parts, terms), strict=True
            ):
                all_of_them[place] = one[0]
        return found

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        if not self.table.is_numeric(column):
            return 0.0
        return _log_codings(len(self.classes), len(self.binner.bin_edges_[column]))

    def _values(self, column: int) -> NDArray[np.float64]:
        values = self.table.numeric(column)
        return values if self.table.weights is None else values[self.rows]


class CutsInParts(ClassSearch):
    """The cuts of a table whose rows are read in parts: what they were chosen from is known, but not the rows.

    Parameters
    ----------
    binner : Binner
        Fitted on it.
    n_samples, n_classes : int
    """

    def __init__(self, binner: Binner, n_samples: int, n_classes: int) -> None:
        self.binner, self.n_samples, self.n_classes = binner, n_samples, n_classes

    @property
    def classes(self) -> Labels:  # type: ignore[override]
        """They are not at hand."""
        raise ValueError(
            "this stopping rule shuffles the classes and makes the cuts of 'mdl' anew each time, for which all rows "
            "must be in memory: use binning 'quantile', or the rule 'threshold'"
        )

    def codes(self, column: int) -> Integers:
        """They are not at hand."""
        return self.classes.astype(np.int64)

    def recoded(self, classes: Labels, columns: NDArray[np.intp]) -> Iterator[tuple[int, Integers]]:
        """They are not at hand."""
        yield 0, self.codes(0)

    def dependence(self, classes: Labels, columns: NDArray[np.intp], parts: Parts, terms: Terms) -> Dependence:
        """The rows are not at hand."""
        return Dependence(self.codes(0), self.codes(0))

    def log_codings(self, column: int) -> float:
        """As that of :class:`RepeatedCuts`."""
        if self.binner.categories_[column] is not None:
            return 0.0
        return _log_codings(self.n_samples, len(self.binner.bin_edges_[column]))


def _log_codings(n_samples: int, n_cuts: int) -> float:
    places = n_samples - 1
    ways = gammaln(places + 1) - gammaln(n_cuts + 1) - gammaln(places - n_cuts + 1)
    return float(ways + n_cuts * np.log(2))


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
    >>> from bitsieve.data.binning import MDLBinner
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
