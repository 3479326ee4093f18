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


def phase(name: str) -> None:
    """Announce that the phase ``name`` of the job begins."""
    listener = _listener.get()
    if listener is not None:
        listener(name)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Send the phases announced inside the block to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
