"""Work that depends on somebody else, such as a server: it gets a limited time without progress."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from bitsieve.io.errors import DataError

Result = TypeVar("Result")

TIMEOUT_VARIABLE = "BITSIEVE_TIMEOUT"  # of the environment
_TIMEOUT_OF_SERVER = 20.0  # seconds
_MAX_TIMEOUT = 86_400.0  # seconds
#: The fewest bytes within the timeout that count as progress
MIN_BYTES_PER_TIMEOUT = 1 << 13


def timeout(default: float = _TIMEOUT_OF_SERVER) -> float:
    """How many seconds a server or a database may take without progress: what the environment says, or ``default``."""
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_TIMEOUT:
        raise DataError(
            code="bad-timeout",
            message=f"{TIMEOUT_VARIABLE} is {text!r}",
            advice=f"set it to a number of seconds above 0 and up to {_MAX_TIMEOUT:,.0f}, or unset it",
        )
    return seconds


class Progress:
    """How many bytes a piece of work has moved, and whether somebody still waits for it."""

    def __init__(self) -> None:
        self.n_bytes = 0
        self.is_abandoned = False


class _Work(threading.Thread, Generic[Result]):
    """A function that runs in a thread of its own. The process does not wait for it when it ends."""

    def __init__(self, function: Callable[[Progress], Result]) -> None:
        super().__init__(daemon=True)
        self.progress = Progress()
        self.results: list[Result] = []
        self.error: BaseException | None = None
        self._function = function

    def run(self) -> None:
        try:
            self.results.append(self._function(self.progress))
        except BaseException as error:  # raised again by the thread that waits
            self.error = error


def within_timeout(function: Callable[[Progress], Result]) -> Result:
    """Call ``function(progress)`` in another thread and return its result, also if it never returns by itself.

    Raises :class:`TimeoutError` once ``progress.n_bytes`` has grown by less than :data:`MIN_BYTES_PER_TIMEOUT` within
    the timeout. The function is then abandoned: it should end when it sees ``progress.is_abandoned``.
    """
    seconds = timeout()
    work = _Work(function)
    n_bytes_before = 0
    deadline = time.monotonic() + seconds
    try:
        work.start()
        while work.is_alive():
            work.join(max(0.0, deadline - time.monotonic()))
            if time.monotonic() < deadline:
                continue
            n_bytes = work.progress.n_bytes
            if work.is_alive() and n_bytes - n_bytes_before < MIN_BYTES_PER_TIMEOUT:
                raise TimeoutError(
                    f"fewer than {MIN_BYTES_PER_TIMEOUT:,} bytes came within {seconds:g} s ({TIMEOUT_VARIABLE} in the "
                    "environment sets the time)"
                )
            n_bytes_before = n_bytes
            deadline = time.monotonic() + seconds
    finally:
        work.progress.is_abandoned = True
    if work.error is not None:
        raise work.error
    return work.results[0]
