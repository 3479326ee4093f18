"""Tables of any type to packed codes: what comes before every count."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Shape, codes
from benchmarks.limits import Limit

TABLE = Shape(200_000, 256, 3, 2)
QUICK = Shape(2_000, 40, 3, 2)
BYTES = {"uint8": 1, "int32": 4, "int64": 8, "float32": 4, "float64": 8, "bool": 1}
FRAMES = ("pandas categories", "polars categories", "Arrow text")
GOAL = {"uint8": 5}  # 10^9 values a second


def _numbers(shape: Shape, kind: str) -> Job:
    options = {"kind": kind}
    contestants = {f"{order} order": Contestant("ours_encoding.array", {**options, "order": order}) for order in "FC"}
    limit = Limit(read_bytes=BYTES[kind] * shape.samples * shape.features)
    return Job(f"{kind}, {shape.name}", codes(shape), contestants, limit=limit, goal=GOAL.get(kind))


def _frames(shape: Shape) -> Job:
    contestants = {name: Contestant("ours_encoding.frame", {"kind": name}) for name in FRAMES}
    return Job(f"frames, {shape.name}", codes(shape), contestants)


def _jobs(shape: Shape) -> list[Job]:
    return [*(_numbers(shape, kind) for kind in BYTES), _frames(shape)]


BENCHMARKS = (
    Benchmark(
        "encoding",
        "Reading, coding and packing tables by binning 'none', one core: entropy(X, binning='none').",
        _jobs(TABLE),
        _jobs(QUICK),
        rate="values",
        goal="10^9 values a second",
    ),
)
