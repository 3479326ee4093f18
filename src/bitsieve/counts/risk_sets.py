"""Times to an event that may be censored: the sets of rows at risk, and how many events each row is expected to have.

At every distinct event time t of a stratum the risk set are its rows with ``entry < t <= time``. With d events among
the r rows at risk, every one of these expects d / r events: the increments of Nelson and Aalen. Events of one time
share one risk set (Breslow). The expected events of all rows add up to the observed ones, and those of the rows of one
code are E of the log-rank test.

O. O. Aalen, "Nonparametric inference for a family of counting processes", Annals of Statistics 6, 1978, pp. 701-726.
N. E. Breslow, "Covariance analysis of censored survival data", Biometrics 30, 1974, pp. 89-99.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log2

import numpy as np

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers

MIN_EVENTS_OF_INTERVAL = 20
MAX_EXPECTED_UNITS = 1 << 32  # the expected events of a row are an integer of at most so many units


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
        key_of_time, key_of_entry = self._keys()
        event_keys, n_events = self.events_by_key()
        n_at_risk = self.n_at_risk(event_keys)
        interval_of_key = self.interval_of_key(event_keys)
        increments = n_events / n_at_risk
        n_keys_up_to_entry = np.searchsorted(event_keys, key_of_entry, side="right")
        n_keys_up_to_time = np.searchsorted(event_keys, key_of_time, side="right")
        expected = np.empty((len(self.time_rank), self.n_intervals))
        for interval in range(self.n_intervals):
            hazard = np.zeros(len(event_keys) + 1)
            hazard[1:] = np.cumsum(np.where(interval_of_key == interval, increments, 0.0))
            expected[:, interval] = hazard[n_keys_up_to_time] - hazard[n_keys_up_to_entry]
        return expected

    def expected_units(self) -> Integers:
        """The expected events of :meth:`expected_events` as integers of one unit.

        The unit is the smallest power of two with which none of them is above 2**32. A row with an event expects at
        least one unit in the interval of its event.
        """
        expected = self.expected_events()
        largest = float(expected.max())
        exponent = floor(log2(MAX_EXPECTED_UNITS / largest))
        if np.rint(np.ldexp(largest, exponent)) > MAX_EXPECTED_UNITS:
            exponent -= 1
        units = np.rint(np.ldexp(expected, exponent)).astype(np.int64)
        rows = np.flatnonzero(self.event)
        interval = self.event_class()[rows] - 1
        units[rows, interval] = np.maximum(units[rows, interval], 1)
        return units

    def events_by_key(self) -> tuple[Integers, Integers]:
        """The keys of the times of events within strata, ascending, and the number of events at each."""
        key_of_time, _ = self._keys()
        return _sums_by_key(key_of_time[self.event], self.weight[self.event])

    def n_at_risk(self, keys: Integers, rows: Flags | slice = slice(None)) -> Integers:
        """How many of ``rows`` are at risk at each of ``keys``, which number strata and times as :meth:`_keys` does."""
        key_of_time, key_of_entry = self._keys()
        weights = self.weight[rows]
        n_entered = _weight_below(key_of_entry[rows], weights, keys)
        n_left = _weight_below(key_of_time[rows], weights, keys)
        return n_entered - n_left

    def interval_of_key(self, keys: Integers) -> Integers:
        """The interval of the time of each key, from 0 on."""
        return np.searchsorted(self.interval_cuts, keys % self._n_ranks, side="left")

    def stratum_of_key(self, keys: Integers) -> Integers:
        """The stratum of each key."""
        return keys // self._n_ranks

    @property
    def _n_ranks(self) -> int:
        return int(max(self.time_rank.max(), self.entry_rank.max())) + 1

    def _keys(self) -> tuple[Integers, Integers]:
        """Numbers that are sorted by stratum and then by time: those of the times, and those of the entries."""
        first_key_of_stratum = self.stratum * self._n_ranks
        return first_key_of_stratum + self.time_rank, first_key_of_stratum + self.entry_rank


def _interval_cuts(event_ranks: Integers, weights: Integers, n_intervals: int) -> Integers:
    """The ranks of the event times at which intervals end, so that each has about as many events.

    The cut j of J is the order statistic number ``j D / J`` of the D event times, rounded, half up. An event at a cut
    belongs to the interval before it.
    """
    n_events = int(weights.sum())
    if n_intervals > 1 and n_events < MIN_EVENTS_OF_INTERVAL * n_intervals:
        most_intervals = max(1, n_events // MIN_EVENTS_OF_INTERVAL)
        raise ParameterError(
            "n_intervals",
            n_intervals,
            f"give at most {most_intervals}",
            f"needs {MIN_EVENTS_OF_INTERVAL} events in each interval, and there are {n_events:,} events",
        )
    distinct, n_events_of_rank = _sums_by_key(event_ranks, weights)
    n_events_up_to_rank = np.cumsum(n_events_of_rank)
    order = (2 * np.arange(1, n_intervals) * n_events + n_intervals) // (2 * n_intervals)
    cuts = distinct[np.searchsorted(n_events_up_to_rank, order, side="left")]
    return np.unique(cuts[cuts < distinct[-1]])


def _sums_by_key(keys: Integers, weights: Integers) -> tuple[Integers, Integers]:
    """The distinct keys, ascending, and the sum of the weights of each."""
    distinct, index = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, index.reshape(-1), weights)
    return distinct, sums


def _weight_below(values: Integers, weights: Integers, keys: Integers) -> Integers:
    """The sum of the weights of the values that are below each key."""
    order = np.argsort(values, kind="stable")
    weight_up_to = np.zeros(len(values) + 1, np.int64)
    weight_up_to[1:] = np.cumsum(weights[order])
    return weight_up_to[np.searchsorted(values[order], keys, side="left")]
