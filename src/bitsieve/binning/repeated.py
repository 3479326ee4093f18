"""Cuts by the class, made again for other classes without sorting again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native
from bitsieve.common.attributes import cached_property
from bitsieve.common.special import gammaln
from bitsieve.counts.search import ClassSearch, Dependence, dependence_of_codes
from bitsieve.counts.terms import entropy_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.counts.search import Parts
    from bitsieve.counts.terms import Terms
    from bitsieve.table.table import Table

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
