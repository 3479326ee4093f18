"""Columns of whole numbers that a selection took as codes: the data as it was given is taken again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.dataset.read import read_data
from bitsieve.discretization.base import with_integers_as_categories
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.explain.evidence import evidence_of
from bitsieve.options import ReadOptions


@pytest.fixture
def given():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 150)
    columns = {
        "a": random.normal(size=150) + y,
        "b": y + random.integers(0, 3, 150),
        "row": np.arange(150),
        "name": [f"patient {i}" for i in range(150)],
        "empty": np.full(150, np.nan),
    }
    return pa.table(columns), y


@pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")
def test_the_evidence_of_the_selector_is_that_of_the_selection(given):
    X, y = given
    selection = bitsieve.select(X, y, n_features_to_select=2)
    again = evidence_of(selection.selector, X, y)
    assert again.information.relevance.tolist() == selection.evidence.information.relevance.tolist()
    assert again.chance.columns.tolist() == selection.evidence.chance.columns.tolist()
    assert [*again.dropped] == [3, 4]  # those that cannot be read as the numbers that the selector was given


def test_codes_of_numbers_are_those_of_categories(given):
    X, y = given
    table = read_data(X.select(["a", "b"]), ReadOptions(target=y))
    selector = bitsieve.select(X.select(["a", "b"]), y, n_features_to_select=2).selector
    codes = selector.binner_.transform(X.select(["a", "b"]))
    assert codes[:, 1].tolist() == X["b"].to_pylist()  # 0 to 3 are their own codes
    floats = X.select(["a", "b"]).set_column(1, "b", X["b"].cast(pa.float64()))
    assert selector.binner_.transform(floats).tolist() == codes.tolist()
    assert with_integers_as_categories(table, [None, None]) is table
    halves = floats.set_column(1, "b", pa.array(X["b"].to_numpy() + 0.5))
    with pytest.raises(ValueError, match="column 'b' was categorical when fitting"):
        selector.binner_.transform(halves)
    more = X.select(["a", "b"]).set_column(1, "b", pa.array(X["b"].to_numpy() + 1))
    with pytest.raises(ValueError, match="column 'b' holds 4, which was not there when fitting"):
        selector.binner_.transform(more)


def test_a_missing_code_in_new_rows_is_missing():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    X = pa.table({"a": random.normal(size=60), "b": y + random.integers(0, 2, 60)})
    selector = bitsieve.select(X, y, n_features_to_select=1, missing="bin").selector
    assert isinstance(selector.binner_, MDLBinner)
    new = pa.table({"a": [0.0, 1.0], "b": [2.0, None]})
    assert selector.binner_.transform(new)[:, 1].tolist() == [2, 3]
