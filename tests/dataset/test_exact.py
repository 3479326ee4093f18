"""Values that differ are never the same in silence: they keep their own codes, or the column is refused."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import read_target
from bitsieve.dataset.weights import read_weights
from bitsieve.discretization.transformers import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner, MDLBinner

LARGE = 2**53
SAME = "column 'x0' holds values that differ but are the same in double precision"


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
@pytest.mark.parametrize("binner", [MDLBinner(), EqualFrequencyBinner(n_bins=2), EqualWidthBinner(n_bins=2)])
def test_whole_numbers_beyond_double_precision(binner, kind):
    classes = [0, 0, 1, 1]
    apart = np.array([[1], [2], [LARGE], [LARGE + 2]], kind)
    together = np.array([[1], [2], [LARGE], [LARGE + 1]], kind)
    binner.fit(apart, classes)
    if kind is np.int64:
        with pytest.raises(ValueError, match=SAME):
            binner.fit(-together, classes)
    for X in (together, np.asfortranarray(np.hstack([together] * 9)), pa.table({"x0": together[:, 0]})):
        with pytest.raises(ValueError, match=SAME):
            binner.fit(X, classes)
    with pytest.raises(ValueError, match=SAME):
        binner.fit(apart, classes).transform(together)
    # Largest and smallest numbers of the type; equal ones are no harm.
    ends = np.array([[np.iinfo(kind).min], [np.iinfo(kind).max]] * 2, kind)
    assert binner.fit(ends, classes).transform(ends).ravel().tolist() in ([0, 1, 0, 1], [0, 0, 0, 0])


def test_whole_numbers_as_categories_are_exact():
    X = np.array([[LARGE], [LARGE + 1], [LARGE + 2]])
    assert CategoricalBinner().fit_transform(X).ravel().tolist() == [0, 1, 2]
    assert read_target(X[:, 0]).n_classes == 3


def test_targets():
    numbers = LARGE + np.arange(200)
    assert read_target(numbers, target_kind=TargetKind("classes")).n_classes == 200
    with pytest.raises(ValueError, match="the target holds values that differ"):
        read_target(numbers)
    with pytest.raises(ValueError, match="the target holds values that differ"):
        read_target(np.array([0.5, 1, 1 + np.finfo(np.longdouble).eps], np.longdouble))
    with pytest.raises(ValueError, match="the target holds values that differ"):
        read_target(-numbers)
    assert read_target(numbers - LARGE).kind == "binned"


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pa.table])
def test_missing_whole_numbers(frame):
    def column(values):
        return frame({"x0": pandas.array(values, "Int64") if frame is pandas.DataFrame else pa.array(values)})

    table = read_columns(column([3, None, 5]))
    np.testing.assert_array_equal(table.numeric(0), [3, np.nan, 5])
    table = read_columns(column([LARGE, None, LARGE + 2]))
    np.testing.assert_array_equal(table.numeric(0), [LARGE, np.nan, LARGE + 2])
    with pytest.raises(ValueError, match=SAME):
        read_columns(column([LARGE, None, LARGE + 1]))


def test_decimals():
    text = ["12345678901234567890", "12345678901234567891", None]
    decimals = [None if digits is None else Decimal(digits) for digits in text]
    for values in (pa.table({"x0": decimals}), np.array([decimals[:2]], dtype=object).T):
        with pytest.raises(ValueError, match=SAME):
            read_columns(values)
    apart = read_columns(pa.table({"x0": [Decimal("12345678901234567890"), Decimal("1"), None]}))
    np.testing.assert_array_equal(apart.numeric(0), [12345678901234567890.0, 1, np.nan])
    read_columns(pa.table({"x0": pa.array([Decimal("0.00"), Decimal("0.01")], pa.decimal128(9, 2))}))


@pytest.mark.parametrize("kind", ["datetime64[ns]", "timedelta64[ns]"])
def test_nanoseconds(kind):
    start = 1_600_000_000_123_456_000
    for ticks, wanted in (
        ([start, start + 1000], [start / 1000, start / 1000 + 1]),
        ([start, start + 500], [start / 1000, start / 1000 + 0.5]),
        ([1, 2], [0.001, 0.002]),
        ([-1, -1500], [-0.001, -1.5]),
    ):
        times = np.array(ticks, np.int64).view(kind)
        for X in (times[:, None], pa.table({"x0": times}), pandas.DataFrame({"x0": times})):
            assert read_columns(X).numeric(0).tolist() == wanted
    close = np.array([start, start + 1], np.int64).view(kind)
    for X in (close[:, None], pa.table({"x0": close}), polars.DataFrame({"x0": close})):
        with pytest.raises(ValueError, match=SAME):
            read_columns(X)
    known = read_columns(np.array([[1500, np.iinfo(np.int64).min]]).T.view(kind))
    np.testing.assert_array_equal(known.numeric(0), [1.5, np.nan])


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here")
def test_long_doubles():
    step = np.finfo(np.longdouble).eps
    whole = np.array([[1, 2, 3], [np.nan, 2**40, 7]], np.longdouble)
    assert read_columns(whole).matrix.dtype == np.float64
    np.testing.assert_array_equal(read_columns(whole).matrix, whole)
    rounded = np.array([[1 + step], [2]])  # another number, but still one of its own
    assert read_columns(rounded).numeric(0).tolist() == [1, 2]
    with pytest.raises(ValueError, match=SAME):
        read_columns(np.array([[1], [1 + step]]))
    with pytest.raises(ValueError, match="1 column holds infinite values"):
        MDLBinner().fit(np.array([[1], [np.longdouble(1e300) ** 4]]), [0, 1])


def masked(values, mask=(0, 1, 0)):
    return np.ma.array(np.array(values)[:, None], mask=np.array(mask, bool)[:, None])


@pytest.mark.parametrize(
    ("values", "filled"),
    [
        ([1, 99, 3], [1, np.nan, 3]),
        ([1.5, 99, 3], [1.5, np.nan, 3]),
        (np.array([1, 99, 3], "M8[us]"), [1, np.nan, 3]),
        (np.array([1, 99, 3], np.uint8), [1, np.nan, 3]),
    ],
)
def test_masked_values_are_missing(values, filled):
    np.testing.assert_array_equal(read_columns(masked(values)).numeric(0), filled)
    with pytest.raises(ValueError, match="1 column holds missing values"):
        MDLBinner().fit(masked(values), [0, 1, 1])
    assert EqualFrequencyBinner(n_bins=2, missing="bin").fit_transform(masked(values)).ravel().tolist() == [0, 2, 1]


def test_masked_words_flags_and_large_numbers():
    assert read_columns(masked(["a", "z", "b"])).categorical(0).codes.tolist() == [0, -1, 1]
    assert read_columns(masked([True, True, False])).categorical(0).codes.tolist() == [1, -1, 0]
    assert read_columns(masked([LARGE + 1, 0, 3], (0, 0, 0))).values(0).tolist() == [LARGE + 1, 0, 3]
    with pytest.raises(ValueError, match="holds values that differ but are the same in double precision"):
        read_columns(masked([LARGE + 1, 0, LARGE]))
    assert read_columns(masked([3, LARGE + 1, 5])).numeric(0)[0] == 3  # what is masked is of no account


def test_masks_of_target_weights_and_select():
    with pytest.raises(ValueError, match="the target has 1 missing value"):
        read_target(masked([0, 1, 1])[:, 0])
    with pytest.raises(ValueError, match="sample_weight is missing in 1 of"):
        read_weights(masked([1, 1, 2])[:, 0], 3)
    X = np.ma.array(np.arange(40.0).reshape(20, 2), mask=False)
    X.mask[3, 1] = True
    with pytest.raises(ValueError, match="1 column holds missing values"):
        bitsieve.select(X, np.arange(20) % 2, method="mim", n_features_to_select=1, missing="error")
    selection = bitsieve.select(X, np.arange(20) % 2, method="mim", n_features_to_select=1, missing="bin")
    assert selection.features == ["x1"]
