"""Tables of weights against sums over the rows."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE, available_kernels
from bitsieve.counts.weighted import WeightedSums, WeightedTables

ARITIES = (2, 3, 1, 10, 11, 70, 4)


def sums_over_rows(codes: np.ndarray, weights: np.ndarray, pivot: int | None, columns: np.ndarray) -> np.ndarray:
    first = np.zeros(len(codes), np.int64) if pivot is None else codes[:, pivot]
    n_first = 1 if pivot is None else ARITIES[pivot]
    tables = []
    for column in columns.tolist():
        table = np.zeros((n_first, ARITIES[column]), np.int64)
        np.add.at(table, (first, codes[:, column]), weights)
        tables.append(table.reshape(-1))
    return np.concatenate(tables)


@pytest.mark.parametrize("kernel", available_kernels())
@pytest.mark.parametrize("pivot", [None, 0, 3, 5])
def test_tables_by_definition(pivot: int | None, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
    random = np.random.default_rng(0)
    n_rows = 5000  # more than one chunk of the kernel
    codes = np.column_stack([random.integers(0, arity, n_rows) for arity in ARITIES])
    tables = WeightedTables(codes, np.array(ARITIES, np.int32))
    weights = random.integers(0, 1 << 50, n_rows) * (random.random(n_rows) < 0.8)
    columns = np.array([6, 0, 5, 2, 3, 4, 1])
    expected = sums_over_rows(codes, weights, pivot, columns)
    assert (tables.cells(weights.astype(np.uint64), pivot, columns) == expected).all()
    assert (WeightedSums(tables, weights.astype(np.uint64)).cells(pivot, columns) == expected).all()


def test_no_rows_of_weight() -> None:
    codes = np.array([[0, 1], [1, 0], [1, 1]])
    tables = WeightedTables(codes, np.array([2, 2], np.int32))
    assert not tables.cells(np.zeros(3, np.uint64), 0, np.array([1])).any()
