"""Filters on one core: FCBF beside a loop of numpy.bincount, ReliefF beside scikit-rebate and a loop in numpy.

python -m benchmarks.filters [--quick] [--rounds N]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import Shape, make_codes, make_values
from benchmarks.harness import (
    interleave,
    parser,
    print_table,
    ratio,
    seconds_text,
    significant,
    summary,
    write_result,
)
from benchmarks.workers import PEERS_PYTHON, Worker, WorkerError, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OURS = "bitsieve"
FCBF = {OURS: "engine_fcbf", "numpy bincount loop": "bincount_fcbf"}
FCBF_SHAPES = (Shape(72, 7129, 3, 2), Shape(500, 20000, 3, 5), Shape(100000, 500, 10, 2))
FCBF_QUICK = (Shape(72, 300, 3, 2),)
RELIEFF = {OURS: "relieff", "numpy loop": "numpy_relieff", "scikit-rebate": "skrebate_relieff"}
RELIEFF_SHAPES = (Shape(100, 5000, 10, 2), Shape(1000, 200, 10, 3))
RELIEFF_QUICK = (Shape(100, 50, 10, 2),)
PEERS = ("skrebate_relieff",)


def main() -> None:
    arguments = parser(__doc__, rounds=5).parse_args()
    cases = []
    for shape in FCBF_QUICK if arguments.quick else FCBF_SHAPES:
        table = make_codes(shape)
        arrays = {"codes": table.codes, "classes": table.classes}
        cases.append({"method": "fcbf", "shape": shape.name, **measure(FCBF, arrays, arguments.rounds)})
    for shape in RELIEFF_QUICK if arguments.quick else RELIEFF_SHAPES:
        values, classes = make_values(shape)
        name = f"{shape.samples}x{shape.features}-{shape.classes}classes"
        arrays = {"values": values, "classes": classes}
        cases.append({"method": "relieff", "shape": name, **measure(RELIEFF, arrays, arguments.rounds)})
    show("FCBF on codes already made, seconds", FCBF, [case for case in cases if case["method"] == "fcbf"])
    show("ReliefF, 10 neighbours, seconds", RELIEFF, [case for case in cases if case["method"] == "relieff"])
    write_result("filters", {"claim": "FCBF and ReliefF on one core", "cases": cases}, quick=arguments.quick)


def measure(contestants: Mapping[str, str], arrays: Mapping[str, np.ndarray], rounds: int) -> dict[str, Any]:
    """All contestants on the same arrays, in interleaved rounds, and whether they found the same."""
    record: dict[str, Any] = {"contestants": {}, "skipped": {}}
    with ExitStack() as stack:
        folder = stack.enter_context(stored(**arrays))
        workers: dict[str, Worker] = {}
        for name, module in contestants.items():
            interpreter = {"python": PEERS_PYTHON} if module in PEERS else {}
            try:
                workers[name] = stack.enter_context(Worker(module, folder, **interpreter))
            except WorkerError as error:
                record["skipped"][name] = str(error)

        def job(name: str) -> Callable[[], float]:
            return lambda: workers[name].run()

        seconds = interleave({name: job(name) for name in workers}, rounds, patience_s=4.0)
        ours = workers[OURS].report["details"]
        for name, worker in workers.items():
            record["contestants"][name] = {
                **summary(seconds[name]),
                "processor_share": worker.processor_share(),
                "versions": worker.about["versions"],
                **agreement(ours, worker.report["details"]),
            }
            if name != OURS:
                record["contestants"][name]["ours_times_as_fast"] = significant(ratio(seconds[name], seconds[OURS]))
    return record


def agreement(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """How far two answers agree: the same columns, or the largest difference of weights."""
    if "weights" in ours:
        apart = np.abs(np.array(ours["weights"]) - np.array(theirs["weights"])).max()
        return {"largest_difference": significant(float(apart), 2)}
    return {"selected": len(theirs["selected"]), "same_selection": theirs["selected"] == ours["selected"]}


def show(title: str, contestants: Mapping[str, str], cases: list[dict[str, Any]]) -> None:
    """A table of medians, and what was skipped."""
    rows = []
    for case in cases:
        found = case["contestants"]
        rows.append([case["shape"], *(seconds_text(found[n]["median_s"]) if n in found else None for n in contestants)])
    print_table(title, ["shape", *contestants], rows)
    for case in cases:
        for name, reason in case["skipped"].items():
            print(f"skipped on {case['shape']}: {name}: {reason}")


if __name__ == "__main__":
    main()
