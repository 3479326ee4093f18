"""Work on a file of a stranger in a process of its own, whose end is an error and not the end of the program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from bitsieve.io.background import TIMEOUT_VARIABLE, timeout

_PROGRAM = """
import json, sys
from importlib import import_module
sys.path[:] = json.loads(sys.argv[1])
import_module(sys.argv[2]).main(*sys.argv[3:])
"""


def run_in_process(module: str, arguments: Sequence[str], max_seconds: float, reason_of_abort: str) -> None:
    """Call ``main(*arguments)`` of a module in another process.

    Raises :class:`TimeoutError` where it takes more than ``max_seconds``, or the seconds that the environment sets, and
    :class:`ValueError` with its line on standard error where it exits with 1. Where it ends in another way, the message
    is that its reader gave up, followed by ``reason_of_abort``.
    """
    seconds = timeout(max_seconds)
    try:
        ended = subprocess.run(
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
    if ended.returncode == 1:
        raise ValueError(ended.stderr.decode(errors="replace"))
    if ended.returncode != 0:
        raise ValueError(f"its reader gave up, {reason_of_abort}")
