"""Information given the stratum of the samples: what columns say about the class within the same batch, site or period.

Every quantity is the mean over the strata S of its value within each stratum, weighted by the samples of the stratum:

    I(X;C|S) = sum over s of (n_s / N) I_s(X;C)

so that every identity between the quantities holds, and the methods need not know of strata. A column that is constant
within every stratum carries no information. docs/reference/numerics.md has the formulas.
"""

from __future__ import annotations

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import CountsByStratum, StratifiedSums, partition_by_strata
from bitsieve.counts.tables import ChanceSums, make_entropy_terms
from bitsieve.information.corrected import (
    CodeCounts,
    CorrectedConditional,
    CorrectedInformation,
    Margins,
    split_by_stratum,
)
from bitsieve.information.plug_in import MillerMadowInformation, PlugInInformation, SumInformation
from bitsieve.information.protocol import ConditionalInformation, Information, PairQuantity
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property


class WithinStrata(SumInformation):
    """Information within strata that follows from sums of entropy terms; a subclass names the estimator."""

    sums: StratifiedSums

    def __init__(self, source: CountSource) -> None:
        self.counts = CountsByStratum.of_source(source)
        super().__init__(source)

    def sums_of_source(self, source: CountSource) -> StratifiedSums:
        return StratifiedSums.of_counts(self.counts)

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
            split_by_stratum(part_sizes.counts, stratum_of_part, n_strata),
            split_by_stratum(counts, stratum_of_cell, n_strata),
        )


class CorrectedWithinStrata(WithinStrata, CorrectedInformation):
    """Information within strata, less its mean over all shuffles of the feature within the strata.

    A shuffle of the whole column would move values between strata: a column that follows the batch would lose far more
    than chance gives it.
    """

    def conditional(self) -> ConditionalInformation:
        return CorrectedConditionalWithinStrata(self, partition_by_strata(self.source))

    @cached_property
    def margins(self) -> Margins:
        source = self.counts.by_combination
        cells_of_columns = []
        counts_of_columns = []
        for table in source.tables(None, np.arange(source.n_features), True):
            cells, counts = table.occupied()
            cells_of_columns.append(cells)
            counts_of_columns.append(counts)
        column = np.repeat(np.arange(source.n_features), [len(cells) for cells in cells_of_columns])
        code, combination = np.divmod(np.concatenate(cells_of_columns), source.n_classes)
        stratum = self.counts.combinations.stratum[combination]

        # The cells of one column, code and stratum, which differ in the class, lie side by side: they are added up.
        differs_from_previous = (np.diff(column) != 0) | (np.diff(code) != 0) | (np.diff(stratum) != 0)
        first_cell = np.concatenate([np.zeros(1, np.intp), np.flatnonzero(differs_from_previous) + 1])
        code_counts = CodeCounts(
            counts=np.add.reduceat(np.concatenate(counts_of_columns), first_cell),
            stratum=stratum[first_cell],
            starts=np.searchsorted(column[first_cell], np.arange(source.n_features + 1)),
        )
        return Margins(self.entropy_terms, self.counts.stratum_sizes, code_counts)

    @property
    def class_counts(self) -> list[Integers]:
        counts = self.counts
        n_strata = len(counts.stratum_sizes)
        return split_by_stratum(counts.by_combination.class_sizes, counts.combinations.stratum, n_strata)

    @property
    def sample_counts(self) -> list[Integers]:
        return [np.array([size]) for size in self.counts.stratum_sizes.tolist()]

    def counts_with_class(self, feature: int) -> tuple[list[Integers], list[Integers]]:
        (table,) = self.counts.by_combination.tables(None, np.array([feature]), True)
        cells, counts = table.occupied()
        _, _, n_combinations = table.shape
        stratum = self.counts.combinations.stratum[cells % n_combinations]
        counts_of_cells = split_by_stratum(counts, stratum, len(self.counts.stratum_sizes))
        return self.margins.counts_of(feature), counts_of_cells

    @cached_property
    def least_redundancy(self) -> Floats:
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


WITHIN_STRATA: dict[str, type[Information]] = {
    kind.estimator: kind for kind in (PlugInWithinStrata, CorrectedWithinStrata, MillerMadowWithinStrata)
}
