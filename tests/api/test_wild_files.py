"""Text files as people send them: the same answer through every door, and of the rest one clear line."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import polars as pl
import pytest
from pyarrow import parquet
from tests.cover import quick_and_slow
from tests.wild_files import FILES

import bitsieve
from bitsieve.cli import main
from bitsieve.io.read import read_table

pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")

#: The codes of the errors of files that are refused.
REFUSED = {
    "lines of a title above the names": "header-unclear",
    "a footer": "malformed-row",
    "trailing delimiters below the names": "malformed-row",
    "numbers beyond floats": "infinite-values",
    "infinities in words": "infinite-values",
    "no names": "unknown-column",
    "rows that end early": "malformed-row",
}
MIXED_UNITS = "amounts in two currencies"  # of which no number can be made: a note says so


def csv_path(name, folder):
    """The path of a file."""
    content = FILES[name]
    path = folder / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def in_parquet(table, folder):
    parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def in_workbook(table, folder):
    workbook = pytest.importorskip("openpyxl").Workbook()
    workbook.active.append(table.column_names)
    for row in table.to_pylist():
        workbook.active.append(list(row.values()))
    workbook.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def in_json_lines(table, folder):
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in table.to_pylist()))
    return path


def in_sqlite(table, folder):
    path = folder / "t.db"
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in table.column_names)
    marks = ", ".join("?" * table.num_columns)
    rows = [
        [value if isinstance(value, (int, float, str, type(None))) else str(value) for value in row.values()]
        for row in table.to_pylist()
    ]
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"create table t ({names})")
        connection.executemany(f"insert into t values ({marks})", rows)
    return path


def in_duckdb(table, folder):
    path = folder / "t.duckdb"
    with pytest.importorskip("duckdb").connect(str(path)) as connection:
        connection.from_arrow(table).create("t")
    return path


DOORS = {
    "Parquet": in_parquet,
    "Excel": in_workbook,
    "JSON lines": in_json_lines,
    "SQLite": in_sqlite,
    "DuckDB": in_duckdb,
    "pandas": lambda table, folder: table.to_pandas(),
    "polars": lambda table, folder: pl.from_arrow(table),
}
QUICK_FILES = ("thousands by points", "mixed encodings", "a footer", MIXED_UNITS, "names of many scripts")
QUICK = {("thousands by points", door) for door in DOORS} | {("dates of six orders", "Excel")}


def answer(data):
    """The features and the bits of their scores, or the code of the error, which is one line."""
    try:
        selection = bitsieve.select(data, "y")
    except bitsieve.UserError as error:
        return error.code if str(error).isprintable() else str(error)
    return selection.features, selection.scores.tobytes()


@pytest.mark.parametrize("name", quick_and_slow(FILES, quick=QUICK_FILES, reason="files of every kind"))
def test_the_size_is_the_first_column_or_one_line_says_what_to_do(tmp_path, capsys, name):
    path = csv_path(name, tmp_path)
    found = answer(path)
    code = main(["select", str(path), "--target", "y", "--json"])
    out, err = capsys.readouterr()
    if name in REFUSED:
        assert found == REFUSED[name]
        assert code == 2
        assert [line.startswith("bitsieve: error: ") for line in err.splitlines()] == [True]
        return
    features, _ = found
    assert code == 0
    assert [feature["name"] for feature in json.loads(out)["features"]] == features
    if name == MIXED_UNITS:
        assert "mixed-units" in [diagnostic.code for diagnostic in bitsieve.select(path, "y").diagnostics]
    else:
        assert features[0] == "size"


NOT_WRITTEN = {("times with zones", "Excel"), ("signs of control in text", "Excel")}  # no workbook holds them
CASES = [(name, door) for name in FILES for door in DOORS if name not in REFUSED and (name, door) not in NOT_WRITTEN]


@pytest.mark.parametrize(("name", "door"), quick_and_slow(CASES, quick=QUICK, reason="every file through every door"))
def test_every_door_gives_the_answer_of_the_file(tmp_path, name, door):
    path = csv_path(name, tmp_path)
    data = DOORS[door](read_table(path), tmp_path)
    assert answer(data) == answer(path)
