"""Information corrected for chance: the plug-in value less its mean over all shuffles of the feature.

After a shuffle of the feature, the count n of a table cell follows the hypergeometric distribution P that the margins
of the cell decide: a samples in its row and b in its column, out of N. The expected entropy term of the cell is

    E(a, b) = sum_n P(n) T[n]

These means are subtracted from the sums of :mod:`bitsieve.information.plug_in`. A negative information is less than
shuffles give on average. Entropies are not corrected. docs/explanation/bias.md has all formulas.

N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings comparison: variants, properties,
normalization and correction for chance", Journal of Machine Learning Research 11, 2010, pp. 2837-2854.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log, log2
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve import _native
from bitsieve.counts.source import CountSource, Partition, conditioning
from bitsieve.counts.tables import (
    Chance,
    ChanceSums,
    EntropyTerms,
    MinimumFormula,
    PairSums,
    column_blocks,
    make_entropy_terms,
)
from bitsieve.information.plug_in import SumInformation, SumPair
from bitsieve.information.protocol import (
    ConditionalInformation,
    Information,
    PairQuantity,
    Quantity,
    counted_by_class,
)
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.choice import Scores
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.ranges import joined_ranges

DENSE_NODES = 1024  # smaller counts are nodes: their expected terms are computed. Others are interpolated between nodes
NODES_PER_DOUBLING = 32  # nodes among the counts from ``DENSE_NODES`` on
MAX_CACHED_ROWS = 4096  # counts whose expected terms are cached
CAUTION = 2.0  # standard deviations under shuffles that are subtracted from a cautious relevance


def expected_terms(n_samples: int, row_counts: Integers, column_counts: Integers) -> Integers:
    """``E(a, b)`` for every a in ``row_counts`` and b in ``column_counts``, rounded to integers, like entropy terms.

    The result has a row for every a, and a column for every b. It is made by additions, multiplications and divisions
    in a fixed order: equal margins give equal bits on every machine. Where many samples are expected in a cell, it is a
    Taylor series about the mean count, up to the fourth central moment. With m the mean and mu_k the central moments of
    the hypergeometric distribution:

        E[n ln n] = m ln m + mu_2 / (2 m) - mu_3 / (6 m^2) + mu_4 / (12 m^3)

        m = a b / N        x = a (N - a) / N^2        y = b (N - b) / N^2
        mu_2 = N^2 x y / (N - 1)
        mu_3 = mu_2 (N - 2 a) (N - 2 b) / (N (N - 2))
        mu_4 = mu_2 (3 mu_2 + excess N^2 / ((N - 1) (N - 2) (N - 3)))
        excess = (N - 1) (1 + 1 / N - 6 (x + y)) + 6 (5 N - 6) x y

    Elsewhere it is the sum itself, over all counts n that are not negligibly rare, from the ratio

        P(n + 1) / P(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1))
    """
    entropy_terms = make_entropy_terms(n_samples)
    expected = np.empty((len(row_counts), len(column_counts)), np.int64)
    _native.expected_terms(entropy_terms.table, entropy_terms.shift, n_samples, row_counts, column_counts, expected)
    return expected


@lru_cache(maxsize=128)
def nodes_of(n_samples: int) -> Integers:
    """The counts whose expected terms are computed: all small ones, and 32 of every doubling."""
    small = np.arange(min(n_samples + 1, DENSE_NODES))
    if n_samples < DENSE_NODES:
        return small
    n_nodes = 5 + round(NODES_PER_DOUBLING * log2(n_samples / DENSE_NODES))
    growing = np.geomspace(DENSE_NODES, n_samples, n_nodes)
    return np.unique(np.concatenate([small, np.rint(growing).astype(np.int64), [n_samples]]))


class CubicInterpolation(NamedTuple):
    """Interpolation of a function of counts from its values at nodes.

    The value at a count that is no node is that of the cubic through the two nodes below it and the two above.
    """

    nodes: Integers  # only those that are used
    is_node: Flags  # whether each count is a node itself
    stencil: Integers  # shape (4, n_counts): the indices of the four nodes of each count; a node has its own four times
    weights: Floats  # shape (4, n_counts)

    @classmethod
    def between(cls, all_nodes: Integers, counts: Integers) -> CubicInterpolation:
        """Interpolation at ``counts``, from the nodes among ``all_nodes`` that these need."""
        nearest_below = np.searchsorted(all_nodes, counts, side="right") - 1  # or the count itself
        is_node = all_nodes[nearest_below] == counts
        first_of_four = np.clip(nearest_below - 1, 0, max(0, len(all_nodes) - 4))
        four_nodes = first_of_four[:, None] + np.arange(4)
        indices = np.where(is_node[:, None], nearest_below[:, None], four_nodes)
        used_indices, index_among_used = np.unique(indices, return_inverse=True)
        nodes = all_nodes[used_indices]
        stencil = np.ascontiguousarray(index_among_used.reshape(-1, 4).T)
        return cls(nodes, is_node, stencil, _cubic_weights(nodes[stencil], counts, is_node))


class StratumCounts(NamedTuple):
    """Counts of samples, stratum by stratum."""

    counts: Integers
    starts: Integers  # where the counts of each stratum start, and where the last ends: shape (n_strata + 1,)

    @classmethod
    def of_one_stratum(cls, counts: Integers) -> StratumCounts:
        return cls(counts, np.array([0, len(counts)], np.int64))

    @classmethod
    def sorted_by_stratum(cls, counts: Integers, stratum: Integers, n_strata: int) -> StratumCounts:
        """Counts whose strata are in any order."""
        order = np.argsort(stratum, kind="stable")
        return cls(counts[order], np.searchsorted(stratum[order], np.arange(n_strata + 1)))


class ColumnCounts(NamedTuple):
    """Counts of samples of every column in every stratum, such as those of its codes."""

    counts: Integers  # at least 1; column by column, and within a column stratum by stratum
    starts: Integers  # where those of a column and a stratum start: shape (n_columns * n_strata + 1,)
    n_strata: int

    @property
    def stratum(self) -> Integers:
        """The stratum of every count."""
        n_columns = (len(self.starts) - 1) // self.n_strata
        return np.repeat(np.tile(np.arange(self.n_strata), n_columns), np.diff(self.starts))

    def of_column(self, column: int) -> StratumCounts:
        starts = self.starts[column * self.n_strata : (column + 1) * self.n_strata + 1]
        return StratumCounts(self.counts[starts[0] : starts[-1]], starts - starts[0])


class Margins:
    """How often the codes of every column occur in every stratum, and the expected terms of these counts with others.

    Columns share most of their counts, so everything is computed once for each distinct count of a stratum. Samples
    without strata are one stratum. The hypergeometric distribution has the samples of the stratum, the entropy terms
    have the scale of all samples.
    """

    def __init__(self, entropy_terms: EntropyTerms, stratum_sizes: Integers, code_counts: ColumnCounts) -> None:
        self.code_counts = code_counts
        self.starts = code_counts.starts[:: code_counts.n_strata]  # where the codes of each column start
        # A stratum and a count in it are one number. The numbers rise from stratum to stratum.
        base = int(stratum_sizes.max()) + 1
        stratum_and_count = code_counts.stratum * base + code_counts.counts
        distinct, self.index_of_distinct = np.unique(stratum_and_count, return_inverse=True)
        stratum, self.distinct_counts = np.divmod(distinct, base)
        stratum_starts = np.searchsorted(stratum, np.arange(len(stratum_sizes) + 1)).tolist()
        self._native_sums = [
            _native_expected_sums(self.distinct_counts[first:end], n_samples, entropy_terms)
            for n_samples, (first, end) in zip(stratum_sizes.tolist(), pairwise(stratum_starts), strict=True)
        ]

    def expected_sums(self, counts: StratumCounts) -> Integers:
        """For every distinct count m of a code in a stratum, ``sum of E(c, m)`` over the ``counts`` c of the stratum.

        Each sum is rounded to an integer.
        """
        sums = np.empty(len(self.distinct_counts), np.int64)
        _native.expected_sums(self._native_sums, counts.counts, counts.starts, sums)
        return sums

    def sum_by_column(self, values: Integers, columns: Columns | None) -> Integers:
        """For every column of ``columns`` (None: all), the sum over its codes of the value of the code's count.

        ``values`` has a value for every distinct count of a stratum.
        """
        if columns is None:
            return np.add.reduceat(values[self.index_of_distinct], self.starts[:-1])
        n_codes = self.starts[columns + 1] - self.starts[columns]
        index_of_distinct = self.index_of_distinct[joined_ranges(self.starts[columns], n_codes)]
        starts = np.cumsum(n_codes) - n_codes  # of the columns among the codes that are taken
        return np.add.reduceat(values[index_of_distinct], starts)


def _native_expected_sums(counts: Integers, n_samples: int, entropy_terms: EntropyTerms) -> _native.ExpectedSums:
    """Sums of expected terms of each of ``counts`` with other counts, in a stratum of ``n_samples``."""
    interpolation = CubicInterpolation.between(nodes_of(n_samples), counts)
    return _native.ExpectedSums(
        entropy_terms.table[: n_samples + 1],
        entropy_terms.shift,
        n_samples,
        interpolation.nodes,
        interpolation.stencil,
        interpolation.weights,
        interpolation.is_node,
        MAX_CACHED_ROWS,
    )


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


def _cubic_weights(nodes: Integers, counts: Integers, is_node: Flags) -> Floats:
    """Lagrange's weights of four nodes, shape (4, n_counts), for every count.

    A count that is a node has all its weight on the first of its nodes.
    """
    weights = np.ones(nodes.shape)
    for i in range(4):
        for j in range(4):
            if j != i:
                gap = np.where(is_node, 1, nodes[i] - nodes[j])
                weights[i] = weights[i] * (counts - nodes[j]) / gap
    weights[:, is_node] = np.array([[1.0], [0.0], [0.0], [0.0]])
    return weights


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
            sum_of_count = self.margins.expected_sums(self.counts_with_class(feature)) - self._expected_sums_with(
                feature
            )
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

    def _empty_if_full(self, cache: dict[int, Any]) -> None:
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
