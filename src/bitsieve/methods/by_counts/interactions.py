"""Interactions: the pairs or triples of columns that carry the most about the class together, and what chance gives.

The statistics are those of :func:`bitsieve.counts.tuples.search_tuples`.

W. J. McGill, "Multivariate information transmission", Psychometrika 19, 1954. doi:10.1007/BF02289159
A. Jakulin, "Machine learning based on attribute interactions", dissertation, University of Ljubljana, 2005.
D. Anastassiou, "Computational analysis of the synergy among multiple interacting genes", Molecular Systems Biology 3,
2007. doi:10.1038/msb4100124
K. Mnich, W. R. Rudnicki, "All-relevant feature selection using multidimensional filters with exhaustive search",
Information Sciences 524, 2020. doi:10.1016/j.ins.2020.03.024
P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley, 1993.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any, NamedTuple

import numpy as np

from bitsieve.common.arrays import Columns, Flags, Floats, Integers, Progress
from bitsieve.common.progress import phase
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import CountSource, coded, conditioning
from bitsieve.counts.tables import entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.counts.tuples import CODES, n_tuples, search_tuples

N_SHUFFLES = 99
# Tuples times samples times shuffles that are made without being asked for, in some ten seconds: of planes, of tables.
AFFORDED, AFFORDED_BY_TABLES = 1e12, 1e9


class Interacting(NamedTuple):
    """The strongest tuples, and the strongest of every column, in bits.

    ``values`` (n_top,), ``columns`` (n_top, order); ``best`` (n_features,), ``best_columns`` (n_features, order), of a
    column that is in none -inf and -1.
    """

    values: Floats
    columns: Columns
    best: Floats
    best_columns: Columns


@dataclass(frozen=True, eq=False)
class Chance:
    """What the strongest tuple of every column amounts to after shuffles of the class, in bits.

    ``best`` (n_shuffles, n_features). ``groups`` (n_features,): columns of one number have as many codes, and so nearly
    the same distribution.
    """

    best: Floats
    groups: Integers

    def of_tuples(self, values: Floats) -> Floats:
        """p of tuples, adjusted for all tuples there are: the share of shuffles whose strongest tuple is as strong."""
        return self._share(self.best.max(axis=1)[:, None] >= values)

    def of_columns(self, best: Floats) -> Floats:
        """p of columns, adjusted for all columns (step-down): the chance of any false one below p is at most p."""
        order = np.argsort(-best, kind="stable")
        most = np.maximum.accumulate(self.best[:, order[::-1]], axis=1)[:, ::-1]
        p = np.empty(len(best))
        p[order] = np.maximum.accumulate(self._share(most >= best[order]))
        return p

    def false_discovery(self, best: Floats) -> Floats:
        """The least false discovery rate of a list with each column (Benjamini, Hochberg).

        A column is compared with the shuffles of all columns of as many codes.
        """
        p = np.ones(len(best))
        for group in np.unique(self.groups):
            (of,) = np.nonzero(self.groups == group)
            null = np.sort(self.best[:, of], axis=None)
            p[of] = (1 + len(null) - np.searchsorted(null, best[of])) / (1 + len(null))
        order = np.argsort(p, kind="stable")
        rates = np.minimum.accumulate((p[order] * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
        out = np.empty(len(p))
        out[order] = np.minimum(rates, 1.0)
        return out

    def _share(self, reached: Flags) -> Floats:
        share: Floats = (1.0 + reached.sum(axis=0)) / (1.0 + len(self.best))
        return share


@dataclass(frozen=True)
class Search:
    """What is searched for: tuples of ``order`` columns by a statistic, of which the ``n_top`` strongest are kept.

    ``screen``: only of the so many columns that have the largest ``I(Xi;C|Xj)`` of all pairs.
    """

    order: int
    statistic: str
    n_top: int = 0
    screen: int | None = None

    def strongest(self, source: CountSource, progress: Progress = None) -> Interacting:
        """The strongest tuples of columns that vary, and the strongest of every column."""
        if source.n_features < self.order:
            raise ValueError(f"the table has {source.n_features} feature(s), and a tuple takes {self.order}")
        per_bit = entropy_terms(source.n_samples).per_bit
        if self.screen is None or self.screen >= source.n_features:
            found = search_tuples(source, self.order, self.statistic, self.n_top, progress)
            if not (found.best_columns >= 0).any():
                several = int((source.arities > 1).sum())
                advice = "give more columns, or bins that cut them"
                raise ValueError(f"{several} of the columns vary, and {self.order} are needed: {advice}")
            best = np.where(found.best_columns[:, 0] < 0, -np.inf, found.best / per_bit)
            return Interacting(found.values / per_bit, found.columns, best, found.best_columns)
        gains = search_tuples(source, 2, "gain", 0).best
        kept = np.sort(np.argsort(~gains, kind="stable")[: self.screen])
        some = conditioning(source).joined([np.array([column]) for column in kept])
        of_some = replace(self, screen=None).strongest(some, progress)
        best, best_columns = np.full(source.n_features, -np.inf), np.full((source.n_features, self.order), -1, np.intp)
        best[kept], best_columns[kept] = of_some.best, np.append(kept, -1)[of_some.best_columns]
        return Interacting(of_some.values, kept[of_some.columns], best, best_columns)

    def affordable_shuffles(self, source: CountSource) -> int:
        """How many shuffles are made where none are asked for: ``N_SHUFFLES``, or none where they take long."""
        tuples = n_tuples(source, self.order)
        if self.screen is not None:
            tuples = min(tuples, n_tuples(source, 2) + comb(self.screen, self.order))
        most = AFFORDED if source.arities.max() <= CODES else AFFORDED_BY_TABLES
        affordable = float(tuples) * source.n_samples * N_SHUFFLES <= most
        return N_SHUFFLES if coded(source) is not None and affordable else 0

    def after_shuffles(self, source: CountSource, n_shuffles: int, random_state: int = 0) -> Chance:
        """The strongest tuple of every column after each of some shuffles of the class; all else is done as without."""
        known = coded(source)
        if known is None:
            raise ValueError(
                "shuffles of the class need all rows in one place: give a sample of the rows, or no shuffles"
            )
        dtype = np.uint8 if source.arities.max() <= 256 else np.uint16
        codes = np.empty((source.n_samples, source.n_features), dtype, order="F")
        by_class = np.argsort(known.sample_classes, kind="stable")  # one order of the samples, whatever the source's
        for feature in range(source.n_features):
            codes[:, feature] = known.codes(feature)[by_class]
        best, search = np.empty((n_shuffles, source.n_features)), replace(self, n_top=0)
        # Triples are searched by all threads, pairs a shuffle a thread.
        inside, outside = (source.n_jobs, None) if self.order == 3 else (None, source.n_jobs)
        of_codes: Any = {"n_classes": source.n_classes, "arities": source.arities, "n_jobs": inside}

        def work(number: int) -> None:
            classes = np.random.default_rng([random_state, number]).permutation(known.sample_classes[by_class])
            best[number] = search.strongest(PackedSource(codes, classes, **of_codes)).best

        run_blocks(work, range(n_shuffles), outside, phase("shuffling"))
        return Chance(best, source.arities.astype(np.int64))
