"""Variational information maximisation, naive and pairwise, on codes: beside plain numpy and the authors' C++.

python -m benchmarks.variational [--quick] [--rounds N] [--long]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

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
from benchmarks.workers import Worker, stored

OURS, NUMPY = "bitsieve", "numpy"
SMALL, LARGE = Shape(2000, 500, 3, 4), Shape(60000, 784, 5, 10)
QUICK = Shape(300, 40, 3, 3)
# Whole processes of the authors' programs on one core of the reference machine (AMD EPYC), seconds, by decomposition.
AUTHORS = {(SMALL.name, 50, "naive"): 0.4, (SMALL.name, 50, "pairwise"): 8.3}
PIECE_K = 4  # features that numpy selects where it would need too long


def main() -> None:
    options = parser(__doc__, rounds=5)
    options.add_argument("--long", action="store_true", help="the large shape pairwise too: minutes")
    arguments = options.parse_args()
    jobs = [(SMALL, 50, 1, "naive"), (SMALL, 50, 1, "pairwise"), (LARGE, 50, 2, "naive")]
    if arguments.long:
        jobs.append((LARGE, 50, 2, "pairwise"))
    if arguments.quick:
        jobs = [(QUICK, 5, 1, "naive"), (QUICK, 5, 2, "pairwise")]
    records = [measure(shape, k, n_jobs, kind, arguments.rounds) for shape, k, n_jobs, kind in jobs]
    rows = [
        [
            f"{record['shape']}, {record['decomposition']}, {record['threads']} threads",
            seconds_text(record["contestants"][OURS]["median_s"]),
            record["ns_an_evaluation"],
            seconds_text(record.get("numpy_scaled_s"), scaled=record.get("scaled_by", 1) > 1),
            record.get("times_as_fast_as_authors"),
        ]
        for record in records
    ]
    header = ["job", "seconds", "ns an evaluation", "numpy, seconds", "times as fast as the authors'"]
    print_table("Variational information maximisation, k = 50", header, rows)
    claim = "VMI naive and pairwise on codes already made, sorting and tables included"
    write_result("variational", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, k: int, n_jobs: int, decomposition: str, rounds: int) -> dict[str, Any]:
    """Ours, and on small tables numpy beside it, for fewer features, scaled up by the evaluations."""
    table = make_codes(shape)
    job = {"decomposition": decomposition}
    evaluations = evaluations_of(shape, k)
    record: dict[str, Any] = {
        "shape": shape.name,
        "k": k,
        "decomposition": decomposition,
        "threads": n_jobs,
        "evaluations": evaluations,  # of a likelihood: candidates x samples x classes, over the steps
    }
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        ours = stack.enter_context(Worker("engine_variational", folder, threads=n_jobs))
        contestants = {OURS: lambda: ours.run(**job, k=k, n_jobs=n_jobs)}
        if shape != LARGE:
            numpy = stack.enter_context(Worker("variational_in_numpy", folder))
            contestants[NUMPY] = lambda: numpy.run(**job, k=min(k, PIECE_K))
        seconds = interleave(contestants, rounds, patience_s=4.0)
        record["contestants"] = {name: summary(values) for name, values in seconds.items()}
        record["processor_share"] = ours.processor_share()
        middle = record["contestants"][OURS]["median_s"]
        record["ns_an_evaluation"] = significant(middle / evaluations * 1e9, 3)
        if NUMPY in seconds:
            scale = evaluations / evaluations_of(shape, min(k, PIECE_K))
            record["scaled_by"] = significant(scale)
            record["numpy_scaled_s"] = significant(record["contestants"][NUMPY]["median_s"] * scale)
            record["times_as_fast_as_numpy"] = significant(ratio(seconds[NUMPY], seconds[OURS]) * scale)
            theirs = numpy.report["details"]["selected"]
            record["same_selection_on_piece"] = theirs == ours.report["details"]["selected"][: len(theirs)]
        authors = AUTHORS.get((shape.name, k, decomposition))
        if authors is not None:
            record["authors_s"] = authors
            record["times_as_fast_as_authors"] = significant(authors / middle, 3)
    return record


def evaluations_of(shape: Shape, k: int) -> int:
    return sum(shape.features - step for step in range(k)) * shape.samples * shape.classes


if __name__ == "__main__":
    main()
