"""Rows that lie with the workers of a cluster."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Shape, codes


def _jmi(shape: Shape, k: int) -> Job:
    return Job(
        f"jmi, {shape.name}, k = {k}",
        codes(shape),
        {
            "two workers": Contestant("ours_cluster.jmi", {"k": k, "workers": 2}),
            "one worker": Contestant("ours_cluster.jmi", {"k": k, "workers": 1}),
            "in memory": Contestant("ours_cluster.jmi", {"k": k, "workers": 0}),
        },
    )


BENCHMARKS = (
    Benchmark(
        "cluster",
        "JMI of a Parquet file by the workers of a Dask cluster, one core each: rows a second, and what moves a step.",
        [_jmi(Shape(2_000_000, 50, 10, 2), 10)],
        [_jmi(Shape(100_000, 10, 5, 2), 3)],
        rounds=2,
        patience_s=60.0,
    ),
)
