"""Stopping rules and tests that repeat their work on shuffled classes or on all columns together."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape


def _by_threads(command: str, options: dict[str, object]) -> dict[str, Contestant]:
    return {
        "two threads": Contestant(command, {**options, "n_jobs": 2}, threads=2),
        "one thread": Contestant(command, {**options, "n_jobs": 1}),
    }


def _rule(rule: str, data: Data, goal: float | None = None) -> Job:
    name = f"{rule}, {data.shape.samples:,} x {data.shape.features:,}"
    return Job(name, data, _by_threads("ours_rules.select", {"rule": rule}), goal=goal)


def _p_of_bins(trend: str, data: Data, goal: float | None = None) -> Job:
    name = f"p of bins, trend {trend}, {data.shape.samples:,} x {data.shape.features:,}"
    return Job(name, data, _by_threads("ours_rules.p_of_bins", {"trend": trend}), goal=goal)


BENCHMARKS = (
    Benchmark(
        "rules",
        "`select` by stopping rules that shuffle the classes or make knockoffs, and the p of monotone bins: processor "
        "seconds of all threads. One thread and two give the same.",
        [
            _rule("fdr", Data("values", Shape(500, 500, 10, 2)), 5),
            _rule("gaussian-knockoffs", Data("values", Shape(500, 2_000, 10, 2)), 20),
            _p_of_bins("none", Data("risks", Shape(48_842, 2, 0, 2)), 5),
            _p_of_bins("peak", Data("risks", Shape(48_842, 2, 0, 2)), 2),
        ],
        [
            _rule("fdr", Data("risks", Shape(500, 3, 0, 2))),
            _rule("gaussian-knockoffs", Data("values", Shape(200, 20, 10, 2))),
            _p_of_bins("peak", Data("risks", Shape(500, 2, 0, 2))),
        ],
        rounds=2,
        patience_s=60.0,
        goal="seconds",
        agree=lambda ours, theirs: ours == theirs,
    ),
)
