"""The global methods: solvers of QPFS beside those of others, SpecCMI at scale, and how good the answers are.

Seconds beside those that the paper prints are made by `python -m papers vinh2014`, tables 2 and 3.
"""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Contestant, Job
from benchmarks.data import Data, Shape, codes
from benchmarks.limits import Limit
from benchmarks.suite.quality import quality_of_subsets, quality_of_weights

OTHER_SOLVERS = {name: Contestant(f"others.{name}", peers=True) for name in ("quadprog", "clarabel")}


def _qpfs(n: int, large: bool = False) -> Job:
    contestants = {
        "QPFS": Contestant("ours_global.qpfs"),
        "proof of convexity": Contestant("ours_global.convexity"),
        "fit, counting included": Contestant("ours_global.qpfs_fit"),
        **(OTHER_SOLVERS if n <= 2000 else {}),  # beyond, they need minutes
    }
    data = Data("redundancy", Shape(2000, n, 3, 5))
    limit = Limit(read_bytes=8 * n * n)
    return Job(f"n = {n:,}", data, contestants, limit=limit, fresh=n > 2000, large=large)


def _speccmi(**setting: object) -> Contestant:
    return Contestant("ours_global.speccmi", {"n_features_to_select": 50, "n_jobs": 2, **setting}, threads=2)


def _landmarks(shape: Shape) -> Job:
    settings = [(variant, rate) for variant in ("extension", "paper") for rate in (0.5, 0.2, 0.05)]
    approximated = {f"{variant} {rate:g}": _speccmi(variant=variant, rate=rate, draws=5) for variant, rate in settings}
    return Job(f"landmarks, {shape.name}", codes(shape), {"exact": _speccmi(), **approximated})


def _within_memory(shape: Shape, limits: tuple[str, ...], *, large: bool = False) -> Job:
    contestants = {memory: _speccmi(memory=memory, compare=not large) for memory in limits}
    unlimited = {} if large else {"whole": _speccmi()}
    return Job(f"memory, {shape.name}", codes(shape), {**unlimited, **contestants}, fresh=True, large=large)


BENCHMARKS = (
    Benchmark(
        "qpfs",
        "QPFS given its matrix (2,000 samples, 3 bins, 5 classes), and as users call it; seconds on one core.",
        [*(_qpfs(n) for n in (1000, 2000, 5000, 10000)), _qpfs(16000, large=True)],
        [_qpfs(200)],
        rounds=3,
        patience_s=5.0,
    ),
    Benchmark(
        "spectral_scale",
        "SpecCMI from some rows of its matrix (means over 5 draws), and within a limit of memory; two threads, k = 50.",
        [
            *(_landmarks(shape) for shape in (Shape(500, 4000, 3, 5), Shape(20000, 300, 10, 2))),
            _within_memory(Shape(200, 8000, 3, 2), ("300MB", "150MB")),
            _within_memory(Shape(200, 50000, 3, 2), ("3.4GB", "200MB"), large=True),
        ],
        [_landmarks(Shape(200, 200, 3, 2)), _within_memory(Shape(100, 600, 3, 2), ("2MB", "1MB"))],
        rounds=3,
        patience_s=60.0,
    ),
    Benchmark(
        "qpfs_nystrom",
        "Share of the objective (0: equal weights, 1: minimum) and rank correlation that QPFS keeps under Nystrom.",
        study=quality_of_weights,
    ),
    Benchmark(
        "global_quality",
        "The objective of the global methods' subsets, beside each other's, the bound and the optimum.",
        study=quality_of_subsets,
    ),
)
