"""Seeded fuzzing of saved selections, of SQL for tables of any names, and of the words of the command line.

Damaged tables are in ``test_mutants.py``, hostile calls of the extension in ``tests/native/test_arguments.py``.
"""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
from random import Random

import pandas as pd
import pytest
from tests.faults.mutants import damaged

import bitsieve
from bitsieve.cli import main
from bitsieve.results.saved.read import record_of_bytes
from bitsieve.results.saved.write import text_of_record
from bitsieve.results.selection import record_of, selection_of_record

HOSTILE_VALUES = (
    None,
    True,
    -1,
    0,
    2**63,
    10**400,
    0.5,
    "",
    "nan",
    "\ud800",
    "a\nb",
    [],
    {},
    [[]],
    {"object": {}},
    [1e308],
)
HOSTILE_LETTERS = "\"'`;-/*[]{}()%?:$\\\n\t =.,#@é\u202e\u0301x1"
HOSTILE_WORDS = (
    *(
        "",
        "-",
        "--",
        "-1",
        "0",
        "1e999",
        "nan",
        "1TB",
        "0B",
        "a",
        "y",
        "nothing",
        "a=b",
        "=",
        "a=number",
        "é",
        "\ud800",
    ),
    *("\x1b[31m", "a\nb", "../..", "/", "/dev/null", "{", "{}", "%s", "*", "x" * 5000, "--target", "9" * 500),
)
OPTIONS = (
    *("--target", "-t", "--method", "--features", "-k", "--binning", "--bins", "--missing", "--exclude", "--include"),
    *("--memory", "--weight", "--group", "--header", "--no-header", "--json", "--stop", "--column-type", "--table"),
    *("--no-repair", "--threads", "--screen", "--identifiers", "--param", "--target-bins", "--engine", "--no-such"),
)
COMMANDS = ("select", "compare", "count", "sql", "explain", "apply", "methods", "information", "interactions")


def numbers(first, last, size):
    """The quick cases in one test, and the others in parts that only the nightly run tries."""
    nightly = [pytest.param(start, start + size, marks=pytest.mark.nightly) for start in range(first, last, size)]
    return [(0, first), *nightly]


@pytest.fixture(scope="module")
def saved():
    table = pd.DataFrame({"a": range(40), "b": list("xyxz") * 10, "c": ["1 %", "2 %"] * 20, "y": [0, 1] * 20})
    return text_of_record(record_of(bitsieve.select(table, "y", n_features_to_select=2))).encode()


def with_another_value(content, random):
    """A saved selection one value of which, anywhere in it, is another."""
    document = json.loads(content)
    place = document
    while True:
        key = random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or random.random() < 0.2:
            place[key] = random.choice(HOSTILE_VALUES)
            return json.dumps(document).encode()
        place = place[key]


def refusal(content):
    """The error of a saved selection; None for one that is loaded."""
    try:
        selection_of_record(record_of_bytes(content, "saved.json"))
    except bitsieve.UserError as error:
        return error
    return None


@pytest.mark.parametrize(("first", "last"), numbers(300, 10_300, 2500))
def test_damaged_selections(saved, first, last):
    for number in range(first, last):
        random = Random(number)
        content = damaged(saved, random) if number % 3 == 0 else with_another_value(saved, random)
        error = refusal(content)
        if error is not None:
            assert error.code in {"damaged-file", "not-saved-selection", "newer-selection"}, number
            assert str(error).isprintable(), number


def hostile_name(random):
    return "".join(random.choice(HOSTILE_LETTERS) for _ in range(random.randrange(1, 12)))


READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


@pytest.mark.parametrize(("first", "last"), numbers(12, 812, 200))
def test_sql_of_any_names(tmp_path, first, last):
    for number in range(first, last):
        random = Random(number)
        names = list({hostile_name(random).lower(): None for _ in range(3)} | {"y": None})
        values = [hostile_name(random) for _ in range(3)]
        path = tmp_path / f"{number}.db"
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"create table t ({quoted})")
            rows = [[random.choice(values) for _ in names[:-1]] + [row % 2] for row in range(30)]
            connection.executemany(f"insert into t values ({', '.join('?' * len(names))})", rows)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["sql", str(path), "--target", "y", "--missing", "bin"])
        assert code == 0, (number, names, err.getvalue())
        denied = []
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.set_authorizer(lambda action, *_, denied=denied: allowed(action, denied))
            counted = connection.execute(out.getvalue()).fetchall()
        assert not denied, (number, names)
        assert counted, (number, names)


def allowed(action, denied):
    """The answer to SQLite, which asks before it does anything: it may read."""
    if action in READING:
        return sqlite3.SQLITE_OK
    denied.append(action)
    return sqlite3.SQLITE_DENY


@pytest.mark.parametrize(("first", "last"), numbers(60, 2060, 500))
def test_words_of_the_command(tmp_path, monkeypatch, first, last):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(f"{row % 3},{row % 5},{row % 2}\n" for row in range(30)))
    for number in range(first, last):
        random = Random(number)
        words = [random.choice(COMMANDS), "t.csv"]
        if random.random() < 0.7:
            words += ["--target", "y"]
        for _ in range(random.randrange(4)):
            words.append(random.choice(OPTIONS))
            if random.random() < 0.8:
                words.append(random.choice(HOSTILE_WORDS))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        assert code in (0, 2), (number, words, err.getvalue())
        assert "Traceback" not in err.getvalue(), (number, words)
