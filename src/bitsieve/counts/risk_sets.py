"""Times to an event that may be censored: the sets of rows at risk, and how many events each row is expected to have.

At every distinct event time t of a stratum its rows with ``entry < t <= time`` are at risk. With d events among
the r rows at risk, every one of these expects d / r events: the increments of Nelson and Aalen. Events of one time
share one risk set (Breslow). The expected events of all rows add up to the observed ones, and those of the rows of one
code are E of the log-rank test.

O. O. Aalen, "Nonparametric inference for a family of counting processes", Annals of Statistics 6, 1978, pp. 701-726.
N. E. Breslow, "Covariance analysis of censored survival data", Biometrics 30, 1974, pp. 89-99.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log2
from typing import NamedTuple

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers
from bitsieve.utils.lazy import cached_property

MIN_EVENTS_OF_INTERVAL = 20
MAX_SCALED_EXPECTED = 1 << 32  # the expected events of a row, scaled and rounded to an integer, are at most this


class EventTimes(NamedTuple):
    """The distinct times of events within strata, by stratum and then by time."""

    n_events: Integers  # shape (n_times,)
    interval: Integers  # shape (n_times,), from 0 on
    stratum: Integers  # shape (n_times,)
    start: Integers  # shape (n_rows,): the first of these times at which each row is at risk
    end: Integers  # shape (n_rows,): the first after those at which it is


@dataclass(frozen=True, eq=False)
class RiskSets:
    """When the rows were at risk, and whether and when each had its event.

    Ranks number the distinct times and entries of all rows, from 1 on; an entry of 0 is before all of them.
    """

    time_rank: Integers  # shape (n_rows,)
    event: Flags  # shape (n_rows,): False for a row that is censored at its time
    entry_rank: Integers  # shape (n_rows,): the row is at risk after its entry
    stratum: Integers  # shape (n_rows,), from 0 on: risk sets are within strata
    weight: Integers  # shape (n_rows,): how many times each row counts
    interval_cuts: Integers  # ranks of times: where one interval of time ends and the next begins

    @classmethod
    def of_rows(
        cls,
        time: Floats,
        event: Flags,
        *,
        entry: Floats | None = None,
        stratum: Integers | None = None,
        weight: Integers | None = None,
        n_intervals: int = 1,
    ) -> RiskSets:
        """The risk sets of rows, with ``n_intervals`` intervals that have about as many events each.

        Raises UserError if there is no event, and ParameterError if an interval would have fewer than 20 events.
        """
        n_rows = len(time)
        n_rows_with_event = int(event.sum())
        if not n_rows_with_event:
            raise UserError(
                code="no-events",
                message=f"none of the {n_rows:,} rows has an event",
                advice="give the column that is 1 where the event happened, and 0 where the row is censored",
            )
        weights = np.ones(n_rows, np.int64) if weight is None else weight
        entries = np.full(n_rows, -np.inf) if entry is None else entry
        _, ranks = np.unique(np.concatenate([time, entries]), return_inverse=True)
        ranks = ranks.reshape(-1).astype(np.int64) + 1
        if entry is None:
            ranks -= 1  # the entries, which all are before the first time, have rank 0
        return cls(
            time_rank=ranks[:n_rows],
            event=event,
            entry_rank=ranks[n_rows:],
            stratum=np.zeros(n_rows, np.int64) if stratum is None else stratum,
            weight=weights,
            interval_cuts=_interval_cuts(ranks[:n_rows][event], weights[event], n_intervals),
        )

    def take(self, rows: Columns) -> RiskSets:
        """Rows of these risk sets by their indices; each counts once. The intervals stay as they are."""
        return replace(
            self,
            time_rank=self.time_rank[rows],
            event=self.event[rows],
            entry_rank=self.entry_rank[rows],
            stratum=self.stratum[rows],
            weight=np.ones(len(rows), np.int64),
        )

    def subset(self, rows: Flags) -> RiskSets:
        """Some rows of these risk sets, with their weights."""
        return replace(
            self,
            time_rank=self.time_rank[rows],
            event=self.event[rows],
            entry_rank=self.entry_rank[rows],
            stratum=self.stratum[rows],
            weight=self.weight[rows],
        )

    def within(self, part: Integers) -> RiskSets:
        """The risk sets within strata and parts; ``part`` is the part of every row, from 0 on."""
        n_parts = int(part.max()) + 1
        return replace(self, stratum=self.stratum * n_parts + part)

    @property
    def n_intervals(self) -> int:
        """The number of intervals."""
        return len(self.interval_cuts) + 1

    @property
    def n_events(self) -> int:
        """The number of events; a row of weight w has w."""
        return int(self.weight[self.event].sum())

    def event_class(self) -> Integers:
        """0 for a censored row; for a row with an event the number of its interval, from 1 on."""
        interval = np.searchsorted(self.interval_cuts, self.time_rank, side="left")
        return np.where(self.event, interval + 1, 0)

    def expected_events(self) -> Floats:
        """How many events each row is expected to have in each interval, shape (n_rows, n_intervals)."""
        n_rows = len(self.time_rank)
        times = self.event_times
        (n_at_risk,) = self.n_at_risk(np.zeros(n_rows, np.int64))  # of all rows, as if they had one code
        increments = times.n_events / n_at_risk
        expected = np.empty((n_rows, self.n_intervals))
        for interval in range(self.n_intervals):
            hazard = np.zeros(len(increments) + 1)
            hazard[1:] = np.cumsum(np.where(times.interval == interval, increments, 0.0))
            expected[:, interval] = hazard[times.end] - hazard[times.start]
        return expected

    def scaled_expected_events(self) -> Integers:
        """The expected events of :meth:`expected_events` times one power of two, rounded to integers.

        The power is the largest with which none of them is above 2**32. For a row with an event the integer is 1 or
        more in the interval of its event.
        """
        expected = self.expected_events()
        largest = float(expected.max())
        exponent = floor(log2(MAX_SCALED_EXPECTED / largest))
        if np.rint(np.ldexp(largest, exponent)) > MAX_SCALED_EXPECTED:
            exponent -= 1
        scaled = np.rint(np.ldexp(expected, exponent)).astype(np.int64)
        rows = np.flatnonzero(self.event)
        interval = self.event_class()[rows] - 1
        scaled[rows, interval] = np.maximum(scaled[rows, interval], 1)
        return scaled

    @cached_property
    def event_times(self) -> EventTimes:
        """The distinct times of events within strata, and at which of them each row is at risk."""
        n_ranks = int(max(self.time_rank.max(), self.entry_rank.max())) + 1
        first_key_of_stratum = self.stratum * n_ranks
        key_of_time = first_key_of_stratum + self.time_rank  # sorted by stratum, and then by time
        keys, n_events = _sums_by_key(key_of_time[self.event], self.weight[self.event])
        return EventTimes(
            n_events=n_events,
            interval=np.searchsorted(self.interval_cuts, keys % n_ranks, side="left"),
            stratum=keys // n_ranks,
            start=np.searchsorted(keys, first_key_of_stratum + self.entry_rank, side="right"),
            end=np.searchsorted(keys, key_of_time, side="right"),
        )

    def n_at_risk(self, codes: Integers) -> Integers:
        """How many rows of each code are at risk at each time of an event, shape (n_codes, n_times)."""
        times = self.event_times
        n_codes = int(codes.max()) + 1
        n_times = len(times.n_events)
        size = n_codes * (n_times + 1)
        first_cell = codes * (n_times + 1)
        # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
        n_entering = np.bincount(first_cell + times.start, self.weight, size)
        n_leaving = np.bincount(first_cell + times.end, self.weight, size)
        changes = (n_entering - n_leaving).astype(np.int64).reshape(n_codes, n_times + 1)
        return np.cumsum(changes, axis=1)[:, :-1]


def _interval_cuts(event_ranks: Integers, weights: Integers, n_intervals: int) -> Integers:
    """The ranks of the event times at which intervals end, so that each has about as many events.

    The cut j of J is the order statistic number ``j D / J`` of the D event times, rounded, half up. An event at a cut
    belongs to the interval before it.
    """
    n_events = int(weights.sum())
    if n_intervals > 1 and n_events < MIN_EVENTS_OF_INTERVAL * n_intervals:
        max_intervals = max(1, n_events // MIN_EVENTS_OF_INTERVAL)
        raise ParameterError(
            "n_intervals",
            n_intervals,
            f"give at most {max_intervals}",
            f"needs {MIN_EVENTS_OF_INTERVAL} events in each interval, and there are {n_events:,} events",
        )
    distinct, n_events_of_rank = _sums_by_key(event_ranks, weights)
    n_events_up_to_rank = np.cumsum(n_events_of_rank)
    number_of_cut = np.arange(1, n_intervals)
    n_events_up_to_cut = (2 * number_of_cut * n_events + n_intervals) // (2 * n_intervals)  # j D / J, rounded
    cuts = distinct[np.searchsorted(n_events_up_to_rank, n_events_up_to_cut, side="left")]
    return np.unique(cuts[cuts < distinct[-1]])


def _sums_by_key(keys: Integers, weights: Integers) -> tuple[Integers, Integers]:
    """The distinct keys, ascending, and the sum of the weights of each."""
    distinct, index = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, index.reshape(-1), weights)
    return distinct, sums
