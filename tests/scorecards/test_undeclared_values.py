"""Numbers that may be no measurements are noticed, also in skewed columns; ordinary ones are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bitsieve import MonotoneBinner
from bitsieve.dataset.read import read_xy
from bitsieve.scorecards.undeclared_values import notes_on_undeclared_values, undeclared_values

N = 2000


def skewed():
    return np.exp(np.random.default_rng(0).normal(8, 0.8, N)).round()


def with_value(numbers, value, n_rows):
    return np.append(numbers[: len(numbers) - n_rows], np.full(n_rows, float(value)))


def values_of(numbers, row_counts=None):
    counts = np.ones(len(numbers), np.int64) if row_counts is None else row_counts
    return [sentinel.value for sentinel in undeclared_values(numbers, counts, int(counts.sum()))]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (with_value(skewed(), -999, 2), [-999]),  # the only negative numbers
        (with_value(skewed(), -999, 1), []),
        (with_value(skewed() / 100, 123_456, 30), [123_456]),
        (with_value(skewed() / 100, 123_456, 20), []),  # 1 % of the rows
        (with_value(np.random.default_rng(1).normal(size=N), -8, 60), [-8]),
        (with_value(np.random.default_rng(1).normal(size=N), -5, 60), []),  # 3 interquartile ranges below
        (with_value(1500 + np.arange(N) % 300, 0, 1200), []),  # most rows have no debt
        (with_value(1500 + np.arange(N) % 300, 0, 900), [0]),
        (skewed(), []),
        (np.zeros(N), []),
        (np.repeat([0.0, 1.0], [N // 10, N]), []),
        (np.empty(0), []),
    ],
)
def test_numbers_that_may_be_no_measurements(numbers, expected):
    assert values_of(numbers) == expected


def test_weights_are_repeated_rows():
    numbers, counts = np.unique(with_value(skewed(), 10**6, 50), return_counts=True)
    assert values_of(numbers, counts) == values_of(np.repeat(numbers, counts)) == [10**6]
    assert values_of(numbers) == []


def test_columns_of_numbers_behind_categories_and_dates_are_looked_at():
    rows = np.arange(200)
    income = np.where(rows % 10 == 3, -999, 1000 + rows)
    X = pd.DataFrame(
        {
            "city": np.array(["Bern", "Oslo"])[rows % 2],
            "income": income,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rows % 50, unit="D"),
            "debt": income,
        }
    )
    table = read_xy(X, rows % 2)
    for special_values, names in ((None, ["income", "debt"]), ({"income": [-999]}, ["debt"])):
        binner = MonotoneBinner(special_values=special_values).fit_table(table)
        notes = notes_on_undeclared_values(table, binner.column_bins_)
        assert [note.columns for note in notes] == [[name] for name in names]
