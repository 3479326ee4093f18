"""The full matrix of mutual information: rate, threads, memory. Codes are made before; they are packed in the job."""

from __future__ import annotations

import math
from typing import NamedTuple

from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Shape, codes
from benchmarks.limits import counting_pairs

FEW_SAMPLES = Shape(72, 7129, 3, 2)
GENES = Shape(500, 10000, 3, 5)
PIXELS = Shape(60000, 784, 5, 10)
TALL = Shape(100000, 500, 10, 2)


class Matrix(NamedTuple):
    """A matrix to compute, and the rate to reach."""

    shape: Shape
    conditional: bool = False  # whether it holds I(Xi;C|Xj), else I(Xi;Xj)
    goal: float | None = None  # 10^9 pair-samples a second

    @property
    def name(self) -> str:
        formula = "I(Xi;C|Xj)" if self.conditional else "I(Xi;Xj)"
        return f"{formula}, {self.shape.name}"


class Situation(NamedTuple):
    """How many threads compute a matrix, and whether one of the two cores is busy."""

    n_jobs: int
    busy: bool


MATRICES = (
    Matrix(FEW_SAMPLES, goal=8),
    Matrix(FEW_SAMPLES, conditional=True),
    Matrix(GENES, goal=60),
    Matrix(GENES, conditional=True),
    Matrix(Shape(2000, 6000, 3, 5), goal=60),
    Matrix(Shape(2000, 4000, 5, 5), goal=30),
    Matrix(PIXELS, goal=30),
    Matrix(PIXELS, conditional=True),
    Matrix(TALL, goal=8),
    Matrix(TALL, conditional=True),
    Matrix(Shape(200000, 512, 3, 5), goal=150),
)
QUICK_MATRICES = (Matrix(Shape(72, 400, 3, 2), goal=8), Matrix(Shape(3000, 60, 5, 3), conditional=True))
MEMORY_MATRICES = (
    Matrix(FEW_SAMPLES),
    Matrix(GENES),
    Matrix(GENES, conditional=True),
    Matrix(PIXELS, conditional=True),
    Matrix(TALL),
)
MAX_PAIR_SAMPLES = {"avx512": 1e10, "avx2": 1e10, "portable": 3e9, "table": 2e9}  # that a forced kernel counts
SITUATIONS = {
    "one": Situation(1, busy=False),
    "two": Situation(2, busy=False),
    "one, busy": Situation(1, busy=True),
    "two, busy": Situation(2, busy=True),
}


def _pair_samples(sizes: Sizes) -> float:
    return sizes["features"] * (sizes["features"] + 1) / 2 * sizes["samples"]


def _piece(shape: Shape, kernel: str) -> dict[str, int]:
    """The piece of a table on which a slow kernel is measured."""
    return {"features": int(math.sqrt(2 * MAX_PAIR_SAMPLES[kernel] / shape.samples))}


def _rate(matrix: Matrix) -> Job:
    shape = matrix.shape
    options = {"conditional": matrix.conditional}
    contestants = {
        "engine": Contestant("ours.matrix", options),
        "called, F order": Contestant("ours.matrix_called", {**options, "order": "F"}),
        "called, C order": Contestant("ours.matrix_called", {**options, "order": "C"}),
    }
    for kernel in MAX_PAIR_SAMPLES:
        contestants[kernel] = Contestant("ours.matrix", options, kernel, piece=_piece(shape, kernel))
    if not matrix.conditional:
        piece = _piece(shape, "table")
        contestants["fast-select"] = Contestant("others.fast_select_matrix", options, peers=True, piece=piece)
    contestants["result only"] = Contestant("ours.fresh_pages", options)
    limit = counting_pairs(shape, shape.features**2 / 2, 8 * shape.features**2)
    return Job(matrix.name, codes(shape), contestants, _pair_samples, limit, goal=matrix.goal)


def _threads(shape: Shape) -> Job:
    contestants = {}
    for name, situation in SITUATIONS.items():
        options = {"n_jobs": situation.n_jobs, "busy": situation.busy}
        contestants[name] = Contestant("ours.matrix_on_two_cores", options, threads=2)
    return Job(shape.name, codes(shape), contestants)


def _memory(matrix: Matrix, dtype: str = "float64") -> Job:
    contestants = {}
    for n_jobs in (1, 2):
        options = {"conditional": matrix.conditional, "dtype": dtype, "n_jobs": n_jobs}
        contestants[f"{n_jobs} threads"] = Contestant("ours.matrix_memory", options)
    return Job(f"{matrix.name}, {dtype}", codes(matrix.shape), contestants, fresh=True)


BENCHMARKS = (
    Benchmark(
        "matrix",
        'The full matrix on one core; "result only": what the system takes to hand out the pages of a fresh result.',
        [_rate(matrix) for matrix in MATRICES],
        [_rate(matrix) for matrix in QUICK_MATRICES],
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
        [*(_memory(matrix) for matrix in MEMORY_MATRICES), _memory(Matrix(GENES), "float32")],
        [
            _memory(Matrix(Shape(500, 1500, 3, 5))),
            _memory(Matrix(Shape(20000, 200, 5, 10), conditional=True), "float32"),
        ],
        rounds=1,
    ),
)
