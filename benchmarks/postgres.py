"""Selecting from a table of a PostgreSQL server on this machine: its rows read, and counted where they are.

``python -m benchmarks.postgres postgresql://USER@HOST/DATABASE WAY``; WAY is make, copy, read, stream, hand, ibis or
push. Each way is a process of its own, which prints its CPU seconds, those of the server, and its peak memory. "make"
writes the table. "copy" only reads the rows. "hand" is SQL written by hand, for one of the 20 selected columns: it
counts the pairs of one column with each other column. "ibis" and "push" need `ibis-framework[postgres]`.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TABLE = "bitsieve_benchmark"
N_ROWS = 1_000_000
N_SELECTED = 20
N_BINS = 8
PARAMETERS_OF_WAY: dict[str, dict[str, Any]] = {"read": {}, "stream": {"memory": "1GB"}, "push": {"push_down": True}}


def make_rows(n_rows: int) -> Any:
    """30 columns of numbers, amounts, integers, categories, a flag and a date, and a target of two classes."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(1)
    y = random.integers(0, 2, n_rows)
    columns: dict[str, Any] = {}
    for j in range(12):
        is_missing = random.random(n_rows) < (0.05 if j % 3 == 0 else 0)
        columns[f"number{j}"] = pa.array(random.normal(size=n_rows) + y * j / 20, mask=is_missing)
    for j in range(7):
        columns[f"amount{j}"] = np.round(np.exp(random.normal(size=n_rows) + 4 + y * j / 10), 2)
    for j, n_values in enumerate((10, 100, 1000, 1_000_000)):
        columns[f"integer{j}"] = random.integers(0, n_values, n_rows) + y * j
    for j, n_values in enumerate((3, 8, 30, 200, 2000)):
        categories = np.array([f"value {i}" for i in range(n_values)])
        columns[f"category{j}"] = categories[random.integers(0, n_values, n_rows) * (1 + y) % n_values]
    columns["flag"] = random.random(n_rows) < 0.3 + 0.1 * y
    columns["day"] = pa.array(np.datetime64("2020-01-01") + random.integers(0, 2000, n_rows)).cast(pa.date32())
    columns["y"] = np.array(["no", "yes"])[y]
    return pa.table(columns)


def make_table(address: str) -> None:
    """Write the table, in place of one that is there."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(TABLE, make_rows(N_ROWS), mode="replace")
        connection.commit()


def copy_rows(address: str) -> None:
    """Read all rows by the driver, and do nothing with them."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(f"select * from {TABLE}")
        for batch in cursor.fetch_record_batch():
            del batch


def count_by_hand(address: str) -> None:
    """Count the pairs of one column with each other column; numbers are cut into intervals of equal width."""
    from adbc_driver_postgresql import dbapi

    codes = {}
    for field in make_rows(10).drop_columns("y").schema:
        codes[field.name] = field.name
        if field.name.startswith(("number", "amount", "integer")):
            codes[field.name] = f"width_bucket({field.name}, -4, 400, {N_BINS})"
    first, *others = codes.values()
    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        for other in others:
            cursor.execute(f"select {first} as a, {other} as b, y, count(*) from {TABLE} group by 1, 2, 3")
            cursor.fetchall()


def select_from(address: str, way: str) -> list[str]:
    """The columns that bitsieve selects, one of its ways."""
    import bitsieve

    if way in ("read", "stream"):
        selection = bitsieve.select(
            f"{address}/{TABLE}", "y", n_features_to_select=N_SELECTED, **PARAMETERS_OF_WAY[way]
        )
        return selection.features

    import ibis

    table = ibis.connect(address).table(TABLE)
    selection = bitsieve.select(table, "y", n_features_to_select=N_SELECTED, push_down=way == "push")
    return selection.features


def server_seconds(address: str) -> float:
    """The CPU seconds of all processes of the server whose connections have ended."""
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        ((backend,),) = cursor.fetchall()
        parent = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1]
    times = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()
    return (int(times[13]) + int(times[14])) / os.sysconf("SC_CLK_TCK")


def run_way(address: str, way: str) -> None:
    """Run one way in a process of its own, and print what it took."""
    process = os.fork()
    if process:
        before = server_seconds(address)
        os.waitpid(process, 0)
        time.sleep(1)  # the server takes note of the ended connection
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        server = server_seconds(address) - before
        client = usage.ru_utime + usage.ru_stime
        print(f"{way}: {client:.1f} s of CPU here, {server:.1f} s of the server, peak {usage.ru_maxrss >> 10:,} MiB")
        return
    if way == "copy":
        copy_rows(address)
    elif way == "hand":
        count_by_hand(address)
    else:
        select_from(address, way)


def main(address: str, way: str) -> None:
    """Make the table, or run one way."""
    if urlsplit(address).hostname not in ("127.0.0.1", "localhost"):
        sys.exit("the server is not on this machine")
    if way == "make":
        make_table(address)
    else:
        run_way(address, way)


if __name__ == "__main__":
    main(*sys.argv[1:])
