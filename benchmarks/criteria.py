"""Every greedy criterion beside JMI, on codes already made, one core, packing included.

    python -m benchmarks.criteria [--quick] [--rounds N]

All criteria run in one process on one table, in interleaved rounds; one that needs more than 2 s runs once.
To be reached: DISR and JMIM within twice the time of JMI, on every shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, seconds_text, significant, summary, write_result
from benchmarks.workers import Worker, stored
from bitsieve.by_counts.criteria import CRITERIA

if TYPE_CHECKING:
    from collections.abc import Callable

YARDSTICK = "jmi"
GOAL = {"disr": 2.0, "jmim": 2.0}  # times the seconds of the yardstick, at most
CASES = {
    Shape(72, 7129, 3, 2): 50,
    Shape(500, 20000, 3, 5): 50,
    Shape(100000, 500, 10, 2): 50,
    Shape(1000000, 100, 10, 10): 20,
    Shape(60000, 784, 5, 10): 50,
}
QUICK_CASES = {Shape(72, 300, 3, 2): 5, Shape(5000, 40, 10, 2): 5}


def main() -> None:
    arguments = parser(__doc__, rounds=3).parse_args()
    cases = QUICK_CASES if arguments.quick else CASES
    records = [measure(shape, k, arguments.rounds) for shape, k in cases.items()]
    show(records)
    claim = f"Every criterion beside {YARDSTICK.upper()} on codes already made, one core, packing included"
    write_result("criteria", {"claim": claim, "goal": GOAL, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, k: int, rounds: int) -> dict[str, Any]:
    """All criteria on one shape: seconds, and how many times those of the yardstick, with and without packing."""
    table = make_codes(shape)
    packing: dict[str, list[float]] = {name: [] for name in CRITERIA}
    with (
        stored(codes=table.codes, classes=table.classes) as folder,
        Worker("engine_greedy", folder, threads=1) as worker,
    ):

        def job(name: str) -> Callable[[], float]:
            def run() -> float:
                seconds = worker.run(criterion=name, k=k)
                packing[name].append(worker.report["details"]["packing_s"])
                return seconds

            return run

        seconds = interleave({name: job(name) for name in CRITERIA}, rounds, patience_s=2.0)
        about = {"kernel": worker.about["kernel"], "processor_share": worker.processor_share()}
    beyond = {name: [s - p for s, p in zip(seconds[name], packing[name], strict=True)] for name in CRITERIA}
    return {
        "shape": shape.name,
        "k": k,
        **about,
        "criteria": {
            name: {
                **summary(seconds[name]),
                "times_jmi": significant(ratio(seconds[name], seconds[YARDSTICK])),
                "times_jmi_without_packing": significant(ratio(beyond[name], beyond[YARDSTICK])),
            }
            for name in CRITERIA
        },
    }


def show(records: list[dict[str, Any]]) -> None:
    """Seconds, then times the yardstick: a row for each criterion, a column for each shape."""
    header = ["criterion", *(f"{record['shape']} k={record['k']}" for record in records)]
    cells = {name: [record["criteria"][name] for record in records] for name in CRITERIA}
    rows = [[name, *(seconds_text(cell["median_s"]) for cell in row)] for name, row in cells.items()]
    print_table("Seconds on one core (medians)", header, rows)
    for key, what in {"times_jmi": "packing included", "times_jmi_without_packing": "without packing"}.items():
        rows = [[name, *(f"{cell[key]:.2f}" for cell in row)] for name, row in cells.items()]
        print_table(f"Times the seconds of {YARDSTICK.upper()}, {what}", header, rows)
    for name, most in GOAL.items():
        worst = max(cell["times_jmi"] for cell in cells[name])
        print(f"{name}: at most {worst:.2f} times {YARDSTICK.upper()} (goal: {most:g})")


if __name__ == "__main__":
    main()
