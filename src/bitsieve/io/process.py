"""Work on a file of a stranger in another process: if that crashes, this one raises an error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from bitsieve.io.background import TIMEOUT_VARIABLE, timeout

# Option -I of Python leaves out the current folder and the environment, so that the search path is an argument.
_PROGRAM = """
import json, sys
from importlib import import_module
sys.path[:] = json.loads(sys.argv[1])
import_module(sys.argv[2]).main(*sys.argv[3:])
"""


def run_in_process(module: str, arguments: Sequence[str], max_seconds: float, reason_of_abort: str) -> None:
    """Call ``main(*arguments)`` of a module in another process.

    Raises :class:`TimeoutError` if it takes more than ``max_seconds``, or the seconds that the environment sets. Raises
    :class:`ValueError` if it fails: with what it wrote to standard error if it exits with 1, else with the message that
    its reader gave up, followed by ``reason_of_abort``.
    """
    seconds = timeout(max_seconds)
    try:
        process = subprocess.run(
            [sys.executable, "-I", "-c", _PROGRAM, json.dumps(sys.path), module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(
            f"reading takes longer than {seconds:g} s ({TIMEOUT_VARIABLE} in the environment sets the time)"
        ) from None
    if process.returncode == 1:
        raise ValueError(process.stderr.decode(errors="replace"))
    if process.returncode != 0:
        raise ValueError(f"its reader gave up, {reason_of_abort}")
