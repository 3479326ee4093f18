"""Binning: MDL in seconds, equal frequency beside scikit-learn's KBinsDiscretizer; fit and transform.

python -m benchmarks.binning [--quick] [--rounds N]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_values
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
from benchmarks.workers import Worker, WorkerError, stored

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPES = (Shape(72, 7129, 10, 2), Shape(100000, 500, 10, 2))
QUICK_SHAPES = (Shape(72, 300, 10, 2), Shape(5000, 20, 10, 2))
CONTESTANTS: dict[str, tuple[str, dict[str, int]]] = {
    "MDL": ("mdl", {"n_jobs": 1}),
    "MDL, two threads": ("mdl", {"n_jobs": 2}),
    "equal frequency": ("equal_frequency", {"n_jobs": 1}),
    "equal frequency, two threads": ("equal_frequency", {"n_jobs": 2}),
    "KBinsDiscretizer": ("kbins", {}),
}


def main() -> None:
    arguments = parser(__doc__, rounds=5).parse_args()
    records = [measure(shape, arguments.rounds) for shape in (QUICK_SHAPES if arguments.quick else SHAPES)]
    header = ["samples x columns", *CONTESTANTS, "KBins / equal frequency"]
    rows = []
    for record in records:
        found = record["contestants"]
        times = [seconds_text(found[name]["median_s"]) if name in found else None for name in CONTESTANTS]
        rows.append([record["shape"], *times, record.get("kbins_over_equal_frequency")])
    print_table("Binning: seconds, fit and transform", header, rows)
    for record in records:
        for name, reason in record["skipped"].items():
            print(f"skipped on {record['shape']}: {name}: {reason}")
    claim = "MDL takes seconds; equal frequency beside KBinsDiscretizer"
    write_result("binning", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, rounds: int) -> dict[str, Any]:
    """Every binner on one table of floats, in interleaved rounds."""
    values, classes = make_values(shape)
    record: dict[str, Any] = {
        "shape": f"{shape.samples} x {shape.features}",
        "classes": shape.classes,
        "contestants": {},
        "skipped": {},
    }
    with ExitStack() as stack:
        folder = stack.enter_context(stored(values=values, classes=classes))
        workers: dict[str, Worker] = {}
        for name, (module, options) in CONTESTANTS.items():
            try:
                workers[name] = stack.enter_context(Worker(module, folder, threads=options.get("n_jobs", 1)))
            except WorkerError as error:
                record["skipped"][name] = str(error)

        def job(name: str) -> Callable[[], float]:
            return lambda: workers[name].run(**CONTESTANTS[name][1])

        seconds = interleave({name: job(name) for name in workers}, rounds, patience_s=20.0)
        for name, worker in workers.items():
            details = worker.report["details"]
            parts = {key: significant(details[key]) for key in ("fit_s", "transform_s")}
            record["contestants"][name] = {
                **summary(seconds[name]),
                "processor_share": worker.processor_share(),
                **parts,
                "versions": worker.about["versions"],
            }
    if {"KBinsDiscretizer", "equal frequency"} <= set(seconds):
        over = ratio(seconds["KBinsDiscretizer"], seconds["equal frequency"])
        record["kbins_over_equal_frequency"] = significant(over)
    return record


if __name__ == "__main__":
    main()
