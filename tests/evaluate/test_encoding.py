"""Original features as numbers for classifiers: scaled, imputed and one-hot, learned from the training rows alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.dataset.columns import read_columns
from bitsieve.evaluate.encoding import encode_features

TRAIN = np.arange(4)
FRAME = pd.DataFrame(
    {
        "number": [1.0, -4.0, np.nan, 3.0, 8.0, np.nan],
        "colour": ["red", "blue", "green", "red", "violet", None],
        "flag": [True, False, True, True, False, True],
        "gap": ["a", None, "b", "a", "b", None],
        "same": [5, 5, 5, 5, 6, 0],
        "none": [0.0, 0.0, np.nan, 0.0, 2.0, np.nan],
    }
)


@pytest.fixture
def encoded():
    columns = read_columns(FRAME)
    return encode_features(columns, np.array([1, 0, 2, 3, 4, 5]), TRAIN, centred=False)


def test_values(encoded):
    wanted = {
        "blue": [0, 1, 0, 0, 0, 0],
        "green": [0, 0, 1, 0, 0, 0],
        "red": [1, 0, 0, 1, 0, 0],
        "number": [1 / 4, -1, 0, 3 / 4, 2, 0],  # mean of 1, -4, 3 is 0, the largest absolute value is 4
        "flag": [1, 0, 1, 1, 0, 1],
        "gap missing": [0, 1, 0, 0, 0, 1],
        "gap a": [1, 0, 0, 1, 0, 0],
        "gap b": [0, 0, 1, 0, 1, 0],
        "same": [1, 1, 1, 1, 1.2, 0],
        "none": [0, 0, 0, 0, 2, 0],  # nothing to scale by
    }
    np.testing.assert_array_equal(encoded.values.T, list(wanted.values()))
    assert encoded.n_columns.tolist() == [3, 4, 5, 8, 9, 10]
    assert encoded.is_numeric.tolist() == [False, True, False, False, True, True]


def test_only_frequent_categories_have_a_column():
    words = [f"w{j:03}" for j in range(150)]
    frame = pd.DataFrame({"word": [*words, *words[-40:]]})
    columns = read_columns(frame)
    made = encode_features(columns, np.array([0]), np.arange(190))
    assert made.n_columns.tolist() == [100]
    shown = [words[j] for j in range(150) if made.values[j].any()]
    assert shown == [*words[:60], *words[110:]]  # those that occur twice, then the first of those that occur once


def test_whole_table_with_missing_values_and_words(table):
    frame = table.to_pandas()
    frame.loc[::7, "mean_radius"] = np.nan
    frame.loc[::11, "size"] = None
    X, y = frame.drop(columns="diagnosis"), frame["diagnosis"]
    binning = bitsieve.MDLBinner(missing="bin")
    one = bitsieve.compare(X, y, methods=["jmi"], features=[2, 9], folds=3, binning=binning)
    other = bitsieve.compare(
        pa.Table.from_pandas(X),
        y.to_numpy(),
        methods=["jmi"],
        features=[2, 9],
        folds=3,
        binning=binning,
    )
    np.testing.assert_array_equal(one.errors, other.errors)
    assert one.rates.max() < 0.2
    with pytest.raises(ValueError, match="mean_radius"):
        bitsieve.compare(X, y, methods=["jmi"], folds=5, missing="error")


def test_numbers_are_standardised_by_the_rows_learned_from():
    made = encode_features(read_columns(FRAME), np.array([0, 4, 5]), TRAIN).values.T
    spread = np.sqrt((1 + 16 + 9) / 3)  # of 1, -4 and 3, whose mean is 0
    np.testing.assert_allclose(made[0], np.array([1, -4, 0, 3, 8, 0]) / spread, rtol=1e-15)  # a root and a division
    np.testing.assert_array_equal(made[1], [0, 0, 0, 0, 1, -5])  # nothing to divide by
    np.testing.assert_array_equal(made[2], [0, 0, 0, 0, 2, 0])


@pytest.mark.parametrize("centred", [True, False])
def test_a_column_without_a_value_to_learn_from_stays_as_it_is(centred):
    late = read_columns(pd.DataFrame({"late": [np.nan] * 4 + [3.0, np.nan]}))
    assert encode_features(late, np.array([0]), TRAIN, centred=centred).values.T.tolist() == [[0, 0, 0, 0, 3, 0]]


def test_a_large_offset_does_not_hide_a_column():
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.column_stack([2000 + 10 * y + random.normal(size=200), random.normal(size=200)])
    errors = bitsieve.compare(X, y, methods=["mim"], features=[1], folds=5, baselines=False).rates
    assert errors[0, 0] < 0.05


def test_small_numbers_are_divided_by_the_largest_too():
    small = read_columns(pd.DataFrame({"share": [0.1, -0.4, 0.2, 0.0, 0.8]}))
    encoded = encode_features(small, np.array([0]), TRAIN, centred=False)
    assert encoded.values.T.tolist() == [[0.1 / 0.4, -1.0, 0.2 / 0.4, 0.0, 0.8 / 0.4]]
