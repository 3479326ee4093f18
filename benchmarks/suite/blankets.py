"""Markov blankets: of all columns of a network, and of the class among very many columns."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Data, Shape, codes


def targets(sizes: Sizes) -> int:
    return sizes["targets"]


def _all_columns(shape: Shape, algorithm: str, *, peer_targets: int = 0, large: bool = False) -> Job:
    """The blankets of all columns, by two threads and by one; a slow peer finds those of the first columns."""
    options = {"algorithm": algorithm, "targets": shape.features}
    contestants = {
        "one thread": Contestant("ours.blankets", {**options, "n_jobs": 1}),
        "two threads": Contestant("ours.blankets", {**options, "n_jobs": 2}, threads=2),
    }
    if peer_targets:
        piece = {"targets": peer_targets}
        peer_options = {"targets": shape.features}
        contestants["pyCausalFS"] = Contestant("others.pycausalfs_iamb", peer_options, peers=True, piece=piece)
    name = f"{algorithm}, {shape.samples:,} x {shape.features:,}, all columns"
    return Job(name, Data("network", shape), contestants, targets, large=large)


def _class(shape: Shape, goal: float | None = None) -> Job:
    contestants = {
        "one thread": Contestant("ours.blanket_of_class", {"algorithm": "iamb-fdr", "n_jobs": 1}),
        "two threads": Contestant("ours.blanket_of_class", {"algorithm": "iamb-fdr", "n_jobs": 2}, threads=2),
    }
    return Job(f"iamb-fdr, {shape.samples:,} x {shape.features:,}, the class", codes(shape), contestants, goal=goal)


BENCHMARKS = (
    Benchmark(
        "blankets",
        "Markov blankets on codes already made, packing included: seconds of one thread.",
        [
            _all_columns(Shape(20_000, 37, 4, 2), "iamb-fdr"),
            _all_columns(Shape(1_000_000, 37, 4, 2), "iamb-fdr", large=True),
            _all_columns(Shape(5_000, 37, 4, 2), "iamb", peer_targets=3),
            _class(Shape(500, 20_000, 3, 2), goal=2.0),
        ],
        [_all_columns(Shape(500, 8, 4, 2), "iamb", peer_targets=2), _class(Shape(200, 50, 3, 2))],
        goal="seconds",
    ),
)
