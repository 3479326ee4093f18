"""Table 3: seconds to rank n features, the matrices given: drawn at random, positive definite, and never negative."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.common.progress import phase
from bitsieve.common.ties import pick, rank
from bitsieve.experiments.item import Options, Result
from bitsieve.experiments.vinh2014_published import TABLE_3
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.quadratics import DenseQuadratic
from bitsieve.optimize.simplex_qp import minimize_on_simplex

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N_FACTORS = 50  # of a drawn matrix
SHARE = 0.5  # of the memory, that a matrix and the working memory of a method may take
COPIES = 3  # of a matrix, in memory at once at most
PATIENCE = 20.0  # seconds: a ranking longer than that is not timed a second time


def table_3(options: Options) -> Result:
    """Seconds of QPFS, MRMR and SPECCMI, compared with the paper's."""
    random = np.random.default_rng(options.seed)
    for n, theirs in TABLE_3.items():
        needed = COPIES * 8 * n * n
        if needed > SHARE * _memory():
            options.part(
                f"{n:>6,} features: left out, needs {needed / 2**30:.1f} GiB and this computer has "
                f"{_memory() / 2**30:.1f}",
                {"n_features": n, "left_out": True},
            )
            continue
        step = phase(f"ranking {n:,} features")
        matrix, relevance = drawn(n, random)
        seconds = {}
        for place, (label, ranking) in enumerate(METHODS.items()):
            step(place, len(METHODS))
            seconds[label] = _seconds(ranking, matrix, relevance)
        del matrix
        published = dict(zip(METHODS, theirs, strict=True))
        words = [f"{label} {seconds[label]:.3f} s (the paper's {_or_not(published[label])})" for label in METHODS]
        options.part(
            f"{n:>6,} features: {', '.join(words)}",
            {"n_features": n, "seconds": seconds, "published_seconds": published},
        )
    return Result("One thread, wall time, the best of two where it is short.")


def drawn(n: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """A matrix AA' + D, A >= 0 and D diagonal, of mean entry near 1, and as many relevances in [0, 1)."""
    factors = random.random((n, N_FACTORS)) * (2 / np.sqrt(N_FACTORS))
    with threadpool_limits(1, "blas"):
        matrix = factors @ factors.T
    matrix[np.diag_indices_from(matrix)] += random.random(n)
    return matrix, random.random(n)


def rank_speccmi(matrix: Floats, relevance: Floats) -> NDArray[np.intp]:
    """By the dominant eigenvector."""
    return rank(dominant_eigenvector(matrix).vector)


def rank_mrmr(matrix: Floats, relevance: Floats) -> NDArray[np.intp]:
    """By the greedy loop, relevance less mean entry with the chosen ones, to the last feature."""
    n = len(relevance)
    redundancy, scores = np.zeros(n), relevance.copy()
    order = np.empty(n, np.intp)
    for place in range(n):
        order[place] = chosen = pick(scores)
        redundancy += matrix[chosen]
        redundancy[chosen] = np.inf
        scores = relevance - redundancy / (place + 1)
    return order


def rank_qpfs(matrix: Floats, relevance: Floats) -> NDArray[np.intp]:
    """By the minimum of ``(1 - a) x'Hx / 2 - a f'x`` on the simplex."""
    redundant, relevant = float(matrix.mean()), float(relevance.mean())
    alpha = redundant / (redundant + relevant)
    found = minimize_on_simplex(DenseQuadratic(matrix, scale=1 - alpha), alpha * relevance)
    return rank(found.weights)


METHODS: dict[str, Callable[[Floats, Floats], object]] = {  # in the order of the paper's table
    "QPFS": rank_qpfs,
    "MRMR": rank_mrmr,
    "SPECCMI": rank_speccmi,
}


def _seconds(ranking: Callable[[Floats, Floats], object], matrix: Floats, relevance: Floats) -> float:
    best = np.inf
    for _ in range(2):
        start = time.perf_counter()
        ranking(matrix, relevance)
        took = time.perf_counter() - start
        best = min(best, took)
        if took > PATIENCE:
            break
    return float(best)


def _memory() -> float:
    """Of this computer, in bytes; where it cannot be told, 8 GiB."""
    names: Any = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names:
        return 8.0 * 2**30
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _or_not(seconds: float | None) -> str:
    return "ran out of memory" if seconds is None else f"{seconds:.2f}"
