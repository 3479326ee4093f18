"""Columns that are left out: without values, identifiers, excluded; and rows without a target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import bitsieve
from bitsieve.cli import main
from bitsieve.dataset.column_info import empty_columns, identifiers
from bitsieve.dataset.read import read_xy
from bitsieve.engines import stream

N = 40
RANDOM = np.random.default_rng(0)
Y = np.array(["no", "yes"] * (N // 2))
GOOD = (np.arange(N) % 2 + 0.1 * RANDOM.normal(size=N)).round(3)
NOISE = RANDOM.normal(size=N).round(3)
NAMES = [f"person {j}" for j in RANDOM.permutation(N)]
NUMBERS = RANDOM.permutation(N) + 1000


def people(**more):
    return pa.table({"name": NAMES, "good": GOOD, "number": NUMBERS, "noise": NOISE, **more, "y": Y})


def written(table, tmp_path):
    from pyarrow import csv

    csv.write_csv(table, tmp_path / "people.csv")
    return str(tmp_path / "people.csv")


def test_which_columns_tell_nothing_of_new_rows():
    table = read_xy(people(gone=pa.nulls(N, pa.float64()), words=["a", "b"] * (N // 2)).drop(["y"]), Y)
    assert identifiers(table.summarize()) == [0, 2]
    assert empty_columns(table.summarize()) == [4]
    measured = RANDOM.integers(0, 10**6, N)
    matrix = read_xy(np.column_stack([NUMBERS, measured, NUMBERS % 7]), Y)
    assert identifiers(matrix.summarize()) == [0]
    X = np.column_stack([GOOD, np.full(N, np.nan), np.r_[np.nan, NOISE[1:]]])
    assert empty_columns(read_xy(X, Y).summarize()) == [1]
    assert identifiers(read_xy(NUMBERS[:10, None] - NUMBERS[:10].min(), Y[:10]).summarize()) == []


@pytest.mark.parametrize("method", ["cmim", "speccmi", "relieff"])
def test_identifiers_are_left_out_with_a_note(method):
    selection = bitsieve.select(people(), "y", method=method)
    assert sorted(selection.features) == ["good", "noise"]
    (note,) = (note for note in selection.notes if "identifiers" in note)
    assert "('name', 'number')" in note
    assert note.endswith("add include=['name', 'number']")
    kept = bitsieve.select(people(), "y", method=method, include=["name"])
    assert sorted(kept.features) == ["good", "name", "noise"]


@pytest.mark.parametrize("engine", [None, "stream"])
def test_numbers_of_rows_above_a_total_are_left_out(engine, tmp_path):
    rows = [f"{number},{good},{y}" for number, good, y in zip(NUMBERS, GOOD, Y, strict=True)]
    path = tmp_path / "report.csv"
    path.write_text("\n".join(["customer,good,y", *rows, f"Total,{GOOD.sum()},no"]))
    selection = bitsieve.select(path, "y", engine=engine)
    assert selection.features == ["good"]
    assert [note.columns for note in selection.diagnostics if note.code == "identifier-dropped"] == [("customer",)]


def test_an_included_column_is_first_and_an_excluded_one_not_there():
    selection = bitsieve.select(people(), "y", include=["noise"], exclude=["good"], binning="quantile")
    assert selection.features == ["noise"]
    assert bitsieve.select(people(), "y", method="speccmi", exclude=["good"], binning="quantile").features == ["noise"]
    with pytest.raises(ValueError, match="this method cannot be made to select 'noise' first: leave include out"):
        bitsieve.select(people(), "y", method="speccmi", include=["noise"])
    assert len(bitsieve.select(people(), "y", n_features_to_select=3).features) == 2
    with pytest.raises(ValueError, match="no column is left"):
        bitsieve.select(people(), "y", method="speccmi", exclude=["good", "noise", "name", "number"])


def test_indices_and_the_fitted_selector_are_of_the_whole_table():
    selection = bitsieve.select(people(), "y", n_features_to_select=1)
    assert selection.indices.tolist() == [1]
    features = people().drop(["y"])
    assert selection.selector.transform(features).column_names == ["good"]
    assert selection.table.column_names == ["good"]


def test_a_table_of_identifiers_alone_is_used():
    table = pa.table({"number": np.sort(NUMBERS), "y": np.sort(Y)})
    assert bitsieve.select(table, "y").features == ["number"]


def test_an_empty_column_is_left_out_with_a_note():
    table = people(gone=pa.nulls(N, pa.float64()), absent=pa.nulls(N, pa.string()))
    selection = bitsieve.select(table, "y")
    assert "2 columns have no values ('gone', 'absent'): left out" in selection.notes
    assert not {"gone", "absent"} & set(selection.features)
    X = np.column_stack([GOOD, np.full(N, np.nan), NOISE])
    for selector in (bitsieve.ForwardSelector(2), bitsieve.ReliefF(2), bitsieve.GMI(2)):
        with pytest.warns(bitsieve.BitsieveWarning, match="column 'x1' has no values: left out"):
            selector.fit(X, Y)
        assert sorted(selector.selected_) == [0, 2]
        assert selector.n_features_in_ == 3


def test_rows_without_a_target_are_left_out(tmp_path, capsys):
    labels = [None, *Y[1:-1].tolist(), None]
    table = people().drop(["y"]).append_column("y", pa.array(labels))
    with pytest.raises(ValueError, match=r"2 missing values .* among 40: .*drop_missing_target=True"):
        bitsieve.select(table, "y", drop_missing_target=False)
    found = bitsieve.select(table, "y")
    wanted = bitsieve.select(table.slice(1, N - 2), "y")
    assert (found.features, found.scores.tolist()) == (wanted.features, wanted.scores.tolist())
    weights = np.arange(N) % 3
    found = bitsieve.select(table, "y", sample_weight=weights)
    wanted = bitsieve.select(table.slice(1, N - 2), "y", sample_weight=weights[1:-1])
    assert found.scores.tolist() == wanted.scores.tolist()
    numbers = np.where(np.arange(N) < 2, np.nan, GOOD)
    found = bitsieve.select(people().drop(["y", "good"]), numbers, binning="quantile")
    assert len(found.target.codes) == N - 2
    with pytest.raises(ValueError, match="no value in any row"):
        bitsieve.select(people(), [None] * N)
    path = written(table, tmp_path)
    assert main(["select", path, "--target", "y", "--no-drop-missing-target"]) == 2
    assert "drop those samples, as select and the commands do by --drop-missing-target" in capsys.readouterr().err
    assert main(["select", path, "--target", "y"]) == 0
    assert main(["count", path, "--target", "y", "--save", str(tmp_path / "counts")]) == 0
    assert f"the counts of {N - 2} samples" in capsys.readouterr().err


def with_a_row_that_is_empty(table, place):
    """The table with a row of nothing but missing values."""
    empty = pa.table({name: pa.nulls(1, table[name].type) for name in table.column_names})
    return pa.concat_tables([table.slice(0, place), empty, table.slice(place)])


DOORS = {
    "arrow": lambda table, path: table,
    "polars": lambda table, path: pl.from_arrow(table),
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype),
    "csv": lambda table, path: written(table, path),
}


@pytest.mark.parametrize("engine", [None, "stream"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("place", [0, 17, N])
def test_whole_numbers_stay_whole_where_only_rows_that_are_left_out_lack_them(door, engine, place, tmp_path):
    """Else they would be floats, which number no rows and are no categories."""
    table = people(few=np.arange(N) // 2 % 3)
    how = {"engine": engine, "method": "mim", "binning": "auto"}
    expected = bitsieve.select(table, "y", **how)
    assert "number" not in expected.features
    with_row = with_a_row_that_is_empty(table, place)
    found = bitsieve.select(DOORS[door](with_row, tmp_path), "y", **how)
    assert (found.features, found.scores.tolist()) == (expected.features, expected.scores.tolist())
    assert "rows-without-target" in [note.code for note in found.diagnostics]
    weights = [1] * N
    weights.insert(place, 0)
    labels = [*Y[:place], "no", *Y[place:]]
    weighted = with_row.set_column(with_row.num_columns - 1, "y", pa.array(labels)).append_column(
        "w", pa.array(weights)
    )
    found = bitsieve.select(DOORS[door](weighted, tmp_path), "y", sample_weight="w", **how)
    assert (found.features, found.scores.tolist()) == (expected.features, expected.scores.tolist())


def test_whole_numbers_stay_whole_where_a_batch_has_no_row_with_a_target(monkeypatch, tmp_path):
    monkeypatch.setattr(stream, "rows_of_batch", lambda *_: 10)
    table = people()
    empty = pa.table({name: pa.nulls(10, table[name].type) for name in table.column_names})
    for parts in ([empty, table], [table, empty], [table.slice(0, 20), empty, table.slice(20)]):
        parquet.write_table(pa.concat_tables(parts), tmp_path / "people.parquet", row_group_size=10)
        found = bitsieve.select(tmp_path / "people.parquet", "y", engine="stream", method="mim")
        assert sorted(found.features) == ["good", "noise"]


def test_whole_numbers_that_a_row_lacks_have_a_code_of_missing_values():
    table = people().set_column(2, "number", pa.array([None, *NUMBERS[1:].tolist()]))
    selection = bitsieve.select(table, "y", method="mim")
    assert "number" in selection.features
    assert [note.columns for note in selection.diagnostics if note.code == "missing-kept"] == [("number",)]


def test_the_error_on_missing_values_names_what_works_there(tmp_path, capsys):
    X = np.column_stack([GOOD, np.r_[np.nan, NOISE[1:]]])
    with pytest.raises(ValueError, match="set missing='bin' to give them"):
        bitsieve.select(X, Y, missing="error")
    assert len(bitsieve.select(X, Y).features) == 2
    for make in (bitsieve.ForwardSelector, bitsieve.SpecCMI, bitsieve.VMI):
        with pytest.raises(ValueError, match="set missing='bin' to give them"):
            make(2, missing="error").fit(X, Y)
        fitted = make(2).fit(X, Y)
        assert fitted.scores_.tolist() == make(2, binning=bitsieve.MDLBinner(missing="bin")).fit(X, Y).scores_.tolist()
    with pytest.raises(ValueError, match="binning is an object, so set missing on that object"):
        bitsieve.ForwardSelector(2, binning=bitsieve.MDLBinner(), missing="bin").fit(X, Y)
    with pytest.raises(ValueError, match="missing='zero' is not allowed"):
        bitsieve.ForwardSelector(2, missing="zero").fit(X, Y)
    with pytest.raises(ValueError, match="set missing='bin' to give them"):
        bitsieve.ForwardSelector(2, binning=bitsieve.MDLBinner()).fit(X, Y)
    with pytest.raises(ValueError, match="set missing='bin'"):
        bitsieve.mutual_information(X, Y, missing="error")
    by_select = bitsieve.select(X, Y, missing="bin", estimator="plug-in")
    assert bitsieve.mutual_information(X, Y, missing="bin")[by_select.indices].tolist() == by_select.relevance.tolist()
    with pytest.raises(ValueError, match="missing='bin' has no meaning with estimator='ksg'"):
        bitsieve.mutual_information(X, Y, missing="bin", estimator="ksg")
    with pytest.raises(ValueError, match="set missing='bin'"):
        bitsieve.MDLBinner().fit(X, Y)
    table = pa.table({"a": X[:, 0], "b": pa.array(X[:, 1], from_pandas=True), "y": Y})
    path = written(table, tmp_path)
    assert main(["select", path, "--target", "y", "--missing", "error"]) == 2
    assert "set --missing bin to give them" in capsys.readouterr().err
    assert main(["select", path, "--target", "y"]) == 0
    assert "to raise an error instead, add --missing error" in capsys.readouterr().err


def test_the_command_line_keeps_and_excludes(tmp_path, capsys):
    path = written(people(), tmp_path)
    assert main(["select", path, "--target", "y", "-v"]) == 0
    out, err = capsys.readouterr()
    assert "number" not in out
    assert "add --include name --include number" in err
    assert (
        main(["select", path, "--target", "y", "--include", "number", "--exclude", "noise", "--binning", "quantile"])
        == 0
    )
    out, err = capsys.readouterr()
    assert out.splitlines()[1].split()[:2] == ["1", "number"]
    assert "noise" not in out
    assert main(["select", path, "--target", "y", "--exclude", "noise", "--method", "speccmi"]) == 0
    assert "noise" not in capsys.readouterr().out
