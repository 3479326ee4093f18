"""Start: the time of `import bitsieve`, and `bitsieve select` on a CSV of 62 x 2,000 as a whole process.

    python -m benchmarks.startup [--quick] [--rounds N]

Every round starts a fresh process. Beside them stand an interpreter that does nothing and the imports of numpy
and scikit-learn, on which ours rests. To be reached: import under 0.5 s, the selection under 2 s.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import Shape, make_values
from benchmarks.harness import interleave, parser, print_table, seconds_text, summary, write_result

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = Shape(62, 2000, 10, 2)
QUICK_TABLE = Shape(62, 100, 10, 2)
KILO = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss in bytes
COMMAND = "import sys; from bitsieve.cli import main; sys.exit(main())"


def main() -> None:
    arguments = parser(__doc__, rounds=9).parse_args()
    shape = QUICK_TABLE if arguments.quick else TABLE
    with tempfile.TemporaryDirectory(prefix="bitsieve-benchmark-") as folder:
        table = Path(folder) / "table.csv"
        write_csv(table, shape)
        select = ["-c", COMMAND, "select", str(table), "--target", "class", "--features", "20"]
        jobs = {
            "python that does nothing": ["-c", "pass"],
            "import numpy": ["-c", "import numpy"],
            "import sklearn": ["-c", "import sklearn"],
            "import bitsieve": ["-c", "import bitsieve"],
            "from bitsieve import ForwardSelector": ["-c", "from bitsieve import ForwardSelector"],
            "bitsieve select, jmi": [*select, "--method", "jmi"],
            "bitsieve select, speccmi": [*select, "--method", "speccmi"],
        }
        records, skipped = measure(jobs, arguments.rounds)
    rows = [[name, seconds_text(r["median_s"]), r["peak_mb"]] for name, r in records.items()]
    print_table(f"Whole processes, CSV of {shape.samples} x {shape.features}", ["process", "seconds", "peak MB"], rows)
    for name, reason in skipped.items():
        print(f"skipped: {name}: {reason}")
    claim = "import bitsieve under 0.5 s; bitsieve select on 62 x 2,000 under 2 s as a whole process"
    content = {"claim": claim, "table": f"{shape.samples} x {shape.features} CSV"}
    write_result("startup", {**content, "processes": records, "skipped": skipped}, quick=arguments.quick)


def measure(jobs: dict[str, list[str]], rounds: int) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Seconds and peak memory of every process that ends well, in interleaved rounds; reasons of the others."""
    peaks: dict[str, list[int]] = {}
    skipped = {}
    for name, job in jobs.items():  # a first time, for files not yet cached and byte code not yet written
        _, peak, failure = run_process(job)
        if failure is None:
            peaks[name] = [peak]
        else:
            skipped[name] = failure

    def timed(name: str) -> Callable[[], float]:
        def run() -> float:
            seconds, peak, failure = run_process(jobs[name])
            if failure is not None:
                raise RuntimeError(f"{name}: {failure}")
            peaks[name].append(peak)
            return seconds

        return run

    seconds = interleave({name: timed(name) for name in peaks}, rounds)
    records = {name: {**summary(seconds[name]), "peak_mb": peak_mb(max(peaks[name]))} for name in peaks}
    return records, skipped


def peak_mb(peak: int) -> float | None:
    """Megabytes; None below our own peak, which the system accounts to every child that we start."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KILO
    return round(peak / 1e6, 1) if peak > own else None


def run_process(arguments: list[str]) -> tuple[float, int, str | None]:
    """Run python with these arguments: wall seconds, peak resident bytes, and why it failed if it did."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
    failure = None if process.returncode == 0 else (said[-1] if said else f"exit status {process.returncode}")
    return seconds, usage.ru_maxrss * KILO, failure


def write_csv(path: Path, shape: Shape) -> None:
    """A table of floats with a last column `class` of words, as people keep them."""
    values, classes = make_values(shape)
    names = [f"gene{j}" for j in range(shape.features)]
    words = np.array(["tumour", "normal"])[classes]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join([*names, "class"]) + "\n")
        for row, word in zip(values, words, strict=True):
            file.write(",".join(f"{value:.6g}" for value in row) + f",{word}\n")


if __name__ == "__main__":
    main()
