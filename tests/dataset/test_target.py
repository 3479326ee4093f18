"""Targets of every kind."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import read_target
from bitsieve.diagnostics import UserError

_KINDS = [
    (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
    ([True, False, True], [1, 0, 1], [False, True]),
    ([7, -2, 7], [1, 0, 1], [-2, 7]),
    ([2.0, 1.0, 2.0], [1, 0, 1], [1.0, 2.0]),
]


def _chunks(y):
    return pa.chunked_array([y[:1], y[1:]])


@pytest.mark.parametrize("read", [list, np.array, pd.Series, pl.Series, pa.array, _chunks])
@pytest.mark.parametrize(("y", "codes", "labels"), _KINDS)
def test_classes(read, y, codes, labels):
    target = read_target(read(y))
    assert target.codes.tolist() == codes
    assert target.codes.dtype == np.int32
    assert target.labels.tolist() == labels
    assert (target.n_classes, target.kind, target.edges) == (2, "classes", None)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["x", "y", "x"], dtype="category"),
        pd.Series(["x", "y", "x"], dtype=object),
        pl.Series(["x", "y", "x"], dtype=pl.Enum(["y", "x", "unused"])),
        pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        pa.array(["x", "y", "x"]).dictionary_encode(),
        np.array(["x", "y", "x"], dtype=object),
    ],
)
def test_categories_that_occur(y):
    target = read_target(y)
    assert target.codes.tolist() == [0, 1, 0]
    assert target.labels.tolist() == ["x", "y"]


def test_nullable_integers_are_classes():
    assert read_target(pd.Series([3, 1, 3], dtype="Int64")).codes.tolist() == [1, 0, 1]


DAYS = [datetime.date(2020, 1, 4), datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(2020, 1, 2)]
_DATES = {
    "objects": lambda days: np.array(days, object),
    "numpy": lambda days: np.array(days, "M8[D]"),
    "nanoseconds": lambda days: np.array(days, "M8[ns]"),
    "pandas": lambda days: pd.Series(pd.to_datetime(days)),
    "pandas with a zone": lambda days: pd.Series(pd.to_datetime(days)).dt.tz_localize("UTC"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow in chunks": lambda days: pa.chunked_array([pa.array(days[:1]), pa.array(days[1:])]),
}


@pytest.mark.parametrize("kind", _DATES)
def test_dates_are_a_quantity(kind):
    target = read_target(_DATES[kind](DAYS))
    assert target.codes.tolist() == [2, 0, 1, 1]
    assert target.labels.tolist() == ["(-inf, 2020-01-01]", "(2020-01-01, 2020-01-02]", "(2020-01-02, inf)"]
    assert (target.edges / 86_400e6).tolist() == [18_262, 18_263]
    classes = read_target(_DATES[kind](DAYS), target_kind=TargetKind("classes"))
    assert (classes.kind, classes.codes.tolist()) == ("classes", [2, 0, 1, 1])


@pytest.mark.parametrize("read", [np.array, pd.Series, pl.Series, pa.array])
def test_durations_are_a_quantity(read):
    target = read_target(read(np.array([3600, 90_000, 60], "m8[s]").astype("m8[us]")))
    assert target.codes.tolist() == [1, 2, 0]
    assert target.labels.tolist() == ["(-inf, 0:01:00]", "(0:01:00, 1:00:00]", "(1:00:00, inf)"]


def test_continuous_target_is_binned_by_equal_frequency():
    y = np.arange(10) + 0.5
    target = read_target(y, target_kind=TargetKind(n_bins=5))
    assert target.kind == "binned"
    assert target.edges.tolist() == [1.5, 3.5, 5.5, 7.5]
    assert target.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert target.labels.tolist() == ["(-inf, 1.5]", "(1.5, 3.5]", "(3.5, 5.5]", "(5.5, 7.5]", "(7.5, inf)"]
    assert read_target(y, target_kind=TargetKind(n_bins=2)).edges.tolist() == [4.5]
    assert read_target(pl.Series(y)).codes.tolist() == read_target(y).codes.tolist() == [0] * 3 + [1] * 4 + [2] * 3


def test_forty_thousand_strings():
    names = [f"person {i}" for i in range(40_000)]
    target = read_target(names)
    assert target.n_classes == 40_000
    assert target.labels[target.codes].tolist() == names


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, np.nan], "2 missing values"),
        (["a", None, "b"], "1 missing value"),
        (pl.Series([1, None]), "1 missing value"),
        (pd.Series([True, None], dtype="boolean"), "1 missing value"),
        (np.array(["2020-01-01", "NaT"], dtype="M8[D]"), "1 missing value"),
        ([1.0, np.inf], r"1 infinite value \(inf\) among 2"),
        ([], "empty"),
        ([1j, 2j], "Complex data not supported"),
        (np.array([1, "a", 2.5], dtype=object), "^the target mixes kinds of values: convert it"),
        (pa.array([[1], [2]]), "^the target holds list"),
        (np.array([2**62, 2**62 + 1], "M8[ns]"), "^the target holds values that differ but are the same in double"),
        (np.ones((3, 2, 1)), "dim 3"),
    ],
)
def test_bad_targets_are_refused_in_one_line(y, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_target(y)
    assert "\n" not in str(caught.value)


def test_a_column_vector_is_read_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y"):
        assert read_target(np.array([[1], [0]])).codes.tolist() == [1, 0]


def test_a_series_of_the_other_byte_order_or_of_complex_numbers():
    read = read_target(pd.Series(np.array([2, 1, 2], ">i4")))
    assert (read.codes.tolist(), read.labels.tolist()) == ([1, 0, 1], [1, 2])
    with pytest.raises(ValueError, match="Complex data not supported: give classes or real numbers"):
        read_target(pd.Series([1j, 2.0]))


def test_text_that_differs_in_every_row_is_no_target():
    genes = [f"gene{i}" for i in range(20)]
    with pytest.raises(UserError) as caught:
        read_target(genes).check_usable(20)
    assert caught.value.code == "target-is-identifier"
    assert caught.value.columns == ("y",)


@pytest.mark.parametrize("y", [[*"abcdefghijklmnopqrs", "a"], list("abcdefgh"), np.arange(20) / 3])
def test_repeated_text_few_rows_and_quantities_are_targets(y):
    read_target(y).check_usable(len(y))
