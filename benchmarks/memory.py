"""Peak memory of the matrix job: the n x n result plus at most twice the bit planes.

    python -m benchmarks.memory [--quick] [--rounds N]

The peak is what the process's resident memory grew by during the job, the arrays being loaded before; every
job runs in a process of its own. The size of the planes is reckoned, not asked of the engine: bins - 1 planes
for a feature, each class padded to whole 64-bit words, features padded to eight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.data import CodeTable, Shape, make_codes
from benchmarks.harness import parser, print_table, significant, write_result
from benchmarks.workers import Worker, stored

JOBS = (
    (Shape(72, 7129, 3, 2), False, "float64"),
    (Shape(500, 10000, 3, 5), False, "float64"),
    (Shape(500, 10000, 3, 5), False, "float32"),
    (Shape(500, 10000, 3, 5), True, "float64"),
    (Shape(60000, 784, 5, 10), True, "float64"),
    (Shape(100000, 500, 10, 2), False, "float64"),
)
QUICK_JOBS = ((Shape(500, 1500, 3, 5), False, "float64"), (Shape(20000, 200, 5, 10), True, "float32"))


def main() -> None:
    arguments = parser(__doc__, rounds=1).parse_args()
    records = [
        measure(shape, conditional, dtype, n_jobs)
        for shape, conditional, dtype in (QUICK_JOBS if arguments.quick else JOBS)
        for n_jobs in (1, 2)
    ]
    rows = [[r["job"], r["peak_mb"], r["result_mb"], r["planes_mb"], r["peak_over_allowed"]] for r in records]
    header = ["matrix", "peak MB", "result MB", "planes MB", "peak / (result + 2 planes)"]
    print_table("Memory of the matrix job", header, rows)
    claim = "Peak of the matrix job: the result plus at most twice the bit planes"
    write_result("memory", {"claim": claim, "jobs": records}, quick=arguments.quick)


def measure(shape: Shape, conditional: bool, dtype: str, n_jobs: int) -> dict[str, Any]:
    """The peak of one job beside what is allowed."""
    table = make_codes(shape)
    with (
        stored(codes=table.codes, classes=table.classes) as folder,
        Worker("engine_matrix", folder, threads=n_jobs) as worker,
    ):
        worker.run(conditional=conditional, n_jobs=n_jobs, dtype=dtype)
        memory, details = worker.report["memory"], worker.report["details"]
    kind = "I(Xi;C|Xj)" if conditional else "I(Xi;Xj)"
    planes = planes_bytes(shape, table, conditional)
    job = f"{kind} {shape.name} {dtype} {n_jobs} thread{'s' * (n_jobs > 1)}"
    record: dict[str, Any] = {"job": job, "result_mb": _mb(details["result_bytes"]), "planes_mb": _mb(planes)}
    if memory["peak_bytes"] is None:  # not told by this system
        return record | {"peak_mb": None, "peak_over_allowed": None}
    peak = memory["peak_bytes"] - memory["before_bytes"]
    allowed = details["result_bytes"] + 2 * planes
    return record | {"peak_mb": _mb(peak), "peak_over_allowed": significant(peak / allowed, 3)}


def planes_bytes(shape: Shape, table: CodeTable, conditional: bool) -> int:
    """Bytes of the bit planes of all features."""
    sizes = np.bincount(table.classes) if conditional else np.array([shape.samples])
    words = int(np.sum((sizes + 63) // 64))
    features = (shape.features + 7) // 8 * 8
    return features * (shape.bins - 1) * words * 8


def _mb(n_bytes: int) -> float:
    return significant(n_bytes / 1e6)


if __name__ == "__main__":
    main()
