"""The check of new data by closed forms, and scores and columns from every kind of table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import chi2_contingency

import bitsieve
from bitsieve.results.saved.data_check import jensen_shannon_bits


@pytest.mark.parametrize(
    ("before", "now", "bits"),
    [
        ([10, 30], [20, 60], 0.0),  # the same shares
        ([10, 0], [0, 70], 1.0),  # nothing in common
        ([1, 1, 0], [0, 1, 1], 0.5),  # half of each
    ],
)
def test_the_shift_of_distributions_with_a_closed_form(before, now, bits):
    assert jensen_shannon_bits(np.array(before), np.array(now)) == pytest.approx(bits, abs=1e-15)  # some roundings


def frame():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    return pd.DataFrame({"a": random.normal(size=200) + 2 * y, "b": random.integers(0, 3, 200) + y, "y": y})


SELECTION = bitsieve.select(frame(), "y", n_features_to_select=2)
EXPECTED = SELECTION.transform(frame(), append_score=True)


@pytest.mark.parametrize(
    "kind",
    [pd.DataFrame, pl.DataFrame, lambda data: pl.DataFrame(data).lazy(), pa.Table.from_pandas],
    ids=["pandas", "polars", "lazy", "pyarrow"],
)
@pytest.mark.parametrize("codes", [False, True])
def test_scores_of_every_kind_of_frame(kind, codes):
    data = kind(frame())
    scored = SELECTION.transform(data, codes=codes, append_score=True)
    assert type(scored) is type(data)
    as_table = scored.collect() if isinstance(scored, pl.LazyFrame) else scored
    table = pa.table(as_table)
    assert table.column_names[:4] == ["a", "b", "likely_class", "score_bits"]
    assert table["score_bits"].to_pylist() == EXPECTED["score_bits"].tolist()
    assert table["likely_class"].to_pylist() == EXPECTED["likely_class"].tolist()


def test_arrays_take_no_scores_and_names_are_not_taken_twice():
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(frame()[["a", "b"]].to_numpy(), frame()["y"]).transform(
            frame()[["a", "b"]].to_numpy(), append_score=True
        )
    assert error.value.code == "data-type-not-read"
    renamed = frame().rename(columns={"a": "score_bits"})
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(renamed, "y").transform(renamed, append_score=True)
    assert error.value.code == "name-taken"


def test_another_distribution_has_moved_by_the_likelihood_ratio_test():
    now = frame().assign(b=frame()["b"].where(np.arange(200) % 4 > 0, 3))
    check = SELECTION.check(now)
    (column,) = [item for item in check.columns if item.column == "b"]
    table = [np.bincount(data["b"], minlength=4) for data in (frame(), now)]
    expected = chi2_contingency(table, lambda_="log-likelihood", correction=False)
    assert column.p == pytest.approx(expected.pvalue, rel=1e-9)  # sums of logarithms in another order
    assert 0 < column.p < 0.005
    assert check.moved == ["b"]


def test_another_kind_of_values_has_moved():
    changed = frame().assign(a=["text"] * 200)
    check = SELECTION.check(changed)
    assert check.moved == ["a"]
    assert {diagnostic.code for diagnostic in check.diagnostics} == {"kind-changed"}
    assert SELECTION.check(frame()).moved == []


def test_columns_of_dask_and_duckdb_are_taken_where_they_are():
    duckdb = pytest.importorskip("duckdb")
    table = pa.Table.from_pandas(frame()[["y", "b", "a"]])
    relation = SELECTION.transform(duckdb.from_arrow(table))
    assert isinstance(relation, duckdb.DuckDBPyRelation)
    assert relation.columns == ["a", "b"]
    dataframe = pytest.importorskip("dask.dataframe")
    collection = SELECTION.transform(dataframe.from_pandas(frame()[["y", "b", "a"]], npartitions=3))
    assert hasattr(collection, "dask")
    assert collection.compute().equals(frame()[["a", "b"]])


def test_values_outside_the_range_that_was_seen():
    data = frame()
    data.loc[:9, "a"] = data["a"].max() + 1
    data.loc[10:14, "a"] = data["a"].min() - 1
    by_name = {column.column: column for column in SELECTION.check(data).columns}
    assert by_name["a"].outside_range == 15 / 200
    assert np.isnan(by_name["b"].outside_range)  # categories
    assert SELECTION.check(frame()).columns[0].outside_range == 0


def test_partitions_of_dask_are_coded_by_the_advice_of_the_error():
    dataframe = pytest.importorskip("dask.dataframe")
    data = dataframe.from_pandas(frame(), npartitions=3)
    for options in ({"codes": True}, {"append_score": True}):
        with pytest.raises(bitsieve.UserError) as error:
            SELECTION.transform(data, **options)
        assert error.value.code == "frame-not-in-memory"
        assert "map_partitions" in str(error.value)
    codes = data.map_partitions(SELECTION.transform, codes=True).compute()
    pd.testing.assert_frame_equal(codes, SELECTION.transform(frame(), codes=True))


def test_shares_are_printed_in_percent_and_a_dash_stands_where_there_is_none():
    now = frame().assign(b=frame()["b"].where(np.arange(200) % 4 > 0, 3), a=frame()["a"].astype(float))
    now.loc[:24, "a"] = np.nan
    lines = {line.split()[0]: line.split() for line in str(SELECTION.check(now)).splitlines() if line}
    assert lines["a"][4:6] == ["12.5", "%"]
    assert lines["b"][-2:] == ["-", "moved"]
