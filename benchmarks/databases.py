"""Counting where a DuckDB file lies, beside the same tables by statements written by hand, and beside reading the rows.

``python -m benchmarks.databases FILE ROWS WAY``; WAY is make, push, hand, stream or read. Each way is a process of its
own, which prints its CPU seconds and its peak memory, DuckDB's share included. "hand" counts the pairs that "push" did.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

COLUMNS, FEATURES = 50, 10
HOW: dict[str, dict[str, Any]] = {
    "push": {"push_down": True},
    "stream": {"memory": "1GB"},
    "read": {"push_down": False},
}


def made(j: int) -> str:
    """A column of five codes, the later ones more and more like the class."""
    follows = f"case when hash(i * 7) % 100 < {3 * j} then hash(i) % 2 else 0 end"
    return f"cast(hash(i * {j + 31} + {j}) % 5 + {follows} as utinyint) x{j}"


def make(path: str, n_rows: int) -> None:
    """Write the table."""
    import duckdb

    columns = ", ".join(made(j) for j in range(COLUMNS))
    duckdb.connect(path).execute(
        f"create table t as select {columns}, cast(hash(i) % 2 as utinyint) y from range({n_rows}) r(i)"
    )


def by_hand(con: Any, order: list[str]) -> None:
    """One statement for every table that mrmr needs."""
    names = [f"x{j}" for j in range(COLUMNS)]
    for name in names:
        con.sql(f"select {name}, y, count(*) from t group by all").fetchall()
    for n_selected, pivot in enumerate(order[:-1]):
        for name in names:
            if name not in order[: n_selected + 1]:
                con.sql(f"select {pivot}, {name}, count(*) from t group by all").fetchall()


def main(path: str, n_rows: str, way: str) -> None:
    """Run one way and print what it took."""
    if way == "make":
        return make(path, int(float(n_rows)))
    import duckdb

    import bitsieve

    con, order = duckdb.connect(path, read_only=True), Path(f"{path}.order.json")
    con.execute("set threads = 1")
    start = time.process_time()
    if way == "hand":
        by_hand(con, json.loads(order.read_text()))
    else:
        parameters = {"method": "mrmr", "n_features_to_select": FEATURES, "binning": "none", "n_jobs": 1, **HOW[way]}
        order.write_text(json.dumps(bitsieve.select(con.table("t"), "y", **parameters).features))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{way}: {time.process_time() - start:.1f} s of CPU, peak {peak:,} MiB")
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
