"""Ranking all features: QPFS, MRMR and SpecCMI on one matrix, given and counted; other solvers of QPFS beside ours.

    python -m benchmarks.global_ranking [--quick] [--rounds N] [--large]

Everything runs on one core. "counted" are the matrices of a table of 2,000 samples, 3 bins and 5 classes, "random" is
a random positive definite matrix (A A' / n, A standard normal) with random relevances, as in Table 3 of Vinh, Chan,
Romano and Bailey (KDD 2014), whose seconds stand beside it: Matlab's quadprog, their C++ MRMR and Matlab's eigs on an
Intel Core i7 of 2.9 GHz. --large adds n = 16,000, which takes 5 GB and some minutes. Contestants share one process, as
they share a matrix of up to 2 GB.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, seconds_text, significant, summary, write_result
from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.by_counts.pairwise.quadratic import balanced_alpha
from bitsieve.common.ties import pick
from bitsieve.information import PlugInInformation
from bitsieve.optimize.convexity import is_convex, smallest_eigenvalue
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.quadratics import DenseQuadratic
from bitsieve.optimize.simplex_qp import minimize_on_simplex
from bitsieve.sources import make_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIZES = (1000, 2000, 5000, 10000)
LARGE = 16000
QUICK_SIZES = (200, 400)
SAMPLES = 2000
PATIENCE = 5.0  # seconds from which a contestant runs once
MOST_RANDOM = 5000  # beyond, making the matrix takes longer than all that is timed
MOST = {"quadprog": 2000, "clarabel": 2000}  # beyond, they need minutes
PAPER = {  # seconds of Table 3
    "QPFS": {1000: 0.81, 5000: 55.94, 10000: 417.22, 13000: 1026.73, 16000: 2012.63},
    "MRMR": {1000: 0.01, 5000: 0.17, 10000: 0.68, 13000: 1.17, 16000: 1.97, 20000: 2.63, 30000: 6.05},
    "SpecCMI": {1000: 0.03, 5000: 0.81, 10000: 2.91, 13000: 5.12, 16000: 7.66, 20000: 10.64, 30000: 25.03},
}


@dataclass(frozen=True)
class Problem:
    """A redundancy matrix made convex, relevances, and the weight of the relevance."""

    matrix: Floats
    relevance: Floats
    alpha: float

    def gap(self, weights: Floats) -> float:
        """The duality gap of any weights, relative to the size of the objective."""
        x = np.maximum(weights, 0)
        x = x / x.sum()
        gradient = (1 - self.alpha) * (self.matrix @ x) - self.alpha * self.relevance
        return float(gradient @ x - gradient.min()) / abs(float((gradient - self.alpha * self.relevance) @ x) / 2)


def main() -> None:
    arguments = parser(__doc__, rounds=3)
    arguments.add_argument("--large", action="store_true", help=f"n = {LARGE:,} as well: 5 GB")
    options = arguments.parse_args()
    sizes = QUICK_SIZES if options.quick else (*SIZES, LARGE) if options.large else SIZES
    records = []
    with threadpool_limits(1):
        for n in sizes:
            records.append(counted(n, options.rounds))
            if n <= MOST_RANDOM:
                records.append(random_case(n, options.rounds))
    show(records)
    claim = "Ranking n features globally, given the matrix and with counting, seconds on one core"
    write_result("global_ranking", {"claim": claim, "paper_s": PAPER, "cases": records}, quick=options.quick)


def counted(n: int, rounds: int) -> dict[str, Any]:
    """The matrices of a table: seconds to count them, and to rank with them."""
    table = make_codes(Shape(SAMPLES, n, 3, 5))
    information = PlugInInformation(make_source(table.codes, table.classes))
    columns = np.arange(n)
    relevance = information.relevance
    record: dict[str, Any] = {"n": n, "matrix": "counted"}
    conditional, record["count_conditional_s"] = timed(
        lambda: information.conditional_mutual_information_matrix(symmetric=True)
    )
    record["SpecCMI"] = spectral(conditional, rounds)
    del conditional
    matrix, record["count_redundancy_s"] = timed(lambda: information.mutual_information_matrix(columns=columns))
    convex, record["proof_s"] = timed(lambda: is_convex(matrix))
    record["shift"] = 0.0
    if not convex:
        smallest, seconds = timed(lambda: smallest_eigenvalue(matrix))
        record["proof_s"] += seconds
        record["shift"] = significant(-smallest)
        matrix[np.diag_indices(n)] -= smallest
    problem = Problem(matrix, relevance, balanced_alpha(float(matrix.mean()), float(relevance.mean())))
    record |= rank_given(problem, rounds)
    _, record["MRMR_counting_s"] = timed(lambda: forward_select(information, make_criterion("mrmr"), n))
    return record


def random_case(n: int, rounds: int) -> dict[str, Any]:
    """As the paper's scalability test."""
    random = np.random.default_rng(n)
    factor = random.standard_normal((n, n))
    matrix = factor @ factor.T / n
    del factor
    relevance = random.random(n)
    record: dict[str, Any] = {"n": n, "matrix": "random"}
    _, record["proof_s"] = timed(lambda: is_convex(matrix))
    record["SpecCMI"] = spectral(np.abs(matrix), rounds)
    problem = Problem(matrix, relevance, balanced_alpha(float(matrix.mean()), float(relevance.mean())))
    return record | rank_given(problem, rounds)


def spectral(matrix: Floats, rounds: int) -> dict[str, Any]:
    """Seconds of SpecCMI given its matrix."""
    return summary([timed(lambda: dominant_eigenvector(matrix))[1] for _ in range(rounds)])


def rank_given(problem: Problem, rounds: int) -> dict[str, Any]:
    """Seconds and gaps of everything that ranks by this matrix."""
    n = len(problem.matrix)
    solvers = {"QPFS": ours, "quadprog": by_quadprog, "clarabel": by_clarabel}
    jobs: dict[str, Callable[[], float]] = {"MRMR": seconds_of(lambda: mrmr_ranking(problem))}
    gaps: dict[str, float] = {}
    support: dict[str, int] = {}

    def job(name: str, solve: Callable[[Problem], Floats]) -> Callable[[], float]:
        def run() -> float:
            weights, seconds = timed(lambda: solve(problem))
            gaps[name], support[name] = significant(problem.gap(weights), 2), int(np.count_nonzero(weights))
            return seconds

        return run

    for name, solve in solvers.items():
        if n <= MOST.get(name, n) and available(name):
            jobs[name] = job(name, solve)
    seconds = interleave(jobs, rounds, PATIENCE)
    return {
        "alpha": significant(problem.alpha),
        "support": support["QPFS"],
        "relative_gap": gaps,
        **{name: summary(measured) for name, measured in seconds.items()},
    }


def ours(problem: Problem) -> Floats:
    """QPFS as bitsieve solves it."""
    quadratic = DenseQuadratic(problem.matrix, None, 1 - problem.alpha)
    return minimize_on_simplex(quadratic, problem.alpha * problem.relevance).weights


def mrmr_ranking(problem: Problem) -> list[int]:
    """The greedy ranking of all features from the same matrix."""
    n = len(problem.relevance)
    order = [pick(problem.relevance)]
    open_scores, redundancy = problem.relevance.copy(), np.zeros(n)
    for size in range(1, n):
        open_scores[order[-1]] = -np.inf
        redundancy += problem.matrix[order[-1]]
        order.append(pick(open_scores - redundancy / size))
    return order


def by_quadprog(problem: Problem) -> Floats:
    """The dual active set method of Goldfarb and Idnani."""
    import quadprog

    n = len(problem.relevance)
    sides = np.concatenate([np.ones((n, 1)), np.eye(n)], axis=1)
    bounds = np.concatenate([[1.0], np.zeros(n)])
    scaled = (1 - problem.alpha) * problem.matrix
    return quadprog.solve_qp(scaled, problem.alpha * problem.relevance, sides, bounds, 1)[0]


def by_clarabel(problem: Problem) -> Floats:
    """An interior point method."""
    import clarabel
    from scipy import sparse

    n = len(problem.relevance)
    options = clarabel.DefaultSettings()
    options.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.triu(sparse.csc_matrix((1 - problem.alpha) * problem.matrix), format="csc"),
        -problem.alpha * problem.relevance,
        sparse.vstack([sparse.csc_matrix(np.ones((1, n))), -sparse.eye(n)], format="csc"),
        np.concatenate([[1.0], np.zeros(n)]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n)],
        options,
    )
    return np.array(solver.solve().x)


def available(name: str) -> bool:
    """Whether the solver is ours or installed."""
    from importlib.util import find_spec

    return name == "QPFS" or find_spec(name) is not None


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work returns, and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, significant(time.perf_counter() - start)


def seconds_of(work: Callable[[], object]) -> Callable[[], float]:
    """The work as a contestant that counts its own seconds."""
    return lambda: timed(work)[1]


def show(records: list[dict[str, Any]]) -> None:
    header = ["n, matrix", "QPFS", "paper", "proof", "quadprog", "clarabel", "MRMR", "paper", "SpecCMI", "paper", "gap"]
    rows = []
    for record in records:
        n = record["n"]

        def median(name: str, record: dict[str, Any] = record) -> str:
            return seconds_text(record[name]["median_s"]) if name in record else "-"

        def paper(name: str, n: int = n) -> str:
            return seconds_text(PAPER[name].get(n))

        rows.append(
            [
                f"{n:,} {record['matrix']}",
                median("QPFS"),
                paper("QPFS"),
                seconds_text(record["proof_s"]),
                median("quadprog"),
                median("clarabel"),
                median("MRMR"),
                paper("MRMR"),
                median("SpecCMI"),
                paper("SpecCMI"),
                f"{record['relative_gap']['QPFS']:.0e}",
            ]
        )
    print_table("Ranking all features given the matrix, seconds", header, rows)
    counted_records = [record for record in records if record["matrix"] == "counted"]
    print_table(
        "With counting (2,000 samples, 3 bins, 5 classes), seconds",
        ["n", "QPFS", "MRMR", "SpecCMI", "features with a weight", "shift"],
        [
            [
                f"{r['n']:,}",
                seconds_text(r["count_redundancy_s"] + r["proof_s"] + r["QPFS"]["median_s"]),
                seconds_text(r["MRMR_counting_s"]),
                seconds_text(r["count_conditional_s"] + r["SpecCMI"]["median_s"]),
                r["support"],
                r["shift"],
            ]
            for r in counted_records
        ],
    )


if __name__ == "__main__":
    main()
