"""A plain read of a Parquet file, and other programs that count."""

from __future__ import annotations

import time

READ_AT_ONCE = 13  # columns: a whole table of 10^8 rows need not fit into memory


def read(table):
    """One plain read of the whole file by polars, some columns after the others."""

    import polars

    def run():
        start = time.perf_counter()
        before = time.process_time()
        names = polars.read_parquet_schema(table).keys()
        for first in range(0, len(names), READ_AT_ONCE):
            polars.read_parquet(table, columns=list(names)[first : first + READ_AT_ONCE])
        return {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - before}

    return run


def group_by(table):
    """The tables of the first column with some others and the class, by a GROUP BY each."""

    def run(program, columns):
        start = time.perf_counter()
        before = time.process_time()
        samples = 0
        for j in range(1, columns + 1):
            samples += _by_duckdb(table, j) if program == "duckdb" else _by_polars(table, j)
        taken = time.process_time() - before
        return {
            "seconds": time.perf_counter() - start,
            "processor_seconds": taken,
            "pair_samples_a_second": samples / taken,
        }

    return run


def _by_duckdb(path, j):
    import duckdb

    rows = duckdb.sql(f"select x0, x{j}, class, count(*) from '{path}' group by all").fetchall()
    return sum(count for *_, count in rows)


def _by_polars(path, j):
    import polars

    table = polars.scan_parquet(path).group_by("x0", f"x{j}", "class").len().collect(engine="streaming")
    return table["len"].sum()
