"""Spanning trees, and the methods that are made of them."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape

TREES = 20  # a run: one alone is too short for a clock


def _trees(samples: int, features: int, levels: int = 0) -> Job:
    options = {"times": TREES, "levels": levels}
    contestants = {
        "kernel": Contestant("ours_tables.trees", options),
        "quitefastmst": Contestant("others.quitefastmst", options, peers=True),
    }
    if features == 2:
        contestants["Delaunay, csgraph"] = Contestant("others.delaunay", options)
    kind = f"a grid of {levels} x {levels}" if levels else "continuous"
    shape = Shape(samples, features, 10, 2)
    return Job(f"{TREES} trees, {samples:,} points, {features} dimensions, {kind}", Data("values", shape), contestants)


def _geometric(method: str, shape: Shape, goal: float, k: int = 10) -> Job:
    contestants = {
        "two threads": Contestant("ours_tables.geometric", {"method": method, "k": k, "n_jobs": 2}, threads=2),
        "one thread": Contestant("ours_tables.geometric", {"method": method, "k": k, "n_jobs": 1}),
    }
    name = f"{method}, {shape.samples:,} x {shape.features:,}, {shape.classes} classes, k = {k}"
    return Job(name, Data("values", shape), contestants, goal=goal)


BENCHMARKS = (
    Benchmark(
        "spanning_tree",
        "Exact spanning trees of distinct sorted points, one core; agreement: the difference of the weights.",
        [
            *(_trees(samples, 2) for samples in (70, 300, 2000, 10_000)),
            _trees(2000, 2, 256),
            _trees(2000, 3),
            _trees(2000, 10),
        ],
        [_trees(200, 2), _trees(200, 2, 16)],
        agree=lambda ours, theirs: abs(ours["weight"] - theirs["weight"]) / ours["weight"] < 1e-9,
    ),
    Benchmark(
        "geometric",
        "GMI, a tree for every pair of features; DpSelector, a tree for every pair of classes, feature and step; "
        "DominantSetMII, a Parzen density for every pair of features.",
        [
            _geometric("gmi", Shape(10_000, 30, 10, 10), 10),
            _geometric("gmi", Shape(2000, 784, 10, 10), 240),
            _geometric("gmi", Shape(70, 2000, 10, 3), 10),
            _geometric("dominant-set-mii", Shape(70, 2000, 10, 3), 10),
            _geometric("dp", Shape(2000, 30, 10, 10), 10),
        ],
        [_geometric(method, Shape(300, 20, 10, 3), 10, 3) for method in ("gmi", "dp", "dominant-set-mii")],
        rounds=2,
        patience_s=120.0,
        goal="seconds",
    ),
)
