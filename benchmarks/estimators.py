"""What an estimator costs: JMI by Miller-Madow and by shrinkage, over JMI by plug-in, on one core.

python -m benchmarks.estimators [--quick] [--rounds N]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, seconds_text, significant, summary, write_result
from benchmarks.workers import Worker, stored

if TYPE_CHECKING:
    from collections.abc import Callable

ESTIMATORS = ("plug-in", "miller-madow", "shrinkage")
K, QUICK_K = 20, 5
SHAPES = (
    Shape(72, 7129, 3, 2),
    Shape(500, 20000, 3, 5),
    Shape(100000, 500, 10, 2),
    Shape(1000000, 100, 10, 10),
    Shape(60000, 784, 5, 10),
)
QUICK_SHAPES = (Shape(72, 300, 3, 2), Shape(5000, 40, 10, 2))


def main() -> None:
    arguments = parser(__doc__, rounds=5).parse_args()
    shapes, k = (QUICK_SHAPES, QUICK_K) if arguments.quick else (SHAPES, K)
    records = [measure(shape, k, arguments.rounds) for shape in shapes]
    rows = []
    for record in records:
        found = record["estimators"]
        rows.append(
            [record["shape"], seconds_text(found["plug-in"]["median_s"])]
            + [found[estimator]["times_plug_in"] for estimator in ESTIMATORS[1:]]
            + [found[estimator]["shared_with_plug_in"] for estimator in ESTIMATORS[1:]]
        )
    print_table(
        f"JMI, k = {k}, times the run by plug-in, and how many of the features are the same",
        ["shape", "seconds", *ESTIMATORS[1:], "same", "same"],
        rows,
    )
    claim = f"Greedy JMI of {k} features by every estimator, codes already made, one core, packing included"
    write_result("estimators", {"claim": claim, "k": k, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, k: int, rounds: int) -> dict[str, Any]:
    """All estimators on one table, in interleaved rounds."""
    table = make_codes(shape)
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        worker = stack.enter_context(Worker("engine_estimators", folder))
        selected: dict[str, list[int]] = {}

        def job(estimator: str) -> Callable[[], float]:
            def run() -> float:
                seconds = worker.run(estimator=estimator, k=k)
                selected[estimator] = worker.report["details"]["selected"]
                return seconds

            return run

        seconds = interleave({estimator: job(estimator) for estimator in ESTIMATORS}, rounds, patience_s=10.0)
    estimators = {
        estimator: {
            **summary(seconds[estimator]),
            "times_plug_in": significant(ratio(seconds[estimator], seconds["plug-in"])),
            "shared_with_plug_in": len(set(selected[estimator]) & set(selected["plug-in"])),
        }
        for estimator in ESTIMATORS
    }
    return {"shape": shape.name, "estimators": estimators}


if __name__ == "__main__":
    main()
