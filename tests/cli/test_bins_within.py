"""Bins of each stratum by the command line: `--bins-within`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bitsieve
from bitsieve.cli import main


@pytest.fixture
def data(tmp_path):
    """Two batches, of which one shifts a column that is about the target."""
    random = np.random.default_rng(0)
    batch = np.arange(300) % 2
    y = (random.random(300) < 0.3 + 0.3 * batch).astype(int)
    table = pd.DataFrame({"stain": random.normal(size=300) + y + 9 * batch, "noise": random.normal(size=300)})
    table.assign(batch=np.array(["k", "l"])[batch], y=y).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_the_command_selects_as_the_function_does(data, capsys):
    assert main(["select", str(data), "-t", "y", "--strata", "batch", "--bins-within", "--json"]) == 0
    printed = capsys.readouterr()
    with pytest.warns(bitsieve.BitsieveWarning):
        expected = bitsieve.select(data, "y", strata="batch", bins_within=True)
    features = json.loads(printed.out)["features"]
    assert [feature["name"] for feature in features] == expected.features
    assert [feature["score"] for feature in features] == expected.scores.tolist()
    assert "--bins 4 says how many" in printed.err


def test_the_command_compares_as_the_function_does(data, capsys):
    options = ["--methods", "mim", "--features", "1,2", "--classifier", "ncm"]
    assert main(["compare", str(data), "-t", "y", "--strata", "batch", "--bins-within", *options, "--json"]) == 0
    printed = capsys.readouterr()
    how = {"methods": ["mim"], "features": [1, 2], "classifier": "ncm"}
    with pytest.warns(bitsieve.BitsieveWarning):
        expected = bitsieve.compare(data, "y", strata="batch", bins_within=True, **how)
    (printed_method,) = json.loads(printed.out)["methods"]
    (expected_method,) = expected.to_dict()["methods"]
    for measured in ("errors", "redundancy"):
        assert printed_method[measured] == expected_method[measured]
    assert "--bins 4 says how many" in printed.err
    assert main(["compare", str(data), "-t", "y", "--strata", "batch", "--bins-within", *options]) == 0
    (advice,) = (line for line in capsys.readouterr().out.splitlines() if "to select them" in line)
    assert "--bins-within" in advice


def test_how_many_has_the_bins_of_each_stratum(data, capsys):
    options = ["--folds", "3", "--pairs", "2", "--classifier", "ncm"]
    assert main(["how-many", str(data), "-t", "y", "--strata", "batch", "--bins-within", *options]) == 0
    assert "--bins 4 says how many" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "how-many"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--bins-within needs strata: add --strata"),
        (["--strata", "batch", "--binning", "mdl"], "is no parameter of"),
    ],
)
def test_commands_that_judge_refuse_it_in_the_words_that_were_typed(data, command, options, message, capsys):
    assert main([command, str(data), "-t", "y", "--bins-within", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--bins-within needs strata: add --strata, or leave it out"),
        (
            ["--strata", "batch", "--binning", "mdl"],
            "--bins-within is no parameter of binning 'mdl': it has --uncut, --missing; --binning may be 'quantile' or",
        ),
        (["--strata", "batch", "--memory", "1GB"], "--bins-within needs all rows in memory: leave it out, or give"),
        (["--strata", "batch", "--method", "relieff"], "'relieff' does not work within strata"),
        (["--method", "vmi", "--set", "densities=gaussian"], "--bins-within is for bins, and --set densities takes"),
    ],
    ids=str,
)
def test_mistakes_are_in_the_words_that_were_typed(data, options, message, capsys):
    assert main(["select", str(data), "-t", "y", "--bins-within", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_saved_counts_have_their_bins(data, tmp_path, capsys):
    assert main(["count", str(data), "-t", "y", "--save", str(tmp_path / "counts")]) == 0
    capsys.readouterr()
    assert main(["select", "--counts", str(tmp_path / "counts"), "--bins-within"]) == 2
    assert "saved counts have their bins" in capsys.readouterr().err


def test_a_saved_selection_gives_columns_but_no_codes(data, tmp_path, capsys):
    saved = str(tmp_path / "saved.json")
    how = ["--strata", "batch", "--bins-within", "-k", "1"]
    assert main(["select", str(data), "-t", "y", *how, "--save", saved]) == 0
    assert main(["verify", saved, str(data)]) == 0
    assert main(["apply", saved, str(data), "--output", str(tmp_path / "new.csv")]) == 0
    assert pd.read_csv(tmp_path / "new.csv").columns.tolist() == ["stain", "y"]
    capsys.readouterr()
    for option in ("--check", "--codes", "--append-score"):
        assert main(["apply", saved, str(data), option, "--output", str(tmp_path / "codes.csv")]) == 2
        assert "each stratum had bins of its own" in capsys.readouterr().err
