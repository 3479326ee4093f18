"""``--duration`` and ``--event`` on the command line: the same as in Python, and mistakes in the words of options."""

import json

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main

OPTIONS = ["--duration", "week", "--event", "died"]


@pytest.fixture
def patients(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.integers(0, 4, (200, 3)), columns=["a", "b", "c"])
    death = random.exponential(size=200) / np.exp(1.5 * (table["b"] == 1))
    censoring = random.exponential(1.5, size=200)
    table["week"] = np.minimum(death, censoring).round(3)
    table["died"] = (death <= censoring).astype(int)
    table.to_csv("patients.csv", index=False)
    return table


def test_explain_is_that_of_python(patients, capsys):
    assert main(["explain", "b", "patients.csv", *OPTIONS, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    explanation = bitsieve.select(patients, duration="week", event="died").explain("b")
    assert (document["unit"], document["relevance"]) == ("bits per event", explanation.relevance)
    assert document["class_entropy"] is None


@pytest.mark.slow
def test_how_many_is_that_of_python(patients, capsys):
    assert main(["how-many", "patients.csv", *OPTIONS, "--pairs", "5", "--report", "report.html", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    result = bitsieve.how_many(patients, duration="week", event="died", n_pairs=5)
    assert document["answers"] == result.to_dict()["answers"]
    with open("report.html") as report:
        text = report.read()
    assert "draws of the events among the rows at risk" in text


@pytest.mark.parametrize("command", [["select"], ["explain", "b"], ["compare"], ["how-many"]])
def test_a_missing_column_is_named_by_its_option(patients, capsys, command):
    for options, message in (
        (["--duration", "weke", "--event", "died"], "no column 'weke' for the duration: did you mean 'week'"),
        (["--duration", "week", "--event", "dyed"], "no column 'dyed' for the event: did you mean 'died'"),
    ):
        assert main([*command, "patients.csv", *options]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "died", "--event", "died"], "an event is given without a time: add --duration, the column of"),
        (["-t", "died", "--entry", "a"], "an entry is given without a time: add --duration, the column of"),
        (["--duration", "week"], "a time is given without an event: add --event, the column that is 1"),
        ([*OPTIONS, "--groups", "a"], "--groups do not go with a time to an event: leave them out"),
        ([*OPTIONS, "--entry", "a"], "the entry 'a' is not before the duration 'week' in "),
    ],
)
def test_mistakes_are_in_the_words_of_options(patients, capsys, options, message):
    assert main(["select", "patients.csv", *options]) == 2
    assert f"bitsieve: error: {message}" in capsys.readouterr().err


def test_a_figure_of_times_is_refused_before_any_work(patients, tmp_path, capsys):
    saved = tmp_path / "selection.json"
    assert main(["select", "patients.csv", *OPTIONS, "--figure", "figure.svg", "--save", str(saved)]) == 2
    assert "write a report" in capsys.readouterr().err
    assert not saved.exists()


@pytest.mark.parametrize("command", ["drift", "interactions"])
def test_commands_without_times_say_what_to_give(patients, capsys, command):
    assert main([command, "patients.csv", *OPTIONS]) == 2
    assert "--duration: " in (line := capsys.readouterr().err)
    assert "give the column of the event as --target" in line
