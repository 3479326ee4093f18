"""Information corrected for chance: the plug-in value less its mean over all shuffles of the feature.

A cell of margins a and b has after a shuffle the mean term ``E(a, b) = sum_n P(n) T[n]``, P hypergeometric: these means
are taken off the sums of :mod:`bitsieve.information.plug_in`. docs/explanation/bias.md has the formulas. Entropies
are those of plug-in; the others may be negative: less than shuffles give on average.

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
NEGLIGIBLE = 2.0**-64  # of the greatest chance of a cell's counts
WHOLE = 1 << 15  # pairs of margins, of which all are computed at once and kept for other tables
EVERY_COUNT = 1024  # counts below have their own mean term; above, 32 of every doubling, and a cubic between them
NODES = 32
MOST_ROWS = 4096  # of mean terms that are kept
Kept = TypeVar("Kept")
CAUTION = 2.0  # standard deviations under shuffles


def expected_terms(n_samples: int, first: Integers, second: Integers) -> Integers:
    """``E(a, b)`` of every pair of margins ``first`` and ``second``, as integers like the terms they are means of.

    Only additions, multiplications and divisions in a fixed order: equal margins give equal bits on every machine.
    """
    a, b = np.broadcast_arrays(first[:, None], second[None, :])
    found = np.zeros(a.shape, np.int64)
    sure = (a == n_samples) | (b == n_samples)  # the cell holds the other margin
    found[sure] = _terms_at(entropy_terms(n_samples), np.minimum(a, b)[sure])
    series = ~sure & (a.astype(np.float64) * b >= SERIES_FROM * n_samples)
    found[series] = np.rint(_by_series(n_samples, a[series], b[series]))
    rest = ~sure & ~series & (a > 0) & (b > 0)
    found[rest] = np.rint(_by_summing(n_samples, a[rest], b[rest]))
    return found


def _by_summing(n_samples: int, a: Integers, b: Integers) -> Floats:
    """The mean over all n, from the likeliest n outwards as far as any other counts."""
    terms = entropy_terms(n_samples)
    mode = (a + 1) * (b + 1) // (n_samples + 2)
    total, mean = np.ones(a.shape), _terms_at(terms, mode).astype(np.float64)
    for step in (1, -1):
        n, weight = mode, np.ones(a.shape)
        while weight.max(initial=0.0) > NEGLIGIBLE:
            more, fewer = (n, n + 1) if step == 1 else (n - 1, n)  # of which the first draws one less
            up, down = (a - more) * (b - more), fewer * (n_samples - a - b + fewer)
            weight = weight * up / np.maximum(down, 1) if step == 1 else weight * down / np.maximum(up, 1)
            n = n + step
            total = total + weight
            mean = mean + weight * _terms_at(terms, np.maximum(n, 0))
    return mean / total


def _by_series(n_samples: int, a: Integers, b: Integers) -> Floats:
    """Taylor's series of ``n log2 n`` about its mean, up to the fourth central moment."""
    terms, n = entropy_terms(n_samples), float(n_samples)
    logs = [_terms_at(terms, margin) / margin for margin in (a, b, np.array([n_samples]))]
    a, b = a.astype(np.float64), b.astype(np.float64)
    mean = a * b / n
    x, y = a * (n - a) / (n * n), b * (n - b) / (n * n)
    second = n * n * x * y / (n - 1)
    third = second * ((n - 2 * a) * (n - 2 * b)) / (n * (n - 2))
    excess = (n - 1) * (1 + 1 / n - 6 * (x + y)) + 6 * (5 * n - 6) * (x * y)
    fourth = second * (3 * second + excess * (n * n) / ((n - 1) * (n - 2) * (n - 3)))
    beyond = second / (2 * mean) - third / (6 * mean * mean) + fourth / (12 * mean * mean * mean)
    return mean * (logs[0] + logs[1] - logs[2]) + beyond * (2.0**terms.shift / log(2))


def _terms_at(terms: Terms, counts: Integers) -> Integers:
    """``T`` at some counts."""
    inside = counts < len(terms.table)
    found = terms.table[np.where(inside, counts, 0)]
    found[~inside] = [terms.sum(count) for count in counts[~inside].reshape(-1, 1)]
    return found


@lru_cache(maxsize=8)
def every_expected_term(n_samples: int) -> Integers:
    """``E(a, b)`` of all margins."""
    margins = np.arange(n_samples + 1)
    return expected_terms(n_samples, margins, margins)


@lru_cache(maxsize=8)
def nodes_of(n_samples: int) -> Integers:
    """The counts for which mean terms are computed: small ones, and 32 of every doubling."""
    small = np.arange(min(n_samples + 1, EVERY_COUNT))
    if n_samples < EVERY_COUNT:
        return small
    growing = np.geomspace(EVERY_COUNT, n_samples, 5 + round(NODES * log2(n_samples / EVERY_COUNT)))
    return np.unique(np.concatenate([small, np.rint(growing).astype(np.int64), [n_samples]]))


class Margins:
    """How often each code of each column occurs, and the mean terms of these counts with others.

    Mean terms of counts between nodes are those of a cubic through the two nodes before and the two after.
    """

    def __init__(self, information: SumInformation) -> None:
        self.n_samples = information.source.n_samples
        size, self.starts = _counts_by_column(information)
        self.distinct, self.place = np.unique(size, return_inverse=True)
        distinct = self.distinct
        nodes = nodes_of(self.n_samples)
        last = np.searchsorted(nodes, distinct, side="right") - 1
        self.exact = exact = nodes[last] == distinct
        first = np.where(exact, last, np.clip(last - 1, 0, max(0, len(nodes) - 4)))
        stencil = first[:, None] + np.where(exact[:, None], 0, np.arange(4))
        self.nodes, at = np.unique(stencil, return_inverse=True)
        self.nodes, self.at = nodes[self.nodes], at.reshape(-1, 4).T
        self.weights = _cubic_weights(self.nodes[self.at], distinct, exact)
        self._rows: dict[int, Integers] = {}

    def expected(self, counts: Integers) -> Integers:
        """For every distinct count of a code, the sum of ``E`` of it with each of some counts."""
        if self.n_samples**2 <= WHOLE:
            values: Integers = every_expected_term(self.n_samples)[np.ix_(counts, self.distinct)].sum(axis=0)
            return values
        some, times = np.unique(counts[counts > 1], return_counts=True)  # E(a, 1) = 0
        if len(self._rows) > MOST_ROWS:
            self._rows = {}
        new = np.array([count for count in some.tolist() if count not in self._rows], np.int64)
        self._rows.update(zip(new.tolist(), expected_terms(self.n_samples, new, self.nodes), strict=True))
        row = np.zeros(len(self.nodes), np.int64)
        for count, many in zip(some.tolist(), times.tolist(), strict=True):
            row = row + many * self._rows[count]
        between = np.zeros(len(self.exact))
        for weight, at in zip(self.weights, self.at, strict=True):
            between = between + weight * row[at]
        return np.where(self.exact, row[self.at[0]], np.rint(between).astype(np.int64))

    def summed(self, values: Integers, columns: Columns | None) -> Integers:
        """The sum over the codes of every column of ``columns``, given a value for every distinct count."""
        if columns is None:
            place, ends = self.place, self.starts[1:]
        else:
            sizes = self.starts[columns + 1] - self.starts[columns]
            ends = np.cumsum(sizes)
            place = self.place[np.arange(sizes.sum()) + np.repeat(self.starts[columns] - (ends - sizes), sizes)]
        return np.diff(np.cumsum(values[place])[ends - 1], prepend=0)  # where the sum wraps around, so does this


def _counts_by_column(information: SumInformation) -> tuple[Integers, Integers]:
    """How often the codes of each column occur, column by column, and where those of each column start."""
    source = information.source
    order = np.argsort(source.arities, kind="stable")
    sizes, owners = [], []
    doubling = np.flatnonzero(np.diff(np.log2(source.arities[order]).astype(int))) + 1
    for alike in np.split(order, doubling):  # a row is as long as the longest
        for block in column_blocks(2, source.arities[alike], 1, source.n_samples):
            counts, _ = information.sums.cell_counts(None, alike[block], False)
            place, _ = np.nonzero(counts)
            sizes.append(counts[counts > 0])
            owners.append(alike[block][place])
    owner, size = np.concatenate(owners), np.concatenate(sizes)
    by_column = np.argsort(owner, kind="stable")
    return size[by_column], np.searchsorted(owner[by_column], np.arange(source.n_features + 1))


def _cubic_weights(nodes: Integers, places: Integers, exact: Flags) -> Floats:
    """Lagrange's weights of four nodes for every place; all of it of the first where that is the place."""
    weights = np.ones(nodes.shape)
    for one in range(4):
        for other in set(range(4)) - {one}:
            gap = np.where(exact, 1, nodes[one] - nodes[other])
            weights[one] = weights[one] * (places - nodes[other]) / gap
    weights[:, exact] = np.array([[1.0], [0.0], [0.0], [0.0]])
    return weights


class Chance(NamedTuple):
    """What the mean of I(Xi;C|Z) over all shuffles of Xi is made of."""

    terms: Integers  # of every distinct count of a code: the sum of ``E`` with the cells of Z and C, less that of Z
    before: int  # ``S_z - S_zc``


class CorrectedConditional(ConditionalInformation):
    """Information corrected for chance and conditional on a set Z of features: less its mean over shuffles of Xi."""

    def __init__(self, information: CorrectedInformation, partition: Partition) -> None:
        super().__init__(information.terms, partition)
        self.information = information

    def refine(self, feature: int) -> CorrectedConditional:
        return CorrectedConditional(self.information, self.partition.refine(feature))

    @cached_property
    def _chance(self) -> Chance:
        (table,) = self.partition.tables(None, True)
        return self.information.chance_given(table.pooled().counts, table.counts)

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        return super().conditional_relevance(columns) - self.information.chance_bits(self._chance, columns)

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        by_chance = self.information.chance_bits(self._chance, np.array([feature]))
        return super().shuffled_relevance(feature, seeds) - by_chance


class CorrectedInformation(SumInformation):
    """Information corrected for chance, in bits; any of it but an entropy may be negative."""

    estimator: ClassVar[str] = "corrected"

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._chance: dict[int, Chance] = {}
        self._shared: dict[int, Integers] = {}

    @cached_property
    def margins(self) -> Margins:
        """The counts of every feature alone."""
        return Margins(self)

    def conditional(self) -> ConditionalInformation:
        return CorrectedConditional(self, conditioning(self.source).partition())

    @cached_property
    def relevance(self) -> Floats:
        every = np.array([self.source.n_samples])
        chance = self.chance_given(every, self.source.class_sizes)
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
        """At most ``log2(1 + chi^2 / N)`` is taken off, whose mean over shuffles has chi^2 at its own mean or less."""
        codes = self.source.arities - 1.0
        least: Floats = -np.log2(1 + codes * codes.max() / max(self.source.n_samples - 1, 1))
        return least

    def chance_given(self, known: Integers, with_class: Integers) -> Chance:
        """What the mean of I(Xi;C|Z) over all shuffles is made of, given the counts of Z and of Z with the class."""
        terms = self.margins.expected(with_class) - self.margins.expected(known)
        return Chance(terms, self.terms.sum(known) - self.terms.sum(with_class))

    def chance_bits(self, chance: Chance, columns: Columns | None) -> Floats:
        """That mean of every column of ``columns``."""
        return self.bits(self.margins.summed(chance.terms, columns) + chance.before)

    def chance_shared(self, pivot: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) over all shuffles of Xi."""
        alone, _ = self.marginals
        others = alone if columns is None else alone[columns]
        with_pivot = self._kept(self._shared, pivot, lambda: self.margins.expected(self.cells_of(pivot)[0]))
        expected = self.margins.summed(with_pivot, columns)
        return self.bits(expected - others + (self.total - alone[pivot]))

    def chance_by(self, pivot: int) -> Chance:
        """What the mean of I(Xi;C|Xs) over all shuffles of Xi is made of."""
        return self._kept(self._chance, pivot, lambda: self.chance_given(*self.cells_of(pivot)))

    def _kept(self, kept: dict[int, Kept], pivot: int, make: Callable[[], Kept]) -> Kept:
        if pivot not in kept:
            if len(kept) >= self._row_limit:
                kept.clear()
            kept[pivot] = make()
        return kept[pivot]

    def cells_of(self, pivot: int) -> tuple[Integers, Integers]:
        """The counts of a feature, and of it with the class."""
        alone, with_class = self.sums.cell_counts(None, np.array([pivot]), True)
        return alone[0], counted_by_class(with_class)[0]

    def of_sums(self, pivot: int, columns: Columns | None, xy: Integers, xyc: Integers | None) -> CorrectedPair:
        return CorrectedPair(self, pivot, columns, xy, xyc)

    # What is added up at once knows nothing of a mean for every pair.
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
        plain: Floats = super().redundancy
        return plain - self.information.chance_shared(self.pivot, self.columns)

    @property
    def divisor(self) -> Floats:
        return super().redundancy

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy + self.conditional_relevance - self.of(self.information.relevance)

    @property
    def conditional_relevance(self) -> Floats:
        plain: Floats = super().conditional_relevance
        info = self.information
        return plain - info.chance_bits(info.chance_by(self.pivot), self.columns)

    @property
    def joint_relevance(self) -> Floats:
        joint: Floats = self.conditional_relevance + self.information.relevance[self.pivot]
        return joint

    @property
    def symmetric_relevance(self) -> Floats:
        entropy = self.joint_entropy
        share: Floats = self.joint_relevance / np.where(entropy > 0, entropy, 1.0)
        return share
