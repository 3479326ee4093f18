"""Information of an effect that all strata have in common, such as that of an exposure in matched sets.

I_common of :mod:`bitsieve.information.common_effect_bits` is the divergence of the pooled table from its mean under
shuffles within the strata, the information form of the test of Cochran, Mantel and Haenszel. It is at most I(X;C|S),
and equal to it with one stratum. The difference is heterogeneity: what differs from stratum to stratum. The mean is a
sum over samples, so that the joint value of two columns has one as well, and

    I_common(X|Z) = I_common of (X,Z) - I_common of Z >= 0

for one column Z or a set of them. Shuffles of X among samples of equal S and Z leave every mean as it is, so that they
test whether X has an effect given Z. N. Mantel, W. Haenszel, "Statistical aspects of the analysis of data from
retrospective studies of disease", Journal of the National Cancer Institute 22, 1959, pp. 719-748.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import ClassVar

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import partition_by_strata
from bitsieve.counts.tables import column_blocks, joined
from bitsieve.information.common_effect_bits import CommonEffectBits, CorrectedBits, PlugInBits
from bitsieve.information.common_effect_given_set import CommonEffectConditional
from bitsieve.information.corrected import CAUTION, CorrectedInformation
from bitsieve.information.plug_in import PlugInInformation, SumInformation
from bitsieve.information.protocol import COMMON, Information, PairInformation
from bitsieve.information.stratum_tables import ColumnTables, TableQuantity, batches_of_tables, value_starts
from bitsieve.information.within_strata import CorrectedWithinStrata, PlugInWithinStrata
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import cached_property

MIN_ROWS_PER_STRATUM = 20  # on average: with fewer, the information within a stratum is mostly chance


class CommonEffectInformation(Information):
    """The information of the effect that the strata have in common; a subclass names the estimator.

    What two columns share is I(Xi;Xs|S), or I(Xi;Xs) where strata have fewer than 20 samples on average.
    """

    conditions_on_sets: ClassVar[bool] = True
    effect: ClassVar[str] = COMMON
    pooled_type: ClassVar[type[SumInformation]]
    within_type: ClassVar[type[PlugInWithinStrata | CorrectedWithinStrata]]
    estimate_type: ClassVar[type[CommonEffectBits]]

    def __init__(self, source: CountSource) -> None:
        self.source = source
        self.within_strata = self.within_type(source)
        self.counts = self.within_strata.counts
        self.sums = self.within_strata.sums
        self.estimate = self.estimate_type(self.counts, source.n_samples)
        self.redundancy_information: SumInformation = self.within_strata  # gives what columns share with each other
        if source.n_samples < MIN_ROWS_PER_STRATUM * len(self.counts.stratum_sizes):
            self.redundancy_information = self.pooled_type(source)

    def conditional(self) -> CommonEffectConditional:
        return CommonEffectConditional(self.estimate, partition_by_strata(self.source))

    def plug_in_conditional(self) -> CommonEffectConditional:
        return PlugInCommonEffect(self.source).conditional()

    @property
    def entropy(self) -> Floats:
        return self.redundancy_information.entropy

    @property
    def entropy_by_class(self) -> Floats:
        return self.redundancy_information.entropy_by_class

    @property
    def class_entropy(self) -> float:
        """H(C|S)."""
        return self.within_strata.class_entropy

    @property
    def varies(self) -> Flags:
        return self.within_strata.varies

    @property
    def min_redundancy(self) -> Floats | None:
        return self.redundancy_information.min_redundancy

    @cached_property
    def relevance(self) -> Floats:
        return self.bits_of_columns(None, np.arange(self.n_features))

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> CommonEffectPair:
        redundancy_pair = self.redundancy_information.pair(pivot, columns, by_class=by_class)
        return CommonEffectPair(self, pivot, columns, redundancy_pair)

    def bits_of_columns(self, pivot: int | None, columns: Columns) -> Floats:
        """The common effect of the joint value of the pivot with each of ``columns``; of each alone without a pivot."""
        return self.quantity_of_columns(self.estimate.bits, pivot, columns)

    def quantity_of_columns(self, quantity: TableQuantity, pivot: int | None, columns: Columns) -> Floats:
        """A quantity of the joint value of the pivot with each of ``columns``."""
        values = [quantity(tables) for tables in self._tables(pivot, columns)]
        return np.concatenate([np.zeros(0), *values])

    def _tables(self, pivot: int | None, columns: Columns) -> Iterator[ColumnTables]:
        """The tables of the joint value of the pivot with each of ``columns``, batch by batch."""
        source = self.counts.combination_source
        n_first = 1 if pivot is None else int(source.arities[pivot])
        for block in column_blocks(n_first, source.arities[columns], source.n_classes, source.n_samples):
            for batch in batches_of_tables(source.tables(pivot, columns[block], True)):
                table = joined(batch)  # by combination of class and stratum
                yield ColumnTables(
                    class_table=self.counts.table_by_class(table),
                    stratum_table=self.counts.table_by_stratum(table),
                    starts=value_starts(batch),
                )


class CommonEffectPair(PairInformation):
    """The common effect of features given one pivot, and what they share with it."""

    information: CommonEffectInformation

    def __init__(
        self,
        information: CommonEffectInformation,
        pivot: int,
        columns: Columns | None,
        redundancy_pair: PairInformation,
    ) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns
        self.redundancy_pair = redundancy_pair  # gives what the columns share with the pivot

    @property
    def redundancy(self) -> Floats:
        return self.redundancy_pair.redundancy

    @property
    def divisor(self) -> Floats:
        return self.redundancy_pair.divisor

    @cached_property
    def joint_relevance(self) -> Floats:
        features = self.of_features(np.arange(self.information.n_features))
        return self.information.bits_of_columns(self.pivot, features)

    @property
    def conditional_relevance(self) -> Floats:
        joint: Floats = self.joint_relevance - self.information.relevance[self.pivot]
        return joint

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy - self.of_features(self.information.relevance) + self.conditional_relevance

    @property
    def joint_entropy(self) -> Floats:
        return self.redundancy_pair.joint_entropy


class PlugInCommonEffect(CommonEffectInformation):
    """The common effect as counted."""

    estimator: ClassVar[str] = "plug-in"
    pooled_type = PlugInInformation
    within_type = PlugInWithinStrata
    estimate_type = PlugInBits


class CorrectedCommonEffect(CommonEffectInformation):
    """The common effect less its mean under shuffles of the class within the strata."""

    estimator: ClassVar[str] = "corrected"
    pooled_type = CorrectedInformation
    within_type = CorrectedWithinStrata
    estimate_type = CorrectedBits

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of what Xi and Xs share over all shuffles of Xi, with Xs the feature."""
        assert isinstance(self.redundancy_information, CorrectedInformation)
        return self.redundancy_information.chance_redundancy(feature, columns)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """The common effect less twice its standard deviation under shuffles, as for corrected information."""
        by_chance = self.quantity_of_columns(self.estimate.chance_bits, None, np.arange(self.n_features))
        return self.relevance - CAUTION * np.sqrt(by_chance / (self.source.n_samples * log(2)))
