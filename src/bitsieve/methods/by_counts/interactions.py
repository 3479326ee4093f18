"""Interactions: the pairs or triples of columns that carry most information about the class, and tests of them.

The statistics are those of :func:`bitsieve.counts.tuples.search_tuples`. Two tests compare the strongest tuples with
those of columns without relation to the class: ``Search.after_shuffles`` repeats the search after shuffles of the
class; ``Search.contrast_rates`` searches once, among the columns and shuffled copies of some, and fits a distribution.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import CountSource, coded, conditioning
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.counts.threads import run_blocks
from bitsieve.counts.tuples import MAX_NATIVE_CODES, n_tuples, search_tuples
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_counts.stopping.lists import BENJAMINI_HOCHBERG, adjusted
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Progress
from bitsieve.utils.libraries import chdtrc
from bitsieve.utils.progress import phase

N_SHUFFLES = 99
MIN_CONTRASTS = 100  # shuffled copies of columns
MIN_RARITY = 1e-300  # has a finite logarithm
EPSILON = 2.0**-53
MAX_EXPONENT = 700.0  # exp of larger numbers overflows
# Tuples times samples times shuffles that take about ten seconds: if all columns are counted as bits, and by tables.
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
    """The value of the strongest tuple of every column after each of several shuffles of the class, in bits.

    A p-value is the share of the shuffles, and of the table itself, that reach the value of the table.
    """

    best: Floats  # shape (n_shuffles, n_features)
    groups: Integers  # number of codes of each column; columns of one group have nearly the same distribution

    def of_tuples(self, values: Floats) -> Floats:
        """p-values of tuples, corrected for all tuples: by the strongest tuple of each shuffle."""
        return self._share(self.best.max(axis=1)[:, None] >= values)

    def of_columns(self, best: Floats) -> Floats:
        """p-values of columns, corrected for all columns: the chance of any false column below p is at most p.

        The step-down procedure of Westfall and Young: a column is compared with the best of the columns that are no
        stronger than it in the table.
        """
        order = np.argsort(-best, kind="stable")
        weakest_first = self.best[:, order[::-1]]
        best_of_weaker = np.maximum.accumulate(weakest_first, axis=1)[:, ::-1]
        p = np.empty(len(best))
        p[order] = np.maximum.accumulate(self._share(best_of_weaker >= best[order]))
        return p

    def false_discovery(self, best: Floats) -> Floats:
        """For each column, the smallest false discovery rate of a list that holds it.

        A column is compared with the shuffles of all columns of as many codes.
        """
        p = np.ones(len(best))
        for group in np.unique(self.groups):
            (columns,) = np.nonzero(self.groups == group)
            null = np.sort(self.best[:, columns], axis=None)
            n_reached = len(null) - np.searchsorted(null, best[columns])
            p[columns] = (1 + n_reached) / (1 + len(null))
        return false_discovery_rates(p, self.groups > 1)

    def _share(self, reached: Flags) -> Floats:
        share: Floats = (1.0 + reached.sum(axis=0)) / (1.0 + len(self.best))
        return share


def rarities(source: CountSource, strongest: Interacting) -> Floats:
    """``-ln F(2 N ln 2 G)`` of the gain G of every column in its strongest tuple: small where G is rarely reached.

    F is the distribution of chi-squared with ``(m - 1) n_others (n_classes - 1)`` degrees of freedom, m the codes of
    the column and n_others the product of those of the others in the tuple.
    """
    arities = source.arities.astype(np.float64)
    tuple_codes = arities[strongest.best_columns].prod(axis=1)
    freedom = (source.n_classes - 1) * (arities - 1) / arities * tuple_codes
    gains = np.where(np.isfinite(strongest.best), np.maximum(strongest.best, 0.0), 0.0)
    tail = chdtrc(np.maximum(freedom, 1.0), 2 * source.n_samples * log(2) * gains)  # 1 - F
    return np.asarray(-np.log1p(-np.minimum(tail, 1 - EPSILON)) + MIN_RARITY)


def p_of_strongest(rarity: Floats, rarity_of_copies: Floats) -> Floats:
    """p-values of the strongest tuple of every column, given ``r = -ln F`` of columns and of shuffled copies.

    The strongest of t independent tuples is below G with probability ``F(2 N ln 2 G)^t = exp(-t r)``. The tuples of one
    column depend on each other, and the probability is taken for ``exp(-t r^a)``: r has a Weibull distribution of
    shape a. Its a and t are those of the largest likelihood for the copies, by Newton's method.
    """
    logs = np.log(rarity_of_copies)
    largest = logs.max()
    if logs.min() == largest:
        raise UserError(
            code="too-few-rows",
            message="the shuffled copies of columns do not differ",
            advice="the table is too small for contrasts, use shuffles",
        )
    shape = 1.0
    for _ in range(50):
        weights = np.exp(shape * (logs - largest))
        weights /= weights.sum()
        mean = (weights * logs).sum()
        variance = (weights * logs * logs).sum() - mean * mean
        slope = 1 / shape + logs.mean() - mean  # of the log-likelihood, with the best t for the shape
        shape = max(shape + slope / (1 / shape**2 + variance), shape / 2)
    log_mean_power = log(np.exp(shape * (logs - largest)).mean())  # t = 1 / mean of r^a
    log_exponent = shape * (np.log(rarity) - largest) - log_mean_power  # ln(t r^a)
    return np.asarray(-np.expm1(-np.exp(np.minimum(log_exponent, MAX_EXPONENT))))


def false_discovery_rates(p: Floats, varies: Flags) -> Floats:
    """For each column, the smallest false discovery rate of a list that holds it; 1 for constant columns."""
    rates = np.ones(len(p))
    rates[varies] = adjusted(p[varies], BENJAMINI_HOCHBERG)
    return rates


class Samples(NamedTuple):
    """The codes of all samples, class by class, in an order that does not depend on the source's."""

    codes: NDArray[np.integer]  # shape (n_samples, n_features)
    classes: Integers
    strata: Integers | None

    @classmethod
    def of(cls, source: CountSource, strata: Integers | None = None) -> Samples:
        """All samples of a source; ``strata`` has the stratum of each, in the same order."""
        coded_source = coded(source)
        if coded_source is None:
            raise UserError(
                code="rows-not-in-memory",
                message="shuffles need all rows in one place",
                advice="give a sample of the rows, or no shuffles",
            )
        return cls(*coded_source.samples_in_class_order(), strata)

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
    """What is searched for: the ``n_top`` strongest tuples of ``order`` columns by a statistic.

    With ``screen`` only tuples of so many columns are searched, those of the largest ``I(Xi;C|Xj)`` in any pair.
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
                message=f"the table has {source.n_features} feature(s), and a tuple has {self.order}",
                advice="give more columns",
            )
        if self.screen is not None and self.screen < source.n_features:
            return self._strongest_of_screened(source, self.screen, progress)
        tuples = search_tuples(source, self.order, self.statistic, self.n_top, progress)
        if not (tuples.best_columns >= 0).any():
            n_varying = int((source.arities > 1).sum())
            raise UserError(
                code="too-few-columns",
                message=f"{n_varying} of the columns have more than one value, and {self.order} are needed",
                advice="give more columns, or other bins",
            )
        per_bit = make_entropy_terms(source.n_samples).per_bit
        best = np.where(tuples.best_columns[:, 0] < 0, -np.inf, tuples.best / per_bit)
        return Interacting(tuples.values / per_bit, tuples.columns, best, tuples.best_columns)

    def _strongest_of_screened(self, source: CountSource, n_screened: int, progress: Progress) -> Interacting:
        """The strongest tuples of the columns with the largest gains in pairs; -inf for all other columns."""
        gains = search_tuples(source, 2, "gain", 0, phase("screening pairs")).best
        descending = np.argsort(~gains, kind="stable")  # ~v falls as v rises, and never overflows
        screened = np.sort(descending[:n_screened])
        screened_source = conditioning(source).joined([np.array([column]) for column in screened])
        strongest = replace(self, screen=None).strongest(screened_source, progress)
        best = np.full(source.n_features, -np.inf)
        best[screened] = strongest.best
        best_columns = np.full((source.n_features, self.order), -1, np.intp)
        best_columns[screened] = np.append(screened, -1)[strongest.best_columns]  # -1 stays -1
        return Interacting(strongest.values, screened[strongest.columns], best, best_columns)

    def affordable_shuffles(self, source: CountSource) -> int:
        """The default number of shuffles: ``N_SHUFFLES``, or 0 where they would take more than about ten seconds."""
        tuples = n_tuples(source, self.order)
        if self.screen is not None:
            tuples = min(tuples, n_tuples(source, 2) + comb(self.screen, self.order))
        max_steps = MAX_STEPS_OF_BITS if source.arities.max() <= MAX_NATIVE_CODES else MAX_STEPS_OF_TABLES
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

        The gains of columns are compared with those of shuffled copies of a tenth of them, at least 100 copies, in one
        search among both.
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
        rarity_of_copies = rarities(both, replace(self, n_top=0).strongest(both))[source.n_features :]
        p = p_of_strongest(rarities(source, strongest), rarity_of_copies)
        return false_discovery_rates(p, source.arities > 1)
