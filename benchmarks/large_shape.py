"""The paper's large table: exact SPECCMI, and EMRMR of 200 features, from counts of very many small classes.

    python -m benchmarks.large_shape [--quick] [--full] [--threads N]

512 features of 10 bins, 1,246,991 samples of 3,740 classes (some 330 each, of unequal sizes, as in handwriting);
without --full a tenth of the samples and the classes, and beside it the same counts by table increments. The paper's
figure 2(f) shows hours. Each kernel runs in a process of its own, which reports the peak of its memory.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from benchmarks.harness import parser, print_table, seconds_text, significant, write_result
from benchmarks.large_protocol import FULL, QUICK, TENTH, Protocol, make_samples
from benchmarks.workers import Worker, stored
from bitsieve.binning import EqualFrequencyBinner

BINS = 10
SELECT = 200
STEPS = ("packing", "SPECCMI: counting", "SPECCMI: ranking", "EMRMR")


def main() -> None:
    options = parser(__doc__, rounds=1)
    options.add_argument("--full", action="store_true", help="the whole table and not a tenth")
    options.add_argument("--threads", type=int, default=2, help="(default: %(default)s)")
    arguments = options.parse_args()
    protocol = QUICK if arguments.quick else FULL if arguments.full else TENTH
    record = measure(protocol, arguments.threads)
    rows = [
        [
            name,
            *(seconds_text(found["seconds"][step]) for step in STEPS),
            seconds_text(found["total_s"]),
            found["peak_mb"],
        ]
        for name, found in record["contestants"].items()
    ]
    shape = f"{protocol.train:,} x {protocol.features}, {BINS} bins, {protocol.classes:,} classes"
    print_table(f"{shape}, {arguments.threads} threads, seconds", ["counting by", *STEPS, "all", "peak MB"], rows)
    claim = "Exact SPECCMI and EMRMR (k = 200) of many small classes, counting and ranking, the codes in memory"
    write_result("large_shape", {"claim": claim, **record}, quick=arguments.quick)


def measure(protocol: Protocol, threads: int) -> dict[str, Any]:
    """Seconds of every step and the peak of memory, for what the dispatcher takes and for table increments."""
    codes, classes = make_codes(protocol)
    contestants: dict[str, Any] = {}
    kernels: dict[str, str | None] = {"chosen": None}
    if protocol is not FULL:
        kernels["increments"] = "table"
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=codes, classes=classes))
        del codes
        for name, kernel in kernels.items():
            with Worker("engine_large", folder, kernel=kernel, threads=threads) as worker:
                worker.run(timeout_s=3600, threads=threads, k=min(SELECT, protocol.features))
                details = worker.report["details"]
                contestants[name] = {
                    "seconds": {step: significant(details["seconds"][step]) for step in STEPS},
                    "total_s": significant(sum(details["seconds"].values())),
                    "peak_mb": significant(worker.report["memory"]["peak_bytes"] / 1e6),
                    "tallied": details["tallied"],
                    "first": details["first"],
                }
    return {"protocol": vars(protocol), "bins": BINS, "k": SELECT, "threads": threads, "contestants": contestants}


def make_codes(protocol: Protocol) -> tuple[np.ndarray, np.ndarray]:
    """Codes of equal frequency, samples x features in the order of features, and the classes."""
    values, classes = make_samples(protocol, protocol.train, seed=1)
    codes = np.empty(values.shape, np.uint8, order="F")
    for j in range(values.shape[1]):
        codes[:, j] = EqualFrequencyBinner(n_bins=BINS).fit_transform(values[:, [j]])[:, 0]
    return codes, classes


if __name__ == "__main__":
    main()
