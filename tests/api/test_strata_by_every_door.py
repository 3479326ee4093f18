"""Selection within strata gives the same through every door, in memory or counted elsewhere."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from tests.doors import by_names, said

import bitsieve
from bitsieve.diagnostics import UserError

N = 260
pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


@cache
def batches():
    """Cells of three batches on two sites. The class and some columns depend on the batch."""
    random = np.random.default_rng(4)
    batch = random.integers(0, 3, N)
    y = (random.random(N) < 0.2 + 0.3 * batch).astype(int)
    size = np.where(random.random(N) < 0.1, None, np.array(["small", "large"])[(y + random.integers(0, 2, N)) % 2])
    return pa.table(
        {
            "dose": pa.array(np.round(random.normal(size=N) + y + batch, 3)),
            "depth": pa.array(np.round(random.normal(size=N) + 3 * batch, 3)),
            "size": pa.array(size.tolist()),
            "few": pa.array(y + random.integers(0, 3, N)),
            "noise": pa.array(random.integers(0, 4, N)),
            "machine": pa.array([f"m{value}" for value in (batch + (random.random(N) < 0.1)) % 3]),
            "batch": pa.array([f"b{value}" for value in batch]),
            "site": pa.array(random.integers(0, 2, N)),
            "y": pa.array(np.array(["no", "yes"])[y]),
        }
    )


HOW = {
    "mdl": {},
    "quantiles": {"binning": "quantile", "method": "jmi"},
    "plug-in": {"binning": "quantile", "method": "mrmr", "estimator": "plug-in"},
    "sets": {"binning": "quantile", "method": "cmi"},
    "stopping": {"binning": "quantile", "method": "jmi", "n_features_to_select": "auto", "stopping": "fdr"},
    "common": {"binning": "quantile", "method": "jmi", "effect": "common"},
    "common, tested": {"binning": "quantile", "method": "jmi", "effect": "common", "stopping": "permutation"},
    "two columns": {"strata": ["site", "batch"], "method": "cmim2", "binning": "uniform", "n_bins": 3},
}


def for_arrays(table, how):
    """The table and options for a door of arrays, whose strata are given by values."""
    names = how["strata"] if isinstance(how["strata"], list) else [how["strata"]]
    strata = table.select(names).to_pandas()
    return table.drop_columns(["batch", "site"]), {**how, "strata": strata}


@cache
def selected(name):
    """The selection from the rows in memory."""
    return bitsieve.select(
        batches().drop_columns(unused(name)), "y", **{"missing": "bin", "strata": "batch", **HOW[name]}
    )


def unused(name):
    """The columns of strata that a call does not name, which would be features."""
    return [] if "strata" in HOW[name] else ["site"]


@pytest.mark.each_value
@pytest.mark.parametrize("name", HOW)
def test_selections_have_the_same_bits(door, name, request):
    table = batches().drop_columns(unused(name))
    how = {"strata": "batch", **HOW[name]}
    if "numpy" in request.node.callspec.params["door"]:
        table, how = for_arrays(batches(), how)
    expected = selected(name)
    found = door(table, **how)
    assert by_names(table, found.features) == expected.features
    for attribute in ("scores", "relevance", "relevance_pooled", "heterogeneity"):
        assert getattr(found, attribute).tobytes() == getattr(expected, attribute).tobytes(), attribute
    assert found.n_informative_rows == expected.n_informative_rows
    assert said(table, found) == said(table, expected)


def with_gaps(table, column, is_gap):
    """The table without a value in some rows of a column."""
    values = [None if gap else value for value, gap in zip(table[column].to_pylist(), is_gap, strict=True)]
    return table.set_column(table.column_names.index(column), column, pa.array(values))


def test_a_row_without_a_target_needs_no_stratum(door, request):
    is_gap = np.arange(N) % 20 == 3
    table = with_gaps(with_gaps(batches().drop_columns(["site"]), "batch", is_gap), "y", is_gap)
    how = {"strata": "batch", "binning": "quantile"}
    left = batches().drop_columns(["site"]).filter(pa.array(~is_gap))
    expected = bitsieve.select(left, "y", missing="bin", **how)
    if "numpy" in request.node.callspec.params["door"]:
        how["strata"] = table["batch"].to_pylist()
        table = table.drop_columns(["batch"])
    found = door(table, **how)
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize(("column", "code"), [("size", "missing-values"), ("dose", "strata-are-numbers")])
def test_columns_that_are_no_strata_are_refused_alike(door, column, code, request):
    if "numpy" in request.node.callspec.params["door"]:
        pytest.skip("arrays have no names")
    table = batches().drop_columns(["site"])
    with pytest.raises(UserError) as expected:
        bitsieve.select(table, "y", strata=column, missing="bin")
    with pytest.raises(UserError) as raised:
        door(table, strata=column)
    assert raised.value.code == expected.value.code == code
    assert str(raised.value) == str(expected.value)


def test_values_are_no_strata_of_rows_outside_memory(tmp_path):
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    parquet.write_table(batches(), path)
    values = batches()["batch"].to_pylist()
    for refused in (
        lambda: bitsieve.select(path, "y", strata=values, memory="1GB", missing="bin"),
        lambda: bitsieve.ForwardSelector(2, missing="bin").fit(path, "y", strata=values),
    ):
        with pytest.raises(UserError) as raised:
            refused()
        assert raised.value.code == "column-needed"


def test_fit_takes_the_names_of_strata_in_a_file(tmp_path):
    from pyarrow import parquet

    table = batches().drop_columns(["site"])
    parquet.write_table(table, tmp_path / "rows.parquet")
    selector = bitsieve.ForwardSelector(3, missing="bin").fit(tmp_path / "rows.parquet", "y", strata="batch")
    selection = bitsieve.select(table, "y", strata="batch", missing="bin", method="cmim2", n_features_to_select=3)
    assert selector.get_feature_names_out().tolist() == sorted(selection.features, key=table.column_names.index)


def test_planes_that_are_kept_know_their_strata(tmp_path):
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    parquet.write_table(batches(), path)
    how = {"missing": "bin", "binning": "quantile"}
    for strata in ("batch", "batch", "site", ["batch", "site"]):
        kept = bitsieve.select(path, "y", strata=strata, spool=tmp_path / "spool", **how)
        expected = bitsieve.select(path, "y", strata=strata, **how)
        assert kept.features == expected.features
        assert kept.scores.tobytes() == expected.scores.tobytes()
        assert kept.n_informative_rows == expected.n_informative_rows
