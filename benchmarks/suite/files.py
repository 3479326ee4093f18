"""Files that are counted in batches of rows."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape


def _selection(shape: Shape, k: int, *, large: bool = False) -> Job:
    options = {"k": k, "memory": "2GiB"}
    return Job(
        f"{shape.name}, k = {k}",
        Data("huge_parquet", shape),
        {
            "mrmr": Contestant("ours_files.select", {**options, "method": "mrmr"}, threads=2),
            "speccmi": Contestant("ours_files.select", {**options, "method": "speccmi"}, threads=2),
            "polars reads it": Contestant("files.read", {}, threads=2),
            "polars groups by": Contestant("files.group_by", {"program": "polars", "columns": 3}, threads=2),
            "duckdb groups by": Contestant("files.group_by", {"program": "duckdb", "columns": 3}, threads=2),
        },
        fresh=True,
        large=large,
    )


def _cut(shape: Shape, k: int) -> Job:
    options = {"k": k, "memory": "2GiB", "method": "mrmr", "binning": "quantile"}
    return Job(
        f"doubles in quantile bins, {shape.samples:,} x {shape.features:,}, k = {k}",
        Data("huge_doubles", shape),
        {
            "mrmr": Contestant("ours_files.select", options, threads=2),
            "polars reads it": Contestant("files.read", {}, threads=2),
        },
        fresh=True,
    )


BENCHMARKS = (
    Benchmark(
        "huge_file",
        "A first selection from a Parquet file in batches within 2 GiB, beside one plain read of it, two threads; "
        "and three tables of pairs by GROUP BY.",
        [
            _selection(Shape(10_000_000, 50, 10, 2), 10),
            _cut(Shape(10_000_000, 50, 10, 2), 10),
            _selection(Shape(100_000_000, 50, 10, 2), 10, large=True),
        ],
        [_selection(Shape(100_000, 10, 5, 2), 3), _cut(Shape(100_000, 10, 5, 2), 3)],
        rounds=1,
        patience_s=120.0,
    ),
)
