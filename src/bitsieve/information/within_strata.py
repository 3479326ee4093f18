"""Information given the stratum of the samples: what columns say about the class within the same batch, site or period.

Every quantity is the mean over the strata S of its value within each stratum, weighted by the samples of the stratum:

    I(X;C|S) = sum over s of (n_s / N) I_s(X;C)

so that every identity between the quantities holds, and the methods need not know of strata. A column that is constant
within every stratum carries no information. docs/reference/numerics.md has the formulas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import CountsWithinStrata, SumsWithinStrata, partition_by_strata
from bitsieve.counts.tables import ChanceSums, OccupiedCells, make_entropy_terms
from bitsieve.information.corrected import CorrectedConditional, CorrectedInformation
from bitsieve.information.margins import ColumnCounts, Margins, StratumCounts
from bitsieve.information.plug_in import MillerMadowInformation, PlugInInformation, SumInformation
from bitsieve.information.protocol import ConditionalInformation, PairQuantity
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property


class WithinStrata(SumInformation):
    """Information within strata that follows from sums of entropy terms; a subclass names the estimator."""

    sums: SumsWithinStrata

    def __init__(self, source: CountSource) -> None:
        self.counts = CountsWithinStrata.of_source(source)
        super().__init__(source)

    def sums_of_source(self, source: CountSource) -> SumsWithinStrata:
        return SumsWithinStrata.of_counts(self.counts)

    def conditional(self) -> ConditionalInformation:
        return ConditionalInformation(self.entropy_terms, partition_by_strata(self.source))

    def plug_in_conditional(self) -> ConditionalInformation:
        entropy_terms = make_entropy_terms(self.source.n_samples)
        return ConditionalInformation(entropy_terms, partition_by_strata(self.source))


class PlugInWithinStrata(WithinStrata, PlugInInformation):
    """The plug-in estimate within strata."""


class MillerMadowWithinStrata(WithinStrata, MillerMadowInformation):
    """The estimate of Miller and Madow within strata."""


class CorrectedConditionalWithinStrata(CorrectedConditional):
    """Information within strata, corrected for chance and conditional on a set of features."""

    @cached_property
    def _chance(self) -> ChanceSums:
        stratum_of_part = self.partition.keys[:, 0]
        n_strata = int(stratum_of_part.max()) + 1
        (part_sizes,) = self.partition.tables(None, False)
        (parts_by_class,) = self.partition.tables(None, True)
        cells, counts = parts_by_class.occupied()
        _, _, n_classes = parts_by_class.shape
        stratum_of_cell = stratum_of_part[cells // n_classes]
        return self.information.chance_given(
            StratumCounts.sorted_by_stratum(part_sizes.counts, stratum_of_part, n_strata),
            StratumCounts.sorted_by_stratum(counts, stratum_of_cell, n_strata),
        )


class _CountsOfColumns(NamedTuple):
    """The counts of every column in every stratum."""

    by_code: ColumnCounts
    by_code_and_class: ColumnCounts


class CorrectedWithinStrata(WithinStrata, CorrectedInformation):
    """Information within strata, less its mean over all shuffles of the feature within the strata.

    A shuffle of the whole column would move values between strata: a column that follows the batch would lose far more
    than chance gives it.
    """

    def conditional(self) -> ConditionalInformation:
        return CorrectedConditionalWithinStrata(self, partition_by_strata(self.source))

    @cached_property
    def margins(self) -> Margins:
        return Margins(self.entropy_terms, self.counts.stratum_sizes, self._column_counts.by_code)

    @cached_property
    def _column_counts(self) -> _CountsOfColumns:
        source = self.counts.combination_source
        combinations = self.counts.combinations
        cells = OccupiedCells.of_tables(source.tables(None, np.arange(source.n_features), True))
        code, combination = np.divmod(cells.cell, source.n_classes)
        column_and_stratum = cells.table * combinations.n_strata + combinations.stratum[combination]
        order = np.argsort(column_and_stratum, kind="stable")  # keeps the cells of one code side by side
        column_and_stratum = column_and_stratum[order]
        code = code[order]
        counts = cells.counts[order]

        begins_code = np.ones(len(order), bool)
        begins_code[1:] = (np.diff(column_and_stratum) != 0) | (np.diff(code) != 0)
        first_cells = np.flatnonzero(begins_code)
        code_counts = np.add.reduceat(counts, first_cells)

        all_columns_and_strata = np.arange(source.n_features * combinations.n_strata + 1)
        starts_of_codes = np.searchsorted(column_and_stratum[first_cells], all_columns_and_strata)
        starts_of_cells = np.searchsorted(column_and_stratum, all_columns_and_strata)
        return _CountsOfColumns(
            by_code=ColumnCounts(code_counts, starts_of_codes, combinations.n_strata),
            by_code_and_class=ColumnCounts(counts, starts_of_cells, combinations.n_strata),
        )

    @property
    def class_counts(self) -> StratumCounts:
        combinations = self.counts.combinations
        return StratumCounts(self.counts.combination_source.class_sizes, combinations.first_combination)

    @property
    def sample_counts(self) -> StratumCounts:
        sizes = self.counts.stratum_sizes
        return StratumCounts(sizes, np.arange(len(sizes) + 1, dtype=np.int64))

    def counts_with_class(self, feature: int) -> StratumCounts:
        return self._column_counts.by_code_and_class.of_column(feature)

    @cached_property
    def min_redundancy(self) -> Floats:
        """A lower bound of the corrected I(Xi;Xj|S) over all j.

        Within a stratum of n_s samples the mean of plug-in information over shuffles is at most
        ``log2(1 + (a_i - 1) (a_j - 1) / (n_s - 1))``, a_i the number of codes of Xi; the mean over the strata is at
        most the logarithm of the mean, as the logarithm is concave. A stratum of one sample has no information.
        """
        freedom = self.source.arities - 1.0
        sizes = self.counts.stratum_sizes[self.counts.stratum_sizes > 1]
        mean_inverse = float((sizes / (sizes - 1)).sum()) / self.source.n_samples
        bound: Floats = -np.log2(1 + freedom * freedom.max() * mean_inverse)
        return bound

    def minima(self, quantity: PairQuantity, *, capped: bool, n_smallest: int = 1) -> Scores | None:
        return None
