"""A plain read of a Parquet file, and other programs that count."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

GROUP = 1 << 20  # rows of a row group


def parquet_file(codes, classes):
    """The codes and their classes in a file of a folder that is removed with the first object."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "codes.parquet"
    columns = {f"x{j}": codes[:, j] for j in range(codes.shape[1])}
    parquet.write_table(pa.table({**columns, "class": classes}), path, row_group_size=GROUP)
    return folder, path


def read(codes, classes):
    """One plain read of the whole file by polars."""
    folder, path = parquet_file(codes, classes)

    def run():
        import polars

        assert folder.name
        start, before = time.perf_counter(), time.process_time()
        polars.read_parquet(path)
        return {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - before}

    return run


def group_by(codes, classes):
    """The tables of the first column with some others and the class, by a GROUP BY each."""
    folder, path = parquet_file(codes, classes)

    def run(program, columns):
        assert folder.name
        start, before = time.perf_counter(), time.process_time()
        for j in range(1, columns + 1):
            if program == "duckdb":
                import duckdb

                duckdb.sql(f"select x0, x{j}, class, count(*) from '{path}' group by all").fetchall()
            else:
                import polars

                polars.scan_parquet(path).group_by("x0", f"x{j}", "class").len().collect()
        taken = time.process_time() - before
        return {
            "seconds": time.perf_counter() - start,
            "processor_seconds": taken,
            "pair_samples_a_second": len(codes) * columns / taken,
        }

    return run
