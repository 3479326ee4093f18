"""Coverage-guided fuzzing of the readers and of ``bitsieve select``, where atheris is installed (Linux, macOS).

``python -m tests.faults.fuzz -max_total_time=600 CORPUS`` begins with the undamaged files of `tests.faults.mutants` and
ends at the first file that leads to anything but a selection or one line of error, which it keeps. Other options are
those of libFuzzer.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from pathlib import Path
from types import FunctionType

import atheris
from tests.faults import mutants

GUIDED_BY = ("bitsieve.io", "bitsieve.dataset")
PLACE = Path(tempfile.mkdtemp()) / "input"


def try_one(data: bytes) -> None:
    """Select from a file of these bytes."""
    PLACE.write_bytes(data)
    code, message = mutants.select_from(PLACE)
    if code not in (0, 2) or "Traceback" in message:
        raise AssertionError(f"exit code {code}: {message}")


def instrument() -> int:
    """Let the readers tell which of their branches ran, and return how many functions do.

    One by one, as the import hook of atheris passes by what the loader of an editable install loads.
    """
    found = [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]
    readers = [function for function in found if (function.__module__ or "").startswith(GUIDED_BY)]
    for function in readers:
        atheris.instrument_func(function)
    return len(readers)


if __name__ == "__main__":
    if not instrument():
        sys.exit("nothing guides the fuzzing")
    corpus = next((Path(word) for word in sys.argv[1:] if not word.startswith("-")), None)
    if corpus is not None:
        corpus.mkdir(parents=True, exist_ok=True)
        for kind, content in mutants.whole_files():
            (corpus / kind.replace(" ", "_")).write_bytes(content)
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()
