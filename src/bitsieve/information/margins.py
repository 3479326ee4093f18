"""The margins of tables, and what entropy terms of their cells are on average over all shuffles of a column.

After a shuffle of the column, the count n of a table cell follows the hypergeometric distribution P that the margins of
the cell decide: a samples in its row and b in its column, out of N. The expected entropy term of the cell is

    E(a, b) = sum_n P(n) T[n]
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log2
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.ranges import joined_ranges

DENSE_NODES = 1024  # smaller counts are nodes: their expected terms are computed. Others are interpolated between nodes
NODES_PER_DOUBLING = 32  # nodes among the counts from ``DENSE_NODES`` on
MAX_CACHED_ROWS = 4096  # counts whose expected terms are cached


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


def expected_information(row_counts: Integers, column_counts: Integers) -> float:
    """The plug-in information of two variables with these counts of their values, in bits, when one is permuted."""
    n = int(row_counts.sum())
    entropy_terms = make_entropy_terms(n)
    rows, n_rows = np.unique(row_counts[row_counts > 0], return_counts=True)
    columns, n_columns = np.unique(column_counts[column_counts > 0], return_counts=True)
    joint = int(n_rows @ expected_terms(n, rows, columns) @ n_columns)
    margins = entropy_terms.sum(row_counts) + entropy_terms.sum(column_counts) - entropy_terms.sum(np.array([n]))
    return (joint - margins) / entropy_terms.per_bit
