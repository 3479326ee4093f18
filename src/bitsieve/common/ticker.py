"""One refreshed line, on a terminal or in a notebook, that says what a long job is doing: a bar, rate and time left."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from bitsieve.common.progress import Step, listening

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import TextIO

PATIENCE = 1.0  # seconds of silence: a short job needs no line
EVERY = 0.2
_WIDTH = 20  # of the bar


class Ticker:
    """While it is entered, a thread shows the phase and the seconds since the start; then the line is wiped.

    Nothing is written unless ``stream`` is a terminal or the output of a notebook.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._phase = "starting"
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._written = 0

    def phase(self, name: str) -> None:
        """Show ``name`` from now on."""
        self._phase = name

    def __enter__(self) -> Ticker:
        if _refreshes(self._stream):
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _tick(self) -> None:
        start = time.monotonic()
        pause = PATIENCE
        while not self._ended.wait(pause):
            self._write(f"{bar(self._phase)} ... {time.monotonic() - start:.0f} s")
            pause = EVERY
        if self._written:
            self._write("")

    def _write(self, line: str) -> None:
        """Put ``line`` in the place of the last one."""
        line = line[: get_terminal_size().columns - 1]  # a longer one would take two lines, of which one is wiped
        # A notebook knows no code that clears a line.
        cleared = "\r\x1b[K" if self._stream.isatty() else f"\r{' ' * self._written}\r"
        self._stream.write(cleared + line)
        self._stream.flush()
        self._written = len(line)


@contextmanager
def shown(verbose: bool) -> Iterator[None]:
    """Show the phases of a job inside the block, where ``verbose`` asks for it."""
    if not verbose:
        yield
        return
    with Ticker() as ticker, listening(ticker.phase):
        yield


def bar(phase: str) -> str:
    """A phase with a bar in front and the rate behind, where it is known how far it is.

    Examples
    --------
    >>> from bitsieve.common.progress import Step
    >>> bar(Step("ranking, 25 %, about 60 s left", 5, 20, 20.0))
    '[#####...............] ranking, 25 %, about 60 s left, 5 of 20, 0.25 a second'
    """
    if not isinstance(phase, Step):
        return phase
    filled = _WIDTH * phase.done // max(phase.total, 1)
    rate = f", {phase.done / phase.seconds:.2g} a second" if phase.done and phase.seconds >= PATIENCE else ""
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {phase}, {phase.done:,} of {phase.total:,}{rate}"


def _refreshes(stream: TextIO) -> bool:
    return stream.isatty() or type(stream).__module__.partition(".")[0] == "ipykernel"
