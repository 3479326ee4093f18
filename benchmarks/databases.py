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

N_COLUMNS = 50
N_SELECTED = 10
PARAMETERS_OF_WAY: dict[str, dict[str, Any]] = {
    "push": {"push_down": True},
    "stream": {"memory": "1GB"},
    "read": {"push_down": False},
}


def expression_of_column(j: int) -> str:
    """Column j of the table: five codes, which depend on the class more in later columns."""
    added_class = f"case when hash(i * 7) % 100 < {3 * j} then hash(i) % 2 else 0 end"
    return f"cast(hash(i * {j + 31} + {j}) % 5 + {added_class} as utinyint) x{j}"


def make_table(path: str, n_rows: int) -> None:
    """Write the table."""
    import duckdb

    columns = ", ".join(expression_of_column(j) for j in range(N_COLUMNS))
    duckdb.connect(path).execute(
        f"create table t as select {columns}, cast(hash(i) % 2 as utinyint) y from range({n_rows}) r(i)"
    )


def count_by_hand(connection: Any, selected: list[str]) -> None:
    """Run one statement for every table that mrmr needs to select these columns."""
    names = [f"x{j}" for j in range(N_COLUMNS)]
    for name in names:
        connection.sql(f"select {name}, y, count(*) from t group by all").fetchall()
    for n_selected, last_selected in enumerate(selected[:-1], 1):
        for name in names:
            if name not in selected[:n_selected]:
                connection.sql(f"select {last_selected}, {name}, count(*) from t group by all").fetchall()


def select_in_file(connection: Any, way: str) -> list[str]:
    """The columns that bitsieve selects, one of its ways."""
    import bitsieve

    selection = bitsieve.select(
        connection.table("t"),
        "y",
        method="mrmr",
        n_features_to_select=N_SELECTED,
        binning="none",
        n_jobs=1,
        **PARAMETERS_OF_WAY[way],
    )
    return selection.features


def run_way(path: str, way: str) -> None:
    """Run one way and print what it took."""
    import duckdb

    import bitsieve  # noqa: F401  # so that its import is not part of the time

    file_of_selected = Path(f"{path}.order.json")
    connection = duckdb.connect(path, read_only=True)
    connection.execute("set threads = 1")
    start = time.process_time()
    if way == "hand":
        count_by_hand(connection, json.loads(file_of_selected.read_text()))
    else:
        file_of_selected.write_text(json.dumps(select_in_file(connection, way)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{way}: {time.process_time() - start:.1f} s of CPU, peak {peak:,} MiB")


def main(path: str, n_rows: str, way: str) -> None:
    """Make the table, or run one way."""
    if way == "make":
        make_table(path, int(float(n_rows)))
    else:
        run_way(path, way)


if __name__ == "__main__":
    main(*sys.argv[1:])
