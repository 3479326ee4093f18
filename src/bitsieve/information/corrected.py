"""Information corrected for chance: the plug-in value less its mean over all shuffles of the feature.

The means over shuffles of :mod:`bitsieve.information.margins` are subtracted from the sums of
:mod:`bitsieve.information.plug_in`. A negative information is less than shuffles give on average. Entropies are not
corrected. docs/explanation/bias.md has all formulas.

N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings comparison: variants, properties,
normalization and correction for chance", Journal of Machine Learning Research 11, 2010, pp. 2837-2854.
"""

from __future__ import annotations

from math import log
from typing import ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve.counts.source import CountSource, Partition, conditioning
from bitsieve.counts.tables import Chance, ChanceSums, MinimumFormula, PairSums, column_blocks
from bitsieve.information.margins import ColumnCounts, Margins, StratumCounts
from bitsieve.information.plug_in import SumInformation, SumPair
from bitsieve.information.protocol import (
    ConditionalInformation,
    Information,
    PairQuantity,
    Quantity,
    counted_by_class,
)
from bitsieve.utils.arrays import Columns, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property

CAUTION = 2.0  # standard deviations under shuffles that are subtracted from a cautious relevance


def _code_counts(information: SumInformation) -> ColumnCounts:
    """The count of every code of every column; the samples lie in no strata."""
    source = information.source
    rising_arity = np.argsort(source.arities, kind="stable")
    doublings = np.flatnonzero(np.diff(np.log2(source.arities[rising_arity]).astype(int))) + 1
    blocks_of_counts = []
    columns_of_blocks = []
    # All rows of counts of a block are as long as its longest: columns of similar arity are counted together.
    for similar_columns in np.split(rising_arity, doublings):
        for block in column_blocks(2, source.arities[similar_columns], 1, source.n_samples):
            columns = similar_columns[block]
            counts = information.sums.cell_counts(None, columns, False).pooled
            row, _ = np.nonzero(counts)
            blocks_of_counts.append(counts[counts > 0])
            columns_of_blocks.append(columns[row])
    all_counts = np.concatenate(blocks_of_counts)
    column_of_count = np.concatenate(columns_of_blocks)
    order = np.argsort(column_of_count, kind="stable")
    starts = np.searchsorted(column_of_count[order], np.arange(source.n_features + 1))
    return ColumnCounts(all_counts[order], starts, n_strata=1)


class CorrectedConditional(ConditionalInformation):
    """Information corrected for chance and conditional on a set Z of features."""

    def __init__(self, information: CorrectedInformation, partition: Partition) -> None:
        super().__init__(information.entropy_terms, partition)
        self.information = information

    def refine(self, feature: int) -> Self:
        return type(self)(self.information, self.partition.refine(feature))

    @cached_property
    def _chance(self) -> ChanceSums:
        (table,) = self.partition.tables(None, True)
        counts = StratumCounts.of_one_stratum(table.pooled().counts)
        return self.information.chance_given(counts, StratumCounts.of_one_stratum(table.counts))

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        return super().conditional_relevance(columns) - self.information.chance_bits(self._chance, columns)

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        chance = self.information.chance_bits(self._chance, np.array([feature]))
        return super().shuffled_relevance(feature, seeds) - chance


class CorrectedInformation(SumInformation):
    """Information corrected for chance, in bits; any of it but an entropy may be negative."""

    estimator: ClassVar[str] = "corrected"

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._chance_by_feature: dict[int, ChanceSums] = {}  # a cache
        self._expected_sums: dict[int, Integers] = {}  # a cache by feature: `Margins.expected_sums` of its codes

    @cached_property
    def margins(self) -> Margins:
        """The counts of the codes of every feature."""
        return Margins(self.entropy_terms, np.array([self.source.n_samples], np.int64), _code_counts(self))

    @property
    def class_counts(self) -> StratumCounts:
        """How often each class occurs, in each stratum."""
        return StratumCounts.of_one_stratum(self.source.class_sizes)

    @property
    def sample_counts(self) -> StratumCounts:
        """The number of samples of each stratum."""
        return StratumCounts.of_one_stratum(np.array([self.source.n_samples]))

    def conditional(self) -> ConditionalInformation:
        return CorrectedConditional(self, conditioning(self.source).partition())

    @cached_property
    def relevance(self) -> Floats:
        chance = self.chance_given(self.sample_counts, self.class_counts)
        return self.bits(self._relevance_sums()) - self.chance_bits(chance, None)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """I(Xi;C) less twice its standard deviation under shuffles, ``sqrt(m / (N ln 2))`` for a mean of m bits.

        Of many columns of noise the largest corrected value is one with many codes, which vary more.
        """
        chance_relevance = np.maximum(self.bits(self._relevance_sums()) - self.relevance, 0.0)
        return self.relevance - CAUTION * np.sqrt(chance_relevance / (self.source.n_samples * log(2)))

    @cached_property
    def min_redundancy(self) -> Floats:
        """A lower bound of the corrected I(Xi;Xj) over all j.

        Plug-in information is 0 or more. Its mean over shuffles is at most ``log2(1 + E[chi^2] / N)`` by Jensen's
        inequality, with ``E[chi^2] = N (a_i - 1) (a_j - 1) / (N - 1)`` and a_i the number of codes of Xi.
        """
        freedom = self.source.arities - 1.0
        bound: Floats = -np.log2(1 + freedom * freedom.max() / max(self.source.n_samples - 1, 1))
        return bound

    def chance_given(self, counts: StratumCounts, counts_with_class: StratumCounts) -> ChanceSums:
        """The sums that give the mean of I(Xi;C|Z) over shuffles of Xi, from the counts of Z, and of Z with the class.

        Shuffles are within the strata. With m the counts of the codes of Xi, and n_z and n_zc the counts of Z, and of Z
        with the class, the mean is

            (sum over m of (sum over zc of E(n_zc, m) - sum over z of E(n_z, m)) + S_z - S_zc) / B
        """
        sum_of_count = self.margins.expected_sums(counts_with_class) - self.margins.expected_sums(counts)
        sum_z = self.entropy_terms.sum(counts.counts)
        sum_zc = self.entropy_terms.sum(counts_with_class.counts)
        return ChanceSums(sum_of_count, sum_z - sum_zc)

    def chance_bits(self, chance: ChanceSums, columns: Columns | None) -> Floats:
        """The mean of I(Xi;C|Z) over all shuffles of Xi, for every Xi of ``columns`` (None: all)."""
        return self.bits(self.margins.sum_by_column(chance.sum_of_count, columns) + chance.constant)

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) over all shuffles of Xi, with Xs the feature, for all Xi of ``columns`` (None: all)."""
        sums, _ = self.marginals
        sums_of_columns = sums if columns is None else sums[columns]
        expected = self.margins.sum_by_column(self._expected_sums_with(feature), columns)
        return self.bits(expected - sums_of_columns + (self.total - sums[feature]))

    def chance_given_feature(self, feature: int) -> ChanceSums:
        """The sums that give the mean of I(Xi;C|Xs) over shuffles of Xi, with Xs the feature: see `chance_given`."""
        if feature not in self._chance_by_feature:
            self._empty_if_full(self._chance_by_feature)
            sums_with_class = self.margins.expected_sums(self.counts_with_class(feature))
            sum_of_count = sums_with_class - self._expected_sums_with(feature)
            sum_z, sum_zc = self.marginals
            self._chance_by_feature[feature] = ChanceSums(sum_of_count, int(sum_z[feature] - sum_zc[feature]))
        return self._chance_by_feature[feature]

    def counts_with_class(self, feature: int) -> StratumCounts:
        """The counts of the codes of a feature with the class, in each stratum."""
        counts = self.sums.cell_counts(None, np.array([feature]), True)
        return StratumCounts.of_one_stratum(counted_by_class(counts.by_class)[0])

    def _expected_sums_with(self, feature: int) -> Integers:
        """`Margins.expected_sums` of the codes of a feature."""
        if feature not in self._expected_sums:
            self._empty_if_full(self._expected_sums)
            self._expected_sums[feature] = self.margins.expected_sums(self.margins.code_counts.of_column(feature))
        return self._expected_sums[feature]

    def _empty_if_full(self, cache: dict[int, ChanceSums] | dict[int, Integers]) -> None:
        if len(cache) >= self._row_limit:
            cache.clear()

    def of_sums(self, pivot: int, columns: Columns | None, sums: PairSums) -> CorrectedPair:
        return CorrectedPair(self, pivot, columns, sums)

    def minima(self, quantity: PairQuantity, *, capped: bool, n_smallest: int = 1) -> Scores | None:
        if capped:  # choices go by the cautious relevance, and the score that is reported by the relevance
            return None
        if quantity == "conditional_relevance":
            pivot_bits = np.zeros(self.n_features)
        elif quantity == "joint_relevance":
            pivot_bits = self.relevance
        else:
            return None
        pooled, by_class = self.marginals
        formula = MinimumFormula(
            start=np.full(self.n_features, np.inf),
            pivot_sums=pooled - by_class,
            pivot_bits=pivot_bits,
            per_bit=self.entropy_terms.per_bit,
            n_smallest=n_smallest,
            chance=PairChance(self),
        )
        return self.sums.minima(self.entropy_terms, formula)

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        if quantity != "redundancy" or np.dtype(dtype) != np.float64:  # a float32 is rounded once, after the correction
            return Information.matrix(self, quantity, dtype, columns, progress)
        cached_matrix = None if columns is None else self._cached_redundancy(columns, dtype)
        if cached_matrix is not None:
            return cached_matrix
        matrix = self.sums.matrix(self.entropy_terms, self._formula(quantity), dtype, columns, progress)
        chosen = np.arange(self.n_features) if columns is None else columns
        for index, pivot in enumerate(chosen.tolist()):
            matrix[index, index:] -= self.chance_redundancy(pivot, chosen[index:])
            matrix[index:, index] = matrix[index, index:]
        np.fill_diagonal(matrix, self.entropy[chosen])
        return matrix

    # The other fast methods of plug-in information subtract no mean over shuffles. Instead of these, the methods of
    # Information compute every quantity pair by pair.
    disjoint_pairs = Information.disjoint_pairs
    conditional_rows = Information.conditional_rows
    symmetric_conditional_rows = Information.symmetric_conditional_rows


class PairChance(Chance):
    """The mean of I(Xi;C|Xs) over shuffles of Xi, for every Xi and any pivot Xs."""

    def __init__(self, information: CorrectedInformation) -> None:
        self.information = information
        self.starts = information.margins.starts
        self.index_of_distinct = information.margins.index_of_distinct

    def sums_of_pivot(self, pivot: int) -> ChanceSums:
        return self.information.chance_given_feature(pivot)


class CorrectedPair(SumPair):
    """The corrected information of features with one pivot."""

    information: CorrectedInformation

    @property
    def redundancy(self) -> Floats:
        plug_in: Floats = super().redundancy
        return plug_in - self.information.chance_redundancy(self.pivot, self.columns)

    @property
    def divisor(self) -> Floats:
        return super().redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy + self.conditional_relevance - self.of_features(self.information.relevance)

    @property
    def conditional_relevance(self) -> Floats:
        plug_in: Floats = super().conditional_relevance
        info = self.information
        return plug_in - info.chance_bits(info.chance_given_feature(self.pivot), self.columns)

    @property
    def joint_relevance(self) -> Floats:
        joint: Floats = self.conditional_relevance + self.information.relevance[self.pivot]
        return joint

    @property
    def symmetric_relevance(self) -> Floats:
        entropy = self.joint_entropy
        share: Floats = self.joint_relevance / np.where(entropy > 0, entropy, 1.0)
        return share
