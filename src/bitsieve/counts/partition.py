"""A partition of the samples by the joint value of some conditioning features."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts import Columns, Integers
from bitsieve.counts.contingency import ContingencyTable, Tables
from bitsieve.counts.sums import sums_of_tables
from bitsieve.counts.terms import Terms
from bitsieve.counts.threads import run_blocks

SEEDS_A_BLOCK = 16  # shuffles that a thread takes at once


class Arrangement(NamedTuple):
    """The codes of a feature in an order that the contingency table alone decides; parts of one sample are left out."""

    codes: NDArray[np.uint16]  # part by part, within a part class by class, within a class ascending
    run_ends: Integers  # where the codes of each class within each part end
    part_ends: Integers  # how many of these runs have ended with each part


class Partition(Protocol):
    """The samples, divided into parts by the joint value of the features it was refined by.

    Required are :attr:`keys`, :meth:`refine` and :meth:`tables`. The other methods follow from them and may be
    overridden by a source that counts and sums at once. Parts of one sample carry no information: what is conditional
    on them is known.
    """

    source: Tables

    @property
    @abstractmethod
    def keys(self) -> Integers:
        """The codes of the conditioning features in every part that occurs, (n_parts, n_conditioning), lexicographic.

        Sources that hold the samples in portions agree on them by the union of the (old part, new code) pairs of each.
        """

    @abstractmethod
    def refine(self, feature: int) -> Self:
        """The partition by the same features and one more."""

    @abstractmethod
    def tables(self, columns: Columns | None, by_class: bool) -> list[ContingencyTable]:
        """The tables of the part with each of ``columns``, of shape (parts, codes, classes); None: of the part.

        They add up over portions of the samples. ``by_class`` False pools the classes.
        """

    def marginal_sums(self, terms: Terms) -> tuple[int, int]:
        """``S_z`` and ``S_zc``: the sums of entropy terms over the parts, and over parts and classes."""
        (table,) = self.tables(None, True)
        return terms.sum(table.pooled().counts), terms.sum(table.counts)

    def sums(self, terms: Terms, columns: Columns) -> tuple[Integers, Integers]:
        """``S_xz`` and ``S_xzc`` of ``columns``: over parts and codes, and over parts, codes and classes."""
        xz, xzc = np.empty((2, len(columns)), np.int64)
        sums_of_tables(terms, self.source, len(self.keys), columns, lambda some: self.tables(some, True), (xz, xzc))
        return xz, xzc

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each part, summed."""
        (table,) = self.tables(np.array([feature]), True)
        n_parts, n_codes, n_classes = table.shape
        cells, _ = table.occupied()
        codes = np.bincount(np.unique(cells // n_classes) // n_codes, minlength=n_parts)
        part, n_inside = cells // (n_classes * n_codes), n_classes
        classes = np.bincount(np.unique(part * n_inside + cells % n_classes) // n_inside, minlength=n_parts)
        return int(((codes - 1) * (classes - 1)).sum())

    def least_expected(self, feature: int) -> float:
        """The least ``n_xz n_zc / n_z`` over the codes and classes that occur in each part where both vary, else inf.

        A sum of a test over tables approaches chi-squared where no cell expects but a few samples.
        """
        codes, run_ends, part_ends = self.arrangement(feature)
        if not len(codes):
            return np.inf
        run_starts = np.r_[0, run_ends[:-1]]
        part_of_run = np.repeat(np.arange(len(part_ends)), np.diff(part_ends, prepend=0))
        run_sizes = run_ends - run_starts
        part = np.repeat(part_of_run, run_sizes)
        n_codes = int(codes.max()) + 1
        pairs, code_sizes = np.unique(part * n_codes + codes, return_counts=True)
        part_of_code = pairs // n_codes
        least_class, least_code = np.full((2, len(part_ends)), np.iinfo(np.int64).max)
        np.minimum.at(least_class, part_of_run, run_sizes)
        np.minimum.at(least_code, part_of_code, code_sizes)
        sizes = np.bincount(part)
        both = (np.bincount(part_of_run) > 1) & (np.bincount(part_of_code) > 1)
        return float((least_class[both] * least_code[both] / sizes[both]).min(initial=np.inf))

    def arrangement(self, feature: int) -> Arrangement:
        """The codes of a feature, arranged for shuffles within the parts."""
        (table,) = self.tables(np.array([feature]), True)
        n_parts, n_codes, n_classes = table.shape
        cells, counts = table.occupied()
        part, code, label = cells // (n_codes * n_classes), cells // n_classes % n_codes, cells % n_classes
        kept = np.bincount(part, counts, n_parts)[part] > 1
        part, code, label, counts = part[kept], code[kept], label[kept], counts[kept]
        order = np.lexsort((code, label, part))
        run, sizes = _runs(part[order] * n_classes + label[order], counts[order])
        _, n_runs = np.unique(run // n_classes, return_counts=True)
        codes = np.repeat(code[order], counts[order]).astype(np.uint16)
        return Arrangement(codes, np.cumsum(sizes), np.cumsum(n_runs))

    def shuffled_sums(self, terms: Terms, feature: int, seeds: NDArray[np.uint64]) -> Integers:
        """``S_xzc`` after each of several shuffles of the feature within the parts, one for every seed.

        A sum depends on the contingency table and the seed alone, so every source gives the same integers.
        """
        codes, run_ends, part_ends = self.arrangement(feature)
        out = np.empty(len(seeds), np.int64)

        def shuffle(first: int) -> None:
            some = slice(first, first + SEEDS_A_BLOCK)
            _native.shuffled_sums(terms.table, terms.shift, codes, run_ends, part_ends, seeds[some], out[some])

        run_blocks(shuffle, range(0, len(seeds), SEEDS_A_BLOCK), self.source.n_jobs)
        singletons = terms.sum(np.ones(1, np.int64)) * (self.source.n_samples - len(codes))
        return out + singletons


def _runs(labels: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The distinct labels of an ascending list, and the sums of the counts of each."""
    if not len(labels):
        return labels, counts
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    return labels[starts], np.add.reduceat(counts, starts)
