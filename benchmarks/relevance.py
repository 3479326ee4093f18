"""The relevance I(Xi;C) of every feature on one core, beside scikit-learn's mutual_info_classif.

python -m benchmarks.relevance [--quick] [--rounds N]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import Shape, make_codes
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

OURS, SKLEARN = "bitsieve", "mutual_info_classif"
CONTESTANTS = {OURS: "engine_relevance", SKLEARN: "mutual_info_classif"}
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
    records = [measure(shape, arguments.rounds) for shape in (QUICK_SHAPES if arguments.quick else SHAPES)]
    rows = []
    for record in records:
        found = record["contestants"]
        times = [seconds_text(found[name]["median_s"]) if name in found else None for name in CONTESTANTS]
        rows.append([record["shape"], *times, record.get("times_as_fast"), record.get("largest_difference_bits")])
    header = ["shape", *CONTESTANTS, "times as fast", "largest difference, bits"]
    print_table("Relevance of all features on one core, seconds", header, rows)
    for record in records:
        for name, reason in record["skipped"].items():
            print(f"skipped on {record['shape']}: {name}: {reason}")
    claim = "Relevance of all features on one core, packing included"
    write_result("relevance", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, rounds: int) -> dict[str, Any]:
    """Both on one table of codes, in interleaved rounds, and how far their numbers are apart."""
    table = make_codes(shape)
    record: dict[str, Any] = {"shape": shape.name, "contestants": {}, "skipped": {}}
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        workers: dict[str, Worker] = {}
        for name, module in CONTESTANTS.items():
            try:
                workers[name] = stack.enter_context(Worker(module, folder))
            except WorkerError as error:
                record["skipped"][name] = str(error)

        def job(name: str) -> Callable[[], float]:
            return lambda: workers[name].run()

        seconds = interleave({name: job(name) for name in workers}, rounds, patience_s=4.0)
        for name, worker in workers.items():
            record["contestants"][name] = {
                **summary(seconds[name]),
                "processor_share": worker.processor_share(),
                "versions": worker.about["versions"],
            }
        if set(workers) == {OURS, SKLEARN}:
            record["times_as_fast"] = significant(ratio(seconds[SKLEARN], seconds[OURS]))
            ours, theirs = (np.array(workers[name].report["details"]["bits"]) for name in (OURS, SKLEARN))
            record["largest_difference_bits"] = significant(float(np.abs(ours - theirs).max()), 2)
    return record


if __name__ == "__main__":
    main()
