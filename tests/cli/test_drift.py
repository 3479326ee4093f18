"""``bitsieve drift``: periods, files, new data beside a saved selection or scorecard; ``select --period``."""

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


def test_groups_are_named(rows, capsys):
    rows.assign(patient=np.arange(800) // 4).to_csv("visits.csv", index=False)
    assert main(["drift", "visits.csv", "--period", "month", "--groups", "patient", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["n_groups"] == 200
    assert "patient" not in [column["name"] for column in document["columns"]]


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


def test_a_saved_selection_behind_the_data_is_refused(rows, capsys):
    assert main(["select", "old.csv", "-t", "ill", "--save", "selection.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["drift", "new.csv", "selection.json"]) == 2
    assert "bitsieve drift selection.json new.csv" in capsys.readouterr().err


def test_a_missing_period_is_named_so(rows, capsys):
    assert main(["select", "rows.csv", "-t", "ill", "--period", "mnth", "--drift", "within"]) == 2
    assert "for the period" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--counts", "counts", "--strata", "month"], "--strata site"),
        (["counts", "--strata", "month"], "--counts counts"),
    ],
)
def test_strata_of_saved_counts(rows, capsys, arguments, message):
    assert main(["count", "old.csv", "-t", "ill", "--save", "counts", "--quiet"]) == 0
    assert main(["select", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_select_leaves_out_what_moves(rows, capsys):
    assert main(["select", "rows.csv", "-t", "ill", "--period", "month", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [feature["name"] for feature in document["features"]] == ["steady"]
    assert main(["select", "rows.csv", "-t", "ill", "--drift", "within"]) == 2
    assert "add --period month" in capsys.readouterr().err


def test_without_a_period(rows, capsys):
    assert main(["drift", "rows.csv"]) == 2
    assert "no period is given" in capsys.readouterr().err


@pytest.fixture
def card(rows, capsys):
    assert main(["scorecard", "old.csv", "-t", "ill", "--save", "card.json", "--quiet"]) == 0
    capsys.readouterr()
    return bitsieve.Scorecard.load("card.json")


def test_columns_of_a_scorecard_beside_its_data_and_beside_a_file(rows, card, capsys):
    expected = card.stability(rows[400:])
    documents = []
    for files in (["new.csv"], ["old.csv", "new.csv"]):
        assert main(["drift", *files, "--card", "card.json", "--json"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    for document in documents:
        assert [column["psi"] for column in document["columns"]] == expected["psi"].tolist()
        assert {column["name"]: column["word"] == "stable" for column in document["columns"]} == {
            "steady": True,
            "moves": False,
        }
    assert [document["reference"] for document in documents] == [None, "old.csv"]


def test_columns_of_a_scorecard_in_a_folder_that_is_read_in_batches(rows, card, tmp_path, capsys):
    parts = tmp_path / "parts"
    parts.mkdir()
    rows[400:600].to_parquet(parts / "a.parquet")
    rows[600:].to_parquet(parts / "b.parquet")
    assert main(["drift", str(parts), "--card", "card.json", "--memory", "1MB", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [column["psi"] for column in document["columns"]] == card.stability(rows[400:])["psi"].tolist()


def test_columns_of_a_scorecard_as_text_and_as_a_file(card, capsys):
    assert main(["drift", "new.csv", "--card", "card.json", "--output", "psi.csv"]) == 0
    assert "1 of 2 columns of the scorecard moved" in capsys.readouterr().out
    assert pd.read_csv("psi.csv")["column"].tolist() == card.features


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["new.csv", "--card", "card.json", "--level", "0.1"], "--level has no effect beside --card"),
        (["new.csv", "--card", "card.json", "--spool", "."], "--spool has no effect beside --card"),
        (["new.csv", "--card", "card.json", "--engine", "stream"], "--engine has no effect beside --card"),
        (["new.csv", "--card", "card.json", "--push-down"], "--push-down has no effect beside --card"),
        (["old.csv", "new.csv", "rows.csv", "--card", "card.json"], "3 files are given"),
        (["card.json", "new.csv"], "give it as --card card.json"),
        (["new.csv", "card.json"], "give it as --card card.json"),
        (["new.csv", "card.json", "--card", "card.json"], "'card.json' is a saved scorecard"),
        (["new.csv", "--card", "new.csv"], "'new.csv' is no scorecard"),
        (["new.csv", "--card", "absent.json"], "'absent.json'"),
    ],
)
def test_mistakes_about_a_scorecard_are_one_line(card, words, part, capsys):
    assert main(["drift", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert part in line


def test_a_saved_selection_alone_asks_for_new_data(rows, capsys):
    assert main(["select", "old.csv", "-t", "ill", "--save", "selection.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["drift", "selection.json"]) == 2
    assert "selection.json new.csv" in capsys.readouterr().err


def test_a_saved_selection_is_no_data(rows, capsys):
    assert main(["select", "old.csv", "-t", "ill", "--save", "selection.json", "--quiet"]) == 0
    for words in (["new.csv", "selection.json"], ["selection.json", "selection.json"]):
        capsys.readouterr()
        assert main(["drift", *words]) == 2
        assert "'selection.json' is a saved selection, which is no data" in capsys.readouterr().err
