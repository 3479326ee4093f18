"""What pandas has beside numbers, text and categories, and parameters that are arrays: read, or refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

import bitsieve
from bitsieve.diagnostics import UserError

pandas = pytest.importorskip("pandas")


def frame() -> pandas.DataFrame:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    return pandas.DataFrame({"a": random.normal(size=60) + y, "few": random.integers(0, 3, 60), "y": y})


def code_of(data, target, **parameters) -> str:
    """The code of the error of a selection, whose message is one line."""
    with pytest.raises(UserError) as caught:
        bitsieve.select(data, target, **parameters)
    assert "\n" not in str(caught.value)
    return caught.value.code


def test_intervals():
    intervals = frame().assign(interval=lambda table: pandas.cut(table["a"], 4))
    for target in "y", "interval":
        assert code_of(intervals, target) == "column-type-not-read"
    assert bitsieve.select(intervals, "y", exclude=["interval"], verbose=False).features


def test_sparse_columns_of_pandas():
    for column in "few", "y":
        sparse = frame().astype({column: pandas.SparseDtype("int64", 0)})
        assert code_of(sparse, "y") == "column-type-not-read"
    series = pandas.Series(pandas.arrays.SparseArray(frame()["y"]))
    assert code_of(frame()[["a", "few"]], series) == "column-type-not-read"


VALUES = [np.array([1, 2]), pandas.Series([1, 2]), b"x", object(), [np.array([1])]]
PARAMETERS = [
    *("column_types", "missing", "binning", "n_bins", "uncut", "method", "engine", "memory", "spool", "n_jobs"),
    *("n_features_to_select", "screen", "verbose", "push_down", "target_kind", "target_bins", "random_state"),
]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_parameters_that_are_arrays_or_objects(parameter):
    for value in VALUES:
        assert code_of(frame(), "y", **{parameter: value})
