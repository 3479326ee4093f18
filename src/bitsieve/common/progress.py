"""The phases of a job ("reading", "binning", "counting", "ranking"), announced to whoever listens in this context.

Work announces its phases with :func:`phase` and knows no listener; without one the call does nothing. A context
variable carries the listener, so that two jobs in two threads never hear each other.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

PATIENCE = 3.0  # seconds after which the time left can be told from the time passed

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("bitsieve_progress", default=None)


def phase(name: str) -> Callable[[int, int], None]:
    """Announce that the phase ``name`` of the job begins; the function returned announces how far it is.

    It is called as ``step(done, total)`` and makes "ranking" into "ranking, 40 %", and once the phase has lasted some
    seconds into "ranking, 40 %, about 25 s left".
    """
    listener = _listener.get()
    if listener is None:
        return _no_listener
    listener(name)
    start = time.monotonic()

    def step(done: int, total: int) -> None:
        passed = time.monotonic() - start
        left = f", about {_duration(passed * (total - done) / done)} left" if done and passed > PATIENCE else ""
        listener(Step(f"{name}, {100 * done // max(total, 1)} %{left}", done, total, passed))

    return step


def row_phase(name: str, n_rows: int | None) -> Callable[[int], None]:
    """Announce a pass over ``n_rows`` rows (None: not known yet); the function returned tells how many are done.

    It makes "reading" into "reading, 3,000,000 of 10,000,000 rows, 1,500,000 rows/s, about 5 s left".
    """
    listener = _listener.get()
    if listener is None:
        return _no_rows
    listener(name)
    start = time.monotonic()

    def step(done: int) -> None:
        passed = max(time.monotonic() - start, 1e-9)
        rate = done / passed
        of_all = "" if n_rows is None else f" of {n_rows:,}"
        known = n_rows is not None and done and passed > PATIENCE
        left = f", about {_duration(((n_rows or 0) - done) / rate)} left" if known else ""
        text = f"{name}, {done:,}{of_all} rows, {rate:,.0f} rows/s{left}"
        listener(text if n_rows is None else Step(text, done, n_rows, passed))

    return step


def _no_rows(done: int) -> None:
    """Nobody listens."""


class Step(str):
    """How far a phase is, in words, and as ``done`` of ``total`` steps in ``seconds``."""

    __slots__ = ("done", "seconds", "total")
    done: int
    total: int
    seconds: float

    def __new__(cls, text: str, done: int, total: int, seconds: float) -> Self:
        step = super().__new__(cls, text)
        step.done, step.total, step.seconds = done, total, seconds
        return step


def _duration(seconds: float) -> str:
    """``25 s``, ``7 min`` or ``3.5 h``, rounded up."""
    if seconds <= 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min" if seconds <= 90 * 60 else f"{math.ceil(seconds / 360) / 10:g} h"


def _no_listener(done: int, total: int) -> None:
    """Nobody listens."""


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Send the phases announced inside the block to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
