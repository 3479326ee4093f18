"""``bitsieve drift``: periods of a table, several files, new data beside a saved selection; ``select --period``."""

import json

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(6)
    month = np.repeat(["2024-01", "2024-02"], 400)
    ill = random.integers(0, 2, 800)
    data = pd.DataFrame(
        {
            "steady": ill + random.normal(size=800),
            "moves": ill + random.normal(size=800) + 2 * (month == "2024-02"),
            "month": month,
            "ill": ill,
        }
    )
    data.to_csv("rows.csv", index=False)
    features = data.drop(columns="month")
    features[:400].to_csv("old.csv", index=False)
    features[400:].to_csv("new.csv", index=False)
    return data


def test_json_has_what_python_returns(rows, capsys):
    assert main(["drift", "rows.csv", "--period", "month", "--target", "ill", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    expected = bitsieve.drift(rows, "month", "ill").to_dict()
    assert document["columns"] == expected["columns"]
    assert [column["drifts"] for column in document["columns"]] == [True, False]


def test_two_files_are_two_periods(rows, capsys):
    assert main(["drift", "old.csv", "new.csv", "-t", "ill", "--output", "drift.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [period["name"] for period in document["periods"]] == ["old.csv", "new.csv"]
    assert document["columns"] == bitsieve.drift(rows, "month", "ill").to_dict()["columns"]
    assert pd.read_csv("drift.csv")["column"].tolist() == ["moves", "steady"]


def test_a_saved_selection_and_new_data(rows, capsys):
    assert main(["select", "old.csv", "-t", "ill", "--save", "selection.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["drift", "selection.json", "new.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["moved"] == ["moves"]
    assert main(["drift", "selection.json", "new.csv", "--period", "month"]) == 2
    assert "--period has no effect beside a saved selection" in capsys.readouterr().err


def test_select_leaves_out_what_moves(rows, capsys):
    assert main(["select", "rows.csv", "-t", "ill", "--period", "month", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [feature["name"] for feature in document["features"]] == ["steady"]
    assert main(["select", "rows.csv", "-t", "ill", "--drift", "within"]) == 2
    assert "add --period month" in capsys.readouterr().err


def test_without_a_period(rows, capsys):
    assert main(["drift", "rows.csv"]) == 2
    assert "no period is given" in capsys.readouterr().err
