"""Information corrected for chance: the plug-in value less its mean over all shuffles of the feature.

After a shuffle, the cell in a row of a samples and a column of b samples has on average the term
``E(a, b) = sum_n P(n) T[n]``, P hypergeometric. These means are subtracted from the sums of
:mod:`bitsieve.information.plug_in`. docs/explanation/bias.md has the formulas. Entropies are those of plug-in. A
negative value is less than shuffles give on average.

N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings comparison: variants, properties,
normalization and correction for chance", Journal of Machine Learning Research 11, 2010, pp. 2837-2854.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import log, log2
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.source import CountSource, Partition, conditioning
from bitsieve.counts.tables import Terms, column_blocks, entropy_terms
from bitsieve.information.plug_in import SumInformation, SumPair
from bitsieve.information.protocol import ConditionalInformation, Information, counted_by_class
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

SERIES_FROM = 64.0  # samples expected in a cell: from there on a series is right to 1e-4 bits a table at worst
NEGLIGIBLE = 2.0**-64  # share of the greatest chance of a count
MAX_FULL_TABLE = 1 << 15  # pairs of margins, of which all are computed at once and cached for other tables
DENSE_NODES = 1024  # counts below have a mean term of their own; above, 32 of every doubling, and a cubic between them
NODES_A_DOUBLING = 32
MAX_CACHED_ROWS = 4096  # of mean terms
CAUTION = 2.0  # standard deviations under shuffles
Cached = TypeVar("Cached")


def expected_terms(n_samples: int, first: Integers, second: Integers) -> Integers:
    """``E(a, b)`` of every pair of margins ``first`` and ``second``, as integers like the terms they are means of.

    Only additions, multiplications and divisions in a fixed order: equal margins give equal bits on every machine.
    """
    a, b = np.broadcast_arrays(first[:, None], second[None, :])
    expected = np.zeros(a.shape, np.int64)
    is_fixed = (a == n_samples) | (b == n_samples)  # the cell holds the other margin
    expected[is_fixed] = _terms_at(entropy_terms(n_samples), np.minimum(a, b)[is_fixed])
    is_large = ~is_fixed & (a.astype(np.float64) * b >= SERIES_FROM * n_samples)
    expected[is_large] = np.rint(_by_series(n_samples, a[is_large], b[is_large]))
    is_small = ~is_fixed & ~is_large & (a > 0) & (b > 0)
    expected[is_small] = np.rint(_by_summing(n_samples, a[is_small], b[is_small]))
    return expected


def _by_summing(n_samples: int, a: Integers, b: Integers) -> Floats:
    """``E(a, b) = sum_n P(n) T[n]``, from the mode of P upwards and downwards as far as counts are likely.

    P is hypergeometric, the count of a cell with margins a and b out of N samples:

        P(n + 1) / P(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1))

    ``weight`` is P(n) as a multiple of P(mode); dividing by the sum of all weights makes them probabilities.
    """
    terms = entropy_terms(n_samples)
    mode = (a + 1) * (b + 1) // (n_samples + 2)
    total_weight = np.ones(a.shape)
    weighted_terms = _terms_at(terms, mode).astype(np.float64)

    n = mode
    weight = np.ones(a.shape)
    while weight.max(initial=0.0) > NEGLIGIBLE:
        weight = weight * ((a - n) * (b - n)) / np.maximum((n + 1) * (n_samples - a - b + n + 1), 1)
        n = n + 1
        total_weight = total_weight + weight
        weighted_terms = weighted_terms + weight * _terms_at(terms, n)

    n = mode
    weight = np.ones(a.shape)
    while weight.max(initial=0.0) > NEGLIGIBLE:
        weight = weight * (n * (n_samples - a - b + n)) / np.maximum((a - n + 1) * (b - n + 1), 1)
        n = n - 1
        total_weight = total_weight + weight
        weighted_terms = weighted_terms + weight * _terms_at(terms, np.maximum(n, 0))
    return weighted_terms / total_weight


def _by_series(n_samples: int, a: Integers, b: Integers) -> Floats:
    """Taylor's series of ``E[n log2 n]`` about the mean of n, up to its fourth central moment.

    With m the mean and mu_k the central moments of the hypergeometric distribution:

        E[n ln n] = m ln m + mu_2 / (2 m) - mu_3 / (6 m^2) + mu_4 / (12 m^3)
    """
    terms = entropy_terms(n_samples)
    n = float(n_samples)
    log_a = _terms_at(terms, a) / a
    log_b = _terms_at(terms, b) / b
    log_n = float(_terms_at(terms, np.array([n_samples]))[0] / n_samples)
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
    log_mean = log_a + log_b - log_n  # in the unit of the terms
    series: Floats = mean * log_mean + beyond_mean * (2.0**terms.shift / log(2))
    return series


def _terms_at(terms: Terms, counts: Integers) -> Integers:
    """``T[n]`` of every count n, those beyond the table computed one by one."""
    is_inside = counts < len(terms.table)
    values = terms.table[np.where(is_inside, counts, 0)]
    values[~is_inside] = [terms.sum(count) for count in counts[~is_inside].reshape(-1, 1)]
    return values


@lru_cache(maxsize=8)
def every_expected_term(n_samples: int) -> Integers:
    """``E(a, b)`` of all margins."""
    margins = np.arange(n_samples + 1)
    return expected_terms(n_samples, margins, margins)


@lru_cache(maxsize=8)
def nodes_of(n_samples: int) -> Integers:
    """The counts for which mean terms are computed: all small ones, and 32 of every doubling."""
    small = np.arange(min(n_samples + 1, DENSE_NODES))
    if n_samples < DENSE_NODES:
        return small
    n_nodes = 5 + round(NODES_A_DOUBLING * log2(n_samples / DENSE_NODES))
    growing = np.geomspace(DENSE_NODES, n_samples, n_nodes)
    return np.unique(np.concatenate([small, np.rint(growing).astype(np.int64), [n_samples]]))


class Margins:
    """How often each code of each column occurs, and the mean terms of these counts with others.

    The mean terms of a count that is no node are those of a cubic through the two nodes before it and the two after.
    """

    def __init__(self, information: SumInformation) -> None:
        self.n_samples = information.source.n_samples
        counts, self.starts = _counts_by_column(information)
        self.distinct, self.index_of_distinct = np.unique(counts, return_inverse=True)  # of every code of every column

        nodes = nodes_of(self.n_samples)
        last_before = np.searchsorted(nodes, self.distinct, side="right") - 1
        self.is_node = nodes[last_before] == self.distinct
        first_of_four = np.clip(last_before - 1, 0, max(0, len(nodes) - 4))
        stencil = np.where(self.is_node[:, None], last_before[:, None], first_of_four[:, None] + np.arange(4))
        used, index_of_used = np.unique(stencil, return_inverse=True)
        self.nodes = nodes[used]
        self.stencil = index_of_used.reshape(-1, 4).T  # (4, n_distinct): the nodes of every distinct count
        self.weights = _cubic_weights(self.nodes[self.stencil], self.distinct, self.is_node)
        self._rows: dict[int, Integers] = {}  # mean terms of a count with all nodes

    def expected(self, counts: Integers) -> Integers:
        """For every distinct count of a code, the sum of its ``E`` with each of ``counts``."""
        if self.n_samples**2 <= MAX_FULL_TABLE:
            every = every_expected_term(self.n_samples)
            sums: Integers = every[np.ix_(counts, self.distinct)].sum(axis=0)
            return sums
        at_nodes = self._expected_at_nodes(counts)
        interpolated = np.zeros(len(self.distinct))
        for weight, node in zip(self.weights, self.stencil, strict=True):
            interpolated = interpolated + weight * at_nodes[node]
        return np.where(self.is_node, at_nodes[self.stencil[0]], np.rint(interpolated).astype(np.int64))

    def _expected_at_nodes(self, counts: Integers) -> Integers:
        distinct, times = np.unique(counts[counts > 1], return_counts=True)  # E(a, 1) = 0
        if len(self._rows) > MAX_CACHED_ROWS:
            self._rows = {}
        new = np.array([count for count in distinct.tolist() if count not in self._rows], np.int64)
        rows = expected_terms(self.n_samples, new, self.nodes)
        self._rows.update(zip(new.tolist(), rows, strict=True))
        sums = np.zeros(len(self.nodes), np.int64)
        for count, n_times in zip(distinct.tolist(), times.tolist(), strict=True):
            sums = sums + n_times * self._rows[count]
        return sums

    def summed(self, values: Integers, columns: Columns | None) -> Integers:
        """The sum over the codes of every column of ``columns``, given a value for every distinct count."""
        if columns is None:
            codes = self.index_of_distinct
            ends = self.starts[1:]
        else:
            n_codes = self.starts[columns + 1] - self.starts[columns]
            ends = np.cumsum(n_codes)
            shift = np.repeat(self.starts[columns] - (ends - n_codes), n_codes)
            codes = self.index_of_distinct[np.arange(n_codes.sum()) + shift]
        running_sum = np.cumsum(values[codes])
        return np.diff(running_sum[ends - 1], prepend=0)  # where the sum wraps around, so does the difference


def _counts_by_column(information: SumInformation) -> tuple[Integers, Integers]:
    """How often the codes of each column occur, column by column, and where those of each column start."""
    source = information.source
    by_arity = np.argsort(source.arities, kind="stable")
    doublings = np.flatnonzero(np.diff(np.log2(source.arities[by_arity]).astype(int))) + 1
    counts_of_blocks = []
    columns_of_blocks = []
    for similar in np.split(by_arity, doublings):  # a row of counts is as long as the longest of its block
        for block in column_blocks(2, source.arities[similar], 1, source.n_samples):
            counts, _ = information.sums.cell_counts(None, similar[block], False)
            row, _ = np.nonzero(counts)
            counts_of_blocks.append(counts[counts > 0])
            columns_of_blocks.append(similar[block][row])
    counts = np.concatenate(counts_of_blocks)
    columns = np.concatenate(columns_of_blocks)
    order = np.argsort(columns, kind="stable")
    starts = np.searchsorted(columns[order], np.arange(source.n_features + 1))
    return counts[order], starts


def _cubic_weights(nodes: Integers, counts: Integers, is_node: Flags) -> Floats:
    """Lagrange's weights of four nodes for every count; of a count that is a node, all weight is on the first."""
    weights = np.ones(nodes.shape)
    for i in range(4):
        for j in range(4):
            if j != i:
                gap = np.where(is_node, 1, nodes[i] - nodes[j])
                weights[i] = weights[i] * (counts - nodes[j]) / gap
    weights[:, is_node] = np.array([[1.0], [0.0], [0.0], [0.0]])
    return weights


class ChanceSums(NamedTuple):
    """The sums from which the mean of I(Xi;C|Z) over all shuffles of Xi follows."""

    by_count: Integers  # of every distinct count of a code: the sum of ``E`` with the cells of Z and C, less that of Z
    constant: int  # ``S_z - S_zc``


class CorrectedConditional(ConditionalInformation):
    """Information corrected for chance and conditional on a set Z of features: less its mean over shuffles of Xi."""

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
        self._chance: dict[int, ChanceSums] = {}
        self._chance_redundancy: dict[int, Integers] = {}

    @cached_property
    def margins(self) -> Margins:
        """The counts of every feature alone."""
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

        Plug-in information is 0 or more. What is taken off is at most ``log2(1 + E[chi^2] / N)`` by Jensen's
        inequality, with ``E[chi^2] = N (a_i - 1) (a_j - 1) / (N - 1)`` over shuffles, a_i the number of codes.
        """
        freedom = self.source.arities - 1.0
        bound: Floats = -np.log2(1 + freedom * freedom.max() / max(self.source.n_samples - 1, 1))
        return bound

    def chance_given(self, counts: Integers, counts_with_class: Integers) -> ChanceSums:
        """The sums of the mean of I(Xi;C|Z) over all shuffles, from the counts of Z, and of Z with the class."""
        by_count = self.margins.expected(counts_with_class) - self.margins.expected(counts)
        return ChanceSums(by_count, self.terms.sum(counts) - self.terms.sum(counts_with_class))

    def chance_bits(self, chance: ChanceSums, columns: Columns | None) -> Floats:
        """The mean of I(Xi;C|Z) over all shuffles, of every column of ``columns``."""
        return self.bits(self.margins.summed(chance.by_count, columns) + chance.constant)

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) over all shuffles of Xi."""
        sums, _ = self.marginals
        sums_of_columns = sums if columns is None else sums[columns]
        by_count = self._cached(
            self._chance_redundancy, feature, lambda: self.margins.expected(self._counts_of(feature)[0])
        )
        expected = self.margins.summed(by_count, columns)
        return self.bits(expected - sums_of_columns + (self.total - sums[feature]))

    def chance_given_feature(self, feature: int) -> ChanceSums:
        """The sums of the mean of I(Xi;C|Xs) over all shuffles of Xi."""
        return self._cached(self._chance, feature, lambda: self.chance_given(*self._counts_of(feature)))

    def _cached(self, cache: dict[int, Cached], feature: int, make: Callable[[], Cached]) -> Cached:
        if feature not in cache:
            if len(cache) >= self._max_cached_rows:
                cache.clear()
            cache[feature] = make()
        return cache[feature]

    def _counts_of(self, feature: int) -> tuple[Integers, Integers]:
        """The counts of a feature, and of it with the class."""
        counts, counts_with_class = self.sums.cell_counts(None, np.array([feature]), True)
        return counts[0], counted_by_class(counts_with_class)[0]

    def of_sums(
        self, pivot: int, columns: Columns | None, pair_pooled: Integers, pair_with_class: Integers | None
    ) -> CorrectedPair:
        return CorrectedPair(self, pivot, columns, pair_pooled, pair_with_class)

    # The fused sums of plug-in take off no mean of every pair: back to the definitions by pairs.
    minima = Information.minima
    disjoint_pairs = Information.disjoint_pairs
    conditional_rows = Information.conditional_rows
    matrix = Information.matrix
    symmetric_conditional_rows = Information.symmetric_conditional_rows


class CorrectedPair(SumPair):
    """The information of some features with one pivot."""

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
