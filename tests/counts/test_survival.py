"""Counts of events and of expected events against sums over the rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bitsieve.counts.risk_sets import RiskSets
from bitsieve.counts.survival import EventCells, SurvivalSource, survival, with_intervals_added_up


def random_source(seed: int, *, n: int = 300, weighted: bool = False, n_intervals: int = 1) -> SurvivalSource:
    random = np.random.default_rng(seed)
    codes = np.column_stack([random.integers(0, arity, n) for arity in (2, 3, 5, 90, 1)])
    risk_sets = RiskSets.of_rows(
        random.integers(1, 40, n).astype(float),
        random.random(n) < 0.5,
        weight=random.integers(1, 4, n) if weighted else None,
        n_intervals=n_intervals,
    )
    return SurvivalSource(codes, risk_sets)


def cells_by_definition(source: SurvivalSource, first: np.ndarray, column: int, table: int) -> set[tuple[int, ...]]:
    """Table, interval, events and scaled expected events of every pair of codes that has events."""
    cells = set()
    code = source.codes(column)
    for interval in range(source.risk_sets.n_intervals):
        for a in np.unique(first):
            for b in np.unique(code):
                rows = (first == a) & (code == b)
                events = int((source.sample_classes[rows] == interval + 1).sum())
                if events:
                    cells.add((table, interval, events, int(source.scaled_expected[rows, interval].sum())))
    return cells


def as_set(cells: EventCells) -> set[tuple[int, ...]]:
    return set(zip(*(array.tolist() for array in cells), strict=True))


@pytest.mark.each_value
@pytest.mark.parametrize("n_intervals", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("pivot", [None, 1, 3])
def test_cells_by_definition(pivot: int | None, weighted: bool, n_intervals: int) -> None:
    source = random_source(0, weighted=weighted, n_intervals=n_intervals)
    first = np.zeros(source.n_samples, np.int64) if pivot is None else source.codes(pivot).astype(np.int64)
    columns = np.array([0, 2, 3, 4])
    expected = set[tuple[int, ...]]()
    for table, column in enumerate(columns.tolist()):
        expected |= cells_by_definition(source, first, column, table)
    assert as_set(source.pair_cells(pivot, columns)) == expected
    assert as_set(source.part_cells(first, columns)) == expected


def test_expected_events_of_columns_add_up() -> None:
    source = random_source(1, n_intervals=2)
    starts, scaled_expected = source.scaled_expected_margins()
    for feature in range(source.n_features):
        of_feature = scaled_expected[starts[feature] : starts[feature + 1]]
        assert (of_feature.sum(axis=0) == source.scaled_expected_by_interval).all()


def test_joined_columns_and_copies_keep_the_times() -> None:
    source = random_source(2, weighted=True)
    joined = source.joined([np.array([0, 1])])
    pair = source.pair_cells(0, np.array([1]))
    assert as_set(joined.pair_cells(None, np.array([0]))) == as_set(pair)
    copy = source.copy_of_columns(np.array([2]))
    assert copy is not None
    assert as_set(copy.pair_cells(None, np.array([0]))) == as_set(source.pair_cells(None, np.array([2])))
    again = pickle.loads(pickle.dumps(source))
    assert as_set(again.pair_cells(0, np.array([1]))) == as_set(pair)


def test_intervals_added_up() -> None:
    source = random_source(3, n_intervals=3)
    (table,) = source.tables(None, np.array([2]), True)
    added = with_intervals_added_up(table).dense()[0]
    assert (added[:, 1] == table.dense()[0][:, 1:].sum(axis=1)).all()
    assert survival(source) is source
