"""Monotone bins of rows that are not in memory are those of the same rows in memory, to the last bit."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.diagnosed import raises_code
from tests.doors import DOORS

import bitsieve
from bitsieve.cli import main
from bitsieve.engines import stream

N = 500
MONOTONE = {"binning": "monotone", "n_bins": 5, "method": "jmi", "n_features_to_select": 3}


@pytest.fixture(scope="module")
def people():
    """Ages, hours with gaps, gains that are mostly 0, and words, with a class that depends on them."""
    random = np.random.default_rng(6)
    age = random.integers(17, 90, N)
    hours = np.round(random.normal(40, 12, N), 1)
    gain = np.where(random.random(N) < 0.8, 0, np.round(random.lognormal(8, 1, N), 2))
    log_odds = 0.03 * (age - 50) + 0.04 * (hours - 40) + (gain > 3000)
    is_rich = random.random(N) < 1 / (1 + np.exp(-log_odds))
    return pa.table(
        {
            "age": age,
            "hours": pa.array(hours, mask=random.random(N) < 0.1 + 0.2 * is_rich),
            "gain": gain,
            "work": np.array(["private", "state", "self"])[(random.integers(0, 3, N) + is_rich) % 3],
            "noise": random.normal(size=N),
            "y": np.array(["poor", "rich"])[is_rich.astype(int)],
        }
    )


def edges_of(selection):
    """The edges of each column, in the order of the table."""
    return [edges.tolist() for edges in selection.selector.binner_.bin_edges_]


@pytest.mark.parametrize(
    "door",
    [
        "polars, lazy",
        "polars, lazy, in batches",
        "polars, counted there",
        "CSV, in batches",
        "Parquet, in batches",
        "CSV, by engine",
        "Dask",
        "DuckDB",
        "DuckDB, counted there",
    ],
)
def test_every_door_finds_the_same_bins(door, people, tmp_path, monkeypatch):
    if door.startswith("DuckDB"):
        pytest.importorskip("duckdb")
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: N // 4 + 1)
    selection = bitsieve.select(**DOORS[door](people, tmp_path), **MONOTONE)
    expected = bitsieve.select(people, "y", **MONOTONE)
    assert selection.features == expected.features
    assert edges_of(selection) == edges_of(expected)
    for attribute in ("scores", "relevance", "overlap"):
        assert getattr(selection, attribute).tobytes() == getattr(expected, attribute).tobytes(), attribute


def test_spark_finds_the_same_bins(spark, people, same_selection):
    frame = spark.createDataFrame(people).repartition(3, "work")
    same_selection(bitsieve.select(frame, "y", **MONOTONE), bitsieve.select(people, "y", **MONOTONE))


def test_saved_counts_have_the_same_bins(people, tmp_path, capsys):
    parquet.write_table(people, tmp_path / "rows.parquet")
    rows = [str(tmp_path / "rows.parquet"), "--target", "y", "--binning", "monotone", "--bins", "5"]
    counts = str(tmp_path / "counts")
    assert main(["count", *rows, "--save", counts, "--quiet"]) == 0
    capsys.readouterr()
    features = []
    for data in (rows, ["--counts", counts]):
        assert main(["select", *data, "--method", "jmi", "--features", "3", "--json"]) == 0
        selection = json.loads(capsys.readouterr().out)
        features.append([(feature["name"], feature["score"]) for feature in selection["features"]])
    assert features[0] == features[1]


@pytest.mark.parametrize("engine", ["local", "stream"])
@pytest.mark.parametrize("target_bins", [None, 2])
def test_a_quantity_is_refused_also_if_it_is_cut_into_two_classes(engine, target_bins, people, tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(people, path)
    with raises_code("wrong-kind-of-target") as refused:
        bitsieve.select(path, "hours", target_bins=target_bins, engine=engine, **MONOTONE)
    assert refused.value.fix == {"binning": "quantile"}


def test_information_value_is_refused_where_rows_are_not_in_memory(people, tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(people, path)
    with raises_code("rows-not-in-memory"):
        bitsieve.select(path, "y", method="information-value", memory="1GB")


def refuse(frame):
    with raises_code("frame-not-in-memory"):
        bitsieve.MonotoneBinner().fit(frame[["age", "gain"]], frame["y"])
    with raises_code("frame-not-in-memory"):
        bitsieve.scorecard(frame, "y")


def test_binners_and_scorecards_refuse_a_frame_of_dask(people, tmp_path):
    refuse(DOORS["Dask"](people, tmp_path)["data"])


def test_information_values_of_a_frame_of_dask_are_those_of_its_rows(people, tmp_path):
    frame = DOORS["Dask"](people, tmp_path)["data"]
    binner = bitsieve.MonotoneBinner(event=people["y"][0].as_py())
    expected = bitsieve.information_value(people.select(["age", "gain"]), people["y"], binner=binner)
    assert bitsieve.information_value(frame[["age", "gain"]], frame["y"], binner=binner).equals(expected)
    assert bitsieve.information_value(frame[["age", "gain", "y"]], "y", binner=binner).equals(expected)


def test_information_values_of_a_frame_of_spark_are_those_of_its_rows(spark, people):
    binner = bitsieve.MonotoneBinner(event=people["y"][0].as_py())
    columns = spark.createDataFrame(people.select(["age", "gain", "y"]))
    expected = bitsieve.information_value(people.select(["age", "gain"]), people["y"], binner=binner)
    assert bitsieve.information_value(columns, "y", binner=binner).equals(expected)


def test_binners_and_scorecards_refuse_a_frame_of_spark(spark, people):
    refuse(spark.createDataFrame(people))


def test_information_value_of_a_frame_of_spark_is_refused(spark, people):
    with raises_code("rows-not-in-memory"):
        bitsieve.select(spark.createDataFrame(people), "y", method="information-value")
