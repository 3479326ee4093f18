"""``bitsieve apply``: the columns of a saved selection, from new data of any kind, in batches."""

from __future__ import annotations

import io
import json
import sqlite3
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather
from tests.patients import patients

import bitsieve
from bitsieve.cli import main
from bitsieve.io.read import read_table

N = 3000  # more than one batch of the smallest memory


def table(n=N, seed=0):
    return patients(n, seed).drop(columns="weight")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of a saved selection of three columns, and the selection."""
    folder = tmp_path_factory.mktemp("saved")
    selection = bitsieve.select(table(), "ill", n_features_to_select=3, exclude=["noise"])
    selection.save(folder / "ill.json")
    return folder, selection


@pytest.fixture
def folder(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ill.json").write_bytes((saved[0] / "ill.json").read_bytes())
    return tmp_path


def run(capsys, *arguments):
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def written(path):
    return read_table(path, diagnostics=[]).to_pandas()


def write(data, name):
    ending = name.rpartition(".")[2]
    if ending in ("csv", "tsv"):
        data.to_csv(name, index=False, sep="\t" if ending == "tsv" else ",")
    elif ending == "parquet":
        data.to_parquet(name)
    elif ending in ("arrow", "feather"):
        feather.write_feather(pa.Table.from_pandas(data, preserve_index=False), name, compression="uncompressed")
    elif ending == "json":
        data.to_json(name, orient="records", lines=True)
    elif ending == "sqlite":
        with sqlite3.connect(name) as connection:
            data.to_sql("rows", connection, index=False)


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["new.csv", "new.tsv", "new.parquet", "new.arrow", "new.json", "new.sqlite"])
@pytest.mark.parametrize("memory", [(), ("--memory", "1MB")])
def test_columns_of_any_format_best_first_with_the_target(saved, folder, capsys, name, memory):
    new = table(seed=1)[["ill", "noise", "city", "dose", "share"]]
    write(new, name)
    code, out, errors = run(capsys, "apply", "ill.json", name, "-o", "reduced.parquet", *memory)
    assert (code, out) == (0, ""), errors
    expected = new[[*saved[1].features, "ill"]]
    pd.testing.assert_frame_equal(written("reduced.parquet"), expected, check_dtype=False)


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "arrow", "feather"])
def test_codes_in_batches_are_those_of_all_rows(saved, folder, capsys, ending):
    new = table(seed=2).drop(columns="ill")
    new.loc[2500:, "city"] = "Paris"  # in the last batch alone
    new["share"] = [text.replace(" %", " percent") if i < 1500 else text for i, text in enumerate(new["share"])]
    write(new, "new.csv")
    code, _, errors = run(capsys, "apply", "ill.json", "new.csv", "-o", f"codes.{ending}", "--codes", "--memory", "1MB")
    assert code == 0
    assert "Paris" in errors
    with pytest.warns(bitsieve.BitsieveWarning):
        expected = saved[1].transform(new, codes=True)[saved[1].features]
    assert written(f"codes.{ending}").astype("int32").equals(expected)


def test_standard_input_and_standard_output(saved, folder, capsys, monkeypatch):
    new = table(50, seed=3)
    stream = io.BytesIO(new.to_csv(index=False).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    code = main(["apply", "ill.json", "-", "-q"])
    printed = capsys.readouterr().out
    assert code == 0
    assert pd.read_csv(io.StringIO(printed)).columns.tolist() == [*saved[1].features, "ill"]


def test_a_folder_of_files_one_of_which_has_fractions(folder, capsys):
    table(40, seed=4).assign(dose=1).to_csv("a.csv", index=False)
    table(40, seed=5).to_csv("b.csv", index=False)
    code, _, errors = run(capsys, "apply", "ill.json", "a.csv", "b.csv", "-o", "out.csv")
    assert code == 0, errors
    assert len(written("out.csv")) == 80


def test_arrays_of_npz(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 100)
    X = random.normal(size=(100, 4)) + np.array([0, 2, 0, 1]) * y[:, None]
    np.savez("old.npz", X=X, y=y)
    assert run(capsys, "select", "old.npz", "-k", "2", "--save", "s.json")[0] == 0
    assert run(capsys, "apply", "s.json", "old.npz", "-o", "new.npz")[0] == 0
    indices = bitsieve.load("s.json").indices
    with np.load("new.npz") as archive:
        assert (archive["X"] == X[:, indices]).all()
        assert (archive["y"] == y).all()
    code, _, errors = run(capsys, "apply", "s.json", "old.npz", "-o", "new.csv", "--append-score")
    assert code == 2
    assert errors.count("\n") == 1


def test_all_missing_columns_are_named_in_one_line(folder, capsys):
    table(30).drop(columns=["dose", "city"]).to_csv("new.csv", index=False)
    code, out, errors = run(capsys, "apply", "ill.json", "new.csv", "-o", "out.csv")
    assert (code, out) == (2, "")
    assert errors.count("\n") == 1
    assert "'dose'" in errors
    assert "'city'" in errors
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--json"], "--output"),
        (["--check", "--codes"], "--output"),
        (["-o", "out.xyz"], ".parquet"),
        (["-o", "new.csv", "--force"], "input"),
        (["-o", "there.csv"], "--force"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, arguments, word):
    table(30).to_csv("new.csv", index=False)
    table(30).to_csv("there.csv", index=False)
    code, out, errors = run(capsys, "apply", "ill.json", "new.csv", *arguments)
    assert (code, out) == (2, "")
    assert errors.count("\n") == 1
    assert word in errors


def test_scores_by_their_formula(saved, folder, capsys):
    new = table(200, seed=6)
    new.loc[0, ["dose", "share", "city"]] = [np.nan, "?", "Nowhere"]
    write(new, "new.parquet")
    code, _, errors = run(capsys, "apply", "ill.json", "new.parquet", "-o", "out.parquet", "--append-score")
    assert code == 0, errors
    out = written("out.parquet")
    selection = saved[1]
    with pytest.warns(bitsieve.BitsieveWarning):
        codes = selection.transform(new, codes=True)[selection.features].to_numpy()
    with pytest.warns(bitsieve.BitsieveWarning):
        frame = selection.transform(new, append_score=True)
    sizes = np.array(selection.details.class_sizes)
    shares = sizes / sizes.sum()
    bits = np.zeros((200, 2))
    for j, column in enumerate(selection.details.columns):
        counts = np.array(column.counts)
        for i, code_of_row in enumerate(codes[:, j]):
            if code_of_row >= 0:
                posterior = (counts[code_of_row] + shares) / (counts[code_of_row].sum() + 1)
                bits[i] += np.log2(posterior / shares)
    likely = np.argmax(bits + np.log2(shares), axis=1)
    labels = np.array(selection.target.labels)[likely]
    assert out["likely_class"].tolist() == labels.tolist() == frame["likely_class"].tolist()
    assert np.allclose(out["score_bits"], bits[np.arange(200), likely], rtol=0, atol=1e-12)  # sums in another order
    assert np.allclose(frame["score_bits"], out["score_bits"], rtol=0, atol=1e-12)
    assert (out["likely_class"] == new["ill"]).mean() > 0.8


def test_a_check_names_what_moved(folder, capsys):
    write(table(seed=7), "same.csv")
    code, out, _ = run(capsys, "apply", "ill.json", "same.csv", "--check", "--json")
    assert code == 0
    assert json.loads(out)["check"]["moved"] == []
    moved = table(seed=8)
    moved["dose"] += 1.5
    moved.loc[::2, "city"] = "Paris"
    write(moved, "moved.csv")
    code, out, errors = run(capsys, "apply", "ill.json", "moved.csv", "--check", "--memory", "1MB", "--json")
    check = json.loads(out)["check"]
    assert set(check["moved"]) == {"dose", "city"}
    by_name = {column["column"]: column for column in check["columns"]}
    assert by_name["city"]["new_categories"] == 0.5
    assert by_name["city"]["without_code"] == 0.5
    assert by_name["dose"]["missing_before"] == by_name["dose"]["missing_now"]
    assert "Paris" in errors
    code, out, _ = run(capsys, "apply", "ill.json", "moved.csv", "--check")
    assert "2 of 3" in out
    assert bitsieve.load("ill.json").check(moved).to_dict()["columns"] == check["columns"]


def test_a_column_of_another_kind_is_named_without_options(saved, folder, capsys):
    new = table(40, seed=9).assign(dose="low", city=1.5)
    write(new, "new.csv")
    code, _, errors = run(capsys, "apply", "ill.json", "new.csv", "-o", "out.csv")
    assert code == 0
    lines = [line for line in errors.splitlines() if "warning" in line]
    assert all(any(repr(name) in line for line in lines) for name in ("dose", "city"))
    pd.testing.assert_frame_equal(written("out.csv"), new[[*saved[1].features, "ill"]], check_dtype=False)
    write(table(40, seed=9), "same.csv")
    _, _, errors = run(capsys, "apply", "ill.json", "same.csv", "-o", "same_out.csv")
    assert "warning" not in errors
