"""Monotone bins, as scorecards need them."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape
from benchmarks.limits import Limit


def _bins(shape: Shape, goal: float | None = None) -> Job:
    contestants = {
        "MonotoneBinner": Contestant("ours_scorecards.monotone_bins", {"n_jobs": 2}, threads=2),
        "one thread": Contestant("ours_scorecards.monotone_bins", {"n_jobs": 1}),
    }
    limit = Limit(read_bytes=8 * shape.samples * shape.features)
    return Job(f"{shape.samples:,} x {shape.features:,}", Data("risks", shape), contestants, limit=limit, goal=goal)


BENCHMARKS = (
    Benchmark(
        "scorecards",
        "Monotone bins of doubles in a pandas frame, MonotoneBinner with its default options: seconds of fit.",
        [
            _bins(Shape(10_000_000, 1, 0, 2), goal=0.25),
            _bins(Shape(100_000, 300, 0, 2), goal=1.0),
            _bins(Shape(48_842, 14, 0, 2), goal=0.1),
        ],
        [_bins(Shape(2_000, 3, 0, 2))],
        goal="seconds",
    ),
)
