"""Monotone bins: of a column beside other programs, at the same bounds; of whole frames by one thread and two."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import PUBLIC_COLUMNS, Data, Shape
from benchmarks.limits import Limit

CONTESTANTS = {
    "bitsieve": ("ours_bins.monotone", {}),
    "bitsieve, any trend": ("ours_bins.monotone", {"trend": "none"}),
    "optbinning": ("others_bins.optbinning", {}),
    "optbinning, 50 quantiles": ("others_bins.optbinning", {"prebinning_method": "quantile", "max_n_prebins": 50}),
    "fastbinning": ("others_bins.fastbinning", {"max_share": 1.0}),
    "fastbinning, bins of at most 15 %": ("others_bins.fastbinning", {"max_share": 0.15}),
    "toad, decision tree": ("others_bins.toad", {}),
}
PUBLIC = Data("public_columns", Shape(48_842, len(PUBLIC_COLUMNS), 10, 2))


def _job(name: str, data: Data, column: str, *, large: bool = False) -> Job:
    contestants = {}
    for contestant, (command, options) in CONTESTANTS.items():
        is_peer = command.startswith("others")
        contestants[contestant] = Contestant(command, {"column": column, **options}, peers=is_peer)
    return Job(name, data, contestants, large=large)


def _logit_job(n_rows: int, *, large: bool = False) -> Job:
    data = Data("logit_column", Shape(n_rows, 1, 10, 2))
    return _job(f"normal numbers, {n_rows:,} rows", data, "numbers", large=large)


def _frame_job(shape: Shape, goal: float | None = None) -> Job:
    contestants = {
        "two threads": Contestant("ours_bins.frame", {"n_jobs": 2}, threads=2),
        "one thread": Contestant("ours_bins.frame", {"n_jobs": 1}),
    }
    limit = Limit(read_bytes=8 * shape.samples * shape.features)
    name = f"frame of {shape.samples:,} x {shape.features:,}"
    return Job(name, Data("risks", shape), contestants, limit=limit, goal=goal)


BENCHMARKS = (
    Benchmark(
        "monotone_bins",
        "At most 10 bins of at least 5 % of the rows, from a column of numbers: processor seconds, and the information "
        "value in nats. Among bins that keep all bounds, the event rate that only rises or only falls too, none have "
        "a larger one; a tree has no trend, and is beside `any trend`. Of frames the seconds of fit on the wall.",
        [
            *[_job(name.replace("_", " "), PUBLIC, name) for name in PUBLIC_COLUMNS],
            _logit_job(100_000),
            _logit_job(1_000_000),
            _logit_job(10_000_000, large=True),
            _frame_job(Shape(10_000_000, 1, 0, 2), goal=0.25),
            _frame_job(Shape(100_000, 300, 0, 2), goal=1.0),
            _frame_job(Shape(48_842, 14, 0, 2), goal=0.1),
        ],
        [_logit_job(2_000), _frame_job(Shape(2_000, 3, 0, 2))],
        rounds=3,
        patience_s=2.0,
        goal="seconds",
    ),
)
