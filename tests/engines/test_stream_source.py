"""What is selected from a file or a stream in batches is what is selected from the same rows in memory, to the bit."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv, dataset, feather, parquet
from tests.cover import quick_and_slow
from tests.diagnosed import raises_code

import bitsieve
from bitsieve.dataset import target_summary
from bitsieve.discretization.summary import Limits
from bitsieve.engines import stream
from bitsieve.engines.stream import StreamEngine
from bitsieve.information import ESTIMATORS
from bitsieve.methods.registry import list_methods
from bitsieve.options import ReadOptions
from bitsieve.selectors.making import make_selector
from bitsieve.utils.progress import listening

N = 900
KINDS = {type(make_selector(info.name)): info.name for info in list_methods()}
COUNTED = [name for kind, name in KINDS.items() if "rows" not in kind.required_capabilities]
OTHERS = [name for kind, name in KINDS.items() if "rows" in kind.required_capabilities]


@pytest.fixture(scope="module")
def rows():
    """Numbers, text, booleans, a constant, gaps in one half of the rows, and a column of weights."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 3, N)
    gaps = pa.array(classes + random.integers(0, 2, N), mask=(np.arange(N) > N / 2) & (random.random(N) < 0.3))
    return pa.table(
        {
            "real": random.normal(size=N) + classes,
            "whole": random.integers(0, 5, N),
            "text": np.array(["low", "middle", "high"])[(classes + random.integers(0, 2, N)) % 3],
            "truth": classes > 1,
            "gaps": gaps,
            "constant": np.full(N, 7),
            "class": np.array(["a", "b", "c"])[classes],
            "other": random.integers(0, 2, N),
            "amount": random.normal(size=N) + classes,
            "times": random.integers(0, 3, N) * (np.arange(N) > 40),
        }
    )


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    parquet.write_table(rows, path / "rows.parquet", row_group_size=100)
    csv.write_csv(rows, path / "rows.csv")
    feather.write_feather(rows, str(path / "rows.feather"), chunksize=130)
    parquet.write_table(rows, path / "one group.parquet")
    (path / "parts").mkdir()
    for first in range(0, N, 300):
        parquet.write_table(rows.slice(first, 300), path / "parts" / f"{first}.parquet")
    return path


FORMS = {
    "parquet": lambda rows, folder: folder / "rows.parquet",
    "one row group": lambda rows, folder: folder / "one group.parquet",
    "csv": lambda rows, folder: folder / "rows.csv",
    "feather": lambda rows, folder: str(folder / "rows.feather"),
    "folder": lambda rows, folder: folder / "parts",
    "reader": lambda rows, folder: rows.to_reader(max_chunksize=70),
    "lazy frame": lambda rows, folder: pl.scan_parquet(folder / "rows.parquet"),
    "dataset": lambda rows, folder: dataset.dataset(folder / "rows.parquet"),
}


@pytest.fixture
def small_batches(monkeypatch):
    """Batches of 110 rows, and a sample that holds all of them."""
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 110)


def document(selection):
    """A selection as JSON, but for how many features are informative: shuffles of rows in memory may show more."""
    fields = selection.to_dict()
    fields["diagnostics"] = [note for note in fields["diagnostics"] if note["code"] not in TESTED_BY_SHUFFLES]
    del fields["notes"]  # the diagnostics as text
    return fields


def assert_equal(found, expected):
    assert document(found) == document(expected)
    for name in ("scores", "relevance", "overlap"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


TESTED_BY_SHUFFLES = {"not-informative", "partly-informative"}
HOW = {"n_features_to_select": 3, "missing": "bin"}


BINNINGS = ("mdl", "quantile", "uniform")
QUICK_FORMS = [*zip(FORMS, cycle(BINNINGS), strict=False)]  # each form once, each binning about as often


@pytest.mark.parametrize(
    ("form", "binning"),
    quick_and_slow(product(FORMS, BINNINGS), quick=QUICK_FORMS, reason="the same form by other bins"),
)
def test_every_form_and_binning(rows, folder, form, binning, small_batches):
    data = FORMS[form](rows, folder)
    found = bitsieve.select(data, "class", binning=binning, memory="1MB", **HOW)
    assert_equal(found, bitsieve.select(rows, "class", binning=binning, **HOW))
    assert found.table is None


def test_a_duckdb_relation(folder, rows, small_batches):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql(f"select * from '{folder}/rows.parquet'")
    assert_equal(bitsieve.select(relation, "class", memory="1MB", **HOW), bitsieve.select(rows, "class", **HOW))


@pytest.mark.parametrize("method", COUNTED)
def test_every_method_that_counts(rows, folder, method, small_batches):
    how = {"method": method, "binning": "quantile", "n_bins": 4, **HOW}
    found = bitsieve.select(folder / "rows.parquet", "class", spool=folder / "spool", **how)
    assert_equal(found, bitsieve.select(rows, "class", **how))


@pytest.mark.parametrize("method", OTHERS)
def test_methods_on_rows_are_refused(folder, method):
    with pytest.raises(ValueError, match="needs all rows in memory"):
        bitsieve.select(folder / "parts", "class", method=method, n_features_to_select=2)


@pytest.mark.parametrize(
    ("target", "weight"),
    quick_and_slow(
        product(["class", "amount", ["class", "other"]], [None, "times"]),
        quick=[("amount", None), (["class", "other"], "times")],
        reason="the same target with weights, or without",
    ),
)
def test_targets_and_weights(rows, folder, target, weight, small_batches):
    found = bitsieve.select(folder / "parts", target, sample_weight=weight, **HOW)
    assert_equal(found, bitsieve.select(rows, target, sample_weight=weight, **HOW))


@pytest.mark.parametrize(
    ("target", "weight"),
    [
        ("class", None),
        ("gaps", "times"),
        (["class", "gaps"], "times"),
        ("amount", None),
        pytest.param("amount", "times", marks=pytest.mark.slow("the same target with weights")),
        pytest.param(["class", "gaps"], None, marks=pytest.mark.slow("the same target without weights")),
        pytest.param("class", "times", marks=pytest.mark.slow("the same target with weights")),
        pytest.param("gaps", None, marks=pytest.mark.slow("the same target without weights")),
    ],
)
def test_rows_without_a_target_are_left_out(rows, tmp_path, target, weight, small_batches):
    """Also where a whole batch has none."""
    for name in ("class", "amount"):
        gone = pa.array((np.arange(N) % 7 == 3) | (np.arange(N) // 100 == 5))
        values = pc.if_else(gone, pa.scalar(None, rows[name].type), rows[name])
        rows = rows.set_column(rows.column_names.index(name), name, values)
    parquet.write_table(rows, tmp_path / "rows.parquet", row_group_size=100)
    how = {"sample_weight": weight, **HOW}
    with pytest.raises(ValueError, match="drop_missing_target=True"):
        bitsieve.select(tmp_path / "rows.parquet", target, memory="1MB", **{**how, "drop_missing_target": False})
    found = bitsieve.select(tmp_path / "rows.parquet", target, memory="1MB", **how)
    assert_equal(found, bitsieve.select(rows, target, **how))
    none = rows.append_column("none", pa.nulls(N, pa.int64()))
    with pytest.raises(ValueError, match=r"^(the target has no value in any row|no row has a target and a weight)"):
        bitsieve.select(none.to_reader(), "none", **how)


def test_text_of_polars_is_taken_by_rows():
    frame = pl.DataFrame(
        {"x": [1, 2, 3] * 20, "site": ["u", "v"] * 30, "w": [0, 1, 2, 1] * 15, "y": ["no", "yes", None] * 20}
    )
    for options in ({}, {"sample_weight": "w"}, {"strata": "site"}):
        in_memory = bitsieve.select(frame, "y", method="mim", **options)
        streamed = bitsieve.select(frame, "y", method="mim", engine="stream", **options)
        assert streamed.scores.tolist() == in_memory.scores.tolist()


def test_no_row_is_left_out_where_none_may_lack_a_target(rows, folder, small_batches):
    how = {"drop_missing_target": False, **HOW}
    found = bitsieve.select(folder / "rows.parquet", "class", memory="1MB", **how)
    assert_equal(found, bitsieve.select(rows, "class", **how))


def test_a_quantity_of_more_numbers_than_are_counted_is_cut_by_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(target_summary, "_MAX_VALUES", 100)
    random = np.random.default_rng(0)
    quantity = random.normal(size=300)
    table = pa.table({"near": quantity.round(), "far": random.integers(0, 3, 300), "quantity": quantity})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=70)
    question = {"target": "quantity", "target_bins": 3, "method": "mim"}
    expected = bitsieve.select(table, **question)
    found = bitsieve.select(tmp_path / "rows.parquet", memory="1MB", **question)  # the sample holds all rows
    assert found.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("excluded", ["real", 0])
@pytest.mark.parametrize("how", [{"memory": "1MB"}, {"push_down": True}], ids=str)
def test_an_excluded_column_may_hold_what_the_rule_of_binning_does_not_take(tmp_path, how, excluded):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    table = {"real": random.normal(size=300), "few": random.integers(0, 3, 300) * y, "class": y}
    parquet.write_table(pa.table(table), tmp_path / "rows.parquet")
    data = pl.scan_parquet(tmp_path / "rows.parquet")
    question = {"binning": "none", "exclude": [excluded], "n_features_to_select": 1}
    expected = bitsieve.select(pa.table(table), "class", **question)
    assert_equal(bitsieve.select(data, "class", **question, **how), expected)


def ranges_of(selection):
    return {column.name: (column.smallest, column.largest) for column in selection.details.columns}


def test_ranges_of_numbers_are_those_of_all_rows(rows, folder, monkeypatch):
    """Also where the bins are found on a sample of the rows."""
    how = {**HOW, "binning": "quantile", "n_features_to_select": len(rows.column_names) - 1}
    ranges = ranges_of(bitsieve.select(rows, "class", **how))
    assert ranges["real"] == (pc.min(rows["real"]).as_py(), pc.max(rows["real"]).as_py())
    assert ranges["text"] == (None, None)
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 110)
    assert ranges_of(bitsieve.select(folder / "parts", "class", **how)) == ranges
    monkeypatch.setattr(StreamEngine, "limits", Limits(cells=50, rows=256))
    assert ranges_of(bitsieve.select(folder / "parts", "class", **how)) == ranges


def test_distinct_values_are_those_of_all_batches(rows, folder, small_batches):
    table = bitsieve.StreamSource(folder / "rows.parquet").read_in_parts(ReadOptions(target="class"))
    (whole_numbers,) = table.distinct_values([table.names.index("whole")]).values()
    assert whole_numbers.tolist() == [0, 1, 2, 3, 4]
    (words,) = table.distinct_values([table.names.index("text")]).values()
    assert words.tolist() == ["high", "low", "middle"]


def test_values_beside_the_file(rows, folder, small_batches):
    features = rows.drop(["class", "times"])
    parquet.write_table(features, folder / "features.parquet")
    y, weights = rows["class"].to_numpy(), rows["times"].to_numpy()
    found = bitsieve.select(folder / "features.parquet", y, sample_weight=weights, memory="1MB", **HOW)
    assert_equal(found, bitsieve.select(features, y, sample_weight=weights, **HOW))
    with pytest.raises(ValueError, match=r"have 899 values but the data has 900 rows"):
        bitsieve.select(folder / "features.parquet", y[:-1], memory="1MB", **HOW)


def test_fit_of_a_selector_on_a_path(rows, folder, small_batches):
    X = rows.drop(["class"]).to_pandas()
    binner = bitsieve.EqualWidthBinner(missing="bin")
    expected = bitsieve.ForwardSelector(3, binning=binner).fit(X, rows["class"].to_numpy())
    found = bitsieve.ForwardSelector(3, binning=binner).fit(folder / "rows.parquet", "class")
    assert found.scores_.tobytes() == expected.scores_.tobytes()
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    assert found.transform(X).columns.tolist() == expected.transform(X).columns.tolist()


@pytest.mark.parametrize(
    "estimator", quick_and_slow(ESTIMATORS, quick={"corrected"}, reason="the same counts by another estimator")
)
def test_information_of_a_path(rows, folder, estimator, small_batches):
    whole = rows.select(["real", "whole", "text", "truth", "class"])
    parquet.write_table(whole, folder / "whole.parquet")
    path, X, y = folder / "whole.parquet", whole.drop(["class"]), whole["class"]
    for function in (
        bitsieve.entropy,
        bitsieve.mutual_information,
        bitsieve.mutual_information_matrix,
        bitsieve.conditional_mutual_information_matrix,
    ):
        found = function(path, "class", estimator=estimator)
        assert found.tobytes() == function(X, y, estimator=estimator).tobytes()
    stream = bitsieve.entropy(whole.to_reader(), binning="quantile", estimator=estimator)
    assert stream.tobytes() == bitsieve.entropy(whole, binning="quantile", estimator=estimator).tobytes()


def test_a_partitioned_folder_has_the_columns_of_its_folders(rows, tmp_path):
    parquet.write_to_dataset(rows.select(["real", "whole", "text", "class"]), tmp_path, partition_cols=["whole"])
    found = bitsieve.select(tmp_path, "class", method="mim", binning="quantile")
    expected = bitsieve.select(
        rows.select(["real", "text", "whole", "class"]), "class", method="mim", binning="quantile"
    )
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_a_sample_is_told(rows, folder, monkeypatch):
    monkeypatch.setattr(StreamEngine, "limits", Limits(cells=50, rows=256))
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 110)
    found = bitsieve.select(folder / "parts", "class", binning="quantile", **HOW)
    (note,) = (note for note in found.notes if "sample" in note)
    assert note == (
        "2 columns have too many different numbers to count them all, so the bins were found on a sample of the rows; "
        "the ranks of the edges are off by at most 10.17% of the rows, 99 times in 100: 'real', 'amount'"
    )
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 37)
    again = bitsieve.select(folder / "rows.csv", "class", binning="quantile", memory="1MB", **HOW)
    assert again.scores.tobytes() == found.scores.tobytes()


def test_every_pass_says_how_far_it_is(folder, small_batches):
    told = []
    with listening(told.append):
        bitsieve.select(folder / "rows.parquet", "class", memory="1MB", **HOW)
    for what in ("reading the target", "finding bins", "packing"):
        (last,) = (step for step in told if str(step) == f"{what}, 100 %")
        assert (last.done, last.total) == (900, 900)


def test_memory_of_a_method_that_has_it(folder, rows):
    how = {"method": "speccmi", "memory": "1MB", "binning": "quantile", **HOW}
    assert_equal(bitsieve.select(folder / "rows.parquet", "class", **how), bitsieve.select(rows, "class", **how))
    with pytest.raises(ValueError, match="memory"):
        bitsieve.select(rows, "class", method="mim", memory="1MB")


def test_memory_is_asked_for_only_where_a_sample_of_the_rows_is_kept(tmp_path):
    random = np.random.default_rng(0)
    rows = pa.table({name: random.integers(0, 3, 20_000) for name in [*(f"c{j}" for j in range(40)), "class"]})
    parquet.write_table(rows, tmp_path / "rows.parquet")
    how = {"method": "mim", "n_features_to_select": 1}
    for binning in ("none", "uniform"):
        found = bitsieve.select(tmp_path / "rows.parquet", "class", binning=binning, memory="3MB", **how)
        assert found.features == bitsieve.select(rows, "class", binning=binning, **how).features
    for binning in ("mdl", "quantile"):
        with raises_code("not-enough-memory") as caught:
            bitsieve.select(tmp_path / "rows.parquet", "class", binning=binning, memory="3MB", **how)
        assert caught.value.fix == {"memory": "4MiB"}
    bitsieve.select(tmp_path / "rows.parquet", "class", binning="quantile", memory="4MiB", **how)
