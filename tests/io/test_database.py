"""Database files are read as other files are, or counted where they are; nothing is ever written to them."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sqlite3
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.engines import in_database
from bitsieve.io.database import _connected
from bitsieve.io.errors import DataError
from bitsieve.io.read import open_file, read_table

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis by way of pandas
NAMES = ["a 'b' \"c\"", "few", "gap", "word", "y"]


def rows(n=200):
    random = np.random.default_rng(5)
    y = random.integers(0, 2, n)
    gap = [None if j % 9 == 0 else int(of) for j, of in enumerate(random.integers(0, 4, n) + 3 * y)]
    columns = np.round(random.normal(size=n) + y, 2).tolist(), random.integers(0, 3, n).tolist(), gap
    return pa.table([*columns, np.array(["x", "yy", "z"])[y + random.integers(0, 2, n)].tolist(), y.tolist()], NAMES)


def write_duckdb(path, *tables):
    with duckdb.connect(str(path)) as con:
        given = rows()
        con.register("given", given)
        for table in tables:
            con.execute(f"create table {table} as select * from given")


def write_sqlite(path, *tables):
    with contextlib.closing(sqlite3.connect(path)) as con:
        for table in tables:
            names = ['"' + name.replace('"', '""') + '"' for name in NAMES]
            kinds = "double precision", "int", "int", "text", "int"
            columns = ", ".join(map(" ".join, zip(names, kinds, strict=True)))
            con.execute(f"create table {table} ({columns})")
            con.executemany(
                f"insert into {table} values (?, ?, ?, ?, ?)", list(zip(*rows().to_pydict().values(), strict=True))
            )
        con.commit()


WRITERS = {"duckdb": write_duckdb, "sqlite": write_sqlite}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


def test_the_rows_of_the_only_table(write, tmp_path):
    write(tmp_path / "t.db", "t")
    before = (tmp_path / "t.db").read_bytes()
    assert read_table(tmp_path / "t.db").to_pydict() == rows().to_pydict()
    blocks = list(open_file(tmp_path / "t.db").batches(["y", NAMES[0]], rows=150))
    assert [block.num_rows for block in blocks] == [150, 50]
    assert pa.concat_tables(blocks).to_pydict() == rows().select(["y", NAMES[0]]).to_pydict()
    assert (tmp_path / "t.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["t.db"]


@pytest.mark.each_value
@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}, {"push_down": True}, {"push_down": False}], ids=str)
def test_the_selection_is_that_of_the_rows(write, tmp_path, how):
    if how.get("push_down") and write is write_sqlite:
        pytest.importorskip("ibis")
    write(tmp_path / "t.db", "t")
    found = bitsieve.select(tmp_path / "t.db", "y", missing="bin", **how)
    expected = bitsieve.select(rows(), "y", missing="bin")
    assert found.features == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_one_of_several_tables_is_named_behind_the_file(write, tmp_path):
    write(tmp_path / "t.db", "t", "u")
    with pytest.raises(DataError, match=r"t.db' has 2 tables: name one of 't', 'u', as FILE/t or by --table$"):
        read_table(tmp_path / "t.db")
    assert read_table(tmp_path / "t.db" / "u").num_rows == 200
    assert bitsieve.select(tmp_path / "t.db/u", "y", missing="bin").features
    with pytest.raises(DataError, match=r"t.db/v' is no table: name one of 't', 'u'"):
        read_table(tmp_path / "t.db" / "v")


def test_tables_of_other_schemas_and_views(tmp_path):
    write_duckdb(tmp_path / "t.db", "t")
    with duckdb.connect(str(tmp_path / "t.db")) as con:
        con.execute("create schema s; create view s.v as select * from t limit 7")
    assert read_table(tmp_path / "t.db" / "s.v").num_rows == 7


def test_very_many_rows_are_counted_where_they_are(write, tmp_path, monkeypatch):
    if write is write_sqlite:
        pytest.importorskip("ibis")
    write(tmp_path / "t.db", "t")
    monkeypatch.setattr(in_database, "_MANY_VALUES", 100)
    found = bitsieve.select(tmp_path / "t.db", "y", missing="bin")
    assert found.notes[0].startswith("the table has very many rows: they were counted where they are")


def test_sqlite_without_ibis_is_read_and_not_pushed_down(tmp_path, monkeypatch):
    write_sqlite(tmp_path / "t.db", "t")
    monkeypatch.setitem(sys.modules, "ibis", None)
    monkeypatch.setattr(in_database, "_MANY_VALUES", 100)
    assert bitsieve.select(tmp_path / "t.db", "y", missing="bin").features
    with pytest.raises(
        ValueError,
        match=r"pip install 'ibis-framework\[sqlite\]', or read them, by push_down=",
    ):
        bitsieve.select(tmp_path / "t.db", "y", missing="bin", push_down=True)


def test_duckdb_that_lacks_is_named(tmp_path, monkeypatch):
    write_duckdb(tmp_path / "t.db", "t")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DataError, match=r"is a database, which needs the package 'duckdb': pip install 'bitsieve\[for"):
        read_table(tmp_path / "t.db")


def test_a_column_of_numbers_and_text_in_sqlite(tmp_path):
    write_sqlite(tmp_path / "t.db", "t")
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as con:
        con.execute("update t set few = 'two' where few = 2")
        con.commit()
    with pytest.raises(
        DataError, match=r"^column 'few' of '.*t.db' holds numbers and text \('integer', 'text'\): make"
    ):
        read_table(tmp_path / "t.db")


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_file_that_may_not_be_read(writer, tmp_path, monkeypatch):
    import os

    path = tmp_path / "t.db"
    writer(path, "t")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("the administrator may read any file")
    with pytest.raises(DataError, match=r"^cannot read '.*t.db': Permission denied$"):
        bitsieve.select(path, "y")


def test_a_table_without_rows(write, tmp_path):
    write(tmp_path / "t.db", "t")
    connect = {write_sqlite: sqlite3.connect, write_duckdb: duckdb.connect}[write]
    with contextlib.closing(connect(str(tmp_path / "t.db"))) as con:
        con.execute("delete from t")
        con.commit()
    with pytest.raises(DataError, match=r"t.db' has no rows: nothing to select from$"):
        read_table(tmp_path / "t.db")


ENDLESS_VIEW = (
    "create view v as with recursive t(n) as (select 1 union all select n + 1 from t) select n, n as y from t"
)


def connect(write, path):
    """Open a database for writing."""
    return contextlib.closing({write_sqlite: sqlite3.connect, write_duckdb: duckdb.connect}[write](str(path)))


def test_a_view_is_read_only_where_it_is_named(write, tmp_path):
    write(tmp_path / "t.db", "t")
    with connect(write, tmp_path / "t.db") as con:
        con.execute(ENDLESS_VIEW)
        con.commit()
    assert read_table(tmp_path / "t.db").num_rows == 200
    with connect(write, tmp_path / "t.db") as con:
        con.execute("drop table t")
        con.commit()
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.db")
    assert caught.value.code == "table-not-named"
    assert "'v'" in str(caught.value)


@pytest.mark.parametrize("how", [{}, {"push_down": True}], ids=str)
def test_a_view_without_end(write, tmp_path, monkeypatch, how):
    if how and write is write_sqlite:
        pytest.importorskip("ibis")
    with connect(write, tmp_path / "t.db") as con:
        con.execute(ENDLESS_VIEW)
        con.commit()
    monkeypatch.setenv("BITSIEVE_TIMEOUT", "0.3")
    with pytest.raises(DataError) as caught:
        bitsieve.select(tmp_path / "t.db" / "v", "y", **how)
    assert caught.value.code == "cannot-read"
    assert "BITSIEVE_TIMEOUT" in str(caught.value)


def test_a_view_of_another_file(tmp_path):
    (tmp_path / "secret.csv").write_text("a,y\n1,0\n2,1\n")
    with duckdb.connect(str(tmp_path / "t.db")) as con:
        con.execute(f"create view v as select * from read_csv('{tmp_path / 'secret.csv'}')")
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.db" / "v")
    assert caught.value.code == "cannot-read"
    assert "\n" not in str(caught.value)


@contextmanager
def ctrl_c_pressed():
    """Press Ctrl-C twice a second in the block, as a user does who sees no effect.

    Other tests may have left another handler of the signal in the process.
    """
    is_over = threading.Event()
    handler_before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def press():
        while not is_over.wait(0.5):
            _thread.interrupt_main()

    user = threading.Thread(target=press)
    user.start()
    try:
        yield
    finally:
        is_over.set()
        user.join()
        signal.signal(signal.SIGINT, handler_before)


def test_ctrl_c_ends_a_statement_of_sqlite(tmp_path, monkeypatch):
    monkeypatch.setenv("BITSIEVE_TIMEOUT", "60")
    with connect(write_sqlite, tmp_path / "t.db") as con:
        con.execute(ENDLESS_VIEW)
        con.commit()
    with ctrl_c_pressed(), pytest.raises(KeyboardInterrupt):
        read_table(tmp_path / "t.db" / "v")


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}], ids=str)
def test_a_column_that_sqlite_declares_as_boolean(tmp_path, how):
    random = np.random.default_rng(1)
    flag, x = random.integers(0, 2, 200), random.integers(0, 9, 200)
    y = (flag + x) % 2
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as con:
        con.execute("create table t (flag boolean, two BOOL, gaps boolean, x integer, y integer)")
        rows = [
            (*row, None if row[1] > 6 else row[0]) for row in zip(flag.tolist(), x.tolist(), y.tolist(), strict=True)
        ]
        con.executemany("insert into t (flag, x, y, gaps) values (?, ?, ?, ?)", rows)
        con.execute("update t set two = 2 * flag")
        con.commit()
    types = {name: str(kind) for name, kind in open_file(tmp_path / "t.db").types.items()}
    assert types == {"flag": "bool", "two": "int64", "gaps": "bool", "x": "int64", "y": "int64"}
    gaps = [None if value > 6 else bool(truth) for truth, value in zip(flag, x, strict=True)]
    frame = pa.table({"flag": flag.astype(bool), "two": 2 * flag, "gaps": gaps, "x": x, "y": y})
    selection, expected = bitsieve.select(tmp_path / "t.db", "y", **how), bitsieve.select(frame, "y")
    assert selection.features == expected.features
    assert selection.scores.tobytes() == expected.scores.tobytes()


def test_a_file_of_duckdb_reaches_nothing_outside(tmp_path):
    duckdb.connect(str(tmp_path / "t.db")).close()
    with contextlib.closing(_connected(tmp_path / "t.db", "duckdb")) as connection:
        for name in ("enable_external_access", "autoload_known_extensions", "autoinstall_known_extensions"):
            assert connection.execute(f"select current_setting('{name}')").fetchone() == (False,), name
        assert connection.execute("select current_setting('temp_directory')").fetchone() == ("",)
        with pytest.raises(duckdb.InvalidInputException, match="locked"):
            connection.execute("set enable_external_access = true")


def test_a_file_of_sqlite_trusts_no_function_of_its_schema(tmp_path):
    sqlite3.connect(tmp_path / "t.db").close()
    with contextlib.closing(_connected(tmp_path / "t.db", "sqlite")) as connection:
        assert connection.execute("pragma trusted_schema").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("create table t (a)")
