"""Two threads against one, at rest and with one of the two cores kept busy by another process.

    python -m benchmarks.threads [--quick] [--rounds N]

The job is the full matrix of mutual information, bound to two cores. The busy process is bound to the second
of them and spins there. To be reached: at least 1.8 times one thread at rest; and with the core busy, two
threads never slower than one thread alone at rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, significant, summary, write_result
from benchmarks.workers import Worker, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHAPES = (
    Shape(72, 7129, 3, 2),
    Shape(500, 10000, 3, 5),
    Shape(60000, 784, 5, 10),
    Shape(100000, 500, 10, 2),
)
QUICK_SHAPES = (Shape(500, 1000, 3, 5),)
SITUATIONS = {"one": (1, False), "two": (2, False), "one, busy": (1, True), "two, busy": (2, True)}


def main() -> None:
    arguments = parser(__doc__, rounds=9).parse_args()
    cores = two_cores()
    if cores is None:
        print("threads: skipped: this machine does not let a process be bound to two cores of its own")
        return
    shapes = QUICK_SHAPES if arguments.quick else SHAPES
    records = [measure(shape, arguments.rounds, cores) for shape in shapes]
    rows = [
        [r["shape"], *(r["threads"][name]["median_s"] for name in SITUATIONS), *r["times_as_fast"].values()]
        for r in records
    ]
    header = ["matrix", *SITUATIONS, "two / one", "two busy / one at rest", "two / one, busy"]
    print_table("Threads: seconds, and how many times as fast", header, rows)
    claim = "Two threads against one; the same with the other core busy"
    write_result("threads", {"claim": claim, "cases": records}, quick=arguments.quick)


def two_cores() -> list[int] | None:
    """Two cores that this process may use; None where there are none or binding is not possible."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))[:2]
    return cores if len(cores) == 2 else None


def measure(shape: Shape, rounds: int, cores: list[int]) -> dict[str, Any]:
    """Seconds in the four situations, in interleaved rounds, and the ratios that are claimed."""
    table = make_codes(shape)
    with (
        stored(codes=table.codes, classes=table.classes) as folder,
        Worker("engine_matrix", folder, threads=2) as worker,
    ):
        os.sched_setaffinity(worker.pid, cores)

        def job(n_jobs: int, busy: bool) -> Callable[[], float]:
            def run() -> float:
                if not busy:
                    return worker.run(conditional=False, n_jobs=n_jobs)
                with kept_busy(cores[1]):
                    return worker.run(conditional=False, n_jobs=n_jobs)

            return run

        job(1, False)()
        seconds = interleave({name: job(*how) for name, how in SITUATIONS.items()}, rounds)
    return {
        "shape": shape.name,
        "threads": {name: summary(s) for name, s in seconds.items()},
        "times_as_fast": {
            "two over one": significant(ratio(seconds["one"], seconds["two"])),
            "two with a busy core over one at rest": significant(ratio(seconds["one"], seconds["two, busy"])),
            "two over one, both with a busy core": significant(ratio(seconds["one, busy"], seconds["two, busy"])),
        },
    }


@contextmanager
def kept_busy(core: int) -> Iterator[None]:
    """A process of its own that spins on `core` for as long as the block lasts."""
    spin = f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", spin])
    time.sleep(0.3)  # until it spins
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
