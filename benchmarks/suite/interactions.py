"""All pairs and all triples of columns: rate of the search, codes already made, packing included."""

from __future__ import annotations

import math

from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Shape, codes
from benchmarks.limits import Limit

GENOTYPES = Shape(2000, 10000, 3, 2)
MADELON = Shape(2600, 500, 3, 2)
TALL = Shape(20000, 200, 3, 2)
# Tables, columns of a tuple, and the rates to reach; 0: none was set.
RATES = (
    (GENOTYPES, 2, 25),
    (MADELON, 2, 0),
    (MADELON, 3, 80),
    (Shape(2600, 500, 2, 2), 3, 0),
    (TALL, 3, 80),
    (Shape(2000, 200, 3, 5), 3, 0),
)
QUICK_RATES = ((Shape(600, 200, 3, 2), 2, 0), (Shape(600, 60, 3, 2), 3, 0))
MOST = {"avx512": 5e10, "avx2": 2e10, "portable": 5e9, "table": 1e7}  # tuple-samples that a forced kernel is given


def _tuple_samples(order: int, sizes: Sizes) -> float:
    return math.comb(int(sizes["features"]), order) * sizes["samples"]


def _rate(shape: Shape, order: int, goal: float) -> Job:
    options = {"order": order}
    contestants = {"engine": Contestant("ours.tuples", options)}
    for kernel, most in MOST.items():
        fewer = int((most / shape.samples * math.factorial(order)) ** (1 / order))
        piece = {"features": min(shape.features, max(fewer, 12))}
        contestants[kernel] = Contestant("ours.tuples", options, kernel, piece=piece)
    bits = math.comb(shape.features, order) * (shape.bins - 1) ** order * shape.samples
    limit = Limit(bits, shape.samples * shape.features)
    work = pair_samples if order == 2 else triple_samples
    return Job(f"order {order}, {shape.name}", codes(shape), contestants, work, limit, goal=goal or None)


def pair_samples(sizes: Sizes) -> float:
    return _tuple_samples(2, sizes)


def triple_samples(sizes: Sizes) -> float:
    return _tuple_samples(3, sizes)


BENCHMARKS = (
    Benchmark(
        "interactions",
        "All pairs or all triples of columns by the largest conditional information, on one core.",
        [_rate(*case) for case in RATES],
        [_rate(*case) for case in QUICK_RATES],
        rounds=5,
        rate="tuple-samples",
        goal="10^9 tuple-samples a second",
    ),
)
