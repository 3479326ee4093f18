"""The rows of the speed table by two threads against one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape, codes
from benchmarks.suite.tables import SELECT

if TYPE_CHECKING:
    from collections.abc import Callable

EFFICIENCY = 0.8


def _job(name: str, data: Data, contestant: Callable[[int], Contestant], *, large: bool = False) -> Job:
    """A job that is done by two threads and by one; ``contestant(n_threads)`` makes the contestants."""
    contestants = {"two threads": contestant(2), "one thread": contestant(1)}
    return Job(name, data, contestants, goal=EFFICIENCY, large=large)


def _calls(name: str, data: Data, command: str, *, large: bool = False, **options: Any) -> Job:
    """A job that calls a function of Python; ``options`` are its arguments, without ``n_jobs``."""

    def call(n_threads: int) -> Contestant:
        return Contestant(command, {**options, "n_jobs": n_threads}, threads=n_threads)

    return _job(name, data, call, large=large)


def _fit(shape: Shape, criterion: str, k: int) -> Job:
    name = f"fit, {criterion}, int64 in rows, {shape.name}, k = {k}"
    return _calls(name, codes(shape), "ours.fit_rows", criterion=criterion, k=k, dtype="int64")


def _matrix(shape: Shape) -> Job:
    return _calls(f"matrix, {shape.name}", codes(shape), "ours.matrix_called", conditional=False)


def _variational(shape: Shape, kind: str, k: int) -> Job:
    name = f"VMI {kind}, {shape.name}, k = {k}"
    return _calls(name, codes(shape), "ours.variational", decomposition=kind, k=k)


def _relieff(shape: Shape) -> Job:
    return _calls(f"ReliefF, {shape.samples:,} x {shape.features:,}", Data("values", shape), "ours_tables.relieff")


def _file(kind: str, shape: Shape) -> Job:
    words = [*SELECT, "select", "TABLE", "--target", "class", "--method", "mrmr", "--features", "10"]
    words += ["--binning", "quantile"]

    def process(n_threads: int) -> Contestant:
        arguments = [*words, "--threads", str(n_threads)]
        return Contestant("ours_tables.process", {"arguments": arguments}, threads=n_threads)

    return _job(f"{kind} to a ranking, {shape.samples:,} x {shape.features:,}", Data(kind, shape), process)


def _batches(shape: Shape) -> Job:
    options = {"k": 10, "method": "mrmr", "memory": "2GiB"}
    return _calls(
        f"Parquet in batches, {shape.name}", Data("huge_parquet", shape), "ours_files.select", large=True, **options
    )


GENES = Shape(72, 7129, 3, 2)
WIDE = Shape(500, 20000, 3, 5)
PIXELS = Shape(60000, 784, 5, 10)
TALL = Shape(1000000, 100, 10, 10)
BENCHMARKS = (
    Benchmark(
        "two_threads",
        "What users call, by two threads against one on a machine of two cores or more at rest: T1 / (2 T2).",
        [
            _fit(PIXELS, "cmim", 50),
            _fit(WIDE, "cmim", 50),
            _fit(WIDE, "mrmr", 50),
            _fit(TALL, "jmi", 20),
            _fit(GENES, "cmim", 50),
            *(_matrix(shape) for shape in (Shape(500, 10000, 3, 5), Shape(200000, 512, 3, 5))),
            *(_variational(GENES, kind, 20) for kind in ("naive", "pairwise")),
            _relieff(Shape(100, 5000, 10, 2)),
            _file("csv", Shape(100000, 100, 10, 2)),
            _file("parquet", Shape(1000000, 50, 10, 2)),
            _batches(Shape(10_000_000, 50, 10, 2)),
        ],
        [_fit(Shape(300, 200, 3, 2), "jmi", 5), _file("csv", Shape(300, 20, 3, 2))],
        rounds=7,
        patience_s=30.0,
        goal="efficiency",
    ),
)
