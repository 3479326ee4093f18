"""What a command imports: nothing heavy before there is data to read, and scikit-learn only for a method of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"scipy", "sklearn", "pyarrow", "narwhals", "pandas", "polars", "matplotlib"}


def imported_by(*arguments):
    """The modules that ran in a process of the command line, and its exit code."""
    command = [sys.executable, "-X", "importtime", "-m", "bitsieve", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = (line.rpartition("|") for line in result.stderr.splitlines() if line.startswith("import time:"))
    return {name.strip() for _, _, name in lines}, result.returncode


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--help"], 0),
        (["--version"], 0),
        (["select", "--help"], 0),
        (["methods"], 0),
        (["methods", "--json"], 0),
        (["nothing"], 2),
        (["select"], 2),
        (["select", "DATA", "--method", "mrm"], 2),
        (["select", "DATA", "--method", "jmi", "--set", "beta=1"], 2),
        (["select", "DATA", "--method", "mifs", "--set", "beta=-1"], 2),
        (["select", "DATA", "--binning", "mdl", "--bins", "3"], 2),
        (["select", "DATA", "--stop", "never"], 2),
        (["select", "DATA", "--output", "table.xyz"], 2),
        (["select", "no-such-file.csv"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help_and_refusals_import_nothing_heavy(arguments, code, data):
    imported, got = imported_by(*(data if word == "DATA" else word for word in arguments))
    assert got == code
    assert not {name.partition(".")[0] for name in imported} & HEAVY


@pytest.mark.parametrize("command", ["select", "explain"])
def test_a_method_on_counts_needs_no_scikit_learn(command, data):
    column = ["mean_area"] if command == "explain" else []
    imported, code = imported_by(command, *column, data, "--target", "diagnosis", "--method", "cmim")
    assert code == 0
    assert not {name.partition(".")[0] for name in imported} & {"scipy", "sklearn", "pandas", "polars", "matplotlib"}


def test_a_method_of_scikit_learn_imports_it(data):
    imported, code = imported_by("select", data, "--target", "diagnosis", "--method", "linear-svc", "--exclude", "size")
    assert code == 0
    assert "sklearn.svm" in imported
