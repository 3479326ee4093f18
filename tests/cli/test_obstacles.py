"""All that stands in the way of a command is said at once, with a command line that works."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main

ROWS = 60


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    random = np.random.default_rng(0)
    churn = np.arange(ROWS) % 2
    table = pd.DataFrame(
        {
            "age": np.where(np.arange(ROWS) == 3, np.nan, random.random(ROWS) + churn),
            "city": random.choice(["x", "y", "z"], ROWS),
            "limit": np.where(np.arange(ROWS) == 5, np.inf, random.random(ROWS)),
            "churn": np.where(churn, "yes", "no"),
        }
    )
    path = tmp_path_factory.mktemp("obstacles") / "my data.csv"
    table.to_csv(path, index=False)
    return str(path)


def mistakes_and_command(words, capsys):
    """How many mistakes are named, and the words of the command line that works; None if there is none."""
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    numbers = [number for number in range(1, 9) if f"({number}) " in line]
    _, works, command = line.partition("this works: bitsieve ")
    return len(numbers), shlex.split(command) if works else None


CASES = [
    (["-t", "churm", "--method", "cmimm", "--missing", "error"], 4),
    (["--method=jmii", "--missing", "erro"], 5),  # the target, infinite values, missing values
    (["-t", "churn", "--include", "aeg", "--exclude", "limit", "--binning", "quantil"], 2),
    (["-t", "churn", "--column-type", "city=number", "--stop", "significanc", "--estimator", "corected"], 4),
    (["-k", "2", "-t", "zzz", "--target-kind", "clases"], 3),
]


@pytest.mark.parametrize(("options", "n_mistakes"), CASES, ids=[" ".join(options) for options, _ in CASES])
def test_every_mistake_is_named_and_the_proposed_command_works(options, n_mistakes, path, capsys):
    number, command = mistakes_and_command(["select", path, *options], capsys)
    assert number == n_mistakes
    assert main(command) == 0
    assert path in command


def test_one_mistake_is_one_plain_sentence(path, capsys):
    number, command = mistakes_and_command(["select", path, "--exclude", "limit", "-t", "churm"], capsys)
    assert (number, command) == (0, None)


def test_explain_names_every_mistake(path, capsys):
    options = ["-t", "churm", "--method", "cmimm", "--exclude", "limit"]
    number, command = mistakes_and_command(["explain", "age", path, *options], capsys)
    assert number == 2
    assert main(command) == 0


def test_other_options_stay_as_they_were_typed(path, capsys):
    options = ["-t", "churm", "--exclude", "limit", "--method", "cmimm", "-k", "2", "--bins=3", "--binning", "quantile"]
    _, command = mistakes_and_command(["select", path, *options], capsys)
    assert command[2:] == [
        *["-t", "churn", "--exclude", "limit", "-k", "2", "--bins=3", "--binning", "quantile", "--method", "cmim"]
    ]


def test_a_file_that_is_missing_is_not_looked_for_again(capsys):
    number, _ = mistakes_and_command(["select", "no.csv", "--method", "cmimm"], capsys)
    assert number == 0


def test_a_column_that_cannot_be_read_can_be_excluded():
    mixed = [1, "a", 2.5, b"b"] * 15
    data = pd.DataFrame({"mixed": mixed, "age": range(ROWS)})
    target = np.arange(ROWS) > 30
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(data, target)
    assert error.value.fix == {"exclude": ["mixed"]}
    assert error.value.columns == ("mixed",)
    selection = bitsieve.select(data, target, identifiers="keep", **error.value.fix)
    assert selection.features == ["age"]
