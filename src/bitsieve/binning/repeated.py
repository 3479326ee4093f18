"""Cuts by the class, made again for other classes without sorting again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from bitsieve.common.attributes import cached_property
from bitsieve.counts.search import ClassSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.table.table import Table

    Integers = NDArray[np.int64]
    CutSorted = Callable[[NDArray[np.float64], NDArray[np.int32]], NDArray[np.float64]]


class RepeatedCuts(ClassSearch):
    """The cuts of all numeric columns of a table, for any classes of its samples.

    A sample of frequency weight w is w samples. Categorical columns keep their codes. A column is sorted once, when it
    is first cut again.

    Parameters
    ----------
    table : Table
    binner : Binner
        Fitted on it.
    cut_sorted : callable
        ``cut_sorted(values, classes)`` of ascending values: the cuts.
    cut_whole : callable
        ``cut_whole(values)`` of ascending values: the cuts of a column in which no other was accepted.
    """

    def __init__(
        self,
        table: Table,
        binner: Binner,
        cut_sorted: CutSorted,
        cut_whole: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ) -> None:
        self.table, self.binner = table, binner
        self.cut_sorted, self.cut_whole = cut_sorted, cut_whole
        self.n_classes = table.target.n_classes
        self.rows = np.repeat(np.arange(table.n_samples), 1 if table.weights is None else table.weights)
        self.classes = table.target.codes[self.rows].astype(np.int64)
        self._sorted: dict[int, tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.bool_] | None]] = {}
        self._fixed: dict[int, Integers] = {}

    def codes(self, column: int) -> Integers:
        """The codes that the binner made."""
        return self._codes[self.rows, column].astype(np.int64)

    @cached_property
    def _codes(self) -> NDArray[Any]:
        return self.binner.codes(self.table)

    def recoded(self, classes: Integers, columns: NDArray[np.intp]) -> Iterator[tuple[int, Integers]]:
        """Those of ``columns`` that have several codes when they are cut by other classes, and these codes."""
        labels = classes.astype(np.int32)
        for column in columns.tolist():
            if not self.table.is_numeric(column):
                codes = self._fixed_codes(column)
                if codes.max() > 0:
                    yield column, codes
                continue
            values, order, missing = self._sorted_values(column)
            cuts = self.cut_sorted(values, labels[order])
            if not len(cuts):
                cuts = self.cut_whole(values)
            if len(cuts) or (missing is not None and len(values)):
                codes = np.full(len(classes), len(cuts) + 1, np.int64)
                codes[order] = np.searchsorted(cuts, values, side="left")
                yield column, codes

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        if not self.table.is_numeric(column):
            return 0.0
        return _log_codings(len(self.classes), len(self.binner.bin_edges_[column]))

    def _fixed_codes(self, column: int) -> Integers:
        if column not in self._fixed:
            self._fixed[column] = self.codes(column)
        return self._fixed[column]

    def _sorted_values(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.bool_] | None]:
        """Ascending values, the sample of each, and where values are missing."""
        if column not in self._sorted:
            values = self.table.numeric(column)[self.rows]
            absent = np.isnan(values)
            missing = absent if absent.any() else None
            order = np.argsort(values, kind="stable")  # NaN last
            order = order[: len(values) - (0 if missing is None else int(missing.sum()))]
            self._sorted[column] = values[order], order, missing
        return self._sorted[column]


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
    def classes(self) -> Integers:  # type: ignore[override]
        """They are not at hand."""
        raise ValueError(
            "this stopping rule shuffles the classes and makes the cuts of 'mdl' anew each time, for which all rows "
            "must be in memory: use binning 'quantile', or the rule 'threshold'"
        )

    def codes(self, column: int) -> Integers:
        """They are not at hand."""
        return self.classes

    def recoded(self, classes: Integers, columns: NDArray[np.intp]) -> Iterator[tuple[int, Integers]]:
        """The rows are not at hand."""
        yield 0, self.classes

    def log_codings(self, column: int) -> float:
        """As that of :class:`RepeatedCuts`."""
        if self.binner.categories_[column] is not None:
            return 0.0
        return _log_codings(self.n_samples, len(self.binner.bin_edges_[column]))


def _log_codings(n_samples: int, n_cuts: int) -> float:
    places = n_samples - 1
    ways = special.gammaln(places + 1) - special.gammaln(n_cuts + 1) - special.gammaln(places - n_cuts + 1)
    return float(ways + n_cuts * np.log(2))


def no_cut(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A column is left whole."""
    return np.empty(0)
