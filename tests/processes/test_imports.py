"""What a command imports: nothing heavy before there is data to read, and no scikit-learn for a method on counts."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.cover import quick_and_slow

#: The functions of Arrow on arrays, and the adapter of data frames: a file of numbers needs neither.
FOR_OTHER_DATA = {"pyarrow.compute", "narwhals"}
HEAVY = {"scipy", "sklearn", "pyarrow", "narwhals", "pandas", "polars", "matplotlib"}
#: Modules of jobs that a selection alone does not do: saving, explaining, drawing and applying it, other searches,
#: strata, and times to an event.
FOR_OTHER_JOBS = {
    "bitsieve.counts.risk_sets",
    "bitsieve.counts.survival",
    "bitsieve.discretization.coding",
    "bitsieve.explain.affiliated",
    "bitsieve.explain.chance",
    "bitsieve.explain.contribution",
    "bitsieve.explain.joint",
    "bitsieve.information.common_effect",
    "bitsieve.information.log_rank",
    "bitsieve.information.survival",
    "bitsieve.io.addresses",
    "bitsieve.io.background",
    "bitsieve.io.postgres",
    "bitsieve.methods.by_counts.criteria.linear",
    "bitsieve.methods.by_counts.criteria.quotients",
    "bitsieve.methods.by_counts.markov_blankets.blanket",
    "bitsieve.methods.by_counts.stopping.knockoffs",
    "bitsieve.methods.by_counts.stopping.permutation",
    "bitsieve.methods.by_samples.cutting_plane.search",
    "bitsieve.optimize.nystrom",
    "bitsieve.pipeline.samples",
    "bitsieve.plots.figures",
    "bitsieve.results.difference",
    "bitsieve.results.saved.cut",
    "bitsieve.results.saved.new_columns",
    "bitsieve.results.saved.data_check",
    "bitsieve.results.saved.record",
    "bitsieve.results.saved.write",
    "bitsieve.utils.html",
    "importlib.metadata",  # of the version, which a saved selection holds
}


def imported_by(*arguments):
    """The modules that ran in a process of the command line, and its exit code."""
    command = [sys.executable, "-X", "importtime", "-m", "bitsieve", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    lines = (line.rpartition("|") for line in result.stderr.splitlines() if line.startswith("import time:"))
    return {name.strip() for _, _, name in lines}, result.returncode


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


def run_in_turn(commands):
    """The exit codes of several commands, and the packages that are loaded after all of them."""
    words = json.dumps([list(map(str, command)) for command in commands])
    run = subprocess.run([sys.executable, "-c", COMMANDS_IN_TURN, words], capture_output=True, text=True, check=True)
    codes, modules = json.loads(run.stdout.splitlines()[-1])
    return codes, {name.partition(".")[0] for name in modules}


def test_help_imports_no_numpy():
    commands = [[], ["--help"], ["--version"], ["select", "--help"], ["methods", "--help"], ["nothing"]]
    codes, packages = run_in_turn(commands)
    assert codes == [0, 0, 0, 0, 0, 2]
    assert not packages & {"numpy", *HEAVY}


def test_methods_and_refusals_import_nothing_heavy():
    """What reads no data. Where the file exists, it is read: all that stands in the way is said at once."""
    data = "no-such-file.csv"
    lists = [["methods"], ["methods", "--json"]]
    refusals = [
        ["select"],
        ["select", data, "--method", "mrm"],
        ["select", data, "--method", "jmi", "--set", "beta=1"],
        ["select", data, "--method", "mifs", "--set", "beta=-1"],
        ["select", data, "--binning", "mdl", "--bins", "3"],
        ["select", data, "--stop", "never"],
        ["select", data, "--output", "table.xyz"],
        ["select", data],
        ["drift", data, "no-other-file.csv"],
    ]
    codes, packages = run_in_turn([*lists, *refusals])
    assert codes == [0] * len(lists) + [2] * len(refusals)
    assert not packages & HEAVY


@pytest.mark.parametrize(
    "command", quick_and_slow(["select", "explain"], quick={"select"}, reason="the same method by another command")
)
def test_a_method_on_counts_needs_no_scikit_learn(command, data):
    column = ["mean_area"] if command == "explain" else []
    imported, code = imported_by(command, *column, data, "--target", "diagnosis", "--method", "cmim")
    assert code == 0
    packages = {name.partition(".")[0] for name in imported}
    assert not packages & {"scipy", "sklearn", "pandas", "polars", "matplotlib"}
    assert not packages & {"http", "ssl"}  # for files at addresses alone
    if command == "select":
        assert not imported & FOR_OTHER_JOBS


def test_a_file_of_numbers_needs_no_functions_of_arrow_and_no_adapter_of_frames(tmp_path):
    random = np.random.default_rng(0)
    lines = ["a,b,gaps,y"]
    for i in range(40):
        a, b, c = (random.normal(size=3) + i % 2).round(4)
        lines.append(f"{a},{b},{'' if i == 7 else c},{i % 2}")
    data = tmp_path / "numbers.csv"
    data.write_text("\n".join(lines))
    imported, code = imported_by("select", data, "--target", "y")
    assert code == 0
    assert "pyarrow.csv" in imported
    assert not imported & FOR_OTHER_DATA


def test_columns_without_a_cut_are_tested_without_scipy(tmp_path):
    """Their p-values are tails of the chi-squared distribution; the functions of scipy take longer than a selection."""
    random = np.random.default_rng(0)
    lines = ["a,b,c,d,y"]
    lines += [",".join([*map(str, random.normal(size=4)), "yes" if i % 2 else "no"]) for i in range(40)]
    data = tmp_path / "noise.csv"
    data.write_text("\n".join(lines))
    imported, code = imported_by("select", data, "--target", "y", "-k", "2")
    assert code == 0
    assert "bitsieve.pipeline.uncut" in imported
    assert "scipy" not in {name.partition(".")[0] for name in imported}


def test_drift_needs_no_scikit_learn(data):
    imported, code = imported_by("drift", data, "--period", "size")
    assert code == 0
    assert "bitsieve.scorecards.stability_index" in imported
    assert not {"sklearn", "scipy.stats", "pandas"} & set(imported)
