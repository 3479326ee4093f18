"""SpecCMI beyond the full matrix: landmarks against the exact ranking, and Q within a limit of memory.

    python -m benchmarks.spectral_scale [--quick] [--large] [--rounds N]

Landmarks: seconds of a whole fit (two threads), the rank correlation of the weights with the exact ones over all
features, and how many of the exact first 50 are among the first 50; means over `DRAWS` draws. Memory: seconds and
peak of the process beyond what it held before; the weights' largest difference from those of the whole matrix.
`--large` adds 50,000 features of 200 samples under 4 GiB: several minutes.
"""

from __future__ import annotations

from statistics import mean, median
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, seconds_text, significant, summary, write_result
from benchmarks.workers import Worker, stored

K = 50
DRAWS = 5
RATES = (0.5, 0.2, 0.05)
VARIANTS = ("extension", "paper")
SHAPES = (Shape(500, 4000, 3, 5), Shape(20000, 300, 10, 2))
QUICK_SHAPES = (Shape(200, 200, 3, 2),)
TIGHT = (Shape(200, 8000, 3, 2), ("300MB", "150MB"))
QUICK_TIGHT = (Shape(100, 600, 3, 2), ("2MB", "1MB"))
LARGE = (Shape(200, 50000, 3, 2), ("3.4GB", "200MB"))
PATIENCE_S = 3600.0


def main() -> None:
    options = parser(__doc__, rounds=3)
    options.add_argument("--large", action="store_true", help="also 50,000 features, for several minutes")
    arguments = options.parse_args()
    landmarks = [measure_landmarks(s, arguments.rounds) for s in (QUICK_SHAPES if arguments.quick else SHAPES)]
    show_landmarks(landmarks)
    memory = [measure_memory(*(QUICK_TIGHT if arguments.quick else TIGHT), whole=True)]
    if arguments.large:
        memory.append(measure_memory(*LARGE, whole=False))
    show_memory(memory)
    claim = "SpecCMI from some rows of Q, and within a limit of memory; two threads, binning included"
    content = {"claim": claim, "k": K, "draws": DRAWS, "landmarks": landmarks, "memory": memory}
    write_result("spectral_scale", content, quick=arguments.quick)


def measure_landmarks(shape: Shape, rounds: int) -> dict[str, Any]:
    """Seconds and agreement of every rate and variant beside the exact fit."""
    table = make_codes(shape)
    settings = {
        f"{variant} {rate:g}": {"variant": variant, "sampling_rate": rate} for variant in VARIANTS for rate in RATES
    }
    with (
        stored(codes=table.codes, classes=table.classes) as folder,
        Worker("speccmi", folder, threads=2) as worker,
    ):
        jobs = {name: (lambda s=s: worker.run(k=K, n_jobs=2, **s)) for name, s in {"exact": {}, **settings}.items()}
        seconds = interleave(jobs, rounds)
        worker.run(k=K, n_jobs=2)
        exact = worker.report["details"]
        agreement = {}
        for name, setting in settings.items():
            draws = []
            for seed in range(DRAWS):
                worker.run(k=K, n_jobs=2, random_state=seed, **setting)
                draws.append(agree(worker.report["details"], exact))
            agreement[name] = {key: significant(mean(draw[key] for draw in draws)) for key in draws[0]}
    return {
        "shape": shape.name,
        "seconds": {name: summary(s) for name, s in seconds.items()},
        "exact_over_ours": {name: significant(median(seconds["exact"]) / median(s)) for name, s in seconds.items()},
        "agreement": agreement,
    }


def agree(found: dict[str, Any], exact: dict[str, Any]) -> dict[str, float]:
    """Rank correlation of the weights, the share of the exact selection that was found, its objective over theirs."""
    return {
        "spearman": float(spearmanr(found["weights"], exact["weights"]).statistic),
        "same_selected": len(set(found["selected"]) & set(exact["selected"])) / len(exact["selected"]),
        "objective": found["objective"] / exact["objective"],
    }


def measure_memory(shape: Shape, limits: tuple[str, ...], *, whole: bool) -> dict[str, Any]:
    """One fit for each limit, in a process of its own."""
    table = make_codes(shape)
    record: dict[str, Any] = {"shape": shape.name, "jobs": {}}
    jobs = {limit: {"memory": limit} for limit in limits}
    if whole:
        jobs = {"whole": {}, **jobs}
    first: dict[str, Any] | None = None
    with stored(codes=table.codes, classes=table.classes) as folder:
        for name, parameters in jobs.items():
            with Worker("speccmi", folder, threads=2) as worker:
                seconds = worker.run(PATIENCE_S, k=K, n_jobs=2, **parameters)
                memory, details = worker.report["memory"], worker.report["details"]
            first = first or details
            record["jobs"][name] = {
                "seconds": significant(seconds),
                "peak_mb": memory["peak_bytes"] and significant((memory["peak_bytes"] - memory["before_bytes"]) / 1e6),
                "process_peak_mb": memory["peak_bytes"] and significant(memory["peak_bytes"] / 1e6),
                "same_selection": details["selected"] == first["selected"],
                "weights_differ_by": float(np.abs(np.subtract(details["weights"], first["weights"])).max()),
            }
    return record


def show_landmarks(records: list[dict[str, Any]]) -> None:
    """One row for each shape and setting."""
    rows = []
    for record in records:
        for name, seconds in record["seconds"].items():
            agreement = record["agreement"].get(name, {})
            cells = [agreement.get(key) for key in ("spearman", "same_selected", "objective")]
            rows.append([f"{record['shape']} {name}", seconds_text(seconds["median_s"]), *cells])
    header = ["landmarks", "seconds", "rank correlation", f"same of {K}", "objective / exact"]
    print_table("Rows of some landmarks in place of all of Q", header, rows)


def show_memory(records: list[dict[str, Any]]) -> None:
    """One row for each limit."""
    rows = [
        [f"{record['shape']} {name}", job["seconds"], job["peak_mb"], job["process_peak_mb"], job["same_selection"]]
        for record in records
        for name, job in record["jobs"].items()
    ]
    print_table("Q within a limit of memory", ["limit", "seconds", "peak MB beyond", "peak MB", "same selection"], rows)


if __name__ == "__main__":
    main()
