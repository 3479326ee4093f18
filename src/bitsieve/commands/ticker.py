"""One refreshed line on a terminal that says what a long job is doing."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

PATIENCE = 1.0  # seconds of silence: a short job needs no line
EVERY = 0.2


class Ticker:
    """While it is entered, a thread shows the phase and the seconds since the start; then the line is wiped.

    Nothing is written unless ``stream`` is a terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._phase = "starting"
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def phase(self, name: str) -> None:
        """Show ``name`` from now on."""
        self._phase = name

    def __enter__(self) -> Ticker:
        if self._stream.isatty():
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
        shown = False
        pause = PATIENCE
        while not self._ended.wait(pause):
            self._stream.write(f"\r\x1b[K{self._phase} ... {time.monotonic() - start:.0f} s")
            self._stream.flush()
            shown = True
            pause = EVERY
        if shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
