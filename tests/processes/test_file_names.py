"""File names that are not UTF-8: every command reads and writes them, and says them with their bytes escaped."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

import bitsieve
from bitsieve.cli import main

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")

LETTER = os.fsdecode(b"\xe9")  # of Latin-1
ESCAPED = LETTER.encode("ascii", "backslashreplace").decode()


@pytest.fixture
def folder(tmp_path):
    """A folder with such a name, and in it the same small table as files of several kinds."""
    folder = tmp_path / f"caf{LETTER}"
    folder.mkdir()
    flags = [i * 7 % 11 > 4 for i in range(60)]
    rows = {"a": [float(i % 3) for i in range(60)], "b": [i % 5 for i in range(60)], "y": list(map(int, flags))}
    (folder / f"t{LETTER}.csv").write_text(
        "a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in zip(*rows.values(), strict=True))
    )
    (folder / f"t{LETTER}.jsonl").write_text(
        "".join(json.dumps(dict(zip(rows, row, strict=True))) + "\n" for row in zip(*rows.values(), strict=True))
    )
    with open(folder / f"t{LETTER}.parquet", "wb") as file:
        parquet.write_table(pa.table(rows), file)
    return folder


def answer(arguments, code, out, err):
    """The document of a command, or the one line with which it refuses."""
    said = err.decode()  # both are UTF-8 throughout
    assert "Traceback" not in said
    assert code in (0, 2), said
    if code == 0:
        return json.loads(out.decode()) if "--json" in arguments else out.decode()
    (line,) = said.splitlines()
    return line.removeprefix("bitsieve: error: ")


def as_a_process(*arguments):
    quiet = {name: value for name, value in os.environ.items() if name not in ("BITSIEVE_DEBUG", "PYTHONIOENCODING")}
    command = [sys.executable, "-m", "bitsieve", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, env={**quiet, "PYTHONUTF8": "1"}, timeout=600, check=False)
    return answer(arguments, ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture
def run(capsysbinary, monkeypatch):
    """The same in this process."""
    monkeypatch.delenv("BITSIEVE_DEBUG", raising=False)
    return lambda *arguments: answer(arguments, main([str(word) for word in arguments]), *capsysbinary.readouterr())


def file(folder, kind):
    return folder / f"t{LETTER}.{kind}"


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("jsonl", ()),
        ("jsonl", ("--memory", "1GB")),
        ("parquet", ()),
        ("parquet", ("--memory", "1GB")),
        ("csv", ("--memory", "1GB")),
    ],
)
def test_sources(run, folder, kind, more):
    found = run("select", file(folder, kind), "--target", "y", "--json", *more)
    assert sorted(feature["name"] for feature in found["features"]) == ["a", "b"]


@pytest.mark.slow("a process that draws a report; test_python and test_count have such names")
def test_select(run, folder):
    output, report = folder / f"o{LETTER}.parquet", folder / f"r{LETTER}.html"
    spool = folder / f"spool{LETTER}"
    found = as_a_process("select", file(folder, "csv"), "-t", "y", "--json", "--output", output, "--report", report)
    assert (found["output"], found["report"]) == (str(output), str(report))
    assert output.exists()
    assert f"caf{ESCAPED}" in report.read_text("utf-8")
    once, again = (run("select", file(folder, "parquet"), "--target", "y", "--json", "--spool", spool) for _ in "12")
    assert once["features"] == again["features"] == found["features"]


@pytest.mark.slow("two processes; test_sources runs commands with such names in this one")
@pytest.mark.parametrize(
    "kind", [pytest.param("csv", marks=pytest.mark.slow("a process that draws a report, as test_select")), "parquet"]
)
def test_compare_and_resume(run, folder, kind):
    output, report = folder / f"o{LETTER}.{kind}", folder / f"r{LETTER}.html"
    asked = ("compare", file(folder, "csv"), "--target", "y", "--methods", "mim", "--folds", "3", "--output", output)
    first = (as_a_process if kind == "csv" else run)(*asked, "--json", "--report", report)
    assert (first["output"], first["report"]) == (str(output), str(report))
    assert output.exists()
    assert report.exists()
    assert run(*asked, "--json", "--resume", "--force")["answer"] == first["answer"]


@pytest.mark.slow("a process for each name")
def test_count(run, folder):
    counts = folder / f"counts{LETTER}"
    as_a_process("count", file(folder, "csv"), "--target", "y", "--binning", "none", "--save", counts)
    assert len(run("select", "--counts", counts, "--json")["features"]) == 2


def test_a_file_that_is_not_there(run, folder):
    assert as_a_process("select", folder / f"no{LETTER}.csv", "--target", "y").startswith("there is no file ")
    refused = run("select", file(folder, "csv"), "--target", "y", "--output", folder / f"no{LETTER}" / "o.csv")
    assert f"no{ESCAPED}' for the --output: make it first" in refused


@pytest.mark.slow("a process for each name")
def test_python(folder):
    selection = bitsieve.select(str(file(folder, "csv")), "y")
    bitsieve.write_report(selection, folder / f"r{LETTER}.html")
    checkpoint = str(folder / f"c{LETTER}.jsonl")
    table = pa.table({"a": [0, 1] * 20, "b": [0, 0, 1] * 13 + [1]})
    asked = {"methods": ["mim"], "folds": 3, "checkpoint": checkpoint}
    first = bitsieve.compare(table, [0, 1] * 20, **asked)
    assert os.path.exists(checkpoint)
    assert bitsieve.compare(table, [0, 1] * 20, **asked).choice() == first.choice()
