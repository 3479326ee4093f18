"""The command line reads files in batches where it is told to, and folders always, with the same result."""

from __future__ import annotations

import json

import pytest
from pyarrow import parquet

from bitsieve.cli import main


@pytest.fixture
def files(table, tmp_path):
    """A file, and the same rows as a folder of two."""
    parquet.write_table(table, tmp_path / "whole.parquet", row_group_size=100)
    (tmp_path / "parts").mkdir()
    parquet.write_table(table.slice(0, 300), tmp_path / "parts" / "1.parquet")
    parquet.write_table(table.slice(300), tmp_path / "parts" / "2.parquet")
    return tmp_path


def document(capsys, *arguments):
    assert main(["select", *map(str, arguments), "--target", "diagnosis", "--method", "jmi", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    del found["seconds"]
    return found


def test_batches_give_the_same(files, capsys):
    whole = document(capsys, files / "whole.parquet")
    assert document(capsys, files / "whole.parquet", "--memory", "1MB") == whole
    assert document(capsys, files / "whole.parquet", "--spool", files / "spool") == whole
    assert document(capsys, files / "whole.parquet", "--spool", files / "spool") == whole
    assert document(capsys, files / "parts") == whole


def test_output_of_batches(files, table, capsys):
    out = files / "out.parquet"
    document(capsys, files / "parts", "--features", "2", "--output", out)
    written = parquet.read_table(out)
    assert written.column_names[-1] == "diagnosis"
    assert written.equals(table.select(written.column_names))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--memory", "much"], "--memory much is not allowed: give a number with a unit, such as '4GB'"),
        (["--memory", "1MB", "--output", "x.npz"], "what is read in batches is not written to .npz: write .parquet"),
        (["--memory", "1MB", "--features", "auto"], "in memory: use --binning quantile, or --stop threshold"),
        (["--memory", "1MB", "--column-type", "a=category"], "--column-type names 'a', which is no feature: it is one"),
        (
            ["--memory", "1MB", "--method", "svm-rfe"],
            "method 'svm-rfe' needs all rows in memory: leave out --memory",
        ),
        (
            ["--memory", "1MB", "--stop", "dcrt"],
            "stopping rule 'dcrt' needs all rows in memory: leave out --memory, or use another rule",
        ),
    ],
)
def test_mistakes(files, capsys, arguments, message):
    code = main(["select", str(files / "whole.parquet"), "--target", "diagnosis", *arguments])
    assert code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_target_is_needed(files, capsys):
    assert main(["select", str(files / "parts")]) == 2
    assert "no target is given: name a column with --target" in capsys.readouterr().err


def test_a_folder_without_tables(tmp_path, capsys):
    (tmp_path / "notes.md").write_text("a,b\n1,2\n")
    assert main(["select", str(tmp_path), "--target", "y"]) == 2
    assert "holds no table: files that end in .parquet" in capsys.readouterr().err
