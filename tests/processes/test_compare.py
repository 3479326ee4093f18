"""``bitsieve compare`` as a process: what it prints and saves, Ctrl-C and going on, one line for every mistake."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from pyarrow import csv, parquet

import bitsieve
from bitsieve.cli import main

MODULE = [sys.executable, "-m", "bitsieve"]
METHODS = ("--target", "diagnosis", "--methods", "mim,jmi", "--classifier", "ncm")
ASKED = (*METHODS, "--features", "1:9")

PROGRESS = re.compile(r"bitsieve: .* \.\.\. \d+ s")  # what a slow machine says meanwhile


def run(*arguments, command=MODULE):
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False, encoding="utf-8"
    )


def table_of(path):
    table = parquet.read_table(path) if path.suffix == ".parquet" else csv.read_csv(path)
    return table.drop_columns(["seconds_selecting", "seconds_classifying"])


@pytest.mark.slow("several processes that compare")
def test_all_outputs(data, table, tmp_path, capsys):
    report, output = tmp_path / "report.html", tmp_path / "errors.parquet"
    result = run("compare", data, *ASKED, "--folds", 3, "--json", "--report", report, "--output", output)
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    wanted = bitsieve.compare(
        table, "diagnosis", methods=["mim", "jmi"], features=range(1, 10), classifier="ncm", folds=3
    )
    assert document["answer"] == str(wanted.choice())
    assert document["output"] == str(output)
    assert document["report"] == str(report)
    assert document["version"] == bitsieve.__version__
    assert table_of(output).equals(wanted.table().drop_columns(["seconds_selecting", "seconds_classifying"]))
    assert "</html>" in report.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "errors.parquet", "report.html"]
    lines = [line for line in result.stderr.splitlines() if not PROGRESS.fullmatch(line)]
    assert lines == [
        f"bitsieve: saved the table of errors to '{output}'",
        f"bitsieve: saved the report to '{report}'",
    ]
    assert main(["compare", str(data), *ASKED, "--folds", "3", "--bounds"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["method", "mim", "jmi"]
    assert lines[0].endswith("Bayes error %")
    assert document["answer"] in lines


INTERRUPTED = """
import os, sys, time
import bitsieve.evaluate.run as run
score, done = run.score, []
def slow(plan, fold, rankings, check):
    if len(done) >= 3:
        os.write(1, b"ready\\n")  # in one piece, as two threads may come here at once
        while True:
            check()
            time.sleep(0.01)
    done.append(1)
    return score(plan, fold, rankings, check)
run.score = slow
from bitsieve.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("threads", "ending"),
    [
        (1, ".csv"),
        pytest.param(2, ".parquet", marks=pytest.mark.slow("test_checkpoint interrupts two threads in this process")),
    ],
)
def test_interrupt_and_resume(data, tmp_path, threads, ending, capsys):
    output, whole = tmp_path / f"errors{ending}", tmp_path / f"whole{ending}"
    asked = ["compare", str(data), *METHODS, "--features", "1:2", "--folds", "8", "--threads", str(threads)]
    assert main([*asked, "--output", str(whole)]) == 0
    command = [sys.executable, "-c", INTERRUPTED, *asked, "--output", str(output)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=600)
        finally:
            process.kill()  # nothing is left behind, whatever failed
    assert process.returncode == 130
    kept = output.with_name(output.name + ".folds")
    finished = len(list(kept.iterdir()))
    assert stderr.splitlines() == [
        f"bitsieve: {finished} of 8 folds are finished and kept in '{kept}': the same command with --resume goes on",
        "bitsieve: interrupted",
    ]
    assert not output.exists()

    capsys.readouterr()
    assert main([*asked, "--output", str(output)]) == 2
    assert "add --resume to go on, or delete it" in capsys.readouterr().err
    assert main([*asked, "--output", str(output), "--resume", "--seed", "3"]) == 2
    assert "is of another comparison" in capsys.readouterr().err
    assert main([*asked, "--output", str(output), "--resume"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == f"bitsieve: note: {finished} of 8 folds are done already"
    assert table_of(output).equals(table_of(whole))
    assert not kept.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "jmi,mrrm"], "--methods mrrm is not known: did you mean mrmr"),
        (["--classifier", "nmc"], "--classifier nmc is not known: did you mean ncm"),
        (["--features", "90:99"], "features begin at 90 but the table has 9 features"),
        (["--features", "9:1"], "'9:1' is no range: give FROM:TO"),
        (["--features", "1:5:0"], "'1:5:0' is no range"),
        (
            ["--folds", "213"],
            "class 'malignant' has 212 samples, fewer than the 213 folds: give --folds 212 or --folds loo",
        ),
        (["--seed", "-1"], "--seed -1 is not allowed: give a whole number from 0 to 4294967295"),
        (["--target-bins", "1", "--target", "mean_area"], "--target-bins 1 is not allowed"),
        (["--folds", "lo"], "--folds lo is not allowed"),
        (["--protocol", "papr"], "--protocol papr is not known: did you mean paper"),
        (["--report", "missing/report.html"], "there is no directory 'missing' for the --report"),
        (["--output", "errors.xlsx"], "end it in one of .parquet, .csv, .json"),
        (["--output", "missing/errors.csv"], "there is no directory 'missing' for the --output"),
        (["--resume"], "give --output as in the first run"),
        (["--bins", "4"], "--bins has no effect with binning 'mdl'"),
    ],
)
def test_mistakes_are_one_line(data, arguments, message, monkeypatch, capsys):
    monkeypatch.chdir(data.parent)
    assert main(["compare", str(data), "--target", "diagnosis", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("bitsieve: error: ")
    assert message in line


def test_paths_are_checked_before_the_data_is_read(tmp_path, capsys):
    assert main(["compare", "no_such.csv", "--target", "y", "--report", str(tmp_path)]) == 2
    assert "is a directory" in capsys.readouterr().err
    assert main(["compare", "no_such.csv", "--target", "y", "--output", str(tmp_path / "a.txt")]) == 2
    assert "unknown format" in capsys.readouterr().err
