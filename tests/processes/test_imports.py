"""What a command imports: nothing heavy before there is data to read, and no scikit-learn for a method on counts."""

from __future__ import annotations

import json
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


# The commands run in one process: a module that is not loaded after all of them was loaded by none.
COMMANDS_IN_TURN = """
import json, sys
from bitsieve.cli import main

def code_of(arguments):
    try:
        return main(arguments)
    except SystemExit as end:  # of help
        return end.code or 0

codes = [code_of(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([codes, sorted(sys.modules)]))
"""


def test_help_and_refusals_import_nothing_heavy(data):
    commands = [
        ([], 0),
        (["--help"], 0),
        (["--version"], 0),
        (["select", "--help"], 0),
        (["methods"], 0),
        (["methods", "--json"], 0),
        (["nothing"], 2),
        (["select"], 2),
        (["select", str(data), "--method", "mrm"], 2),
        (["select", str(data), "--method", "jmi", "--set", "beta=1"], 2),
        (["select", str(data), "--method", "mifs", "--set", "beta=-1"], 2),
        (["select", str(data), "--binning", "mdl", "--bins", "3"], 2),
        (["select", str(data), "--stop", "never"], 2),
        (["select", str(data), "--output", "table.xyz"], 2),
        (["select", "no-such-file.csv"], 2),
    ]
    words = json.dumps([arguments for arguments, _ in commands])
    run = subprocess.run([sys.executable, "-c", COMMANDS_IN_TURN, words], capture_output=True, text=True, check=True)
    codes, imported = json.loads(run.stdout.splitlines()[-1])
    assert codes == [code for _, code in commands]
    assert not {name.partition(".")[0] for name in imported} & HEAVY


@pytest.mark.parametrize("command", ["select", "explain"])
def test_a_method_on_counts_needs_no_scikit_learn(command, data):
    column = ["mean_area"] if command == "explain" else []
    imported, code = imported_by(command, *column, data, "--target", "diagnosis", "--method", "cmim")
    assert code == 0
    assert not {name.partition(".")[0] for name in imported} & {"scipy", "sklearn", "pandas", "polars", "matplotlib"}
