"""Shapes of the paper's large data: 512 features, 1,246,991 samples, 3,740 classes."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape, codes
from benchmarks.limits import counting_pairs

CHARACTERS = Shape(1_246_991, 512, 10, 3_740)
TENTH = Shape(124_699, 512, 10, 374)
METHODS = ("speccmi", "emrmr")


def _counting(shape: Shape, method: str) -> Job:
    k = min(200, shape.features)
    contestants = {"engine": Contestant("ours.large", {"method": method, "k": k, "n_jobs": 2}, threads=2)}
    pairs = shape.features**2 / 2 if method == "speccmi" else (k - 1) * shape.features
    limit = counting_pairs(shape, pairs, threads=2)
    return Job(f"{method}, {shape.name}", codes(shape), contestants, limit=limit, goal=60, fresh=True)


def _protocol(shape: Shape, *, large: bool = False) -> Job:
    options = {"k": min(200, shape.features), "n_jobs": 2}
    contestants = {"bitsieve": Contestant("ours_tables.protocol", options, threads=2)}
    return Job(shape.name, Data("characters", shape), contestants, large=large, fresh=True)


BENCHMARKS = (
    Benchmark(
        "large_shape",
        "Counting and ranking the large shape (EMRMR: 200 features), two threads, packing included: 60 s and 4 GiB.",
        [_counting(CHARACTERS, method) for method in METHODS],
        [_counting(Shape(100_000, 64, 10, 300), method) for method in METHODS],
        rounds=2,
        patience_s=120.0,
        goal="seconds",
    ),
    Benchmark(
        "large_protocol",
        "Selecting 200 features and classifying by the nearest class mean, many classes, within memory.",
        [_protocol(TENTH), _protocol(CHARACTERS, large=True)],
        [_protocol(Shape(12_000, 64, 10, 40))],
        rounds=1,
    ),
)
