"""Interactions: the pairs or triples of columns that carry most information about the class, and tests of them.

The statistics are those of :func:`bitsieve.counts.tuples.search_tuples`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import CountSource, coded, conditioning
from bitsieve.counts.tables import entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.counts.tuples import CODES, n_tuples, search_tuples
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, adjusted
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Progress
from bitsieve.utils.lazy import chdtrc
from bitsieve.utils.progress import phase

N_SHUFFLES = 99
MIN_CONTRASTS = 100  # shuffled copies of columns
MIN_RARITY = 1e-300  # so that its logarithm is finite
EPSILON = 2.0**-53
MAX_EXPONENT = 700.0  # exp of more overflows
# Tuples times samples times shuffles that take some ten seconds: if all columns are counted as bits, and by tables.
MAX_STEPS_OF_BITS = 1e12
MAX_STEPS_OF_TABLES = 1e9


class Interacting(NamedTuple):
    """The strongest tuples, and the strongest of every column, in bits.

    As :class:`bitsieve.counts.tuples.Tuples`; ``best`` of a column that is in none is -inf, ``best_columns`` -1.
    """

    values: Floats
    columns: Columns
    best: Floats
    best_columns: Columns


@dataclass(frozen=True, eq=False)
class Chance:
    """The value of the strongest tuple of every column after each of several shuffles of the class, in bits."""

    best: Floats  # shape (n_shuffles, n_features)
    groups: Integers  # number of codes of each column; columns of one group have nearly the same distribution

    def of_tuples(self, values: Floats) -> Floats:
        """p of tuples, corrected for all tuples: the share of shuffles whose strongest tuple is as strong."""
        return self._share(self.best.max(axis=1)[:, None] >= values)

    def of_columns(self, best: Floats) -> Floats:
        """p of columns, corrected for all columns (step-down): the chance of any false column below p is at most p."""
        order = np.argsort(-best, kind="stable")
        largest_of_rest = np.maximum.accumulate(self.best[:, order[::-1]], axis=1)[:, ::-1]
        p = np.empty(len(best))
        p[order] = np.maximum.accumulate(self._share(largest_of_rest >= best[order]))
        return p

    def false_discovery(self, best: Floats) -> Floats:
        """For each column, the smallest false discovery rate of a list that holds it.

        A column is compared with the shuffles of all columns of as many codes.
        """
        p = np.ones(len(best))
        for group in np.unique(self.groups):
            (columns,) = np.nonzero(self.groups == group)
            null = np.sort(self.best[:, columns], axis=None)
            p[columns] = (1 + len(null) - np.searchsorted(null, best[columns])) / (1 + len(null))
        return false_discovery_rates(p, self.groups > 1)

    def _share(self, reached: Flags) -> Floats:
        share: Floats = (1.0 + reached.sum(axis=0)) / (1.0 + len(self.best))
        return share


def rarities(source: CountSource, strongest: Interacting) -> Floats:
    """``-ln F(2 N ln 2 G)`` of the gain G of every column, F the distribution of chi-squared."""
    arities = source.arities.astype(np.float64)
    freedom = (source.n_classes - 1) * (arities - 1) / arities * arities[strongest.best_columns].prod(axis=1)
    gains = np.where(np.isfinite(strongest.best), np.maximum(strongest.best, 0.0), 0.0)
    above = chdtrc(np.maximum(freedom, 1.0), 2 * source.n_samples * log(2) * gains)
    return np.asarray(-np.log1p(-np.minimum(above, 1 - EPSILON)) + MIN_RARITY)


def strongest_p(rarity: Floats, of_copies: Floats) -> Floats:
    """p of the strongest tuple of every column, given ``-ln F`` of columns and of shuffled copies.

    The strongest of t independent tuples is below G in a share ``F(2 N ln 2 G)^t`` of cases. Those of one column depend
    on each other: the share is ``exp(-t (-ln F)^a)``, with the a and t of the largest likelihood for the copies, by
    Newton's method.
    """
    logs = np.log(of_copies)
    a = 1.0
    largest = logs.max()
    if logs.min() == largest:
        raise UserError(
            code="too-few-rows",
            message="the shuffled copies of columns do not differ",
            advice="the table is too small for contrasts, use shuffles",
        )
    for _ in range(50):
        weights = np.exp(a * (logs - largest))
        weights /= weights.sum()
        mean = (weights * logs).sum()
        spread = (weights * logs * logs).sum() - mean * mean
        a = max(a + (1 / a + logs.mean() - mean) / (1 / a**2 + spread), a / 2)
    times = a * (np.log(rarity) - largest) - log(np.exp(a * (logs - largest)).mean())
    return np.asarray(-np.expm1(-np.exp(np.minimum(times, MAX_EXPONENT))))


def false_discovery_rates(p: Floats, varies: Flags) -> Floats:
    """For each column, the smallest false discovery rate of a list that holds it; 1 for constant columns."""
    rates = np.ones(len(p))
    rates[varies] = adjusted(p[varies], BENJAMINI_HOCHBERG)
    return rates


class Samples(NamedTuple):
    """The codes of all samples, class by class, in one order whatever that of the source."""

    codes: NDArray[np.integer]  # (n_samples, n_features)
    classes: Integers
    strata: Integers | None

    @classmethod
    def of(cls, source: CountSource, strata: Integers | None = None) -> Samples:
        """All samples of a source; ``strata`` of each, class by class: a shuffle leaves every sample in its own."""
        coded_source = coded(source)
        if coded_source is None:
            raise UserError(
                code="rows-not-in-memory",
                message="shuffles need all rows in one place",
                advice="give a sample of the rows, or no shuffles",
            )
        return cls(*coded_source.class_by_class(), strata)

    def shuffle(self, random: np.random.Generator) -> Columns:
        """The indices of the samples in a shuffled order; every sample stays in its stratum."""
        drawn = random.permutation(len(self.classes))
        if self.strata is None:
            return drawn
        shuffled = np.empty_like(drawn)
        shuffled[np.argsort(self.strata, kind="stable")] = drawn[np.argsort(self.strata[drawn], kind="stable")]
        return shuffled


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
            raise UserError(
                code="too-few-columns",
                message=f"the table has {source.n_features} feature(s), and a tuple takes {self.order}",
                advice="give more columns",
            )
        per_bit = entropy_terms(source.n_samples).per_bit
        if self.screen is None or self.screen >= source.n_features:
            tuples = search_tuples(source, self.order, self.statistic, self.n_top, progress)
            if not (tuples.best_columns >= 0).any():
                several = int((source.arities > 1).sum())
                advice = "give more columns, or bins that cut them"
                raise UserError(
                    code="too-few-columns",
                    message=f"{several} of the columns vary, and {self.order} are needed",
                    advice=advice,
                )
            best = np.where(tuples.best_columns[:, 0] < 0, -np.inf, tuples.best / per_bit)
            return Interacting(tuples.values / per_bit, tuples.columns, best, tuples.best_columns)
        gains = search_tuples(source, 2, "gain", 0).best
        screened = np.sort(np.argsort(~gains, kind="stable")[: self.screen])
        screened_source = conditioning(source).joined([np.array([column]) for column in screened])
        among_screened = replace(self, screen=None).strongest(screened_source, progress)
        best = np.full(source.n_features, -np.inf)
        best_columns = np.full((source.n_features, self.order), -1, np.intp)
        best[screened] = among_screened.best
        best_columns[screened] = np.append(screened, -1)[among_screened.best_columns]
        return Interacting(among_screened.values, screened[among_screened.columns], best, best_columns)

    def affordable_shuffles(self, source: CountSource) -> int:
        """The default number of shuffles: ``N_SHUFFLES``, or 0 where they would take more than some ten seconds."""
        tuples = n_tuples(source, self.order)
        if self.screen is not None:
            tuples = min(tuples, n_tuples(source, 2) + comb(self.screen, self.order))
        max_steps = MAX_STEPS_OF_BITS if source.arities.max() <= CODES else MAX_STEPS_OF_TABLES
        affordable = float(tuples) * source.n_samples * N_SHUFFLES <= max_steps
        return N_SHUFFLES if coded(source) is not None and affordable else 0

    def after_shuffles(
        self, source: CountSource, n_shuffles: int, random_state: int = 0, strata: Integers | None = None
    ) -> Chance:
        """Repeat the search after each of several shuffles of the class."""
        # Triples are searched by all threads together; of pairs each thread searches a shuffle of its own.
        search_jobs = source.n_jobs if self.order == 3 else None
        shuffle_jobs = None if self.order == 3 else source.n_jobs
        samples = Samples.of(source, strata)
        search = replace(self, n_top=0)
        best = np.empty((n_shuffles, source.n_features))

        def work(number: int) -> None:
            classes = samples.classes[samples.shuffle(np.random.default_rng([random_state, number]))]
            shuffled = PackedSource(
                samples.codes, classes, arities=source.arities, n_classes=source.n_classes, n_jobs=search_jobs
            )
            best[number] = search.strongest(shuffled).best

        run_blocks(work, range(n_shuffles), shuffle_jobs, phase("shuffling"))
        return Chance(best, source.arities.astype(np.int64))

    def contrast_rates(self, source: CountSource, strongest: Interacting, random_state: int = 0) -> Floats:
        """For each column, the smallest false discovery rate of a list that holds it, by gains.

        One search among the columns and shuffled copies of a tenth of them, at least 100, shows what chance gives.
        """
        samples = Samples.of(source)
        random = np.random.default_rng([random_state, 0])
        varying = np.flatnonzero(source.arities > 1)
        copied = random.permutation(np.resize(varying, max(len(varying) // 10, MIN_CONTRASTS)))
        copies = np.stack([samples.codes[samples.shuffle(random), column] for column in copied], axis=1)
        codes = np.asfortranarray(np.c_[samples.codes, copies])
        arities = np.r_[source.arities, source.arities[copied]]
        phase("searching with contrast columns")
        both = PackedSource(codes, samples.classes, arities=arities, n_classes=source.n_classes, n_jobs=source.n_jobs)
        of_copies = rarities(both, replace(self, n_top=0).strongest(both))[source.n_features :]
        return false_discovery_rates(strongest_p(rarities(source, strongest), of_copies), source.arities > 1)
