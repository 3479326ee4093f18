"""The child's side of a contestant: load the arrays once, then run when told to, and report the seconds.

    python -m benchmarks.worker COMMAND FOLDER PIECE

COMMAND is "module.function" of benchmarks.contestants; the function takes the arrays and returns what is timed. FOLDER
holds the arrays as .npy files, which are loaded, and other files, of which the path is handed over. PIECE is a JSON
object that may name `samples` and `features`: only so many of the first rows and columns are taken. A line on stdin is
a JSON object, the options of one run; a line on stdout is the JSON report of one. What a contestant prints goes to
stderr. This file and the contestants of other packages import nothing of bitsieve, so that they also run in an
environment that lacks it.
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
from typing import Any

import numpy as np

WARM_BELOW = 1.0  # seconds: a run this short is made once untimed before it is timed again


def main(arguments: list[str]) -> None:
    command, folder, piece = arguments
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    module_name, _, function = command.partition(".")
    module = importlib.import_module(f"benchmarks.contestants.{module_name}")
    run = getattr(module, function)(**load(Path(folder), **json.loads(piece)))
    say(answers, {"ready": True, "versions": versions(getattr(module, "PACKAGES", {}).get(function, ()))})
    seconds = float("inf")
    for line in sys.stdin:
        options = json.loads(line)
        if seconds < WARM_BELOW:
            run(**options)
        start = time.perf_counter()
        processor_start = time.process_time()
        details = run(**options) or {}
        seconds = time.perf_counter() - start
        processor = time.process_time() - processor_start
        report = {"seconds": seconds, "processor_share": processor / max(seconds, 1e-9), "details": details}
        if "seconds" in details:  # the contestant times a part of itself, or another process
            report["seconds"] = details.pop("seconds")
            report["processor_share"] = None
        say(answers, report)


def load(folder: Path, samples: int | None = None, features: int | None = None) -> dict[str, Any]:
    """The arrays of the folder by name, of the first rows and columns if only a piece is taken, and other paths."""
    arrays: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix != ".npy":
            arrays[path.stem] = str(path)
            continue
        array = np.load(path)
        if array.ndim == 1:
            arrays[path.stem] = np.array(array[:samples])
        elif array.ndim == 2:
            arrays[path.stem] = np.require(array[:samples, :features], requirements=["F", "O"])
        else:
            arrays[path.stem] = np.array(array)
    return arrays


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """The installed versions of these packages."""
    return {package: metadata.version(package) for package in packages}


def say(stream, report: dict) -> None:
    print(json.dumps(report), file=stream, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
