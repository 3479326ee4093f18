"""The semidefinite relaxation against the spectral one, given Q, at the sizes of the paper's Table 2 and beyond.

    python -m benchmarks.sdp [--quick] [--rounds N]

The same matrices for both, Q of seeded codes of the samples, classes and features that the paper's data have.
"relaxation" is the low-rank solver with its bound, within 1e-8 of the optimum; "rounding" the 100 directions and their
subsets; both are means over some subset sizes k. "interior point" is Clarabel through CVXPY on the dual, at one k and
small n only, if installed. The paper's seconds (CVX with SDPT3, and Matlab's eigenvectors, a Core i7 of 2.9 GHz) stand
beside for the order of magnitude: another machine, other data. Its solver ran out of 16 GB at n near 700.
"""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, seconds_text, significant, summary, write_result
from bitsieve.by_counts.pairwise.rounding import round_factor
from bitsieve.information import PlugInInformation
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.low_rank_sdp import solve_low_rank
from bitsieve.sources import make_source

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BY_INTERIOR_POINT = 64
N_SIZES = 6  # subset sizes k a matrix


@dataclass(frozen=True)
class Case:
    """A matrix and the seconds that the paper gives for it."""

    name: str
    shape: Shape
    paper_sdp_s: float | None = None
    paper_spectral_s: float | None = None


CASES = (
    Case("Waveform", Shape(5000, 21, 5, 3), 0.78, 0.005),
    Case("Promoter", Shape(106, 57, 4, 2), 1.18, 0.005),
    Case("Optdigits", Shape(3823, 64, 5, 10), 1.59, 0.005),
    Case("Musk", Shape(6598, 166, 5, 2), 3.38, 0.005),
    Case("Arrhythmia", Shape(430, 257, 5, 2), 9.46, 0.006),
    Case("Lung cancer", Shape(73, 325, 3, 7), 16.92, 0.007),
    Case("n = 700", Shape(200, 700, 3, 4)),
    Case("n = 2,000", Shape(200, 2000, 3, 4)),
)
QUICK_CASES = CASES[:3]


def main() -> None:
    arguments = parser(__doc__, rounds=5).parse_args()
    with threadpool_limits(1):
        records = [measure(case, arguments.rounds) for case in (QUICK_CASES if arguments.quick else CASES)]
    show(records)
    claim = "The semidefinite relaxation given Q: seconds, with a bound within 1e-8, up to n = 2,000"
    peak_mb = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    write_result("sdp", {"claim": claim, "peak_of_the_process_mb": peak_mb, "cases": records}, quick=arguments.quick)


def matrix_of(shape: Shape) -> np.ndarray:
    """Q of seeded codes."""
    table = make_codes(shape)
    source = make_source(table.codes, table.classes, n_classes=shape.classes)
    return PlugInInformation(source).conditional_mutual_information_matrix(symmetric=True)


def subset_sizes(n: int) -> list[int]:
    """Some k of 1 .. min(n, 100), the paper's range."""
    return sorted({round(k) for k in np.linspace(1, min(n, 100), N_SIZES)})


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """Seconds of one round: the mean over the subset sizes for the relaxation and its rounding."""
    matrix = matrix_of(case.shape)
    sizes = subset_sizes(len(matrix))
    solved = {k: solve_low_rank(matrix, k) for k in sizes}

    def relax() -> float:
        return timed(lambda: [solve_low_rank(matrix, k) for k in sizes]) / len(sizes)

    def round_all() -> float:
        draw = np.random.default_rng(0).standard_normal
        factors = [(k, solved[k].factor) for k in sizes]
        return timed(lambda: [round_factor(matrix, f, k, "sphere", 100, draw) for k, f in factors]) / len(sizes)

    contestants = {
        "relaxation": relax,
        "rounding": round_all,
        "spectral": lambda: timed(lambda: dominant_eigenvector(matrix)),
    }
    seconds = interleave(contestants, rounds, 20.0)
    spectral_bound = dominant_eigenvector(matrix).value
    record: dict[str, Any] = {
        "data": case.name,
        "n": len(matrix),
        "subset_sizes": sizes,
        **{name: summary(seconds[name]) for name in contestants},
        "relaxation_over_spectral": significant(ratio(seconds["relaxation"], seconds["spectral"])),
        "largest_relative_gap_of_dual": max(significant((s.bound - s.value) / s.value) for s in solved.values()),
        "rounds_of_raising_rank": [s.n_rounds for s in solved.values()],
        "bound_over_spectral_bound": [significant(s.bound / 4 / (k * spectral_bound)) for k, s in solved.items()],
        "paper_sdp_s": case.paper_sdp_s,
        "paper_spectral_s": case.paper_spectral_s,
    }
    k = sizes[len(sizes) // 2]
    found = interior_point(matrix, k) if len(matrix) <= MOST_BY_INTERIOR_POINT else None
    if found is not None:
        value, record["interior_point_s"] = found
        record["relative_difference_to_interior_point"] = significant(abs(value / solved[k].value - 1))
    return record


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interior_point(matrix: np.ndarray, k: int) -> tuple[float, float] | None:
    """The optimum by Clarabel, and its seconds; None where CVXPY is not installed."""
    try:
        import cvxpy
    except ImportError:
        return None
    n, sums = len(matrix), matrix.sum(axis=1)
    lifted = np.block([[np.array([[sums.sum()]]), sums[None, :]], [sums[:, None], matrix]])
    edge = np.zeros((n + 1, n + 1))
    edge[0, 1:] = edge[1:, 0] = 0.5
    lengths, total = cvxpy.Variable(n + 1), cvxpy.Variable()
    slack = cvxpy.diag(lengths) + total * edge - lifted
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(lengths) + (2 * k - n) * total), [slack >> 0])
    start = time.perf_counter()
    value = problem.solve(solver="CLARABEL")
    return float(value), significant(time.perf_counter() - start)


def show(records: list[dict[str, Any]]) -> None:
    """One row a matrix."""
    rows = [
        [
            f"{r['data']}, n = {r['n']:,}" if "=" not in r["data"] else r["data"],
            seconds_text(r["relaxation"]["median_s"]),
            seconds_text(r["rounding"]["median_s"]),
            seconds_text(r["spectral"]["median_s"]),
            f"{r['relaxation_over_spectral']:.3g}",
            f"{r['largest_relative_gap_of_dual']:.1e}",
            f"{median(r['bound_over_spectral_bound']):.4f}",
            seconds_text(r.get("interior_point_s")),
            seconds_text(r["paper_sdp_s"]),
            seconds_text(r["paper_spectral_s"]),
        ]
        for r in records
    ]
    header = ["Q", "relaxation", "rounding", "spectral", "ratio", "dual gap", "bound / spectral", "interior point"]
    print_table("Seconds given Q, one core", [*header, "paper: SDP", "paper: spectral"], rows)


if __name__ == "__main__":
    main()
