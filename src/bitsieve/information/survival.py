"""Information about a time to an event that may be censored, in bits per event.

With O_x the events of the rows of code x, and E_x those that they are expected to have (see
:mod:`bitsieve.counts.risk_sets`), both as in the log-rank test, and D events in all,

    I(X;dN) = (1/D) sum_x O_x log2(O_x / E_x)

E adds up over rows, so that pairs have it too, and the chain rule defines what is conditional on a column Z:

    I(X,Z;dN)  = (1/D) sum_xz O_xz log2(O_xz / E_xz)
    I(X;dN|Z)  = I(X,Z;dN) - I(Z;dN)                       which is 0 or more

With several intervals of time the sums are over the cells of every interval. Redundancy is that of the rows, whatever
their times; ``I(X;Z|dN)`` is defined by ``I(X;Z) - I(X;dN) + I(X;dN|Z)``. ``2 ln(2) D I(X;dN)`` is at most the
likelihood ratio of Cox's model with the codes as dummy variables (Breslow). An entropy of the events is not defined.

"corrected" subtracts the mean under chance: given the past, the events fall on the rows at risk at random. With
``p_x = E_x / D`` and ``b(n, p) = E[k log2 k]`` for k binomial,

    mean of I(X;dN)   = (1/D) sum_x [b(D, p_x) - D p_x log2(D p_x)]
    mean of I(X;dN|Z) = (1/D) sum_z sum_x [b(O_z, p_x) - O_z p_x log2(O_z p_x)]
"""

from __future__ import annotations

from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bitsieve import _native
from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.source import CountSource, JointCodes, sums_of
from bitsieve.counts.survival import EventCells, SurvivalSource, exact_sums, survival
from bitsieve.information.corrected import CAUTION, CorrectedInformation
from bitsieve.information.log_rank import LogRankTest, log_rank_test
from bitsieve.information.plug_in import PlugInInformation, SumInformation
from bitsieve.information.protocol import (
    ConditionalInformation,
    Information,
    PairInformation,
    Quantity,
    UndefinedQuantityError,
)
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Matrix, Progress
from bitsieve.utils.lazy import cached_property

MAX_LOG2_BITS = 6  # |log2(O / E)| is below 2**6
MANY_EXPECTED = 32  # expected events from which on a series gives the mean of k log2 k, right to 1e-6
MAX_EVENTS_DRAWN = 1 << 20  # events in all draws of a batch together
#: With fewer events for each combination of values of Z, the mean under chance is too large. In simulations it was too
#: large by up to a fifth with eight events for each, and by a twentieth with twenty.
MIN_MEAN_EVENTS = 20
MAX_CACHED_MEANS = 1 << 23  # means under chance that are cached
MAX_CHANCE_CELLS = 1 << 16  # cells whose mean under chance is computed at once
NEGLIGIBLE = 1e-18  # probabilities below this share of the largest add nothing to a sum


def binomial_excess(n: Integers, p: Floats, log2_p: Floats) -> Floats:
    """``E[k log2 k] - n p log2(n p)`` for k binomial, 0 or more; ``n`` and ``p`` are broadcast, p is above 0.

    From 32 expected on it is a Taylor series about the mean m = n p, of which all terms up to ``1 / m^3`` are added up:

        q (1/2 + (1 + p) / (12 m) + 1 / (12 m^2) + (19 - 11 p - p^2 - p^3) / (120 m^3)) / ln 2        q = 1 - p

    Below, it is the sum itself.
    """
    n, p, log2_p = np.broadcast_arrays(n, p, log2_p)
    excess = np.zeros(n.shape)
    mean = n * p
    is_large = mean >= MANY_EXPECTED
    excess[is_large] = excess_by_series(n[is_large], p[is_large])
    is_small = ~is_large & (n > 0) & (p < 1)  # with p = 1 all events are in the cell
    excess[is_small] = excess_by_sum(n[is_small], p[is_small], log2_p[is_small])
    return excess


def excess_by_series(n: Integers, p: Floats) -> Floats:
    """The series of :func:`binomial_excess`."""
    mean = n * p
    series = 1 / 2 + (1 + p) / (12 * mean) + 1 / (12 * mean**2) + (19 - 11 * p - p**2 - p**3) / (120 * mean**3)
    excess: Floats = (1 - p) * series / log(2)
    return excess


def excess_by_sum(n: Integers, p: Floats, log2_p: Floats) -> Floats:
    """The sum over all k that are not negligibly rare, from the mode upwards and downwards.

    P(k + 1) / P(k) = (n - k) p / ((k + 1) (1 - p))
    """
    if not len(n):
        return np.zeros(0)
    log2_of = _native.log2_of_counts(int(n.max()) + 1)
    log2_of[0] = 0.0  # k log2 k is 0 at k = 0
    odds = p / (1.0 - p)
    mode = np.minimum(np.floor((n + 1) * p).astype(np.int64), n)
    probability = np.ones(n.shape)
    total = np.ones(n.shape)
    mean_term = mode * log2_of[mode]

    k = mode.copy()
    while probability.max() > NEGLIGIBLE:  # from the mode upwards
        probability = probability * ((n - k) / (k + 1.0) * odds)
        k = np.minimum(k + 1, n)
        total += probability
        mean_term += probability * (k * log2_of[k])

    probability = np.ones(n.shape)
    k = mode.copy()
    while probability.max() > NEGLIGIBLE:  # from the mode downwards
        probability = probability * (k / ((n - k + 1.0) * odds))
        k = np.maximum(k - 1, 0)
        total += probability
        mean_term += probability * (k * log2_of[k])

    mean = n * p
    excess: Floats = mean_term / total - mean * (log2_of[n] + log2_p)
    return excess


class SurvivalInformation(Information):
    """The plug-in information of features about a time to an event, in bits per event."""

    estimator: ClassVar[str] = "plug-in"
    conditions_on_sets: ClassVar[bool] = True
    row_information_type: ClassVar[type[SumInformation]] = PlugInInformation

    source: SurvivalSource

    def __init__(self, source: CountSource) -> None:
        survival_source = survival(source)
        assert survival_source is not None
        self.source = survival_source
        self.row_information = self.row_information_type(source)  # of the rows whatever their times: redundancy
        self.sums = sums_of(source)
        self.sums.row_seconds = survival_source.pair_cells_seconds
        n_events = self.source.n_events
        # Terms of cells are integers in units of 1 / per_bit bit. No sum of cells reaches 2**62.
        self.per_bit = 2.0 ** (62 - MAX_LOG2_BITS - n_events.bit_length())
        self._scale_of_expected = self.source.scaled_expected_by_interval / self.source.n_events_by_interval

    def conditional(self) -> ConditionalInformation:
        return self.plug_in_conditional()

    def plug_in_conditional(self) -> ConditionalInformation:
        return SurvivalConditional(self, JointCodes(self.source))

    @property
    def about_classes(self) -> Information:
        """The information about the classes: censored, or the interval of the event."""
        return self.row_information

    @property
    def entropy(self) -> Floats:
        return self.row_information.entropy

    @property
    def entropy_by_class(self) -> Floats:
        raise undefined_for_survival("the entropy of a column given the events")

    @property
    def class_entropy(self) -> float:
        raise undefined_for_survival("the entropy of the events")

    @cached_property
    def relevance_sums(self) -> Integers:
        """``D I(Xi;dN)`` of every feature, in units of ``1 / per_bit`` bit."""
        all_columns = np.arange(self.n_features)
        return self.sums_of_cells(self.source.pair_cells(None, all_columns), self.n_features)

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self.relevance_sums)

    @property
    def min_redundancy(self) -> Floats | None:
        return self.row_information.min_redundancy

    @property
    def varies(self) -> Flags:
        return self.row_information.varies

    def bits(self, sums: Integers) -> Floats:
        """Sums over cells as bits per event."""
        return sums / (self.source.n_events * self.per_bit)

    def sums_of_cells(self, cells: EventCells, n_tables: int) -> Integers:
        """``sum O log2(O / E)`` over the cells of every table, in units of ``1 / per_bit`` bit."""
        sums = np.zeros(n_tables, np.int64)
        np.add.at(sums, cells.table, self.terms_of_cells(cells))
        return sums

    def terms_of_cells(self, cells: EventCells) -> Integers:
        """``O log2(O / E)`` of every cell, rounded to units of ``1 / per_bit`` bit."""
        ratio = cells.events / cells.scaled_expected * self._scale_of_expected[cells.interval]  # O / E
        return np.rint(cells.events * _native.log2_of_each(ratio) * self.per_bit).astype(np.int64)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> SurvivalPair:
        return SurvivalPair(self, pivot, columns)

    def matrix(
        self,
        quantity: Quantity,
        dtype: DTypeLike = np.float64,
        columns: Columns | None = None,
        progress: Progress = None,
    ) -> Matrix:
        if quantity != "redundancy":
            raise undefined_for_survival("a matrix of all pairs that involves the events")
        return self.row_information.matrix(quantity, dtype, columns, progress)


class CorrectedSurvivalInformation(SurvivalInformation):
    """The information of features about a time to an event less its mean under chance, in bits per event."""

    estimator: ClassVar[str] = "corrected"
    row_information_type: ClassVar[type[SumInformation]] = CorrectedInformation

    def __init__(self, source: CountSource) -> None:
        super().__init__(source)
        self._chance_by_feature: dict[int, Floats] = {}  # a cache

    @cached_property
    def expected_shares(self) -> ExpectedShares:
        """The shares of the expected events of every code."""
        return ExpectedShares(self.source, self.per_bit)

    def conditional(self) -> ConditionalInformation:
        return CorrectedSurvivalConditional(self, JointCodes(self.source))

    @cached_property
    def chance_of_relevance(self) -> Floats:
        """The mean of I(Xi;dN) under chance, for every Xi."""
        return self.bits(self.expected_shares.chance_sums(self.source.n_events_by_interval[None, :]))

    @cached_property
    def relevance(self) -> Floats:
        return self.bits(self.relevance_sums) - self.chance_of_relevance

    @cached_property
    def cautious_relevance(self) -> Floats:
        """I(Xi;dN) less twice its standard deviation under chance, ``sqrt(m / (D ln 2))`` for a mean of m bits."""
        return self.relevance - CAUTION * np.sqrt(self.chance_of_relevance / (self.source.n_events * log(2)))

    def chance_given_feature(self, feature: int) -> Floats:
        """The mean of I(Xi;dN|Xs) under chance, with Xs the feature, for every Xi."""
        cache = self._chance_by_feature
        if feature not in cache:
            if len(cache) * self.n_features >= MAX_CACHED_MEANS:
                cache.clear()
            events = self.source.events_of_codes(feature)
            cache[feature] = self.bits(self.expected_shares.chance_sums(events))
        return cache[feature]

    def chance_redundancy(self, feature: int, columns: Columns | None) -> Floats:
        """The mean of I(Xi;Xs) of the rows over all shuffles of Xi, with Xs the feature."""
        assert isinstance(self.row_information, CorrectedInformation)
        return self.row_information.chance_redundancy(feature, columns)

    def pair(self, pivot: int, columns: Columns | None = None, *, by_class: bool = True) -> CorrectedSurvivalPair:
        return CorrectedSurvivalPair(self, pivot, columns)


class ExpectedShares:
    """The shares of the expected events of every code of every column, in every interval."""

    def __init__(self, source: SurvivalSource, per_bit: float) -> None:
        starts, scaled_expected = source.scaled_expected_margins()
        self.starts = starts
        self.per_bit = per_bit
        self.share = scaled_expected / source.scaled_expected_by_interval
        positive = np.where(self.share > 0, self.share, 1.0)
        self.log2_share = _native.log2_of_each(positive.reshape(-1)).reshape(self.share.shape)
        #: A cache for each interval: the excess of every code, by number of events
        self._excess_by_interval: list[dict[int, Integers]] = [{} for _ in range(self.share.shape[1])]

    def chance_sums(self, events: Integers) -> Integers:
        """``sum over z and x of b(O_z, p_x) - O_z p_x log2(O_z p_x)`` of every column, in units of ``1 / per_bit`` bit.

        ``events`` are the events O_z of every part z in every interval, shape (n_parts, n_intervals).
        """
        by_code = np.zeros(len(self.share), np.int64)
        counts_at_once = max(1, MAX_CHANCE_CELLS // len(self.share))
        for interval in range(self.share.shape[1]):
            counts, n_parts = np.unique(events[:, interval], return_counts=True)
            for first in range(0, len(counts), counts_at_once):
                block = slice(first, first + counts_at_once)
                by_code += n_parts[block] @ self._excess(interval, counts[block])
        return np.add.reduceat(by_code, self.starts[:-1])

    def _excess(self, interval: int, counts: Integers) -> Integers:
        """``b(n, p) - n p log2(n p)`` of every count n of events with every code, shape (n_counts, n_codes).

        Pivots share most of their counts, so that the values are cached.
        """
        cache = self._excess_by_interval[interval]
        if len(cache) * len(self.share) >= MAX_CACHED_MEANS:
            cache.clear()
        new_counts = np.array([count for count in counts.tolist() if count not in cache], np.int64)
        if len(new_counts):
            is_expected = self.share[:, interval] > 0
            share = self.share[is_expected, interval]
            log2_share = self.log2_share[is_expected, interval]
            excess = np.zeros((len(new_counts), len(self.share)), np.int64)
            excess[:, is_expected] = np.rint(binomial_excess(new_counts[:, None], share, log2_share) * self.per_bit)
            cache.update(zip(new_counts.tolist(), excess, strict=True))
        return np.stack([cache[count] for count in counts.tolist()])


class SurvivalPair(PairInformation):
    """The information of features with one pivot about a time to an event."""

    information: SurvivalInformation

    def __init__(self, information: SurvivalInformation, pivot: int, columns: Columns | None) -> None:
        self.information = information
        self.pivot = pivot
        self.columns = columns

    @cached_property
    def _row_pair(self) -> PairInformation:
        """The same pairs, of the rows whatever their times."""
        return self.information.row_information.pair(self.pivot, self.columns, by_class=False)

    @property
    def redundancy(self) -> Floats:
        return self._row_pair.redundancy

    @property
    def divisor(self) -> Floats:
        return self._row_pair.divisor

    @cached_property
    def _joint_sums(self) -> Integers:
        """``D I(Xi,Xs;dN)``, in units of ``1 / per_bit`` bit."""
        info = self.information
        columns = self.of_features(np.arange(info.n_features))
        return info.sums_of_cells(info.source.pair_cells(self.pivot, columns), len(columns))

    @property
    def conditional_relevance(self) -> Floats:
        return self.information.bits(self._joint_sums - self.information.relevance_sums[self.pivot])

    @property
    def joint_relevance(self) -> Floats:
        relevance_of_pivot = self.information.relevance[self.pivot]
        joint: Floats = self.conditional_relevance + relevance_of_pivot
        return joint

    @property
    def conditional_redundancy(self) -> Floats:
        return self.redundancy + self.conditional_relevance - self.of_features(self.information.relevance)

    @property
    def joint_entropy(self) -> Floats:
        raise undefined_for_survival("the joint entropy of two columns and the events")

    @property
    def symmetric_relevance(self) -> Floats:
        raise undefined_for_survival("information by the joint entropy of two columns and the events")


class CorrectedSurvivalPair(SurvivalPair):
    """The corrected information of features with one pivot about a time to an event."""

    information: CorrectedSurvivalInformation

    @cached_property
    def conditional_relevance(self) -> Floats:
        chance = self.information.chance_given_feature(self.pivot)
        return super().conditional_relevance - self.of_features(chance)


class EventDraws:
    """Random events for the table of a feature and the parts of a partition.

    At each time as many events are drawn, without replacement, among the rows at risk in the same stratum and part.

    Attributes
    ----------
    n_events : ndarray of int, shape (n_times,)
        The events at each time, which all draws have.
    at_risk : ndarray of int, shape (n_codes, n_times)
        The rows of each code that are at risk.
    first_cell : ndarray of int, shape (n_times,)
        The cell of code 0 of the part and the interval of each time. Cells are ordered by part, code and interval.
    scaled_expected : ndarray of int, shape (n_cells,)
        The expected events of every cell, scaled.
    """

    def __init__(self, source: SurvivalSource, partition: JointCodes, feature: int) -> None:
        n_parts = partition.n_parts
        n_codes = int(source.arities[feature])
        code = source.codes(feature).astype(np.int64)
        risk_sets = source.samples_at_risk.within(partition.part)
        times = risk_sets.event_times
        self.n_events = times.n_events
        self.at_risk = risk_sets.n_at_risk(code)
        self.n_intervals = risk_sets.n_intervals
        part_of_time = times.stratum % n_parts
        self.first_cell = part_of_time * n_codes * self.n_intervals + times.interval
        scaled_expected = np.empty((n_parts * n_codes, self.n_intervals), np.int64)
        part_and_code = partition.part * n_codes + code
        for interval in range(self.n_intervals):
            sample_values = source.scaled_expected[:, interval]
            scaled_expected[:, interval] = exact_sums(part_and_code, sample_values, n_parts * n_codes)
        self.scaled_expected = scaled_expected.reshape(-1)

    def events(self, seeds: NDArray[np.uint64]) -> Integers:
        """The events of every cell in every draw, shape (n_draws, n_cells); as many draws as seeds.

        The events of a time are divided among the codes, one code after the other. How many of the events that are left
        fall on a code is a hypergeometric number: they are drawn among its rows and the rows of the codes after it.
        """
        random = np.random.default_rng(seeds)
        n_draws = len(seeds)
        events = np.zeros((n_draws, len(self.scaled_expected)), np.int64)
        draw = np.arange(n_draws)[:, None]
        events_left = np.tile(self.n_events, (n_draws, 1))
        rows_left = self.at_risk.sum(axis=0)
        for code, at_risk in enumerate(self.at_risk):
            rows_left = rows_left - at_risk
            events_of_code = random.hypergeometric(at_risk, rows_left, events_left)
            np.add.at(events, (draw, self.first_cell + code * self.n_intervals), events_of_code)
            events_left = events_left - events_of_code
        return events


class SurvivalConditional(ConditionalInformation):
    """The information about a time to an event conditional on a set Z of features."""

    def __init__(self, information: SurvivalInformation, partition: JointCodes) -> None:
        super().__init__(information.row_information.entropy_terms, partition)
        self.information = information
        self.joint_codes = partition
        self._tests: dict[int, LogRankTest] = {}  # by feature

    def refine(self, feature: int) -> SurvivalConditional:
        return type(self)(self.information, self.joint_codes.refine(feature))

    @property
    def is_supported(self) -> bool:
        """Whether there are twenty events or more, on average, for each combination of values of Z."""
        return self.n_combinations * MIN_MEAN_EVENTS <= self.information.source.n_events

    @property
    def class_entropy(self) -> float:
        raise undefined_for_survival("the entropy of the events")

    @cached_property
    def _sum_of_parts(self) -> int:
        """``D I(Z;dN)``, in units of ``1 / per_bit`` bit."""
        cells = self.information.source.part_cells(self.joint_codes.part, None)
        return int(self.information.sums_of_cells(cells, 1)[0])

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        info = self.information
        if columns is None:
            columns = np.arange(info.n_features)
        cells = info.source.part_cells(self.joint_codes.part, columns)
        return info.bits(info.sums_of_cells(cells, len(columns)) - self._sum_of_parts)

    def test_statistics(self, columns: Columns) -> Floats:
        """The statistics of the log-rank tests within the parts."""
        return np.array([self._log_rank_test(column).statistic for column in columns.tolist()], np.float64)

    def degrees_of_freedom(self, feature: int) -> int:
        """The degrees of freedom of the log-rank test within the parts."""
        return self._log_rank_test(feature).degrees_of_freedom

    def least_expected(self, feature: int) -> float:
        """The least number of events that a code of the feature is expected to have."""
        return self._log_rank_test(feature).least_expected

    def shuffled_relevance(self, feature: int, seeds: NDArray[np.uint64]) -> Floats:
        """I(Xi;dN|Z) where the events are drawn at random among the rows at risk at their times; one draw a seed.

        The rows at risk are those of one stratum and one part. Censoring stays as it is, so that nothing is assumed of
        how it depends on the feature.
        """
        draws = EventDraws(self.information.source, self.joint_codes, feature)
        batch_size = max(1, MAX_EVENTS_DRAWN // len(draws.n_events))
        sums = []
        for first in range(0, len(seeds), batch_size):
            events = draws.events(seeds[first : first + batch_size])
            sums.append(self._sums_of_draws(events, draws))
        return self.information.bits(np.concatenate(sums) - self._sum_of_parts)

    def _sums_of_draws(self, events: Integers, draws: EventDraws) -> Integers:
        """``sum O log2(O / E)`` of every draw.

        Many draws have equally many events in a cell: each term of a cell with a number of events is computed once.
        """
        draw, cell = np.nonzero(events)
        n_events = events[draw, cell]
        base = int(n_events.max()) + 1
        distinct, index_of_distinct = np.unique(cell * base + n_events, return_inverse=True)
        distinct_cell, distinct_n_events = np.divmod(distinct, base)
        cells = EventCells(
            table=np.zeros(len(distinct), np.intp),
            interval=distinct_cell % draws.n_intervals,
            events=distinct_n_events,
            scaled_expected=draws.scaled_expected[distinct_cell],
        )
        terms = self.information.terms_of_cells(cells)
        sums = np.zeros(len(events), np.int64)
        np.add.at(sums, draw, terms[index_of_distinct.reshape(-1)])
        return sums

    @cached_property
    def _risk_sets(self) -> RiskSets:
        """The risk sets within strata and parts."""
        return self.information.source.samples_at_risk.within(self.joint_codes.part)

    def _log_rank_test(self, feature: int) -> LogRankTest:
        """The test of a feature within the parts; cached."""
        if feature not in self._tests:
            codes = self.information.source.codes(feature).astype(np.int64)
            self._tests[feature] = log_rank_test(self._risk_sets, codes)
        return self._tests[feature]


class CorrectedSurvivalConditional(SurvivalConditional):
    """The corrected information about a time to an event conditional on a set Z of features."""

    information: CorrectedSurvivalInformation

    @cached_property
    def _chance(self) -> Floats:
        """The mean of I(Xi;dN|Z) under chance, for every Xi."""
        events = self.information.source.events_of_parts(self.joint_codes.part, self.joint_codes.n_parts)
        return self.information.bits(self.information.expected_shares.chance_sums(events))

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        chance = self._chance if columns is None else self._chance[columns]
        return super().conditional_relevance(columns) - chance


def undefined_for_survival(quantity: str) -> UndefinedQuantityError:
    """The error for a quantity that a time to an event does not have."""
    return UndefinedQuantityError(
        code="undefined-quantity",
        message=f"{quantity} is not defined where the target is a time to an event",
        advice="use 'mim', 'mrmr', 'jmi', 'cmim' or 'cmi'",
    )
