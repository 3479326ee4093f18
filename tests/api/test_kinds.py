"""Data of every kind comes back in its kind: lazy frames, record batches, labels that are no text."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import bitsieve

COLUMNS = {"a": [0, 1] * 8, "b": [0.5, 1.5, 2.5, 3.5] * 4, "c": [0, 1, 1, 0] * 4, "y": ["no", "yes"] * 8}


@pytest.fixture
def wanted():
    return bitsieve.select(pa.table(COLUMNS), "y", n_features_to_select=2, binning="quantile")


def test_a_record_batch_stays_one(wanted):
    batch = pa.record_batch(COLUMNS)
    selection = bitsieve.select(batch, "y", n_features_to_select=2, binning="quantile")
    assert selection.features == wanted.features
    assert selection.table.equals(batch.select(wanted.features))
    features = batch.select(["a", "b", "c"])
    selector = bitsieve.ForwardSelector(2, binning="quantile").fit(features, COLUMNS["y"])
    kept = [name for name, kept in zip("abc", selector.support_, strict=True) if kept]
    assert selector.transform(features).equals(features.select(kept))
    assert selector.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_lazy_frame_stays_lazy(wanted):
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame(COLUMNS).lazy()
    selection = bitsieve.select(lazy, "y", n_features_to_select=2, binning="quantile")
    assert isinstance(selection.table, polars.LazyFrame)
    assert selection.table.collect().equals(lazy.collect().select(wanted.features))
    assert isinstance(selection.to_frame("polars"), polars.DataFrame)
    features = lazy.drop("y")
    selector = bitsieve.ForwardSelector(2, binning="quantile").fit(features, COLUMNS["y"])
    made = selector.transform(features)
    assert isinstance(made, polars.LazyFrame)
    assert made.collect().columns == [name for name in "abc" if name in selection.features]
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(features.rename({"a": "z"}))


def test_labels_that_are_numbers_stay_numbers(wanted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS).rename(columns={"a": 7, "b": 3, "c": 5})
    selection = bitsieve.select(frame, "y", n_features_to_select=2, binning="quantile")
    numbers = {"a": 7, "b": 3, "c": 5}
    assert selection.features == [numbers[name] for name in wanted.features]
    assert all(type(label) is int for label in selection.features)
    assert selection.overlap_with == [None, selection.features[0]]
    assert list(selection.table.columns) == selection.features
    frame[selection.features]
    document = json.loads(json.dumps(selection.to_dict()))
    assert [row["name"] for row in document["features"]] == selection.features
    assert str(selection).splitlines()[1].split()[1] == str(selection.features[0])
    assert selection.to_frame()["feature"].tolist() == selection.features


def test_arrays_have_names_by_column():
    X = np.array([COLUMNS["a"], COLUMNS["c"]]).T
    assert bitsieve.select(X, COLUMNS["y"], n_features_to_select=1, binning="none").features == ["x0"]


def test_a_relation_of_duckdb_stays_one(wanted):
    duckdb = pytest.importorskip("duckdb")
    table = pa.table(COLUMNS)
    relation = duckdb.from_arrow(table)
    selection = bitsieve.select(relation, "y", n_features_to_select=2, binning="quantile")
    assert selection.features == wanted.features
    assert selection.table.columns == wanted.features
    assert sorted(selection.table.fetchall()) == sorted(
        tuple(row.values()) for row in table.select(wanted.features).to_pylist()
    )
