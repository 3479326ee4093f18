"""Ctrl-C and SIGTERM: what is half done is tidied up, and the process ends at once, also in the middle of an import."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTED, TERMINATED = 130, 143
CODES: dict[int, int] = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
PATIENCE = 0.4  # seconds for tidying up
IN_WORDS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}


class Terminated(BaseException):
    """The process is asked to end (SIGTERM): raised in the main thread, so that everything is tidied up on the way."""


class Ending:
    """How the process was asked to end, if it was."""

    def __init__(self) -> None:
        self.code: int | None = None  # the exit code to end with

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """The handler of both signals."""
        self.code = CODES[number]
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated


class EndingOfTheProcess(Ending):
    """The same for a process of its own: asked in an import, which may swallow exceptions, or twice it ends at once."""

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.code is not None or is_importing(frame):
            end_now(CODES[number])
        super().__call__(number, frame)

    def watch(self) -> None:
        """End the process soon after a signal also where no exception can: in native code, or waiting for a thread."""
        if os.name == "nt":  # where a pipe does not report that it is full
            return
        numbers, into = os.pipe()
        os.set_blocking(into, False)
        signal.set_wakeup_fd(into, warn_on_full_buffer=False)
        _thread.start_new_thread(_watch, (numbers,))


def _watch(numbers: int) -> None:
    while (code := CODES.get(os.read(numbers, 1)[0])) is None:
        pass
    time.sleep(PATIENCE)
    end_now(code)


def end_now(code: int, said: bool = False) -> None:
    """End the process without another word but that it was asked to end, and leave nothing half done behind."""
    output = sys.modules.get("bitsieve.files.output")
    if output is not None and hasattr(output, "discard_unfinished"):  # imported to its end
        output.discard_unfinished()
    if not said:
        os.write(2, f"bitsieve: {IN_WORDS[code]}\n".encode())
    os._exit(code)


def is_importing(frame: FrameType | None) -> bool:
    """Whether a frame runs inside an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def take_signals(ending: Ending) -> dict[signal.Signals, Any]:
    """Let SIGINT and SIGTERM raise, where they have their default handlers; these are returned."""
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        return before
    for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) == default:
            before[number] = signal.signal(number, ending)
    return before


@contextmanager
def endable(ending: Ending) -> Iterator[Ending]:
    """SIGINT and SIGTERM raise inside the block, unless the program around has handlers of its own."""
    before = take_signals(ending)
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
