"""What a command imports: nothing heavy before there is data to read, and of scikit-learn only what selectors need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"scipy", "sklearn", "pyarrow", "narwhals", "pandas", "polars", "matplotlib"}
OF_OTHER_PARTS = {
    "pandas.core",
    "polars",
    "matplotlib",
    "scipy.linalg._basic",
    "scipy.sparse.linalg._isolve",
    "scipy.stats._stats_py",
    "sklearn.metrics",
    "sklearn.neighbors",
}


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
        (["select", "DATA", "--bins", "3"], 2),
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


def test_select_imports_no_other_parts_of_scikit_learn(data):
    imported, code = imported_by("select", data, "--target", "diagnosis", "--method", "cmim")
    assert code == 0
    assert "sklearn.base" in imported
    assert not imported & OF_OTHER_PARTS


def test_modules_that_wait_run_when_something_is_taken_from_them():
    code = """
import sys
from bitsieve.cli.light_imports import LATER, light_imports
with light_imports():
    from bitsieve import ForwardSelector
    waiting = ("scipy.linalg", "scipy.sparse.linalg", "scipy.stats", "scipy.special", "sklearn.feature_selection")
    assert all("_run" in vars(sys.modules[name]) for name in waiting)
import gc, numpy, pandas, scipy.linalg, scipy.sparse.csgraph, scipy.special, scipy.stats, sklearn.utils.fixes
assert gc.isenabled()
assert sklearn.utils.fixes._sparse_linalg_cg(numpy.eye(2), numpy.array([1.0, 2.0]))[0].tolist() == [1.0, 2.0]
assert sklearn.utils.fixes.laplacian(numpy.ones((2, 2))).tolist() == [[1.0, -1.0], [-1.0, 1.0]]
assert scipy.linalg.det(numpy.eye(3)) == 1.0
from scipy.sparse.linalg import LinearOperator, aslinearoperator
assert isinstance(aslinearoperator(numpy.eye(2)), LinearOperator)
from sklearn.feature_selection import SelectorMixin, mutual_info_classif
assert issubclass(ForwardSelector, SelectorMixin)
assert mutual_info_classif([[0.0], [1.0]] * 9, [0, 1] * 9, discrete_features=True).shape == (1,)
assert scipy.special.gammaln(3.0) == scipy.special.gammaln([3.0])[0]
assert scipy.stats.norm.cdf(0.0) == 0.5
assert not hasattr(scipy.stats, "no_such_name")
assert pandas.DataFrame({"a": [1]}).shape == (1, 1)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
