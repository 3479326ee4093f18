"""The progress of a job: the work announces its phases to a listener, if there is one, which shows them on one line.

The listener is a context variable, so that no function of the work has it as a parameter.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from shutil import get_terminal_size
from typing import NamedTuple, TextIO

import numpy as np

from bitsieve.diagnostics import ParameterError
from bitsieve.utils.libraries import log

PATIENCE = 3.0  # seconds after which the time left can be estimated from the time passed
SILENCE = 1.0  # seconds before the first line: a short job needs none
REFRESH_INTERVAL = 0.2  # seconds between two states of the line
LINE_INTERVAL = 10.0  # seconds between two lines where none can be refreshed, as in a file
BAR_WIDTH = 20  # letters


class PhaseProgress(NamedTuple):
    """The progress of a phase of a job. A phase that has just begun has no ``total``, and nothing is done."""

    phase: str
    done: int = 0  # steps
    total: int | None = None  # steps to do; None where this is not known
    seconds: float = 0.0  # since the phase began

    def __str__(self) -> str:
        if self.total is None:
            return f"{self.phase}, {self.done:,}" if self.done else self.phase
        time_left = ""
        if self.done and self.seconds > PATIENCE:
            time_left = f", about {duration(self.seconds * (self.total - self.done) / self.done)} left"
        percent = 100 * self.done // max(self.total, 1)
        return f"{self.phase}, {percent} %{time_left}"


Listener = Callable[[PhaseProgress], None]
_listener: ContextVar[Listener | None] = ContextVar("bitsieve_progress", default=None)


def phase(name: str) -> Callable[[int, int | None], None]:
    """Announce that a phase of the job begins.

    Returns a function ``report(done, total)`` that announces the progress of the phase; ``total`` is None if unknown.
    """
    log("info", name)
    listener = _listener.get()
    if listener is None:
        return lambda *_: None
    listener(PhaseProgress(name))
    start = time.monotonic()

    def report(done: int, total: int | None) -> None:
        listener(PhaseProgress(name, done, total, time.monotonic() - start))

    return report


def duration(seconds: float) -> str:
    """``25 s``, ``7 min`` or ``3.5 h``, rounded up."""
    if seconds <= 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min" if seconds <= 90 * 60 else f"{math.ceil(seconds / 360) / 10:g} h"


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the progress of the phases inside the block to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


class Ticker:
    """While entered, a thread shows phase and seconds: a line of a terminal or notebook, else one every ten seconds."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._progress = PhaseProgress("starting")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._written = 0

    def show(self, progress: PhaseProgress) -> None:
        """Show this progress from now on."""
        self._progress = progress

    def __enter__(self) -> Ticker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _tick(self) -> None:
        start = time.monotonic()
        kind = type(self._stream).__module__
        refreshes = self._stream.isatty() or kind.partition(".")[0] == "ipykernel"
        pause = SILENCE if refreshes else LINE_INTERVAL
        while not self._ended.wait(pause):
            line = f"{bar(self._progress)} ... {time.monotonic() - start:.0f} s"
            if refreshes:
                self._write(line)
                pause = REFRESH_INTERVAL
            else:
                self._stream.write(f"bitsieve: {line}\n")
                self._stream.flush()
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
def progress_bar(verbose: bool) -> Iterator[None]:
    """Show the phases of a job inside the block if ``verbose``."""
    if not isinstance(verbose, (int, np.bool_)):  # a bool is an int
        raise ParameterError("verbose", verbose, "give True or False")
    if not verbose:
        yield
        return
    with Ticker() as ticker, listening(ticker.show):
        yield


def bar(progress: PhaseProgress) -> str:
    """The progress after a bar and before the rate; without these where it is not known how much there is to do."""
    total = progress.total
    if total is None:
        return str(progress)
    n_filled = BAR_WIDTH * progress.done // max(total, 1)
    bar_text = "#" * n_filled + "." * (BAR_WIDTH - n_filled)
    return f"[{bar_text}] {progress}, {progress.done:,} of {total:,}{_rate(progress)}"


def _rate(progress: PhaseProgress) -> str:
    """The steps a second, or the seconds of a step; empty before the first step and in the first second."""
    if not progress.done or progress.seconds < SILENCE:
        return ""
    seconds_per_step = progress.seconds / progress.done
    if seconds_per_step < 1:
        return f", {1 / seconds_per_step:,.0f} a second"
    return f", {seconds_per_step:,.0f} s each"
