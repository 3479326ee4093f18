"""Information about a time to an event conditional on a set of columns, and its test by random events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.source import JointCodes
from bitsieve.counts.survival import EventCells, SurvivalSource, exact_sums
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.information.event_bits import EventBits, ExpectedShares, undefined_for_survival
from bitsieve.information.log_rank import LogRankTest, log_rank_test
from bitsieve.information.protocol import ConditionalInformation
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.lazy import cached_property

MAX_EVENTS_DRAWN = 1 << 20  # events in all draws of a batch together
#: With fewer events for each combination of values of Z, the mean under chance is too large. In simulations it was too
#: large by up to a fifth with eight events for each, and by a twentieth with twenty.
MIN_MEAN_EVENTS = 20


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

    def __init__(self, source: SurvivalSource, event_bits: EventBits, partition: JointCodes) -> None:
        super().__init__(make_entropy_terms(source.n_samples), partition)
        self.source = source
        self.event_bits = event_bits
        self.joint_codes = partition
        self._tests: dict[int, LogRankTest] = {}  # by feature

    def refine(self, feature: int) -> SurvivalConditional:
        return SurvivalConditional(self.source, self.event_bits, self.joint_codes.refine(feature))

    @property
    def is_supported(self) -> bool:
        """Whether there are twenty events or more, on average, for each combination of values of Z."""
        return self.n_combinations * MIN_MEAN_EVENTS <= self.source.n_events

    @property
    def class_entropy(self) -> float:
        raise undefined_for_survival("the entropy of the events")

    @cached_property
    def _sum_of_parts(self) -> int:
        """``D I(Z;dN)``, in units of ``1 / per_bit`` bit."""
        cells = self.source.part_cells(self.joint_codes.part, None)
        return int(self.event_bits.sums_of_cells(cells, 1)[0])

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        chosen = np.arange(self.source.n_features) if columns is None else columns
        cells = self.source.part_cells(self.joint_codes.part, chosen)
        return self.event_bits.bits(self.event_bits.sums_of_cells(cells, len(chosen)) - self._sum_of_parts)

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
        draws = EventDraws(self.source, self.joint_codes, feature)
        batch_size = max(1, MAX_EVENTS_DRAWN // len(draws.n_events))
        sums = []
        for first in range(0, len(seeds), batch_size):
            events = draws.events(seeds[first : first + batch_size])
            sums.append(self._sums_of_draws(events, draws))
        return self.event_bits.bits(np.concatenate(sums) - self._sum_of_parts)

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
        terms = self.event_bits.terms_of_cells(cells)
        sums = np.zeros(len(events), np.int64)
        np.add.at(sums, draw, terms[index_of_distinct.reshape(-1)])
        return sums

    @cached_property
    def _risk_sets(self) -> RiskSets:
        """The risk sets within strata and parts."""
        return self.source.samples_at_risk.within(self.joint_codes.part)

    def _log_rank_test(self, feature: int) -> LogRankTest:
        """The test of a feature within the parts; cached."""
        if feature not in self._tests:
            codes = self.source.codes(feature).astype(np.int64)
            self._tests[feature] = log_rank_test(self._risk_sets, codes)
        return self._tests[feature]


class CorrectedSurvivalConditional(SurvivalConditional):
    """The corrected information about a time to an event conditional on a set Z of features."""

    def __init__(
        self, source: SurvivalSource, event_bits: EventBits, partition: JointCodes, expected_shares: ExpectedShares
    ) -> None:
        super().__init__(source, event_bits, partition)
        self.expected_shares = expected_shares

    def refine(self, feature: int) -> CorrectedSurvivalConditional:
        partition = self.joint_codes.refine(feature)
        return CorrectedSurvivalConditional(self.source, self.event_bits, partition, self.expected_shares)

    @cached_property
    def _chance(self) -> Floats:
        """The mean of I(Xi;dN|Z) under chance, for every Xi."""
        events = self.source.events_of_parts(self.joint_codes.part, self.joint_codes.n_parts)
        return self.event_bits.bits(self.expected_shares.chance_sums(events))

    def conditional_relevance(self, columns: Columns | None = None) -> Floats:
        chance = self._chance if columns is None else self._chance[columns]
        return super().conditional_relevance(columns) - chance
