"""Tables of SQLite and Postgres, by Ibis, are counted where they are with read access alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.engines.relation import Relation

ibis = pytest.importorskip("ibis")
psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis by way of pandas
NAMES = ["a number", "WORD", "few", "gap", "y"]


def rows(n=300):
    """Numbers, text that databases sort in different ways, few whole numbers, a gap, the target."""
    random = np.random.default_rng(8)
    y = random.integers(0, 2, n)
    words = np.array(["b", "a'; --", "B", "ä", "_", "Z"])[(2 * y + random.integers(0, 4, n)) % 6]
    number = np.round(random.normal(size=n) / 3 + y, 2)
    gap = [None if random.random() < 0.1 else int(of) for of in random.integers(0, 9, n) + 3 * y]
    columns = number.tolist(), words.tolist(), (random.integers(0, 3, n) * y).tolist(), gap, y.tolist()
    return [list(row) for row in zip(*columns, strict=True)]


def in_memory(given):
    return pa.table(dict(zip(NAMES, map(list, zip(*given, strict=True)), strict=True)))


CREATE = 'create table t ("a number" double precision, "WORD" text, few int, gap int, y int)'


@pytest.fixture
def sqlite(tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "rows.db")) as con:
        con.execute(CREATE)
        con.executemany("insert into t values (?, ?, ?, ?, ?)", rows())
        con.commit()
    con = ibis.sqlite.connect(tmp_path / "rows.db")
    yield con.table("t")
    con.disconnect()


@pytest.fixture
def postgres():
    """A server on a socket in a folder of its own; it runs as nobody where the tests run as root, which it refuses."""
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        pytest.skip("Postgres is not installed")
    own = {"user": "nobody"} if os.geteuid() == 0 else {}
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": 120, **own}
    folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")  # the path of a socket is short
    os.chmod(folder, 0o777)
    data, as_all = (
        f"{folder}/data",
        ["-U", "tester", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"],
    )
    try:
        subprocess.run(["initdb", "-D", data, *as_all], cwd=folder, **quiet)
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        subprocess.run(["pg_ctl", "-D", data, "-w", "-o", options, "start"], cwd=folder, **quiet)
        try:
            con = ibis.postgres.connect(host=folder, user="tester", database="postgres")
            con.raw_sql(CREATE).close()
            with con.begin() as cursor:
                cursor.executemany("insert into t values (%s, %s, %s, %s, %s)", rows())
            con.raw_sql("set default_transaction_read_only = on").close()
            yield con.table("t")
            con.disconnect()
        finally:
            subprocess.run(["pg_ctl", "-D", data, "-m", "immediate", "stop"], cwd=folder, **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_the_selection_is_that_of_the_rows_in_memory(database, request):
    relation = request.getfixturevalue(database)
    for how in ({}, {"binning": "quantile", "n_bins": 3, "method": "jmi"}, {"binning": "uniform", "method": "mrmr"}):
        found = bitsieve.select(relation, "y", missing="bin", push_down=True, **how)
        expected = bitsieve.select(in_memory(rows()), "y", missing="bin", **how)
        assert found.features == expected.features
        assert found.scores.tobytes() == expected.scores.tobytes()


def written_after_each_statement(table, monkeypatch):
    """Let another connection add a row to the table after each statement that bitsieve sends from now on."""
    con = table.op().source.con
    fetched = Relation.fetched

    def fetch_and_write(relation, statement):
        answer = fetched(relation, statement)
        with psycopg.connect(host=con.info.host, user="tester", dbname="postgres", autocommit=True) as other:
            other.execute("insert into t values (7, 'new', 5, 1, 1)")
        return answer

    monkeypatch.setattr(Relation, "fetched", fetch_and_write)


def test_all_statements_see_the_rows_of_one_moment(postgres, monkeypatch):
    expected = bitsieve.select(in_memory(rows()), "y")
    written_after_each_statement(postgres, monkeypatch)
    selection = bitsieve.select(postgres, "y", push_down=True)
    assert selection.scores.tobytes() == expected.scores.tobytes()
    n_rows = postgres.count().execute()
    assert n_rows > len(rows())
    assert bitsieve.drift(postgres, "y", push_down=True).period_sizes.sum() == n_rows
    assert postgres.op().source.con.info.transaction_status.name == "IDLE"


def test_a_transaction_of_the_user_goes_on(postgres):
    con = postgres.op().source.con
    with con.transaction():
        bitsieve.select(postgres, "y", push_down=True)
        assert con.info.transaction_status.name == "INTRANS"


def test_a_note_says_that_reading_is_faster(postgres):
    (note,) = (
        note
        for note in bitsieve.select(postgres, "y", push_down=True).diagnostics
        if note.code == "counted-in-postgres"
    )
    assert "5 columns by 10 statements" in note.message


def test_too_many_values_for_ibis_are_refused_before_they_are_read(postgres, monkeypatch):
    monkeypatch.setattr("bitsieve.engines.in_database._MANY_VALUES", 1000)
    with pytest.raises(bitsieve.UserError, match="address") as raised:
        bitsieve.select(postgres, "y")
    assert raised.value.code == "too-many-values-for-ibis"
    assert bitsieve.select(postgres, "y", push_down=False).n_samples == len(rows())


def test_no_right_to_read_is_one_line(postgres):
    postgres.op().source.raw_sql("set default_transaction_read_only = off").close()
    for statement in "create role stranger", "set role stranger":
        postgres.op().source.raw_sql(statement).close()
    with pytest.raises(ValueError, match=r"^the database did not answer a statement: permission denied for table t"):
        bitsieve.select(postgres, "y", missing="bin", push_down=True)


def doors(path, table):
    """Ways to select from a table of a SQLite file: its rows read, in batches, counted in place, and by Ibis."""
    con = ibis.sqlite.connect(path)
    yield f"{path}/{table}", {}
    yield f"{path}/{table}", {"memory": "200MB"}
    yield f"{path}/{table}", {"push_down": True}
    yield con.table(table), {}
    yield con.table(table), {"push_down": True}
    con.disconnect()


def test_numbers_and_text_in_a_column_are_refused_by_name(tmp_path):
    path = tmp_path / "mixed.db"
    with contextlib.closing(sqlite3.connect(path)) as con:
        con.execute(CREATE)
        con.executemany("insert into t values (?, ?, ?, ?, ?)", rows())
        con.execute("update t set few = 'three' where few = 2")
        con.commit()
    for data, how in doors(path, "t"):
        with pytest.raises(ValueError, match="column 'few' of") as raised:
            bitsieve.select(data, "y", missing="bin", **how)
        assert raised.value.code == "mixed-values"


def test_declared_types_do_not_change_the_answer(tmp_path):
    random = np.random.default_rng(4)
    y = random.integers(0, 2, 300)
    columns = {
        "flag": (y ^ (random.random(300) < 0.2)).astype(bool),
        "level": y + random.integers(0, 2, 300),  # declared as BOOLEAN, with values up to 2
        "word": np.array(["false", "true"])[y ^ (random.random(300) < 0.3)],  # declared as BOOLEAN
        "amount": np.round(y + random.normal(size=300), 2),
        "y": y,
    }
    path = tmp_path / "declared.db"
    with contextlib.closing(sqlite3.connect(path)) as con:
        con.execute("create table t (flag boolean, level BOOLEAN, word BOOLEAN, amount NUMERIC, y int)")
        values = [column.tolist() for column in columns.values()]
        con.executemany("insert into t values (?, ?, ?, ?, ?)", zip(*values, strict=True))
        con.commit()
    expected = bitsieve.select(pa.table(columns), "y")
    for data, how in doors(path, "t"):
        selection = bitsieve.select(data, "y", **how)
        assert selection.features == expected.features
        assert selection.scores.tobytes() == expected.scores.tobytes()
