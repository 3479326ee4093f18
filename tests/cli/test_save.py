"""``bitsieve select --save``, and what saved counts and saved selections say of each other."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    ill = random.random(120) < 0.4
    table = pd.DataFrame(
        {
            "dose": random.normal(size=120) + 2 * ill,
            "share": [f"{value} %" for value in random.integers(1, 30, 120) + 20 * ill],
            "ill": np.where(ill, "yes", "no"),
        }
    )
    table.to_csv("data.csv", index=False)
    return tmp_path


def run(capsys, *arguments):
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_file_is_the_selection_of_python(folder, capsys):
    code, _, errors = run(capsys, "select", "data.csv", "--target", "ill", "--save", "ill.json")
    assert code == 0
    assert "ill.json" in errors
    selection = bitsieve.select("data.csv", "ill")
    assert bitsieve.load("ill.json") == selection
    selection.save("python.json")
    theirs, ours = (json.loads((folder / name).read_text()) for name in ("ill.json", "python.json"))
    del theirs["execution"], ours["execution"]  # the command takes every core
    assert theirs == ours


def test_the_document_names_the_file_and_a_file_is_overwritten_by_force_alone(folder, capsys):
    select = "select", "data.csv", "--target", "ill", "--save", "ill.json"
    assert json.loads(run(capsys, *select, "--json")[1])["save"] == "ill.json"
    code, _, errors = run(capsys, *select)
    assert code == 2
    assert "--force" in errors
    assert run(capsys, *select, "--force")[0] == 0


@pytest.mark.parametrize("path", ["ill.txt", "ill", "missing/ill.json"])
def test_paths_that_are_refused_before_any_work(folder, capsys, path):
    code, out, errors = run(capsys, "select", "data.csv", "--target", "ill", "--save", path)
    assert code == 2
    assert not out
    assert path.rpartition("/")[2] in errors or "missing" in errors


def test_counts_and_selections_refuse_each_other_by_name(folder, capsys):
    count = "count", "data.csv", "--target", "ill", "--save"
    select = "select", "data.csv", "--target", "ill", "--save"
    assert run(capsys, *count, "counts")[0] == 0
    assert run(capsys, *select, "ill.json")[0] == 0
    before = (folder / "ill.json").read_bytes()
    wrong = [
        ([*select, "counts"], "bitsieve count"),
        ([*select, "counts", "--force"], "bitsieve count"),
        ([*count, "ill.json"], "bitsieve select --save"),
        ([*count, "ill.json", "--force"], "bitsieve select --save"),
        (["select", "--counts", "ill.json"], "bitsieve select --save"),
    ]
    for arguments, named in wrong:
        code, out, errors = run(capsys, *arguments)
        assert (code, out) == (2, "")
        assert named in errors
        assert errors.count("\n") == 1
    assert (folder / "ill.json").read_bytes() == before
    for path in ("counts", "counts/counts.bitsieve"):
        with pytest.raises(bitsieve.UserError) as error:
            bitsieve.load(path)
        assert error.value.code == "not-saved-selection"
        assert "bitsieve count" in str(error.value)


def test_a_selection_from_counts_is_saved_too(folder, capsys):
    assert run(capsys, "count", "data.csv", "--target", "ill", "--save", "counts")[0] == 0
    assert run(capsys, "select", "--counts", "counts", "--save", "ill.json")[0] == 0
    selection = bitsieve.load("ill.json")
    table = pd.read_csv("data.csv")
    assert selection.transform(table)["dose"].equals(table["dose"])
