"""Counts of columns, their events and their expected events: what the information about a time to an event is made of.

The class of a row is 0 where it is censored, else the number of the interval of its event. The events that are expected
in a cell are sums of integers, one a row. Their digits are counted as classes are: with n_d the rows of a cell whose
digit is d, the digit adds ``sum over d of d n_d`` times its power. So no row is ever repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.counts.packed import PackedSource, dense_cells
from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.source import FEW_BYTES, CountSource, JointCodes, check_joint_values, class_order, refined
from bitsieve.counts.tables import DENSE_CELLS, ContingencyTable, column_blocks
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property

DIGIT_BITS = 4
N_DIGITS = 1 << DIGIT_BITS
DIGITS = np.arange(N_DIGITS, dtype=np.float64)
SECONDS_PER_CELL = 12e-9  # time to count and add up a cell of a digit, measured with columns of four codes
HALF_BITS = 17  # expected units are summed in two halves, each of which a float64 holds exactly for 2**31 samples
HALF = 1 << HALF_BITS


class EventCells(NamedTuple):
    """The cells of several tables that have events."""

    table: Columns  # the index of each cell's table
    interval: Columns  # the interval of the events of the cell
    events: Integers  # observed in the cell, at least 1
    expected_units: Integers  # the events that the rows of the cell are expected to have, in units


class SurvivalSource(PackedSource):
    """Counts of codes with times to an event, for rows in memory.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_features)
    risk_sets : RiskSets
        Of the same rows; their weights are the times that each row counts.
    arities, n_jobs
        As of :class:`~bitsieve.counts.packed.PackedSource`.
    """

    capabilities: ClassVar[frozenset[str]] = PackedSource.capabilities | {"survival"}

    def __init__(
        self,
        codes: ArrayLike,
        risk_sets: RiskSets,
        *,
        arities: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        table = np.asarray(codes)
        classes = risk_sets.event_class()
        n_classes = risk_sets.n_intervals + 1
        units = risk_sets.expected_units()
        is_weighted = bool((risk_sets.weight != 1).any())
        weights = risk_sets.weight if is_weighted else None
        super().__init__(table, classes, n_classes=n_classes, weights=weights, arities=arities, n_jobs=n_jobs)
        order, _ = class_order(classes, weights, n_classes)
        self.risk_sets = risk_sets
        self.row_of_sample = order.astype(np.intp)
        self.units = units[self.row_of_sample]  # shape (n_samples, n_intervals): the expected events of every sample
        self.n_events_by_interval = self.class_sizes[1:]
        self.n_events = int(self.n_events_by_interval.sum())
        self.units_by_interval = self.units.sum(axis=0)
        self._digits: list[list[PackedSource]] = []  # by interval and power
        for interval in range(risk_sets.n_intervals):
            self._digits.append(self._count_digits(table, units[:, interval], weights))
        n_tables = 1 + sum(len(digits) for digits in self._digits)
        n_cells = N_DIGITS * float(self.arities.sum()) * float(self.arities.mean())
        #: About the seconds of :meth:`pair_cells` of one column with all columns.
        self.pair_cells_seconds = n_tables * (self.row_seconds + SECONDS_PER_CELL * n_cells)

    def _count_digits(self, codes: NDArray[Any], units: Integers, weights: Integers | None) -> list[PackedSource]:
        """A source for each digit of the expected units, from the lowest power on. Its classes are the digits."""
        sources = []
        remaining = units
        while remaining.any():
            digit = remaining & (N_DIGITS - 1)
            source = PackedSource(
                codes, digit, n_classes=N_DIGITS, weights=weights, arities=self.arities, n_jobs=self.n_jobs
            )
            sources.append(source)
            remaining = remaining >> DIGIT_BITS
        return sources

    @cached_property
    def samples_at_risk(self) -> RiskSets:
        """The risk sets of the samples, in their order."""
        return self.risk_sets.take(self.row_of_sample)

    def pair_cells(self, pivot: int | None, columns: Columns) -> EventCells:
        """The cells with events of the tables of the pivot (None: no pivot) with each of ``columns``."""
        n_first = 1 if pivot is None else int(self.arities[pivot])
        n_cells = self.arities[columns].astype(np.int64) * n_first
        is_small = n_cells * max(N_DIGITS, self.n_classes) <= DENSE_CELLS
        parts = [self._small_pair_cells(pivot, columns[is_small], np.flatnonzero(is_small), n_first)]
        for index in np.flatnonzero(~is_small).tolist():
            first = np.zeros(self.n_samples, np.int64) if pivot is None else self.codes(pivot).astype(np.int64)
            parts.append(self._cells_of_samples(first, int(columns[index]), index))
        return _joined(parts)

    def _small_pair_cells(self, pivot: int | None, columns: Columns, table: Columns, n_first: int) -> EventCells:
        """The cells with events of tables that list all cells; ``table`` are the indices of these tables."""
        parts = []
        for block in column_blocks(n_first, self.arities[columns], max(N_DIGITS, self.n_classes), self.n_samples):
            in_block = columns[block]
            n_codes = self.arities[in_block].astype(np.int64)
            table_of_cell = np.repeat(table[block], n_codes * n_first)
            events = dense_cells(self.packed, pivot, in_block, n_first, n_codes, self.n_classes)
            events = events.reshape(-1, self.n_classes)
            for interval, digits in enumerate(self._digits):
                units = _units_of_cells(digits, pivot, in_block, n_first, n_codes)
                events_of_interval = events[:, interval + 1]
                has_events = np.flatnonzero(events_of_interval)
                parts.append(
                    EventCells(
                        table=table_of_cell[has_events],
                        interval=np.full(len(has_events), interval, np.intp),
                        events=events_of_interval[has_events],
                        expected_units=units[has_events],
                    )
                )
        return _joined(parts)

    def part_cells(self, part: Integers, columns: Columns | None) -> EventCells:
        """The cells with events of the tables of the parts with each of ``columns``; None: of the parts alone.

        ``part`` is the part of every sample.
        """
        if columns is None:
            return self._cells_of_samples(part, None, 0)
        return _joined([self._cells_of_samples(part, column, index) for index, column in enumerate(columns.tolist())])

    def _cells_of_samples(self, first: Integers, column: int | None, table: int) -> EventCells:
        """The cells with events of the table of a first variable and a column, from the codes of every sample."""
        cell = first
        if column is not None:
            cell = first * int(self.arities[column]) + self.codes(column)
        parts = []
        for interval in range(self.risk_sets.n_intervals):
            is_event = self.sample_classes == interval + 1
            cells, events = np.unique(cell[is_event], return_counts=True)
            index = np.searchsorted(cells, cell)
            index[index == len(cells)] = 0
            is_listed = cells[index] == cell
            units = exact_sums(index[is_listed], self.units[is_listed, interval], len(cells))
            parts.append(
                EventCells(
                    table=np.full(len(cells), table, np.intp),
                    interval=np.full(len(cells), interval, np.intp),
                    events=events,
                    expected_units=units,
                )
            )
        return _joined(parts)

    def events_of_codes(self, feature: int) -> Integers:
        """The events of every code of a feature in every interval, shape (n_codes, n_intervals)."""
        return self.events_of_parts(self.codes(feature), int(self.arities[feature]))

    def events_of_parts(self, part: NDArray[np.integer], n_parts: int) -> Integers:
        """The events of every part in every interval, shape (n_parts, n_intervals); ``part`` is that of each sample."""
        events = np.zeros((n_parts, self.risk_sets.n_intervals), np.int64)
        for interval in range(self.risk_sets.n_intervals):
            is_event = self.sample_classes == interval + 1
            events[:, interval] = np.bincount(part[is_event], minlength=n_parts)
        return events

    def unit_margins(self) -> tuple[Columns, Integers]:
        """The expected units of every code of every column in every interval, those of empty codes included.

        Returns
        -------
        starts : ndarray of int, shape (n_features + 1,)
            Where the codes of each column start.
        units : ndarray of int, shape (n_codes, n_intervals)
        """
        starts = np.zeros(self.n_features + 1, np.intp)
        starts[1:] = np.cumsum(self.arities)
        units = np.zeros((int(starts[-1]), self.risk_sets.n_intervals), np.int64)
        for block in column_blocks(1, self.arities, N_DIGITS, self.n_samples):
            columns = np.arange(self.n_features)[block]
            codes = slice(starts[columns[0]], starts[columns[-1] + 1])
            n_codes = self.arities[columns].astype(np.int64)
            for interval, digits in enumerate(self._digits):
                units[codes, interval] = _units_of_cells(digits, None, columns, 1, n_codes)
        return starts, units

    def copy_of_columns(self, columns: Columns, max_bytes: int = FEW_BYTES) -> SurvivalSource | None:
        is_small = self.nbytes * len(columns) <= max_bytes * self.n_features
        if not len(columns) or not is_small:
            return None
        codes = np.empty((self.n_samples, len(columns)), np.uint16, order="F")
        for index, column in enumerate(columns.tolist()):
            codes[:, index] = self.codes(column)
        return self._with_codes(codes)

    def joined(self, groups: Sequence[Columns]) -> SurvivalSource:
        codes = np.empty((self.n_samples, len(groups)), np.uint16, order="F")
        for index, group in enumerate(groups):
            joint = refined(JointCodes(self), group)
            check_joint_values(group, len(joint.keys))
            codes[:, index] = joint.part
        return self._with_codes(codes)

    def _with_codes(self, codes: NDArray[np.uint16]) -> SurvivalSource:
        """A source of the same samples, with other columns."""
        return SurvivalSource(codes, self.samples_at_risk, n_jobs=self.n_jobs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the codes of the samples and their risk sets."""
        codes = np.column_stack([self.codes(feature) for feature in range(self.n_features)])
        return SurvivalSource, (codes, self.samples_at_risk)


def with_intervals_added_up(table: ContingencyTable) -> ContingencyTable:
    """The table of a first variable, a column and two classes: censored rows, and rows with an event."""
    n_first, n_codes, n_classes = table.shape
    cells, counts = table.occupied()
    cell, label = np.divmod(cells, n_classes)
    return ContingencyTable.of_cells((n_first, n_codes, 2), 2 * cell + (label > 0), counts)


def survival(source: CountSource) -> SurvivalSource | None:
    """The source as a :class:`SurvivalSource`; None if it is none."""
    return cast("SurvivalSource", source) if "survival" in source.capabilities else None


def exact_sums(index: Columns, units: Integers, n_sums: int) -> Integers:
    """The sums of the units of each index, exact for any number of samples."""
    low = np.bincount(index, units & (HALF - 1), n_sums)
    high = np.bincount(index, units >> HALF_BITS, n_sums)
    return low.astype(np.int64) + (high.astype(np.int64) << HALF_BITS)


def _units_of_cells(
    digits: Sequence[PackedSource], pivot: int | None, columns: Columns, n_first: int, n_codes: Integers
) -> Integers:
    """The expected units of all cells of the tables of :func:`dense_cells`.

    ``digits`` has the source of each digit of the units, from the lowest power on.
    """
    units = np.zeros(int(n_codes.sum()) * n_first, np.int64)
    for power, source in enumerate(digits):
        n_rows_of_digit = dense_cells(source.packed, pivot, columns, n_first, n_codes, N_DIGITS)
        sums = n_rows_of_digit.reshape(-1, N_DIGITS).astype(np.float64) @ DIGITS  # exact: they are below 2**35
        units += sums.astype(np.int64) << (DIGIT_BITS * power)
    return units


def _joined(parts: Sequence[EventCells]) -> EventCells:
    """The cells of all parts."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return EventCells(nothing, nothing, nothing, nothing)
    return EventCells(*[np.concatenate(arrays) for arrays in zip(*parts, strict=True)])
