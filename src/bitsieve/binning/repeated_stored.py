"""Cuts by the class of the numbers that are not zero, made again for other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.special import gammaln

from bitsieve.binning.repeated import RepeatedCuts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.counts.search import ClassSearch

    Integers = NDArray[np.int64]
    Stored = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]


class RepeatedStoredCuts(RepeatedCuts):
    """The cuts of the numbers of every column that are not zero, which keeps its code.

    Parameters
    ----------
    search : RepeatedCuts
        Of the rule, on all numbers.
    binner : Binner
        Fitted on the same table.
    """

    def __init__(self, search: ClassSearch, binner: Binner) -> None:
        of_rule = cast("RepeatedCuts", search)
        super().__init__(of_rule.table, binner, of_rule.cut_sorted, of_rule.cut_whole)
        self._of_column: dict[int, Stored] = {}

    def codes(self, column: int) -> Integers:
        """The codes that the binner made."""
        return self._coded(column, self.binner.bin_edges_[column])

    def recoded(self, classes: Integers, columns: NDArray[np.intp]) -> Iterator[tuple[int, Integers]]:
        """Those of ``columns`` that have several codes when they are cut by other classes, and these codes."""
        labels = classes.astype(np.int32)
        for column in columns.tolist():
            values, order, _, _ = self._stored(column)
            cuts = self.cut_sorted(values, labels[order]) if len(values) else values
            if not len(cuts):
                cuts = self.cut_whole(values) if len(values) else values
            codes = self._coded(column, cuts)
            if (codes != codes[0]).any():
                yield column, codes

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        places, n_cuts = max(len(self._stored(column)[0]) - 1, 0), len(self.binner.bin_edges_[column])
        ways = gammaln(places + 1) - gammaln(n_cuts + 1) - gammaln(places - n_cuts + 1)
        return float(ways + n_cuts * np.log(2))

    def _coded(self, column: int, cuts: NDArray[np.float64]) -> Integers:
        values, order, zero, absent = self._stored(column)
        codes = np.full(len(zero), int(zero.any()), np.int64)
        codes[order] += np.searchsorted(cuts, values, side="left")
        codes[absent] += len(cuts) + bool(len(values))
        codes[zero] = 0
        return codes

    def _stored(self, column: int) -> Stored:
        """The numbers that are not zero, ascending, and the sample of each; which are zero, and which missing."""
        if column not in self._of_column:
            values = self.table.numeric(column)[self.rows]
            absent, zero = np.isnan(values), values == 0
            order = np.flatnonzero(~absent & ~zero)
            order = order[np.argsort(values[order], kind="stable")]
            self._of_column[column] = values[order], order, zero, absent
        return self._of_column[column]
