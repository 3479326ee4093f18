"""The command line: parse, call, print, end. Modules are imported where they are used, so that help comes at once.

Ctrl-C and SIGTERM end the process, also in the middle of an import, and remove unfinished output.
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
from types import FrameType
from typing import Any

# Exit codes.
DONE = 0
FAILED = 1
USER_MISTAKE = 2
PIPE_CLOSED = 141
INTERRUPTED = 130
TERMINATED = 143

CODES: dict[int, int] = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}  # signal to exit code
PATIENCE = 0.4  # seconds for tidying up after a signal
IN_WORDS = {INTERRUPTED: "interrupted", TERMINATED: "terminated"}


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run the command line and return its exit code. The handlers of signals set ``ending.code``."""
    if arguments is None:
        arguments = sys.argv[1:]
    if ending is None:
        ending = Ending()
    try:
        with signals_raise(ending):
            return _run_and_report_errors(arguments, ending)
    except BrokenPipeError:
        return PIPE_CLOSED
    finally:
        _give_up_broken_output()


def _give_up_broken_output() -> None:
    """Send output to nowhere if it can no longer be written: Python would complain when it flushes at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    from bitsieve.cli.options import function_at
    from bitsieve.cli.parser import parse

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    start = time.perf_counter()
    options = parse(arguments)
    if options.command is None:
        return DONE

    from bitsieve.cli.wording import in_words_of, say, say_nothing, wording_of  # not needed for help

    options.typed = list(arguments)
    options.start = start
    options.wording = wording_of(options)
    is_quiet = getattr(options, "quiet", False)  # not every command has the option
    options.say = say_nothing if is_quiet else say
    with in_words_of(options.wording, is_quiet):
        code: int = function_at(options.run)(options)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _run_and_report_errors(arguments: Sequence[str], ending: Ending) -> int:
    """Run the command; print an error in one line, and return the exit code."""
    try:
        return _run(arguments)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except Terminated:
        return _complain("terminated", TERMINATED)
    except Exception as error:
        if ending.code is not None:  # some packages turn an interrupt into another exception
            return _complain(IN_WORDS[ending.code], ending.code)
        if os.environ.get("BITSIEVE_DEBUG", "0") not in ("", "0"):
            raise
        message, code = _message_and_code(error)
        if code == USER_MISTAKE and not _is_of_unreadable_file(error):
            message = _with_further_obstacles(message, arguments)
        return _complain(message, code)


def _is_of_unreadable_file(error: Exception) -> bool:
    """Whether a file could not be read: this hides what else is wrong, and reading it again may take as long."""
    from bitsieve.diagnostics import UserError

    cause = error.__cause__  # an error in the words of the command line has one in those of Python
    return isinstance(cause, UserError) and cause.code == "cannot-read"


def _with_further_obstacles(message: str, arguments: Sequence[str]) -> str:
    """The message on all mistakes in the arguments, with a command line that works, if there are several."""
    from bitsieve.cli.options import COMMANDS

    if not arguments or arguments[0] not in [command.name for command in COMMANDS]:
        return message
    from bitsieve.cli.obstacles import with_further_obstacles

    try:
        return with_further_obstacles(message, arguments)
    except (Exception, KeyboardInterrupt, Terminated):  # the first mistake is known, whatever becomes of the others
        return message


def _message_and_code(error: Exception) -> tuple[str, int]:
    """The message on an error, and the exit code."""
    from bitsieve.utils.messages import one_line

    line = one_line(error)
    if isinstance(error, OSError) and error.strerror and not error.filename:
        line = one_line(error.strerror)
    if isinstance(error, MemoryError):
        detail = f" ({line})" if line else ""
        return f"error: out of memory{detail}: give fewer rows or columns", FAILED
    if isinstance(error, (ValueError, OSError)):
        return f"error: {line}", USER_MISTAKE
    kind = type(error).__name__
    return f"internal error: {kind}: {line}: please report it with what BITSIEVE_DEBUG=1 shows", FAILED


def _complain(message: str, code: int) -> int:
    from bitsieve.diagnostics import without_passwords
    from bitsieve.utils.terminal_text import printable_lines

    print(printable_lines(f"bitsieve: {without_passwords(message)}"), file=sys.stderr)
    return code


class Terminated(BaseException):
    """SIGTERM asked the process to end. Raised in the main thread, so that ``finally`` blocks tidy up."""


class Ending:
    """The handler of SIGINT and SIGTERM: it raises, and remembers the exit code."""

    def __init__(self) -> None:
        self.code: int | None = None  # None: no signal has come

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.code = CODES[number]
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated


class EndingOfTheProcess(Ending):
    """The handler for a process that does nothing else: a second signal, or one during an import, ends it at once.

    An import may swallow the exception.
    """

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.code is not None or is_importing(frame):
            end_now(CODES[number])
        super().__call__(number, frame)

    def watch(self) -> None:
        """Start a thread that ends the process soon after a signal, even if the main thread is in native code or waits.

        Python writes the number of each signal to a pipe, which the thread reads.
        """
        if os.name == "nt":  # there a pipe does not report that it is full
            return
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        _thread.start_new_thread(_end_after_signal, (read_end,))


def _end_after_signal(pipe: int) -> None:
    """Read numbers of signals until one asks to end; end the process if it still runs a moment later."""
    code = None
    while code is None:
        signal_number = os.read(pipe, 1)[0]
        code = CODES.get(signal_number)
    time.sleep(PATIENCE)
    end_now(code)


def end_now(code: int, is_announced: bool = False) -> None:
    """End the process at once: remove unfinished output, and print that a signal came unless ``is_announced``."""
    output = sys.modules.get("bitsieve.io.output")
    if output is not None and hasattr(output, "discard_unfinished"):  # the module is imported completely
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
    """Replace the default handlers of SIGINT and SIGTERM by ``ending``, and return them; other handlers stay."""
    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        return before
    for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) == default:
            before[number] = signal.signal(number, ending)
    return before


@contextmanager
def signals_raise(ending: Ending) -> Iterator[None]:
    """Inside the block SIGINT and SIGTERM call ``ending``, unless the program around has other handlers for them."""
    before = take_signals(ending)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
