"""The command line: parse, call, print, and end. Everything heavy is imported where it is used: help comes at once.

After Ctrl-C and SIGTERM what is half done is tidied up, and the process ends, also in the middle of an import.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any

DONE, FAILED, USER_MISTAKE, PIPE_CLOSED = 0, 1, 2, 141
INTERRUPTED, TERMINATED = 130, 143
CODES: dict[int, int] = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
PATIENCE = 0.4  # seconds for tidying up
IN_WORDS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run the command line and return its exit code; ``ending`` is what handlers of signals report to, if any."""
    try:
        with endable(ending or Ending()) as requested_ending:
            return _guarded(sys.argv[1:] if arguments is None else arguments, requested_ending)
    except BrokenPipeError:
        return PIPE_CLOSED
    finally:
        _give_up_broken_output()


def _give_up_broken_output() -> None:
    """Python flushes once more at its end; an output that takes nothing any more would make it complain there."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    from bitsieve.cli.parser import parse

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    start = time.perf_counter()
    options = parse(arguments)
    if options.command is None:
        return DONE

    from bitsieve.cli.shared import in_words_of, say, say_nothing, wording_of  # not needed for help

    options.typed, options.start, options.wording = list(arguments), start, wording_of(options)
    quiet = getattr(options, "quiet", False)
    options.say = say_nothing if quiet else say
    module, _, function = options.run.partition(".")
    with in_words_of(options.wording, quiet):
        code: int = getattr(import_module(f"bitsieve.cli.{module}"), function)(options)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _guarded(arguments: Sequence[str], ending: Ending) -> int:
    try:
        return _run(arguments)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except Terminated:
        return _complain("terminated", TERMINATED)
    except Exception as error:
        if ending.code is not None:  # some packages turn an interrupt into an exception of their own
            return _complain(IN_WORDS[ending.code], ending.code)
        if os.environ.get("BITSIEVE_DEBUG", "0") not in ("", "0"):
            raise
        return _complain(*_in_words(error))


def _in_words(error: Exception) -> tuple[str, int]:
    """What is said of an error, and the exit code."""
    from bitsieve.utils.messages import one_line

    line = one_line(error.strerror if isinstance(error, OSError) and error.strerror and not error.filename else error)
    if isinstance(error, MemoryError):
        return f"error: out of memory{line and f' ({line})'}: give fewer rows or columns", FAILED
    if isinstance(error, (ValueError, OSError)):
        return f"error: {line}", USER_MISTAKE
    kind = type(error).__name__
    return f"internal error: {kind}: {line}: please report it with what BITSIEVE_DEBUG=1 shows", FAILED


def _complain(message: str, code: int) -> int:
    print(f"bitsieve: {message}", file=sys.stderr)
    return code


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


def end_now(code: int, is_announced: bool = False) -> None:
    """End the process without another word but that it was asked to end, and leave nothing half done behind."""
    output = sys.modules.get("bitsieve.io.output")
    if output is not None and hasattr(output, "discard_unfinished"):  # imported to its end
        output.discard_unfinished()
    if not is_announced:
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
