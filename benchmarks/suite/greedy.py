"""Greedy selection and relevance on codes already made, one core, packing included."""

from __future__ import annotations

import numpy as np

from benchmarks import engine
from benchmarks.benchmark import Benchmark, Contestant, Job, Sizes
from benchmarks.data import Shape, codes
from benchmarks.limits import Limit, counting_pairs, counting_with_class
from benchmarks.rounds import significant

# The five shapes, the number of features to select, and for JMI, MRMR and CMIM the seconds of the best existing program
# (C and C++, one core of an AMD EPYC with AVX-512, another run) and how many times faster this project means to be.
FIVE = (
    (Shape(72, 7129, 3, 2), 50, (0.10, 0.06, 0.005), (15, 10, 1)),
    (Shape(500, 20000, 3, 5), 50, (1.4, 0.40, 0.07), (30, 10, 2)),
    (Shape(100000, 500, 10, 2), 50, (5.6, 1.3, 0.83), (15, 4, 2)),
    (Shape(1000000, 100, 10, 10), 20, (4.5, 1.15, 1.35), (15, 4, 2)),
    (Shape(60000, 784, 5, 10), 50, (5.8, 1.75, 1.25), (40, 15, 2)),
)
QUICK = ((Shape(72, 300, 3, 2), 5), (Shape(5000, 40, 10, 2), 5))
SHAPES = [(shape, k) for shape, k, _, _ in FIVE]
ONE_HOT_PIECES = {100000: 50000, 1000000: 250000}  # samples; more take too much memory


def _steps(sizes: Sizes) -> float:
    """Tables counted in a selection that keeps its sums from step to step, times samples."""
    return sizes["samples"] * sizes["features"] * sizes["k"]


def _without_cache(sizes: Sizes) -> float:
    """The same when every step counts the relevance and all pairs with the selected features anew."""
    return sizes["samples"] * sum((1 + t) * (sizes["features"] - t) for t in range(sizes["k"]))


def _all_pairs(sizes: Sizes) -> float:
    return sizes["samples"] * sizes["features"] ** 2


def _greedy_limit(shape: Shape, criterion: str, k: int) -> Limit | None:
    """CMIM does not need all pairs, so that its limit is not known."""
    return None if criterion == "cmim" else counting_pairs(shape, (k - 1) * shape.features)


def _greedy(shape: Shape, k: int, criterion: str, reference: float | None = None, goal: float | None = None) -> Job:
    options = {"criterion": criterion, "k": k}
    piece = {"samples": ONE_HOT_PIECES.get(shape.samples, shape.samples)}
    contestants = {
        "engine": Contestant("ours.greedy", options),
        "fit": Contestant("ours.fit", options),
        "increment loop": Contestant("ours.greedy", options, kernel="table"),
        "numpy bincount": Contestant("by_hand.bincount_greedy", options),
        "one-hot product": Contestant("by_hand.onehot_greedy", options, piece=piece),
        "ITMO_FS": _itmo_fs(criterion, k),
    }
    if criterion == "mrmr":
        contestants["fast-select"] = _fast_select(criterion, k)
    limit = _greedy_limit(shape, criterion, k)
    name = f"{criterion}, {shape.name}, k = {k}"
    return Job(name, codes(shape), contestants, _steps, limit, reference_s=reference, goal=goal)


def _itmo_fs(criterion: str, k: int) -> Contestant:
    """ITMO_FS on a piece of the table."""
    piece = {"samples": 1000, "features": 100, "k": 10}
    return Contestant("others.itmo_fs", {"criterion": criterion, "k": k}, peers=True, piece=piece, work=_without_cache)


def _fast_select(criterion: str, k: int) -> Contestant:
    """MRMR of fast-select, which counts all pairs, on a piece of the table."""
    options = {"criterion": criterion, "k": k}
    piece = {"samples": 20000, "features": 500}
    return Contestant("others.fast_select_mrmr", options, peers=True, piece=piece, work=_all_pairs)


def _same_selection(ours: dict, theirs: dict) -> str:
    """How many features were chosen alike before the first difference.

    Others sum in floating point, so their ties break by rounding; a difference is then no error of either.
    """
    pairs = list(zip(ours["selected"], theirs["selected"], strict=False))
    return f"{next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))} of {len(theirs['selected'])}"


def _variants(shape: Shape, k: int, name: str, contestants: dict[str, dict]) -> Job:
    """Our engine with several settings, in one process."""
    made = {label: Contestant("ours.greedy", {"k": k, **options}) for label, options in contestants.items()}
    return Job(f"{name}{shape.name}, k = {k}", codes(shape), made)


def _fit(shape: Shape, k: int, criterion: str) -> Job:
    options = {"criterion": criterion, "k": k}
    contestants = {"fit": Contestant("ours.fit", options), "engine": Contestant("ours.greedy", options)}
    return Job(f"{criterion}, {shape.name}, k = {k}", codes(shape), contestants, limited_by="engine")


def _default_fit(shape: Shape, k: int, criterion: str, reference: float | None = None) -> Job:
    """`fit` with the default estimator, beside the same with plug-in, and beside programs of others that have it."""
    options = {"criterion": criterion, "k": k}
    contestants = {
        "corrected": Contestant("ours.fit", {**options, "estimator": "corrected"}),
        "plug-in": Contestant("ours.fit", options),
    }
    if criterion in CRITERIA:
        contestants["ITMO_FS"] = _itmo_fs(criterion, k)
    if criterion == "mrmr":
        contestants["fast-select"] = _fast_select(criterion, k)
    name = f"{criterion}, {shape.name}, k = {k}"
    return Job(name, codes(shape), contestants, _steps, limited_by="plug-in", reference_s=reference)


def _criteria(shape: Shape, k: int) -> Job:
    names = ["jmi", *(name for name in engine.criteria() if name != "jmi")]
    return _variants(shape, k, "", {name: {"criterion": name} for name in names})


def _estimators(shape: Shape, k: int) -> Job:
    names = ("plug-in", "corrected", "miller-madow", "shrinkage")
    return _variants(shape, k, "jmi, ", {name: {"criterion": "jmi", "estimator": name} for name in names})


def _stopping(shape: Shape, k: int) -> Job:
    names = ("none", "significance", "permutation", "threshold")
    return _variants(shape, k, "jmi, ", {name: {"criterion": "jmi", "rule": name} for name in names})


def _relevance(shape: Shape) -> Job:
    contestants = {
        "engine": Contestant("ours.relevance"),
        "mutual_information": Contestant("ours.relevance_called"),
        "mutual_info_classif": Contestant("others.mutual_info_classif"),
    }
    return Job(shape.name, codes(shape), contestants, limit=counting_with_class(shape))


def _largest_difference(ours: dict, theirs: dict) -> float:
    return significant(float(np.abs(np.subtract(ours["bits"], theirs["bits"])).max()), 2)


def _shared(ours: dict, theirs: dict) -> str:
    return f"{len(set(ours['selected']) & set(theirs['selected']))} of {len(ours['selected'])}"


CRITERIA = ("jmi", "mrmr", "cmim")
DEFAULT_FITTED = ("cmim2", *CRITERIA)
FITTED = ("mim", "mrmr", "jmi", "cmim", "jmim", "disr", "cmi")
BENCHMARKS = (
    Benchmark(
        "greedy",
        "Greedy selection on codes already made, one core, packing included.",
        [
            _greedy(shape, k, *rest)
            for shape, k, references, goals in FIVE
            for rest in zip(CRITERIA, references, goals, strict=True)
        ],
        [_greedy(shape, k, criterion) for shape, k in QUICK for criterion in CRITERIA],
        agree=_same_selection,
        goal="times as fast as the best existing program, whose seconds were measured in another run",
    ),
    Benchmark(
        "fit",
        "ForwardSelector.fit on codes, one core: at most 1.5 times the engine, its checks of the codes included.",
        [_fit(*case, criterion) for case in SHAPES for criterion in FITTED],
        [_fit(*case, criterion) for case in QUICK for criterion in FITTED],
        rounds=3,
        agree=_same_selection,
    ),
    Benchmark(
        "default_fit",
        "ForwardSelector.fit with the default estimator, one core: at most twice the time of plug-in.",
        [
            _default_fit(shape, k, criterion, reference)
            for shape, k, references, _ in FIVE
            for criterion, reference in zip(DEFAULT_FITTED, (None, *references), strict=True)
        ],
        [_default_fit(*case, criterion) for case in QUICK for criterion in DEFAULT_FITTED],
        rounds=9,
        agree=_shared,
    ),
    Benchmark(
        "criteria",
        "Every criterion beside JMI on codes already made, one core; DISR and JMIM within twice the time of JMI.",
        [_criteria(*case) for case in SHAPES],
        [_criteria(*case) for case in QUICK],
        rounds=3,
        patience_s=2.0,
    ),
    Benchmark(
        "estimators",
        "What an estimator costs: JMI of 20 features over JMI by plug-in, one core, packing included.",
        [_estimators(shape, 20) for shape, _ in SHAPES],
        [_estimators(shape, k) for shape, k in QUICK],
        patience_s=10.0,
        agree=_shared,
    ),
    Benchmark(
        "stopping",
        "What a stopping rule asked at every step costs (permutation: 200 shuffles a step), one core.",
        [_stopping(*case) for case in SHAPES],
        [_stopping(*case) for case in QUICK],
        rounds=3,
        patience_s=10.0,
    ),
    Benchmark(
        "relevance",
        "The relevance I(Xi;C) of all features, one core; agreement: the largest difference in bits.",
        [_relevance(shape) for shape, _ in SHAPES],
        [_relevance(shape) for shape, _ in QUICK],
        agree=_largest_difference,
    ),
)
