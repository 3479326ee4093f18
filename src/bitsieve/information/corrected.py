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

from dataclasses import dataclass
from functools import lru_cache
from math import log, log2
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource, Partition, conditioning
from bitsieve.counts.tables import PairSums, column_blocks, entropy_terms
from bitsieve.information.plug_in import SumInformation, SumPair
from bitsieve.information.protocol import ConditionalInformation, Information, counted_by_class
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

SERIES_FROM = 64.0  # samples expected in a cell, from which on a series is used; its error is below 1e-4 bits a table
NEGLIGIBLE = 2.0**-64  # probability of a count, as a share of that of the most probable one
MAX_FULL_TABLE = 1 << 15  # pairs of margins up to which all expected terms are computed at once, and cached
DENSE_NODES = 1024  # smaller counts are nodes: their expected terms are computed. Others are interpolated between nodes
NODES_PER_DOUBLING = 32  # nodes among the counts from ``DENSE_NODES`` on
MAX_CACHED_ROWS = 4096  # counts whose expected terms are cached
CAUTION = 2.0  # standard deviations under shuffles that are subtracted from a cautious relevance


def expected_terms(n_samples: int, first: Integers, second: Integers) -> Integers:
    """``E(a, b)`` for every a in ``first`` and b in ``second``, rounded to integers, like entropy terms.

    The result has the shape (len(first), len(second)). It is made by additions, multiplications and divisions in a
    fixed order: equal margins give equal bits on every machine.
    """
    a, b = np.broadcast_arrays(first[:, None], second[None, :])
    expected = np.zeros(a.shape, np.int64)
    is_certain = (a == n_samples) | (b == n_samples)  # the count can only be the smaller margin
    expected[is_certain] = entropy_terms(n_samples).lookup(np.minimum(a, b)[is_certain])
    is_large = ~is_certain & (a.astype(np.float64) * b >= SERIES_FROM * n_samples)
    expected[is_large] = np.rint(_expected_by_series(n_samples, a[is_large], b[is_large]))
    is_small = ~is_certain & ~is_large & (a > 0) & (b > 0)
    expected[is_small] = np.rint(_expected_by_summation(n_samples, a[is_small], b[is_small]))
    return expected


def _expected_by_summation(n_samples: int, a: Integers, b: Integers) -> Floats:
    """``E(a, b) = sum_n P(n) T[n]`` for each pair of margins, over all counts n that are not negligibly rare.

    With N samples the hypergeometric distribution has the ratio

        P(n + 1) / P(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1))

    which gives all ``weight = P(n) / P(mode)``, first from the mode upwards, then from the mode downwards. The weights
    are divided by their sum at the end. Beyond the possible counts the ratio is 0, and so is the weight.
    """
    terms = entropy_terms(n_samples)
    mode = (a + 1) * (b + 1) // (n_samples + 2)
    total_weight = np.ones(a.shape)
    weighted_terms = terms.lookup(mode).astype(np.float64)

    n = mode
    weight = np.ones(a.shape)
    while weight.max(initial=0.0) > NEGLIGIBLE:  # P(n + 1) from P(n)
        weight = weight * ((a - n) * (b - n)) / np.maximum((n + 1) * (n_samples - a - b + n + 1), 1)
        n = n + 1
        total_weight = total_weight + weight
        weighted_terms = weighted_terms + weight * terms.lookup(n)

    n = mode
    weight = np.ones(a.shape)
    while weight.max(initial=0.0) > NEGLIGIBLE:  # P(n - 1) from P(n)
        weight = weight * (n * (n_samples - a - b + n)) / np.maximum((a - n + 1) * (b - n + 1), 1)
        n = n - 1
        total_weight = total_weight + weight
        weighted_terms = weighted_terms + weight * terms.lookup(np.maximum(n, 0))
    return weighted_terms / total_weight


def _expected_by_series(n_samples: int, a: Integers, b: Integers) -> Floats:
    """``E(a, b)`` for each pair of margins, by a Taylor series about the mean count up to the fourth central moment.

    With m the mean and mu_k the central moments of the hypergeometric distribution:

        E[n ln n] = m ln m + mu_2 / (2 m) - mu_3 / (6 m^2) + mu_4 / (12 m^3)

        m = a b / N        x = a (N - a) / N^2        y = b (N - b) / N^2
        mu_2 = N^2 x y / (N - 1)
        mu_3 = mu_2 (N - 2 a) (N - 2 b) / (N (N - 2))
        mu_4 = mu_2 (3 mu_2 + excess N^2 / ((N - 1) (N - 2) (N - 3)))
        excess = (N - 1) (1 + 1 / N - 6 (x + y)) + 6 (5 N - 6) x y

    The logarithm of m is taken from the entropy terms, ``T[c] / c``, so that no function of the system is called.
    """
    terms = entropy_terms(n_samples)
    n = float(n_samples)
    log_a = terms.lookup(a) / a
    log_b = terms.lookup(b) / b
    log_n = float(terms.lookup(np.array([n_samples]))[0] / n_samples)
    a = a.astype(np.float64)
    b = b.astype(np.float64)
    mean = a * b / n
    x = a * (n - a) / (n * n)
    y = b * (n - b) / (n * n)
    mu_2 = n * n * x * y / (n - 1)
    mu_3 = mu_2 * ((n - 2 * a) * (n - 2 * b)) / (n * (n - 2))
    excess = (n - 1) * (1 + 1 / n - 6 * (x + y)) + 6 * (5 * n - 6) * (x * y)
    mu_4 = mu_2 * (3 * mu_2 + excess * (n * n) / ((n - 1) * (n - 2) * (n - 3)))
    beyond_mean = mu_2 / (2 * mean) - mu_3 / (6 * mean * mean) + mu_4 / (12 * mean * mean * mean)
    log_mean = log_a + log_b - log_n  # ``log2(m) 2**shift``
    series: Floats = mean * log_mean + beyond_mean * (2.0**terms.shift / log(2))
    return series


@lru_cache(maxsize=8)
def every_expected_term(n_samples: int) -> Integers:
    """``E(a, b)`` of all margins a and b from 0 to ``n_samples``."""
    margins = np.arange(n_samples + 1)
    return expected_terms(n_samples, margins, margins)


@lru_cache(maxsize=8)
def nodes_of(n_samples: int) -> Integers:
    """The counts whose expected terms are computed: all small ones, and 32 of every doubling."""
    small = np.arange(min(n_samples + 1, DENSE_NODES))
    if n_samples < DENSE_NODES:
        return small
    n_nodes = 5 + round(NODES_PER_DOUBLING * log2(n_samples / DENSE_NODES))
    growing = np.geomspace(DENSE_NODES, n_samples, n_nodes)
    return np.unique(np.concatenate([small, np.rint(growing).astype(np.int64), [n_samples]]))


@dataclass(frozen=True)
class CubicInterpolation:
    """Interpolation of a function of counts from its values at nodes.

    The value at a count that is no node is that of the cubic through the two nodes below it and the two above.
    """

    nodes: Integers  # only those that are used
    is_node: Flags  # whether each count is a node itself
    stencil: Integers  # shape (4, n_counts): the indices of the four nodes of each count; the first is a node itself
    weights: Floats  # shape (4, n_counts)

    @classmethod
    def between(cls, all_nodes: Integers, counts: Integers) -> CubicInterpolation:
        """Interpolation at ``counts``, from the nodes among ``all_nodes`` that these need."""
        last_not_above = np.searchsorted(all_nodes, counts, side="right") - 1
        is_node = all_nodes[last_not_above] == counts
        first_of_four = np.clip(last_not_above - 1, 0, max(0, len(all_nodes) - 4))
        four_nodes = first_of_four[:, None] + np.arange(4)
        indices = np.where(is_node[:, None], last_not_above[:, None], four_nodes)
        used, index_among_used = np.unique(indices, return_inverse=True)
        nodes = all_nodes[used]
        stencil = index_among_used.reshape(-1, 4).T
        return cls(nodes, is_node, stencil, _cubic_weights(nodes[stencil], counts, is_node))

    def values(self, at_nodes: Integers) -> Integers:
        """The value at every count, rounded to an integer, given the values at the nodes."""
        interpolated = np.zeros(len(self.is_node))
        for weight, node in zip(self.weights, self.stencil, strict=True):
            interpolated = interpolated + weight * at_nodes[node]
        return np.where(self.is_node, at_nodes[self.stencil[0]], np.rint(interpolated).astype(np.int64))


class Margins:
    """How often each code of each column occurs, and the expected terms of these counts with others.

    Columns share most of their counts, so everything is computed once for each distinct count.
    """

    def __init__(self, information: SumInformation) -> None:
        self.n_samples = information.source.n_samples
        counts, self.starts = _counts_by_column(information)
        self.distinct, self.index_of_distinct = np.unique(counts, return_inverse=True)  # of every code of every column
        self.interpolation = CubicInterpolation.between(nodes_of(self.n_samples), self.distinct)
        self._terms_of_count: dict[int, Integers] = {}  # by count: its expected terms with every node

    def expected(self, counts: Integers) -> Integers:
        """For every distinct count m of a code, ``sum of E(c, m)`` over ``counts`` c."""
        if self.n_samples**2 <= MAX_FULL_TABLE:
            terms_of_all_margins = every_expected_term(self.n_samples)
            sums: Integers = terms_of_all_margins[np.ix_(counts, self.distinct)].sum(axis=0)
            return sums
        return self.interpolation.values(self._expected_at_nodes(counts))

    def _expected_at_nodes(self, counts: Integers) -> Integers:
        """For every node m, ``sum of E(c, m)`` over ``counts`` c."""
        distinct, n_times = np.unique(counts[counts > 1], return_counts=True)  # E(1, m) = 0
        if len(self._terms_of_count) > MAX_CACHED_ROWS:
            self._terms_of_count = {}
        new = np.array([count for count in distinct.tolist() if count not in self._terms_of_count], np.int64)
        terms_of_new = expected_terms(self.n_samples, new, self.interpolation.nodes)
        self._terms_of_count.update(zip(new.tolist(), terms_of_new, strict=True))
        sums = np.zeros(len(self.interpolation.nodes), np.int64)
        for count, times in zip(distinct.tolist(), n_times.tolist(), strict=True):
            sums = sums + times * self._terms_of_count[count]
        return sums

    def sum_by_column(self, values: Integers, columns: Columns | None) -> Integers:
        """For every column of ``columns`` (None: all), the sum over its codes of the value of the code's count.

        ``values`` has a value for every distinct count.
        """
        if columns is None:
            index_of_code = self.index_of_distinct
            ends = self.starts[1:]
        else:
            n_codes = self.starts[columns + 1] - self.starts[columns]
            ends = np.cumsum(n_codes)
            shift = np.repeat(self.starts[columns] - (ends - n_codes), n_codes)
            index_of_code = self.index_of_distinct[np.arange(n_codes.sum()) + shift]
        running_sum = np.cumsum(values[index_of_code])
        return np.diff(running_sum[ends - 1], prepend=0)  # right even where the running sum wraps around


def _counts_by_column(information: SumInformation) -> tuple[Integers, Integers]:
    """The count of every code of every column, column by column; and where the counts of each column start."""
    source = information.source
    by_arity = np.argsort(source.arities, kind="stable")
    doublings = np.flatnonzero(np.diff(np.log2(source.arities[by_arity]).astype(int))) + 1
    counts_of_blocks = []
    columns_of_blocks = []
    # All rows of counts of a block are as long as its longest: columns of similar arity are counted together.
    for similar_columns in np.split(by_arity, doublings):
        for block in column_blocks(2, source.arities[similar_columns], 1, source.n_samples):
            columns = similar_columns[block]
            counts = information.sums.cell_counts(None, columns, False).pooled
            row, _ = np.nonzero(counts)
            counts_of_blocks.append(counts[counts > 0])
            columns_of_blocks.append(columns[row])
    all_counts = np.concatenate(counts_of_blocks)
    column_of_count = np.concatenate(columns_of_blocks)
    order = np.argsort(column_of_count, kind="stable")
    starts = np.searchsorted(column_of_count[order], np.arange(source.n_features + 1))
    return all_counts[order], starts


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


class ChanceSums(NamedTuple):
    """The sums that give the mean of I(Xi;C|Z) over all shuffles of Xi, for any feature Xi.

    With m the counts of the codes of Xi, and n_z and n_zc the counts of Z, and of Z with the class, the mean is

        (sum over m of (sum over zc of E(n_zc, m) - sum over z of E(n_z, m)) + S_z - S_zc) / B
    """

    by_count: Integers  # the inner bracket, for every distinct count m
    constant: int  # ``S_z - S_zc``


class CorrectedConditional(ConditionalInformation):
    """Information corrected for chance and conditional on a set Z of features."""

    def __init__(self, information: CorrectedInformation, partition: Partition) -> None:
        super().__init__(information.terms, partition)
        self.information = information

    def refine(self, feature: int) -> CorrectedConditional:
        return CorrectedConditional(self.information, self.partition.refine(feature))

    @cached_property
    def _chance(self) -> ChanceSums:
        (table,) = self.partition.tables(None, True)
        return self.information.chance_given(table.pooled().counts, table.counts)

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
        self._chance: dict[int, ChanceSums] = {}  # a cache by feature
        self._chance_redundancy: dict[int, Integers] = {}  # a cache by feature: `Margins.expected` of its counts

    @cached_property
    def margins(self) -> Margins:
        """The counts of the codes of every feature."""
        return Margins(self)

    def conditional(self) -> ConditionalInformation:
        return CorrectedConditional(self, conditioning(self.source).partition())

    @cached_property
    def relevance(self) -> Floats:
        all_samples = np.array([self.source.n_samples])
        chance = self.chance_given(all_samples, self.source.class_sizes)
        return self.bits(self._relevance_sums()) - self.chance_bits(chance, None)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """I(Xi;C) less twice its standard deviation under shuffles, ``sqrt(m / (N ln 2))`` for a mean of m bits.

        Of many columns of noise the largest corrected value is one with many codes, which vary more.
        """
        by_chance = np.maximum(self.bits(self._relevance_sums()) - self.relevance, 0.0)
        return self.relevance - CAUTION * np.sqrt(by_chance / (self.source.n_samples * log(2)))

    @cached_property
    def least_redundancy(self) -> Floats:
        """A lower bound of the corrected I(Xi;Xj) over all j.

        Plug-in information is 0 or more. Its mean over shuffles is at most ``log2(1 + E[chi^2] / N)`` by Jensen's
        inequality, with ``E[chi^2] = N (a_i - 1) (a_j - 1) / (N - 1)`` and a_i the number of codes of Xi.
        """
        freedom = self.source.arities - 1.0
        bound: Floats = -np.log2(1 + freedom * freedom.max() / max(self.source.n_samples - 1, 1))
        return bound

    def chance_given(self, counts: Integers, counts_with_class: Integers) -> ChanceSums:
        """The sums that give the mean of I(Xi;C|Z) over shuffles, from the counts of Z, and of Z with the class."""
        by_count = self.margins.expected(counts_with_class) - self.margins.expected(counts)
        return ChanceSums(by_count, self.terms.sum(counts) - self.terms.sum(counts_with_class))

    def chance_bits(self, chance: ChanceSums, columns: Columns | None) -> Floats:
        """The mean of I(Xi;C|Z) over all shuffles of Xi, for every Xi of ``columns`` (None: all)."""
        return self.bits(self.margins.sum_by_column(chance.by_count, columns) + chance.constant)

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) over all shuffles of Xi, with Xs the feature, for all Xi of ``columns`` (None: all)."""
        sums, _ = self.marginals
        sums_of_columns = sums if columns is None else sums[columns]
        if feature not in self._chance_redundancy:
            counts, _ = self._counts_of(feature)
            self._make_room(self._chance_redundancy)
            self._chance_redundancy[feature] = self.margins.expected(counts)
        expected = self.margins.sum_by_column(self._chance_redundancy[feature], columns)
        return self.bits(expected - sums_of_columns + (self.total - sums[feature]))

    def chance_given_feature(self, feature: int) -> ChanceSums:
        """The sums that give the mean of I(Xi;C|Xs) over shuffles of Xi, with Xs the feature."""
        if feature not in self._chance:
            counts, counts_with_class = self._counts_of(feature)
            self._make_room(self._chance)
            self._chance[feature] = self.chance_given(counts, counts_with_class)
        return self._chance[feature]

    def _make_room(self, cache: dict[int, Any]) -> None:
        """Empty a cache that is full."""
        if len(cache) >= self._row_limit:
            cache.clear()

    def _counts_of(self, feature: int) -> tuple[Integers, Integers]:
        """The counts of the codes of a feature, and those with the class."""
        counts = self.sums.cell_counts(None, np.array([feature]), True)
        return counts.pooled[0], counted_by_class(counts.by_class)[0]

    def of_sums(self, pivot: int, columns: Columns | None, sums: PairSums) -> CorrectedPair:
        return CorrectedPair(self, pivot, columns, sums)

    # The fast ways of plug-in use sums alone, from which no mean over shuffles is subtracted: here every quantity is
    # computed pair by pair.
    minima = Information.minima
    disjoint_pairs = Information.disjoint_pairs
    conditional_rows = Information.conditional_rows
    matrix = Information.matrix
    symmetric_conditional_rows = Information.symmetric_conditional_rows


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
        return self.redundancy + self.conditional_relevance - self.of(self.information.relevance)

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
