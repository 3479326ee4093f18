"""The shape of the paper's large data: 512 features, 1,246,991 samples, ten bins, 3,740 classes of some 330 samples.

    python -m benchmarks.large_shape [--quick] [--rounds N]

The paper's handwritten characters are not at hand; seeded codes of that shape are counted (data.py; class sizes from
170 to 500). SPECCMI ranks all features, EMRMR chooses 200; packing, counting and ranking on two threads, from codes in
memory. The goal: under 60 s and 4 GiB each. "peak" is the most memory of the whole process, the raw codes (638 MB)
included.
"""

from __future__ import annotations

from typing import Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, seconds_text, significant, summary, write_result
from benchmarks.workers import Worker, stored

SHAPE = Shape(1_246_991, 512, 10, 3_740)
QUICK_SHAPE = Shape(100_000, 64, 10, 300)
METHODS = ("speccmi", "emrmr")
N_SELECTED = 200
THREADS = 2
GOAL_S, GOAL_MB = 60.0, 4096.0


def main() -> None:
    arguments = parser(__doc__, rounds=2).parse_args()
    shape = QUICK_SHAPE if arguments.quick else SHAPE
    records = measure(shape, min(N_SELECTED, shape.features), arguments.rounds)
    rows = [
        [
            record["method"],
            seconds_text(record["median_s"]),
            seconds_text(record["packing_s"]),
            record["nanoseconds_a_pair_and_class"],
            record["peak_mb"],
        ]
        for record in records
    ]
    header = ["method", "seconds", "of it packing", "ns a pair and class", "peak MB"]
    print_table(f"{shape.name}, {THREADS} threads, goal {GOAL_S:.0f} s and {GOAL_MB:.0f} MB", header, rows)
    claim = "Counting and ranking 512 features x 1,246,991 samples x 10 bins x 3,740 classes: under 60 s and 4 GiB"
    content = {"claim": claim, "goal_s": GOAL_S, "goal_mb": GOAL_MB, "threads": THREADS, "methods": records}
    write_result("large_shape", content, quick=arguments.quick)


def measure(shape: Shape, k: int, rounds: int) -> list[dict[str, Any]]:
    """Each method in a process of its own, one after the other in every round."""
    table = make_codes(shape)
    with stored(codes=table.codes, classes=table.classes) as folder:
        del table  # the workers load their own
        records = {method: [] for method in METHODS}

        def run(method: str) -> float:
            with Worker("engine_large", folder, threads=THREADS) as worker:
                seconds = worker.run(method=method, k=k, n_jobs=THREADS)
                records[method].append(worker.report)
            return seconds

        seconds = interleave({method: lambda m=method: run(m) for method in METHODS}, rounds)
    pairs = {"speccmi": shape.features * (shape.features + 1) / 2, "emrmr": (k - 1) * shape.features}
    return [
        {
            "method": method,
            **summary(seconds[method]),
            "packing_s": significant(min(r["details"]["packing_s"] for r in records[method])),
            "nanoseconds_a_pair_and_class": significant(
                min(r["details"]["counting_and_ranking_s"] for r in records[method])
                / (pairs[method] * shape.classes)
                * 1e9
            ),
            "processor_s": significant(min(r["processor_s"] for r in records[method])),
            "peak_mb": round(max(r["memory"]["peak_bytes"] for r in records[method]) / 2**20),
            "packed_mb": round(records[method][0]["details"]["packed_bytes"] / 2**20),
            "first": records[method][0]["details"]["first"],
        }
        for method in METHODS
    ]


if __name__ == "__main__":
    main()
