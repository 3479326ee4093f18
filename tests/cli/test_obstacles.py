"""All that stands in the way of a command is said at once, with a command line that works."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main, obstacles

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
    (["-t", "churm", "--exclude", "age,limit"], 2),
    (["-t", "churm", "--exclude=age,limit"], 2),
    (["-k", "five", "-t", "churm", "--exclude", "limit"], 2),
    (["-t", "churn", "--exclude", "limit", "--method", "fbed", "--set", "symmetry=or", "--missing", "erro"], 3),
    (["-t", "churm", "--exclude", "limit", "--method", "mmpc", "--set", "start=age", "--set=symmetry=or"], 2),
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


OTHER_COMMANDS = [
    (["compare", "-t", "churm", "--methods", "jmii", "--folds", "3", "-k", "2", "--exclude", "limit"], 2),
    (["compare", "-t", "churm", "--binz", "3", "--classifer", "lda", "--folds", "3", "--exclude", "limit"], 4),
    (["how-many", "-t", "churm", "--method", "cmimm", "--pairs", "2", "--classifier", "ncm", "--exclude", "limit"], 2),
    (["how-many", "-t", "churn", "--scoring", "acuracy", "--pairs", "2", "--estimator", "corected"], 3),
    (["interactions", "-t", "churm", "--statistic", "synergi", "--exclude", "limit"], 2),
    (["interactions", "-t", "churn", "--missing", "error", "--shufles", "5"], 3),
    (["count", "-t", "churm", "--binz", "3", "--exclude", "limit"], 3),
    (["sql", "-t", "churm", "--binning", "quantil", "--exclude", "limit"], 2),
]


@pytest.mark.parametrize(("words", "n_mistakes"), OTHER_COMMANDS, ids=[" ".join(words) for words, _ in OTHER_COMMANDS])
def test_every_command_names_every_mistake(words, n_mistakes, path, tmp_path, capsys):
    command, *options = words
    if command == "count":
        options += ["--save", str(tmp_path / "counts")]
    number, mended = mistakes_and_command([command, path, *options], capsys)
    assert number == n_mistakes
    assert main(mended) == 0


def test_misspelt_options_are_named_together(path, capsys):
    number, command = mistakes_and_command(
        ["select", path, "--targt", "churn", "--methd=jmi", "--fetures", "2", "--exclude", "limit"], capsys
    )
    assert number == 3
    assert command[2:] == ["--target", "churn", "--method=jmi", "--features", "2", "--exclude", "limit"]
    assert main(command) == 0


def test_a_parameter_of_a_method_is_an_option_of_set(path, capsys):
    words = ["select", path, "-t", "churn", "--method", "mifs", "--beta", "0.3", "--exlude", "limit"]
    _, command = mistakes_and_command(words, capsys)
    assert command[4:] == ["--method", "mifs", "--set", "beta=0.3", "--exclude", "limit"]


def test_a_setting_without_effect_is_left_out_and_the_method_stays(path, capsys):
    settings = ["--set", "symmetry=or", "--set", "n_extra_runs=2"]
    words = ["select", path, "-t", "churm", "--exclude", "limit", "--method", "iamb", *settings]
    number, command = mistakes_and_command(words, capsys)
    assert number == 3
    assert command == ["select", path, "-t", "churn", "--exclude", "limit", "--method", "iamb"]


def test_a_value_is_shown_as_it_was_typed(path, capsys):
    words = ["select", path, "-t", "churn", "--exclude", "limit", "--method", "iamb", "--set", "symmetry=none"]
    assert main(words) == 2
    assert "--set symmetry=none " in capsys.readouterr().err


@pytest.mark.parametrize(("n_bytes_less", "ending"), [(0, "; this works: bitsieve"), (1, "; try: bitsieve")])
def test_data_up_to_a_size_is_read_for_the_check(path, capsys, monkeypatch, n_bytes_less, ending):
    monkeypatch.setattr(obstacles, "MAX_BYTES_READ", Path(path).stat().st_size - n_bytes_less)
    assert main(["select", path, "--targt", "churn", "--methd", "jmi", "--exclude", "limit"]) == 2
    assert ending in capsys.readouterr().err


def test_no_more_than_eight_mistakes_are_named(path, capsys):
    misspelt = ["--targt", "churn", "--methd", "jmi", "--fetures", "2", "--exlude", "limit", "--binz", "3"]
    more = ["--uncutt", "median", "--missin", "bin", "--estimatr", "plug-in", "--screeen", "3", "--seeed", "1"]
    assert main(["select", path, *misspelt, *more]) == 2
    line = capsys.readouterr().err
    assert "8 things stand in the way" in line
    assert "; try: bitsieve select" in line


def test_help_is_no_way_to_mend_a_command(path, capsys):
    assert main(["select", path, "--hlp"]) == 2
    assert "did you mean --help?" in capsys.readouterr().err


def test_all_missing_options_are_named(path, capsys):
    assert main(["count", path]) == 2
    assert "required: --target, --save" in capsys.readouterr().err


def test_commands_without_a_check_name_misspelt_options(path, capsys):
    number, _ = mistakes_and_command(["apply", "no.json", path, "--outptu", "a.csv", "--cods"], capsys)
    assert number == 2


def test_other_options_stay_as_they_were_typed(path, capsys):
    options = ["-t", "churm", "--exclude", "limit", "--method", "cmimm", "-k", "2", "--bins=3", "--binning", "quantile"]
    _, command = mistakes_and_command(["select", path, *options], capsys)
    assert command[2:] == [
        *["-t", "churn", "--exclude", "limit", "-k", "2", "--bins=3", "--binning", "quantile", "--method", "cmim"]
    ]


def test_a_file_that_is_missing_is_named_with_the_other_mistakes(capsys):
    number, command = mistakes_and_command(["select", "no.csv", "-t", "y", "--method", "cmimm"], capsys)
    assert (number, command) == (2, None)


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
