"""Counts within strata: the tables of every pair of columns within each stratum, and within each class of each stratum.

The samples of a source lie in strata S, such as batches or sites. They are counted twice more: with the stratum as the
class, and with every combination of the class C and the stratum that occurs. All information given the stratum follows
from these two, by the chain rule ``I(X;C|S) = I(X;(C,S)) - I(X;S)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from bitsieve.counts.source import CodedSource, CountSource, coded, sums_of
from bitsieve.counts.tables import PairSums, Sums, Terms
from bitsieve.diagnostics import UserError
from bitsieve.utils.arrays import Columns, Integers

MAX_COMBINATIONS = 1 << 16  # of class and stratum
#: The counts of every source that is still in use: several estimators of one source share them.
_COUNTS: WeakKeyDictionary[CountSource, StratifiedCounts] = WeakKeyDictionary()


@dataclass(frozen=True)
class StratifiedCounts:
    """The same samples, counted by stratum, and by combination of class and stratum."""

    by_stratum: CodedSource  # its classes are the strata
    by_combination: CodedSource  # its classes are the combinations that occur, stratum by stratum
    stratum_of_combination: Integers  # shape (n_combinations,), ascending
    class_of_combination: Integers

    @classmethod
    def of_source(cls, source: CountSource) -> StratifiedCounts:
        """Count the samples of a source that has strata. Refuses one whose samples are not in memory."""
        if source not in _COUNTS:
            _COUNTS[source] = cls._count(source)
        return _COUNTS[source]

    @classmethod
    def _count(cls, source: CountSource) -> StratifiedCounts:
        coded_source = coded(source)
        if coded_source is None or source.strata is None:
            raise UserError(
                code="rows-not-in-memory",
                message="strata need all rows in memory",
                advice="leave out strata, or groups of columns of a sparse table",
            )
        combination_of_sample = source.strata * source.n_classes + coded_source.sample_classes
        combinations, labels = np.unique(combination_of_sample, return_inverse=True)
        check_combinations(len(combinations))
        by_stratum, by_combination = coded_source.relabelled([source.strata, labels.reshape(-1)])
        return cls(
            by_stratum=by_stratum,
            by_combination=by_combination,
            stratum_of_combination=combinations // source.n_classes,
            class_of_combination=combinations % source.n_classes,
        )

    @property
    def stratum_sizes(self) -> Integers:
        """The number of samples of every stratum."""
        return self.by_stratum.class_sizes


def check_combinations(n_combinations: int) -> None:
    """Refuse more combinations of class and stratum than can be counted."""
    if n_combinations > MAX_COMBINATIONS:
        raise UserError(
            code="too-many-strata",
            message=f"there are {n_combinations:,} combinations of class and stratum",
            advice="at most 65,536 can be counted: use fewer strata",
        )


class StratifiedSums(Sums):
    """Sums of entropy terms within the strata s.

    ``S_xys`` stands where the sums of a source without strata have ``S_xy``, and ``S_xycs`` where they have ``S_xyc``.
    The total is ``S_s``, and the sum of the class ``S_cs``. With these every formula holds given the stratum.
    """

    def __init__(self, counts: StratifiedCounts) -> None:
        super().__init__(counts.by_combination)
        self.counts = counts
        self._by_stratum = sums_of(counts.by_stratum)
        self._by_combination = sums_of(counts.by_combination)
        self.row_seconds = self._by_stratum.row_seconds + self._by_combination.row_seconds

    def total(self, terms: Terms) -> int:
        return terms.sum(self.counts.stratum_sizes)

    def class_sum(self, terms: Terms) -> int:
        return terms.sum(self.counts.by_combination.class_sizes)

    def marginal_sums(self, terms: Terms) -> tuple[Integers, Integers]:
        _, within_strata = self._by_stratum.marginal_sums(terms)
        _, within_combinations = self._by_combination.marginal_sums(terms)
        return within_strata, within_combinations

    def pair_sums(
        self, terms: Terms, pivot: int, columns: Columns | None, by_class: bool, out: PairSums | None = None
    ) -> PairSums:
        within_strata = self._by_stratum.pair_sums(terms, pivot, columns, True).by_class
        assert within_strata is not None
        within_combinations = None
        if by_class:
            within_combinations = self._by_combination.pair_sums(terms, pivot, columns, True).by_class
        return PairSums(within_strata, within_combinations)

    def counted_with(self, columns: Columns) -> Columns:
        return self._by_combination.counted_with(columns)
