"""``bitsieve scorecard``: the files and the tables of the function of this name."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    random = np.random.default_rng(4)
    n = 600
    frame = pd.DataFrame({"age": random.integers(20, 70, n).astype(float), "kind": random.choice(["a", "b"], n)})
    log_odds = -0.05 * (frame["age"] - 45) + (frame["kind"] == "a")
    frame["bad"] = np.where(random.random(n) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
    frame.loc[:40, "age"] = -999
    path = tmp_path_factory.mktemp("loans") / "loans.csv"
    frame.to_csv(path, index=False)
    return path, frame


def test_the_command_is_the_function(loans, tmp_path, capsys):
    path, frame = loans
    options = ["--special", "age=-999", "--max-bins", "4", "--points", "pdo=50,base=500,odds=20"]
    files = {name: tmp_path / f"card.{name}" for name in ("json", "sql", "html")}
    outputs = ["--save", str(files["json"]), "--sql", str(files["sql"]), "--report", str(files["html"])]
    assert main(["scorecard", str(path), "--target", "bad", *options, *outputs, "--relation", "loans"]) == 0
    printed = capsys.readouterr().out
    assert "special -999" in printed
    binner = bitsieve.MonotoneBinner(special_values={"age": [-999]}, max_n_bins=4)
    points = bitsieve.Points(pdo=50, base_score=500, base_odds=20)
    card = bitsieve.scorecard(frame, "bad", binner=binner, points=points)
    assert printed == f"{card}\n"
    loaded = bitsieve.Scorecard.load(files["json"])
    assert loaded.score(frame).tolist() == card.score(frame).tolist()
    assert files["sql"].read_text("utf-8") == card.to_sql("ansi", "loans") + "\n"
    page = files["html"].read_text("utf-8")
    assert page.count("<svg") == 2
    assert "Scorecard of bad" in page


def test_a_column_that_separates_the_classes_is_kept_on_request(loans, tmp_path, capsys):
    _, frame = loans
    path = tmp_path / "leak.csv"
    leak = frame.assign(leak=(frame["bad"] == "yes") * 1.0 + np.arange(len(frame)) / 1e4)
    leak.to_csv(path, index=False)
    command = ["scorecard", str(path), "--target", "bad", "--json", "-v"]
    assert main(command) == 0
    streams = capsys.readouterr()
    assert "leak" not in [column["name"] for column in json.loads(streams.out)["columns"]]
    assert "--min-events 0 and --min-nonevents 0" in streams.err
    assert main([*command, "--min-events", "0", "--min-nonevents", "0"]) == 0
    assert "leak" in [column["name"] for column in json.loads(capsys.readouterr().out)["columns"]]


def test_weights_of_a_survey_are_taken_as_the_message_proposes(loans, tmp_path, capsys):
    _, frame = loans
    path = tmp_path / "survey.csv"
    weights = np.random.default_rng(0).random(len(frame)).round(2) + 0.5
    frame.assign(weight=weights).to_csv(path, index=False)
    command = ["scorecard", str(path), "--target", "bad", "--weight", "weight", "-q"]
    assert main(command) == 2
    assert "add --weight-kind sampling" in capsys.readouterr().err
    assert main([*command, "--weight-kind", "sampling"]) == 0
    card = bitsieve.scorecard(frame, "bad", sample_weight=weights, weight_kind="sampling")
    assert capsys.readouterr().out == f"{card}\n"
    assert 0 < card.card.totals.rows < len(frame)


def test_a_file_is_scored_by_a_saved_card(loans, tmp_path, monkeypatch, capsys):
    path, frame = loans
    monkeypatch.chdir(tmp_path)
    assert main(["scorecard", str(path), "--target", "bad", "--save", "card.json", "-q"]) == 0
    capsys.readouterr()
    scores = bitsieve.Scorecard.load("card.json").score(frame).tolist()
    assert main(["apply", "card.json", str(path), "-q"]) == 0
    written = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert written["score"].tolist() == scores
    assert list(written) == [*frame, "age_points", "kind_points", "score"]
    assert main(["apply", "card.json", str(path), "-o", "scored.csv", "--json"]) == 0
    streams = capsys.readouterr()
    assert json.loads(streams.out)["n_rows"] == len(frame)
    assert "saved 600 rows of 6 columns to 'scored.csv'" in streams.err
    for option, advice in (("--check", f"'bitsieve drift {path} --card card.json'"), ("--codes", "leave it out")):
        assert main(["apply", "card.json", str(path), option]) == 2
        assert advice in capsys.readouterr().err


def test_json_holds_the_card(loans, capsys):
    path, _ = loans
    assert main(["scorecard", str(path), "--target", "bad", "--event", "no", "--json", "-q"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["event"] == "no"
    assert [column["name"] for column in document["columns"]] == ["age", "kind"]


def test_a_special_value_without_its_sign_is_noted(loans, capsys):
    path, _ = loans
    assert main(["scorecard", str(path), "--target", "bad", "--special", "age=999"]) == 0
    assert "--special age=999 is not in that column: did you mean --special age=-999?" in capsys.readouterr().err


def test_special_values_may_be_a_list_and_stand_in_columns_of_codes(loans, tmp_path, capsys):
    _, frame = loans
    path = tmp_path / "codes.csv"
    frame = frame.assign(code=np.array(["A1", "B2", "-999"])[np.arange(len(frame)) % 3])
    frame.loc[41:80, "age"] = -998
    frame.to_csv(path, index=False)
    assert main(["scorecard", str(path), "--target", "bad", "--special=-998,-999", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines if line.startswith("special")] == [
        "special -998",
        *["special -999"] * 2,
    ]
    assert main(["scorecard", str(path), "--target", "bad", "--special", "code=A1,B2", "-v"]) == 0
    assert "--special code=A1,B2 is not in that column" in capsys.readouterr().err


def test_the_bound_that_leaves_one_bin_is_an_option(loans, tmp_path, capsys):
    _, frame = loans
    path = tmp_path / "gaps.csv"
    frame.assign(income=np.where(frame.index < 60, frame.index, np.nan)).to_csv(path, index=False)
    assert main(["scorecard", str(path), "--target", "bad", "--min-share", "0.2"]) == 0
    notes = capsys.readouterr().err
    assert "--min-share 0.2 is kept by no bins of 'income', so that it has one bin: loosen --min-share" in notes


@pytest.mark.parametrize(
    "wrong",
    [
        ["--points", "base=high"],
        ["--points", "doubling=20"],
        ["--trend", "age=up"],
        ["--trend", "kind=ascending"],
        ["--points", "pdo=-20"],
        ["--event", "maybe"],
        ["--special", "age=none"],
        ["--special", "nan"],
        ["--engine", "stream"],
        ["--save", "card.txt"],
    ],
)
def test_mistakes_are_one_line(loans, wrong, capsys):
    path, _ = loans
    assert main(["scorecard", str(path), "--target", "bad", *wrong]) == 2
    error = capsys.readouterr().err.strip().splitlines()
    assert error[-1].startswith("bitsieve: error: ")
    assert "Traceback" not in "".join(error)


@pytest.mark.parametrize(
    ("wrong", "typed"),
    [
        (["--points", "pdo=-20"], "--points 'pdo=-20' is not allowed: give a number above 0"),
        (["--points", "pdo=20,odds=0"], "--points 'odds=0' is not allowed: give a number above 0"),
        (["--trend", "age=up"], "--trend age=up is not allowed"),
        (["--trend", "kind=ascending"], "--trend kind=ascending needs numbers or ordered categories"),
    ],
)
def test_mistakes_are_named_as_they_were_typed(loans, wrong, typed, capsys):
    path, _ = loans
    assert main(["scorecard", str(path), "--target", "bad", *wrong]) == 2
    assert capsys.readouterr().err.startswith(f"bitsieve: error: {typed}")


def test_a_column_may_have_no_trend(loans, capsys):
    path, frame = loans
    assert main(["scorecard", str(path), "--target", "bad", "--trend", "age=none", "--trend", "kind=none", "-q"]) == 0
    binner = bitsieve.MonotoneBinner(trend={"age": "none", "kind": "none"})
    assert capsys.readouterr().out == f"{bitsieve.scorecard(frame, 'bad', binner=binner)}\n"
