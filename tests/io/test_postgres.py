"""Tables of a PostgreSQL server of our own, which the tests start on the loopback and stop."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.diagnostics import UserError
from bitsieve.io.postgres import rows_at

dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")

PASSWORD = "open-sesame"
USER = "ann"


def programs() -> Path | None:
    """The folder of the programs of a PostgreSQL server; None where none is installed."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return Path(found).resolve().parent if found else next(iter(folders), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def made_table() -> pa.Table:
    random = np.random.default_rng(7)
    n = 600
    y = random.integers(0, 2, n)
    near = random.normal(size=n).round(2) + y
    near[random.random(n) < 0.1] = np.nan
    start = np.datetime64("2026-01-01", "us")
    return pa.table(
        {
            "near": pa.array(near, from_pandas=True),
            "kind": np.array(["a", "b", "c"])[(y + random.integers(0, 2, n)) % 3],
            "flag": random.random(n) < 0.3 + 0.4 * y,
            "day": start + random.integers(0, 90, n).astype("timedelta64[D]"),
            "count": random.integers(0, 50, n),
            "y": np.array(["no", "yes"])[y],
        }
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a database with the table "rows", without a password."""
    folder_of_programs = programs()
    if folder_of_programs is None:
        pytest.skip("no PostgreSQL server is installed")
    folder = tmp_path_factory.mktemp("postgres")
    as_user = {}
    if os.geteuid() == 0:  # a server refuses to run as root
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("there is no user postgres, and a server does not run as root")
        for parent in [folder, *folder.parents]:
            if parent.stat().st_uid == 0 and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o011)
        as_user = {"user": "postgres"}
    password_file = folder / "password"
    password_file.write_text(PASSWORD)
    password_file.chmod(0o644)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        command = [str(folder_of_programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, **as_user)

    run("initdb", "-D", str(data), "-U", USER, "--auth=scram-sha-256", f"--pwfile={password_file}")
    port = free_port()
    settings = f"-p {port} -k {folder} -c fsync=off -c listen_addresses=127.0.0.1"
    run("pg_ctl", "-D", str(data), "-o", settings, "-l", str(folder / "log"), "-w", "-t", "120", "start")
    where = f"postgresql://{USER}@127.0.0.1:{port}/postgres"
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSWORD", PASSWORD)
            with dbapi.connect(where) as connection, connection.cursor() as cursor:
                cursor.adbc_ingest("rows", made_table())
                cursor.execute("create view few as select * from rows limit 50")
                cursor.execute(
                    "create table amounts as select i, (i / 3.0)::numeric(20, 2) as amount,"
                    " case when i % 2 = 0 then 'even' else 'odd' end as y from generate_series(1, 90) i"
                )
                connection.commit()
            yield where
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")


pytestmark = pytest.mark.slow("starts a server")


def with_password(where: str) -> str:
    return where.replace(f"{USER}@", f"{USER}:{PASSWORD}@")


def test_a_table_is_selected_from_as_in_memory(server):
    expected = bitsieve.select(made_table(), "y")
    selection = bitsieve.select(f"{server}/rows", "y")
    assert selection.features == expected.features
    assert selection.scores.tolist() == expected.scores.tolist()
    assert selection.relevance.tolist() == expected.relevance.tolist()


def test_rows_are_read_in_batches_too(server):
    expected = bitsieve.select(made_table(), "y")
    assert bitsieve.select(f"{server}/rows", "y", memory="200MB").scores.tolist() == expected.scores.tolist()


def test_a_query_is_read_in_place_of_a_table(server, capsys):
    rows = made_table()
    expected = bitsieve.select(rows.filter(pa.compute.greater(rows["count"], 10)), "y")
    query = 'select * from rows where "count" > 10;'
    assert bitsieve.select(f"{server}/({query})", "y").scores.tolist() == expected.scores.tolist()
    assert main(["select", server, "--query", query, "--target", "y", "--json"]) == 0
    assert expected.features[0] in capsys.readouterr().out


def test_a_schema_and_a_view_may_be_named(server):
    assert bitsieve.select(f"{server}/public.few", "y", drop_missing_target=True).n_samples == 50


def test_decimals_are_read_exactly(server):
    (batch,) = rows_at(f"{server}/amounts")
    assert batch.column("amount").storage.to_pylist()[:3] == ["0.33", "0.67", "1.00"]
    assert bitsieve.select(f"{server}/amounts", "y").n_samples == 90


@pytest.mark.parametrize(
    ("relation", "code", "text"),
    [
        ("", "table-not-named", "amounts"),
        ("/row", "table-not-named", "rows"),
        ("/(select 1", "table-not-named", "rows"),
        ("/(select from)", "cannot-read", "y"),
    ],
)
def test_what_is_not_there_is_refused(server, relation, code, text):
    with pytest.raises(UserError, match=text) as raised:
        bitsieve.select(f"{server}{relation}", "y")
    assert raised.value.code == code


def test_all_rows_are_of_one_moment(server):
    batches = rows_at(f"{server}/(select * from rows, generate_series(1, 200))")
    n_rows = next(batches).num_rows
    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("create table copy as select * from rows")
        cursor.execute("delete from rows")
        connection.commit()
        n_rows += sum(batch.num_rows for batch in batches)
        cursor.execute("insert into rows select * from copy")
        cursor.execute("drop table copy")
        connection.commit()
    assert n_rows == 200 * 600


def test_a_password_is_shown_nowhere(server, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("PGPASSWORD")
    where = with_password(server)
    files = {name: str(tmp_path / name) for name in ("selection.json", "report.html", "rows.csv")}
    command = ["select", where, "--table", "rows", "--target", "y"]
    written = ["--save", files["selection.json"], "--report", files["report.html"], "--output", files["rows.csv"]]
    assert main([*command, *written]) == 0
    assert main(["select", where, "--table", "row", "--target", "z"]) == 2
    assert main([*command, "--methd", "jmi", "--top", "-3"]) == 2
    assert main(["drift", with_password(f"{server}/rows"), with_password(f"{server}/few")]) == 0
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert main(["select", server.replace(USER, "nobody:" + PASSWORD), "--table", "rows", "--target", "y"]) == 2
    streams = capsys.readouterr()
    shown = [streams.out, streams.err, *(Path(file).read_text(encoding="utf-8") for file in files.values())]
    assert not any(PASSWORD in text for text in shown)


def test_a_backend_that_is_killed_is_an_error_of_one_line(server):
    batches = rows_at(f"{server}/(select * from rows, generate_series(1, 2000))")
    next(batches)
    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        cursor.execute("select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid()")
        cursor.fetchall()
    with pytest.raises(UserError, match="cannot read") as raised:
        list(batches)
    assert "\n" not in str(raised.value)


def test_an_interrupt_ends_a_query(server):
    command = [sys.executable, "-m", "bitsieve", "select", server, "--query", "select pg_sleep(60)", "--target", "y"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        with dbapi.connect(server) as connection, connection.cursor() as cursor:
            waiting = (
                "select count(*) from pg_stat_activity"
                " where query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()"
            )
            is_waiting = False
            while not is_waiting and process.poll() is None:
                cursor.execute(waiting)
                is_waiting = cursor.fetchone() == (1,)
                connection.rollback()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().strip() == "bitsieve: interrupted"
        assert process.wait() == 130
