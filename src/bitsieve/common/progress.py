"""The phases of a job ("reading", "binning", "counting", "ranking"), announced to whoever listens in this context.

Work announces its phases with :func:`phase` and knows no listener; without one the call does nothing. A context
variable carries the listener, so that two jobs in two threads never hear each other.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("bitsieve_progress", default=None)


def phase(name: str) -> Callable[[int, int], None]:
    """Announce that the phase ``name`` of the job begins; the function returned announces how far it is.

    It is called as ``step(done, total)`` and makes "ranking" into "ranking, 40 %".
    """
    listener = _listener.get()
    if listener is None:
        return _no_listener
    listener(name)

    def step(done: int, total: int) -> None:
        listener(f"{name}, {100 * done // max(total, 1)} %")

    return step


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
