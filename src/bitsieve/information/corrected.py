"""Information corrected for chance: the plug-in value less its mean over all shuffles.

A shuffle of a column among the N samples keeps the counts of its codes, the margins. A cell of margins a and b then
holds n samples with the chance of drawing n of b marked samples in a draws of N (hypergeometric). The mean of its
entropy term is

    ``E(a, b) = sum_n P(n) T[n]``,   ``P(n) = C(b, n) C(N-b, a-n) / C(N, a)``

(Vinh, Epps, Bailey 2010). With ``S`` and ``B`` as in :mod:`bitsieve.information.plug_in` and ``G[a]`` the sum of
``E(a, n_c)`` over the classes, any variable A, a column or several together, has

    ``I(A;C) = (S_ac - G_a) / B``,   ``G_a`` the sum of G over the cells of A,

and 0 as its mean over all shuffles of the classes, but for the rounding of G. What is joint is such a variable, and
what is conditional follows by the chain rules:

=====================  ==================================================
joint relevance        ``I(Xi,Xj;C)  = (S_ijc - G_ij) / B``
conditional relevance  ``I(Xi;C|Xj)  = I(Xi,Xj;C) - I(Xj;C)``
redundancy             ``I(Xi;Xj)    = (S_ij - sum of E(n_i, n_j) over all pairs of codes) / B``
conditional redundancy ``I(Xi;Xj|C)  = I(Xi;Xj) + I(Xi;C|Xj) - I(Xi;C)``
=====================  ==================================================

Entropies are those of plug-in. The others may be negative: less than shuffles give on average.

N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings comparison: variants, properties,
normalization and correction for chance", Journal of Machine Learning Research 11, 2010, pp. 2837-2854.
"""

from __future__ import annotations

from functools import lru_cache
from math import log, log2
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from bitsieve.common.lazy import cached_property
from bitsieve.common.memory import square_matrix
from bitsieve.counts import Columns, Floats, Integers, Matrix, Progress
from bitsieve.counts.source import CountSource, conditioning
from bitsieve.counts.tables import Terms, column_blocks, entropy_terms
from bitsieve.information.plug_in import SumInformation, SumPair
from bitsieve.information.protocol import ConditionalInformation, Information, Quantity

SERIES_FROM = 64.0  # samples expected in a cell: from there on a series is right to 1e-4 bits a table at worst
NEGLIGIBLE = 2.0**-64  # of the greatest chance of a cell's counts
WHOLE = 1 << 15  # pairs of margins, of which all are computed at once and kept for other tables
EVERY_COUNT = 1024  # counts below have their own mean term; above, 32 of every doubling, and a cubic between them
NODES = 32
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
def class_terms(n_samples: int, class_sizes: tuple[int, ...]) -> Terms:
    """``G``, for sums over the cells of a variable, up to a multiple of their counts, whose sum is always N.

    Kernels add the term of 1 to the terms of counts beyond a table. So where there are any, the multiple is such that
    this is right for cells of many samples, but for ``H(C) - (classes - 1) / (2 ln 2)`` a cell: below 1e-4 bits in all
    for fewer than 20 classes.
    """
    plain = entropy_terms(n_samples)
    sizes, times = np.unique(np.array(class_sizes, np.int64), return_counts=True)
    counts = np.arange(len(plain.table))
    nodes = counts[:EVERY_COUNT]
    if len(counts) > EVERY_COUNT:
        growing = np.geomspace(EVERY_COUNT, counts[-1], 1 + round(NODES * log2(counts[-1] / EVERY_COUNT) + 4))
        nodes = np.unique(np.concatenate([nodes, np.rint(growing).astype(np.int64)]))
    exact = np.zeros(len(nodes), np.int64)
    for size, many in zip(sizes, times.tolist(), strict=True):
        if size > 0:
            exact += many * expected_terms(n_samples, np.array([size]), nodes)[0]
    table = plain.table - np.rint(_interpolated(nodes, plain.table[nodes] - exact, counts)).astype(np.int64)
    table[nodes] = exact
    if len(table) <= n_samples:
        everything = plain.sum(np.array([n_samples])) - plain.sum(np.array(class_sizes, np.int64))
        table += counts * (everything // n_samples)
    table.flags.writeable = False
    return Terms(n_samples, plain.shift, table)


def _interpolated(nodes: Integers, values: Integers, places: Integers) -> Floats:
    """Cubic interpolation (Lagrange) by the two nodes before and the two after each place."""
    if len(nodes) < 4:
        return np.zeros(len(places))
    first = np.clip(np.searchsorted(nodes, places, side="right") - 2, 0, len(nodes) - 4)
    found = np.zeros(len(places))
    for one in range(4):
        weight = np.ones(len(places))
        for other in set(range(4)) - {one}:
            weight = weight * (places - nodes[first + other]) / (nodes[first + one] - nodes[first + other])
        found = found + weight * values[first + one]
    return found


class Margins:
    """How often each code of each column occurs, and the mean terms of pairs of them."""

    def __init__(self, information: SumInformation) -> None:
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
        self.n_samples = source.n_samples
        self.starts = np.searchsorted(owner[by_column], np.arange(source.n_features + 1))
        self.distinct, self.place = np.unique(size[by_column], return_inverse=True)
        self._rows: dict[int, Integers] = {}

    def expected(self, pivot: int, columns: Columns | None) -> Integers:
        """The sum of ``E(n_i, n_j)`` over the pairs of codes of the pivot and every column of ``columns``."""
        own = self.place[self.starts[pivot] : self.starts[pivot + 1]]
        new = np.array([place for place in set(own.tolist()) if place not in self._rows], np.int64)
        if len(new) and self.n_samples**2 <= WHOLE:
            rows = every_expected_term(self.n_samples)[np.ix_(self.distinct[new], self.distinct)]
        else:
            rows = expected_terms(self.n_samples, self.distinct[new], self.distinct)
        self._rows.update(zip(new.tolist(), rows, strict=True))
        row = np.sum([self._rows[place] for place in own.tolist()], axis=0)
        if columns is None:
            place, ends = self.place, self.starts[1:]
        else:
            sizes = self.starts[columns + 1] - self.starts[columns]
            ends = np.cumsum(sizes)
            place = self.place[np.arange(sizes.sum()) + np.repeat(self.starts[columns] - (ends - sizes), sizes)]
        return np.diff(np.cumsum(row[place])[ends - 1], prepend=0)  # where the sum wraps around, so does the difference


class CorrectedInformation(SumInformation):
    """Information corrected for chance, in bits; any of it but an entropy may be negative.

    A row costs a second pass over the counts of pairs without the class.
    """

    estimator: ClassVar[str] = "corrected"

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._chance_rows: dict[int, Integers] = {}

    @staticmethod
    def terms_of(n_samples: int) -> Terms:
        return entropy_terms(n_samples)

    @cached_property
    def chance(self) -> Terms:
        """``G``."""
        return class_terms(self.source.n_samples, tuple(sorted(self.source.class_sizes.tolist())))

    @cached_property
    def chance_total(self) -> int:
        """``G[N]``."""
        return self.chance.sum(np.array([self.source.n_samples], np.int64))

    @cached_property
    def chance_marginals(self) -> Integers:
        """``G_i`` of every feature."""
        return self.sums.marginal_sums(self.chance)[0]

    @cached_property
    def margins(self) -> Margins:
        """The counts of every feature alone."""
        return Margins(self)

    def conditional(self) -> ConditionalInformation:
        return ConditionalInformation(self.terms, conditioning(self.source).partition(), self.chance)

    def _relevance_sums(self) -> Integers:
        return self.marginals[1] - self.chance_marginals + (self.chance_total - self.class_sum)

    @cached_property
    def cautious_relevance(self) -> Floats:
        """I(Xi;C) less twice its standard deviation under shuffles, ``sqrt(m / (N ln 2))`` for a mean of m bits.

        That is by chi-squared, of f degrees of freedom: a mean of ``f / (2 N ln 2)`` and a variance of
        ``2 f / (2 N ln 2)^2``. Of many columns of noise the largest corrected value is one with many codes, which
        vary more.
        """
        by_chance = np.maximum(self.bits(super()._relevance_sums()) - self.relevance, 0.0)
        return self.relevance - CAUTION * np.sqrt(by_chance / (self.source.n_samples * log(2)))

    def of_sums(self, pivot: int, columns: Columns | None, xy: Integers, xyc: Integers | None) -> CorrectedPair:
        return CorrectedPair(self, pivot, columns, xy, xyc)

    def chance_sums(self, pivot: int, columns: Columns | None) -> Integers:
        """``G_ij`` of the pivot with the features of ``columns``; of all, it is kept."""
        row = self._chance_rows.get(pivot)
        if row is None:
            row = self.sums.pair_sums(self.chance, pivot, columns, False)[0]
            if columns is not None:
                return row
            if len(self._chance_rows) < self._row_limit:
                self._chance_rows[pivot] = row
        return row if columns is None else row[columns]

    def minima(self, quantity: str, *, capped: bool) -> None:
        """None: what is added up at once has one table of terms for pairs and for those within the classes."""

    def disjoint_pairs(self) -> None:
        """None, as above."""

    def redundancies(self, columns: Columns) -> Matrix:
        return Information.redundancies(self, columns)

    def chance_bits(self, pivot: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) of the pivot with ``columns`` over all shuffles."""
        alone, _ = self.marginals
        others = alone if columns is None else alone[columns]
        return self.bits(self.margins.expected(pivot, columns) - others + (self.total - alone[pivot]))

    def conditional_rows(self, pivots: Columns, columns: Columns) -> Matrix:
        return Information.conditional_rows(self, pivots, columns)

    def matrix(
        self, quantity: Quantity, dtype: DTypeLike, columns: Columns | None = None, progress: Progress = None
    ) -> Matrix:
        chosen = np.arange(self.n_features) if columns is None else columns
        matrix = square_matrix(len(chosen), dtype)
        within = self.bits(self.class_sum - self.marginals[1])
        single = {"redundancy": self.entropy, "conditional_redundancy": within}
        np.fill_diagonal(matrix, single.get(quantity, self.relevance)[chosen])
        for place, pivot in enumerate(chosen.tolist()):
            pair = self.of_pair(pivot, chosen[place + 1 :], by_class=quantity != "redundancy")
            matrix[place, place + 1 :], matrix[place + 1 :, place] = pair.entries(quantity)
            if progress is not None:
                progress(place + 1, len(chosen))
        return matrix

    def symmetric_conditional_rows(self, pivots: Columns, columns: Columns, out: Matrix) -> None:
        for row, pivot in zip(out, pivots.tolist(), strict=True):
            row[:], _ = self.of_pair(pivot, columns, by_class=True).entries("mean_relevance")
        self.put_relevance(pivots, columns, out)

    def of_pair(self, pivot: int, columns: Columns, *, by_class: bool) -> CorrectedPair:
        """The information of ``columns`` with a pivot that is not asked about again."""
        return self.of_sums(pivot, columns, *self.sums.pair_sums(self.terms, pivot, columns, by_class))


class CorrectedPair(SumPair):
    """The information of some features with one pivot."""

    information: CorrectedInformation

    @property
    def redundancy(self) -> Floats:
        plain: Floats = super().redundancy
        return plain - self.information.chance_bits(self.pivot, self.columns)

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy + self.conditional_relevance - self.of(self.information.relevance)

    @property
    def conditional_relevance(self) -> Floats:
        given: Floats = self.joint_relevance - self.information.relevance[self.pivot]
        return given

    @cached_property
    def joint_relevance(self) -> Floats:
        info = self.information
        by_chance = info.chance_sums(self.pivot, self.columns)
        return info.bits(self._within - by_chance + (info.chance_total - info.class_sum))

    @property
    def symmetric_relevance(self) -> Floats:
        """I(Xi,Xs;C) / H(Xi,Xs,C); 0 where all three are constant."""
        entropy = self.joint_entropy
        share: Floats = self.joint_relevance / np.where(entropy > 0, entropy, 1.0)
        return share

    def entries(self, quantity: Quantity) -> tuple[Floats, Floats]:
        """The entries of a matrix: those in the row of the pivot, and those in its column."""
        if quantity in ("redundancy", "conditional_redundancy"):
            values: Floats = getattr(self, quantity)
            return values, values
        row, column = self.joint_relevance - self.of(self.information.relevance), self.conditional_relevance
        return (row, column) if quantity == "conditional_relevance" else ((row + column) / 2,) * 2
