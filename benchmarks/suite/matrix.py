"""The full matrix of mutual information: rate, threads, memory. Codes already made, packing included."""

from __future__ import annotations

import math

from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Shape, codes
from benchmarks.limits import counting_pairs

WORDS = {False: "I(Xi;Xj)", True: "I(Xi;C|Xj)"}
FEW_SAMPLES, GENES = Shape(72, 7129, 3, 2), Shape(500, 10000, 3, 5)
PIXELS, TALL = Shape(60000, 784, 5, 10), Shape(100000, 500, 10, 2)
# Matrices and the rates to reach; 0: none was set.
RATES = (
    (FEW_SAMPLES, False, 8),
    (FEW_SAMPLES, True, 0),
    (GENES, False, 60),
    (GENES, True, 0),
    (Shape(2000, 6000, 3, 5), False, 60),
    (Shape(2000, 4000, 5, 5), False, 30),
    (PIXELS, False, 30),
    (PIXELS, True, 0),
    (TALL, False, 8),
    (TALL, True, 0),
    (Shape(200000, 512, 3, 5), False, 150),
)
QUICK_RATES = ((Shape(72, 400, 3, 2), False, 8), (Shape(3000, 60, 5, 3), True, 0))
MOST = {"avx512": 1e10, "avx2": 1e10, "portable": 3e9, "table": 2e9}  # pair-samples that a forced kernel is given
MEMORY = ((FEW_SAMPLES, False), (GENES, False), (GENES, True), (PIXELS, True), (TALL, False))
SITUATIONS = {"one": (1, False), "two": (2, False), "one, busy": (1, True), "two, busy": (2, True)}


def _pair_samples(sizes: Sizes) -> float:
    return sizes["features"] * (sizes["features"] + 1) / 2 * sizes["samples"]


def _rate(shape: Shape, conditional: bool, goal: float) -> Job:
    options = {"conditional": conditional}
    contestants = {
        "engine": Contestant("ours.matrix", options),
        "called, F order": Contestant("ours.matrix_called", {**options, "order": "F"}),
        "called, C order": Contestant("ours.matrix_called", {**options, "order": "C"}),
    }
    for kernel, most in MOST.items():
        piece = {"features": int(math.sqrt(2 * most / shape.samples))}
        contestants[kernel] = Contestant("ours.matrix", options, kernel, piece=piece)
    if not conditional:
        contestants["fast-select"] = Contestant("others.fast_select_matrix", options, peers=True, piece=piece)
    contestants["result only"] = Contestant("ours.fresh_pages", options)
    limit = counting_pairs(shape, shape.features**2 / 2, 8 * shape.features**2)
    name = f"{WORDS[conditional]}, {shape.name}"
    return Job(name, codes(shape), contestants, _pair_samples, limit, goal=goal or None)


def _threads(shape: Shape) -> Job:
    contestants = {
        name: Contestant("ours.matrix_on_two_cores", {"n_jobs": n_jobs, "busy": busy}, threads=2)
        for name, (n_jobs, busy) in SITUATIONS.items()
    }
    return Job(shape.name, codes(shape), contestants)


def _memory(shape: Shape, conditional: bool, dtype: str = "float64") -> Job:
    options = {"conditional": conditional, "dtype": dtype}
    contestants = {
        f"{n_jobs} threads": Contestant("ours.matrix_memory", {**options, "n_jobs": n_jobs}) for n_jobs in (1, 2)
    }
    return Job(f"{WORDS[conditional]}, {shape.name}, {dtype}", codes(shape), contestants, fresh=True)


BENCHMARKS = (
    Benchmark(
        "matrix",
        'The full matrix on one core; "result only": what the system takes to hand out the pages of a fresh result.',
        [_rate(*case) for case in RATES],
        [_rate(*case) for case in QUICK_RATES],
        rounds=7,
        rate="pair-samples",
        goal="10^9 pair-samples a second",
    ),
    Benchmark(
        "threads",
        "The matrix by two threads against one, at rest and with one of the two cores busy: 1.8 times as fast at rest; "
        "with the core busy never slower than one thread at rest.",
        [_threads(shape) for shape in (FEW_SAMPLES, GENES, PIXELS, TALL)],
        [_threads(Shape(500, 1000, 3, 5))],
        rounds=9,
        patience_s=60.0,
    ),
    Benchmark(
        "memory",
        "Peak of the matrix job: the result plus at most twice the bit planes.",
        [*(_memory(*case) for case in MEMORY), _memory(GENES, False, "float32")],
        [_memory(Shape(500, 1500, 3, 5), False), _memory(Shape(20000, 200, 5, 10), True, "float32")],
        rounds=1,
    ),
)
