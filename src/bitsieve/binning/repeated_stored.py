"""Cuts by the class of the numbers that are not zero, made again for other classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from bitsieve.binning.repeated import RepeatedCuts
from bitsieve.counts.search import Dependence, dependence_of_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.counts.search import Parts
    from bitsieve.counts.terms import Terms

    Integers = NDArray[np.int64]
    Labels = NDArray[np.int32]


class RepeatedStoredCuts(RepeatedCuts):
    """The cuts of the numbers of every column that are not zero, which keeps a code of its own.

    Parameters
    ----------
    search : RepeatedCuts
        Of the rule, on all numbers.
    binner : Binner
        Fitted on the same table.
    """

    def __init__(self, search: RepeatedCuts, binner: Binner) -> None:
        super().__init__(search.table, binner, search.cut_at_median)

    def codes(self, column: int) -> Integers:
        """The codes that the binner made."""
        values = super()._values(column)
        zero = values == 0
        codes = np.searchsorted(self.binner.bin_edges_[column], values, side="left") + zero.any()
        codes[np.isnan(values)] = self.binner.n_bins_[column] - 1
        codes[zero] = 0
        return codes.astype(np.int64)

    def dependence(self, classes: Labels, columns: NDArray[np.intp], parts: Parts, terms: Terms) -> Dependence:
        """Of ``columns``, cut anew by each row of ``classes``, on that row."""
        found = Dependence(*np.zeros((2, len(columns), len(classes)), np.int64))
        mixed = np.array([self._zeros_and_gaps(column).all() for column in columns.tolist()], bool)
        if not mixed.all():
            for all_of_them, some in zip(
                found, super().dependence(classes, columns[~mixed], parts, terms), strict=True
            ):
                all_of_them[~mixed] = some
        for place in np.flatnonzero(mixed).tolist():
            for vector, labels in enumerate(classes):
                codes = self._recut(int(columns[place]), labels, terms)
                made = dependence_of_codes(codes, labels[None], self.n_classes, parts, terms)
                found.freedom[place, vector], found.sums[place, vector] = made.freedom[0, 0], made.sums[0, 0]
        return found

    def log_codings(self, column: int) -> float:
        """The logarithm of how many sets of cuts there were to choose from, doubled for every cut in the set."""
        n_cuts = len(self.binner.bin_edges_[column])
        places = max(int(np.count_nonzero(~np.isnan(self._values(column)))) - 1, 0)
        ways = special.gammaln(places + 1) - special.gammaln(n_cuts + 1) - special.gammaln(places - n_cuts + 1)
        return float(ways + n_cuts * np.log(2))

    def _recut(self, column: int, classes: Labels, terms: Terms) -> Integers:
        codes = super()._recut(column, classes, terms)
        if self._zeros_and_gaps(column).all():
            codes[np.isnan(super()._values(column))] = codes.max() + 1
        return codes

    def _values(self, column: int) -> NDArray[np.float64]:
        """Zeros take no part in the cuts and have one code, just as missing values."""
        values = super()._values(column)
        return np.where(values == 0, np.nan, values)

    def _zeros_and_gaps(self, column: int) -> NDArray[np.bool_]:
        """Whether the column holds zeros, and missing values."""
        values = super()._values(column)
        return np.array([(values == 0).any(), np.isnan(values).any()])
