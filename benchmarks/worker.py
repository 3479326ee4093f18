"""The child's side of a contestant: load the arrays once, then run when told to, and report the seconds.

    python -m benchmarks.worker CONTESTANT FOLDER PIECE

FOLDER holds the arrays as .npy files. PIECE is a JSON object that may name `samples` and `features`: only so
many of the first rows and columns are taken. A line on stdin is a JSON object, the options of one run; a line
on stdout is the JSON report of one. What a contestant prints goes to stderr. This file and the contestants of
other packages import nothing of bitsieve, so that they also run in an environment that lacks it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from importlib import metadata
from pathlib import Path

import numpy as np

WARM_BELOW = 1.0  # seconds: a run this short is made once untimed before it is timed again


def main(arguments: list[str]) -> None:
    name, folder, piece = arguments
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    contestant = importlib.import_module(f"benchmarks.contestants.{name}")
    run = contestant.prepare(**load(Path(folder), **json.loads(piece)))
    packages = getattr(contestant, "PACKAGES", ())
    say(answers, {"ready": True, "versions": {p: metadata.version(p) for p in packages}, "kernel": kernel()})
    seconds = float("inf")
    for line in sys.stdin:
        options = json.loads(line)
        if seconds < WARM_BELOW:
            run(**options)
        reset_peak()
        before = status("VmRSS")
        start, processor_start = time.perf_counter(), time.process_time()
        details = run(**options)
        seconds = time.perf_counter() - start
        processor = time.process_time() - processor_start
        memory = {"before_bytes": before, "peak_bytes": status("VmHWM")}
        say(answers, {"seconds": seconds, "processor_s": processor, "memory": memory, "details": details or {}})


def load(folder: Path, samples: int | None = None, features: int | None = None) -> dict[str, np.ndarray]:
    """The arrays of the folder by name, the first rows and columns of them where a piece is asked for."""
    arrays = {}
    for path in sorted(folder.glob("*.npy")):
        array = np.load(path)
        cut = array[:samples] if array.ndim == 1 else array[:samples, :features]
        arrays[path.stem] = np.require(cut, requirements=["F", "O"]) if array.ndim == 2 else np.array(cut)
    return arrays


def kernel() -> str | None:
    """The kernel that bitsieve runs in this process; None where it is not loaded."""
    kernels = sys.modules.get("bitsieve.counts.kernels")
    return str(kernels.show_kernel()) if kernels is not None else None


def reset_peak() -> None:
    """Let the peak of memory start anew where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def status(field: str) -> int | None:
    """A field of /proc/self/status in bytes; None where there is no such file."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))


def say(stream, report: dict) -> None:
    print(json.dumps(report), file=stream, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
