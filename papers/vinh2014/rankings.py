"""Tables 2 and 3: how long global methods take, and what they reach.

Table 2 and section 4.1 compare the semidefinite relaxation with the spectral one, in seconds and objective. Table 3 is
seconds to rank features with the matrices given: drawn at random, positive definite, and never negative.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.simplex_qp import DenseQuadratic, minimize_on_simplex
from bitsieve.pipeline.discretize import count_table
from bitsieve.utils.choice import pick, rank
from bitsieve.utils.progress import phase
from papers.item import Options, Result
from papers.selectors import as_published
from papers.vinh2014.data import TABLE_2, TABLE_3, Missing, PaperData, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.pipeline.discretize import CountedTable

    Floats = NDArray[np.float64]
    Matrix = NDArray[np.floating]


MAX_FEATURES = 100  # selected
MAX_ENUMERATED = 21  # features whose 2^n subsets are all tried
SAME = 1e-9  # relative: sums of the same numbers in another order


def table_2(options: Options) -> Result:
    """Seconds a ranking, and the objective x'Qx for every k."""
    total = {"cases": 0, "same": 0, "semidefinite is better": 0, "spectral is better": 0}
    for table in tables(options, tuple(TABLE_2)):
        if isinstance(table, Missing):
            options.part(str(table), {"set": table.row, "missing": table.origin})
            continue
        text, record = _row(options, table)
        for key in total:
            total[key] += record[key]
        options.part(text, record)
    return Result(
        f"{total['cases']} cases: the same objective in {total['same']}, SDPCMI better in "
        f"{total['semidefinite is better']}, SPECCMI in {total['spectral is better']}; the paper: 442, 379, 46 and 17."
    )


def objectives(matrix: Matrix, order: NDArray[np.intp], max_features: int) -> Matrix:
    """x'Qx of the first k columns of an order, for k = 1 to ``max_features``."""
    chosen = order[:max_features]
    among_chosen = matrix[np.ix_(chosen, chosen)]
    return np.cumsum(np.cumsum(among_chosen, axis=0), axis=1).diagonal()


def best_objectives(matrix: Matrix) -> Floats:
    """The largest x'Qx over all subsets of k columns, for k = 1 to n. Memory: O(2^n) numbers."""
    n = len(matrix)
    objective = np.zeros(1)
    row_sums = np.zeros((n, 1))  # over the subset's columns, of each row not decided yet
    sizes = np.zeros(1, np.int8)
    for i in range(n):
        objective = np.concatenate([objective, objective + matrix[i, i] + 2 * row_sums[0]])
        row_sums = np.hstack([row_sums[1:], row_sums[1:] + matrix[i + 1 :, i : i + 1]])
        sizes = np.concatenate([sizes, sizes + 1])
    best = np.full(n + 1, -np.inf)
    np.maximum.at(best, sizes, objective)
    return best[1:]


def _row(options: Options, table: PaperData) -> tuple[str, dict[str, Any]]:
    phase(f"counting {table.row}")
    counted_table = count_table(read_xy(table.X, table.y), MDLBinner(uncut="median"), options.n_jobs)
    n = table.n_features
    max_features = min(n, MAX_FEATURES)
    matrix = counted_table.information.matrix("mean_relevance")  # Q
    spectral, spectral_seconds = _fitted("speccmi", n, counted_table)
    spectral_objectives = objectives(matrix, spectral.selected_, max_features)
    semidefinite_objectives, seconds = _semidefinite(table, counted_table, matrix, max_features)
    gains = np.array(semidefinite_objectives) / spectral_objectives - 1
    published = TABLE_2[table.row]
    record: dict[str, Any] = {
        "set": table.row,
        "origin": table.origin,
        "cases": max_features,
        "same": int((np.abs(gains) <= SAME).sum()),
        "semidefinite is better": int((gains > SAME).sum()),
        "spectral is better": int((gains < -SAME).sum()),
        "seconds_sdpcmi": seconds,
        "seconds_speccmi": spectral_seconds,
        "relative_gains": gains.tolist(),
        "published_seconds": list(published),
    }
    lines = [
        str(table),
        f"  seconds a ranking: SDPCMI {np.mean(seconds):.3f} ± {np.std(seconds):.3f} (the paper's "
        f"{published.sdpcmi:.2f} ± {published.sdpcmi_deviation:.2f}), SPECCMI {spectral_seconds:.3f} (the paper's "
        f"{published.speccmi:.3f}); "
        "the matrix counted within",
        f"  of {max_features} numbers of features the same objective in {record['same']}; SDPCMI better in "
        f"{record['semidefinite is better']} (by {100 * max(gains.max(), 0):.2f} % at most), SPECCMI in "
        f"{record['spectral is better']} (by {100 * max(-gains.min(), 0):.2f} %)",
    ]
    if n <= MAX_ENUMERATED:
        phase("trying all subsets")
        loss = 1 - spectral_objectives / best_objectives(matrix)[:max_features]
        record["short_of_the_optimum"] = loss.tolist()
        lines.append(
            f"  all subsets tried: SPECCMI is short of the optimum by {100 * loss.max():.2f} % at most, from 10 "
            f"features on by {100 * loss[min(9, max_features - 1) :].max():.2f} % (the paper: 0.07 %)"
        )
    return "\n".join([*lines, ""]), record


def _semidefinite(
    table: PaperData, counted_table: CountedTable, matrix: Matrix, max_features: int
) -> tuple[list[float], list[float]]:
    """SDPCMI's objective and its seconds for k = 1 to ``max_features``."""
    objectives_of_k = []
    seconds_of_k = []
    progress = phase(f"ranking {table.row}")
    for k in range(1, max_features + 1):
        selector, seconds = _fitted("sdpcmi", k, counted_table, refine=None)
        seconds_of_k.append(seconds)
        selected = selector.selected_
        objectives_of_k.append(float(matrix[np.ix_(selected, selected)].sum()))
        progress(k, max_features)
    return objectives_of_k, seconds_of_k


def _fitted(name: str, k: int, counted_table: CountedTable, **parameters: Any) -> tuple[Any, float]:
    """A fitted selector, and the shorter time of two fits: only the first counts the tables."""
    seconds = []
    for _ in range(2):
        selector = as_published(name, k, **parameters)
        start = time.perf_counter()
        selector.fit_counted(counted_table)
        seconds.append(time.perf_counter() - start)
    return selector, min(seconds)


N_FACTORS = 50  # of a drawn matrix
MEMORY_SHARE = 0.5  # of the computer's memory, that a matrix and its copies may take
MAX_COPIES = 3  # of a matrix in memory at once
LONG_SECONDS = 20.0  # a ranking that takes longer is not timed a second time


def table_3(options: Options) -> Result:
    """Seconds of QPFS, MRMR and SPECCMI, compared with the paper's."""
    random = np.random.default_rng(options.seed)
    for n, published_seconds in TABLE_3.items():
        needed = MAX_COPIES * 8 * n * n
        if needed > MEMORY_SHARE * _memory():
            options.part(
                f"{n:>6,} features: left out, needs {needed / 2**30:.1f} GiB and this computer has "
                f"{_memory() / 2**30:.1f}",
                {"n_features": n, "left_out": True},
            )
            continue
        progress = phase(f"ranking {n:,} features")
        matrix, relevance = drawn(n, random)
        seconds = {}
        for n_done, (label, ranking) in enumerate(METHODS.items()):
            progress(n_done, len(METHODS))
            seconds[label] = _seconds(ranking, matrix, relevance)
        del matrix
        published = dict(zip(METHODS, published_seconds, strict=True))
        words = [f"{label} {seconds[label]:.3f} s (the paper's {_seconds_text(published[label])})" for label in METHODS]
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
    """Rank by the dominant eigenvector."""
    return rank(dominant_eigenvector(matrix).vector)


def rank_mrmr(matrix: Floats, relevance: Floats) -> NDArray[np.intp]:
    """Rank greedily, by relevance less the mean entry with the features chosen before."""
    n = len(relevance)
    redundancy = np.zeros(n)
    scores = relevance.copy()
    order = np.empty(n, np.intp)
    for position in range(n):
        chosen = pick(scores)
        order[position] = chosen
        redundancy += matrix[chosen]
        redundancy[chosen] = np.inf
        scores = relevance - redundancy / (position + 1)
    return order


def rank_qpfs(matrix: Floats, relevance: Floats) -> NDArray[np.intp]:
    """Rank by the minimum of ``(1 - a) x'Hx / 2 - a f'x`` on the simplex."""
    mean_redundancy = float(matrix.mean())
    mean_relevance = float(relevance.mean())
    alpha = mean_redundancy / (mean_redundancy + mean_relevance)
    solution = minimize_on_simplex(DenseQuadratic(matrix, scale=1 - alpha), alpha * relevance)
    return rank(solution.weights)


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
        seconds = time.perf_counter() - start
        best = min(best, seconds)
        if seconds > LONG_SECONDS:
            break
    return float(best)


def _memory() -> float:
    """The memory of this computer in bytes; 8 GiB where the system does not say."""
    names: Any = getattr(os, "sysconf_names", {})
    if "SC_PHYS_PAGES" not in names:
        return 8.0 * 2**30
    return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")


def _seconds_text(seconds: float | None) -> str:
    return "ran out of memory" if seconds is None else f"{seconds:.2f}"
