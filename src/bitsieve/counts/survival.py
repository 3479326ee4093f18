"""Counts of columns, their events and their expected events: what the information about a time to an event is made of.

The class of a row is 0 where it is censored, else the number of the interval of its event. The events that a row is
expected to have in an interval are scaled to an integer (see :mod:`bitsieve.counts.risk_sets`). So both numbers of a
cell are sums of integer weights over its rows: no row is ever repeated for the times at which it is at risk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitsieve.counts.checks import check_joint_values
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.source import SMALL_COPY_BYTES, CountSource, JointCodes, class_order, refined
from bitsieve.counts.tables import DENSE_CELLS, ContingencyTable, column_blocks
from bitsieve.counts.weighted import WeightedSums, WeightedTables
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.lazy import cached_property

SECONDS_PER_WEIGHT = 3e-11  # time to add the weight of a row to one of two codes, on one thread
INTEGER_BITS = 63  # bits of a sum, without its sign
HALF_BITS = 17  # scaled events are summed in two halves, each of which a float64 holds exactly for 2**31 samples
HALF = 1 << HALF_BITS


class EventCells(NamedTuple):
    """The cells of several tables that have events."""

    table: Columns  # the index of each cell's table
    interval: Columns  # the interval of the events of the cell
    events: Integers  # events observed in the cell, at least 1
    scaled_expected: Integers  # the events that the rows of the cell are expected to have, scaled


class EventWeights:
    """What every row adds to its cells in one interval: its events, and the events that it is expected to have.

    Where the sums of both fit into one integer, they are added up as one: the events in the bits above the expected
    events.

    Parameters
    ----------
    tables : WeightedTables
    events, scaled_expected : ndarray of int, shape (n_rows,)
    """

    def __init__(self, tables: WeightedTables, events: Integers, scaled_expected: Integers) -> None:
        self.n_expected_bits = int(scaled_expected.sum()).bit_length()
        fits_one_integer = self.n_expected_bits + int(events.sum()).bit_length() <= INTEGER_BITS
        weights = [scaled_expected, events]
        if fits_one_integer:
            weights = [(events << self.n_expected_bits) + scaled_expected]
        self.sums = [WeightedSums(tables, weight.astype(np.uint64)) for weight in weights]

    def cells(self, pivot: int | None, columns: Columns) -> tuple[Integers, Integers]:
        """The events and the scaled expected events of all cells of the tables of the pivot with ``columns``."""
        sums = [sums_of_weight.cells(pivot, columns) for sums_of_weight in self.sums]
        if len(sums) == 1:
            return sums[0] >> self.n_expected_bits, sums[0] & ((1 << self.n_expected_bits) - 1)
        scaled_expected, events = sums
        return events, scaled_expected


class SurvivalSource(PackedSource):
    """Counts of codes with times to an event, for rows in memory.

    Parameters
    ----------
    codes : array of int, shape (n_rows, n_features)
    risk_sets : RiskSets
        The risk sets of the same rows, with their frequency weights.
    arities, n_jobs
        As of :class:`~bitsieve.counts.packed.PackedSource`.
    """

    capabilities = PackedSource.capabilities | {"survival"}

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
        scaled_expected = risk_sets.scaled_expected_events()
        is_weighted = bool((risk_sets.weight != 1).any())
        weights = risk_sets.weight if is_weighted else None
        super().__init__(table, classes, n_classes=n_classes, weights=weights, arities=arities, n_jobs=n_jobs)
        order, _ = class_order(classes, weights, n_classes)
        self.risk_sets = risk_sets
        self.row_of_sample = order.astype(np.intp)
        self.scaled_expected = scaled_expected[self.row_of_sample]  # of every sample, shape (n_samples, n_intervals)
        self.n_events_by_interval = self.class_sizes[1:]
        self.n_events = int(self.n_events_by_interval.sum())
        self.scaled_expected_by_interval = self.scaled_expected.sum(axis=0)
        tables = WeightedTables(table, self.arities, n_jobs)
        self._weights_by_interval = []
        for interval in range(risk_sets.n_intervals):
            is_event = classes == interval + 1
            events = np.where(is_event, risk_sets.weight, 0)
            expected = scaled_expected[:, interval] * risk_sets.weight
            self._weights_by_interval.append(EventWeights(tables, events, expected))
        n_weights_per_row = sum(len(weights.sums) for weights in self._weights_by_interval)
        n_weights = len(classes) * n_weights_per_row
        n_codes_compared = float(np.maximum(self.arities - 1, 1).sum())
        #: Predicted seconds of :meth:`pair_cells` of one column with all columns.
        self.pair_cells_seconds = self.row_seconds + SECONDS_PER_WEIGHT * n_weights * n_codes_compared

    @cached_property
    def samples_at_risk(self) -> RiskSets:
        """The risk sets of the samples, in their order."""
        return self.risk_sets.take(self.row_of_sample)

    def pair_cells(self, pivot: int | None, columns: Columns) -> EventCells:
        """The cells with events of the tables of the pivot with each of ``columns``.

        Without a pivot the tables are those of the columns alone.
        """
        n_first = 1 if pivot is None else int(self.arities[pivot])
        is_dense = self.arities[columns].astype(np.int64) * n_first <= DENSE_CELLS
        batches = [self._cells_of_dense_tables(pivot, n_first, columns[is_dense], np.flatnonzero(is_dense))]
        if not is_dense.all():
            first = np.zeros(self.n_samples, np.int64) if pivot is None else self.codes(pivot).astype(np.int64)
            for table in np.flatnonzero(~is_dense).tolist():
                batches.append(self._listed_cells(self._cell_of_sample(first, int(columns[table])), table))
        return _joined(batches)

    def _cells_of_dense_tables(self, pivot: int | None, n_first: int, columns: Columns, table: Columns) -> EventCells:
        """The cells with events of tables of which all cells are counted; ``table`` is the index of each of them."""
        batches = []
        for block in column_blocks(n_first, self.arities[columns], 1, self.n_samples):
            in_block = columns[block]
            table_of_cell = np.repeat(table[block], self.arities[in_block].astype(np.int64) * n_first)
            for interval, weights in enumerate(self._weights_by_interval):
                events, scaled_expected = weights.cells(pivot, in_block)
                table_of_listed = table_of_cell
                if not events.all():
                    has_events = np.flatnonzero(events)
                    table_of_listed = table_of_cell[has_events]
                    events = events[has_events]
                    scaled_expected = scaled_expected[has_events]
                batches.append(
                    EventCells(
                        table=table_of_listed,
                        interval=np.full(len(events), interval, np.intp),
                        events=events,
                        scaled_expected=scaled_expected,
                    )
                )
        return _joined(batches)

    def part_cells(self, part: Integers, columns: Columns | None) -> EventCells:
        """The cells with events of the tables of the parts with each of ``columns``.

        ``part`` is the part of every sample. Without columns there is one table, that of the parts alone.
        """
        if columns is None:
            return self._listed_cells(part, 0)
        tables = enumerate(columns.tolist())
        return _joined([self._listed_cells(self._cell_of_sample(part, column), table) for table, column in tables])

    def _cell_of_sample(self, first: Integers, column: int) -> Integers:
        """The cell of every sample in the table of a first variable and a column; ``first`` is its code."""
        return np.asarray(first * int(self.arities[column]) + self.codes(column))

    def _listed_cells(self, cell_of_sample: Integers, table: int) -> EventCells:
        """The cells with events of a table that has too many cells to count the empty ones.

        ``table`` is the index of the table.
        """
        batches = []
        for interval in range(self.risk_sets.n_intervals):
            is_event = self.sample_classes == interval + 1
            cells, events = np.unique(cell_of_sample[is_event], return_counts=True)
            index = np.searchsorted(cells, cell_of_sample)
            index[index == len(cells)] = 0
            is_listed = cells[index] == cell_of_sample
            scaled_expected = exact_sums(index[is_listed], self.scaled_expected[is_listed, interval], len(cells))
            batches.append(
                EventCells(
                    table=np.full(len(cells), table, np.intp),
                    interval=np.full(len(cells), interval, np.intp),
                    events=events,
                    scaled_expected=scaled_expected,
                )
            )
        return _joined(batches)

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

    def scaled_expected_margins(self) -> tuple[Columns, Integers]:
        """The scaled expected events of every code of every column in every interval, those of empty codes included.

        Returns
        -------
        starts : ndarray of int, shape (n_features + 1,)
            Where the codes of each column start.
        scaled_expected : ndarray of int, shape (n_codes, n_intervals)
        """
        starts = np.zeros(self.n_features + 1, np.intp)
        starts[1:] = np.cumsum(self.arities)
        scaled_expected = np.zeros((int(starts[-1]), self.risk_sets.n_intervals), np.int64)
        for interval, weights in enumerate(self._weights_by_interval):
            _, scaled_expected[:, interval] = weights.cells(None, np.arange(self.n_features))
        return starts, scaled_expected

    def copy_of_columns(self, columns: Columns, max_bytes: int = SMALL_COPY_BYTES) -> SurvivalSource | None:
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


def exact_sums(index: Columns, scaled_expected: Integers, n_sums: int) -> Integers:
    """The sums of the scaled expected events of each index, exact for any number of samples."""
    low = np.bincount(index, scaled_expected & (HALF - 1), n_sums)
    high = np.bincount(index, scaled_expected >> HALF_BITS, n_sums)
    return low.astype(np.int64) + (high.astype(np.int64) << HALF_BITS)


def _joined(batches: Sequence[EventCells]) -> EventCells:
    """The cells of all batches, one after the other."""
    if len(batches) == 1:
        return batches[0]
    if not batches:
        empty = np.zeros(0, np.int64)
        return EventCells(empty, empty, empty, empty)
    return EventCells(*[np.concatenate(arrays) for arrays in zip(*batches, strict=True)])
