"""Fuzzing that is guided by coverage, where atheris is installed (Linux, macOS).

    python -m tests.faults.fuzz TARGET -runs=100000 -max_total_time=120 -seed=1

calls one of `tests.faults.targets` with bytes, beginning with its undamaged inputs and those of `corpus/TARGET`, and
ends at the first input that leads to anything but a result or one line of error. The input is then kept in
`crash-...`. Other options are those of libFuzzer; a folder among them receives the inputs that reached new branches.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path
from types import FunctionType

import atheris
from tests.faults.targets import GUIDES, TARGETS, seeds

CORPUS = Path(__file__).parent / "corpus"


def instrument(package: str) -> int:
    """Let the functions of a package report which of their branches ran, and return how many functions do.

    They are changed one by one, as the import hook of atheris does not see what an editable install loads.
    """
    path = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(path, f"{package}."):
        importlib.import_module(module.name)
    functions = [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]
    guiding = [function for function in functions if f"{function.__module__}.".startswith(f"{package}.")]
    for function in guiding:
        atheris.instrument_func(function)
    return len(guiding)


def fuzz(target: str, options: list[str]) -> None:
    """Fuzz a target until libFuzzer ends the process."""
    if GUIDES[target] and not instrument(GUIDES[target]):
        sys.exit(f"no function of {GUIDES[target]} guides the fuzzing")
    folder = Path(tempfile.mkdtemp())
    for number, content in enumerate(seeds(target)):
        (folder / f"seed-{number}").write_bytes(content)
    folders = [word for word in options if not word.startswith("-")]
    options = [word for word in options if word.startswith("-")]
    corpus = [str(CORPUS / target)] if (CORPUS / target).is_dir() else []
    atheris.Setup([sys.argv[0], *options, *folders, str(folder), *corpus], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"name one of {', '.join(TARGETS)}")
    fuzz(sys.argv[1], sys.argv[2:])
