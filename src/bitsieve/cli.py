"""The command line: parse, call, print. Everything heavy is imported where it is used, so that help comes at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bitsieve.commands.arguments import make_parser
from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import NoReturn

DONE, FAILED, USER_MISTAKE, INTERRUPTED, PIPE_CLOSED, TERMINATED = 0, 1, 2, 130, 141, 143


class Terminated(BaseException):
    """The process is asked to end (SIGTERM): raised in the main thread, so that everything is tidied up on the way."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: failed inside; 2: a user's mistake; 130: interrupted; 141: whoever read the output left;
    143: terminated.
    """
    try:
        with _terminable():
            return _guarded(lambda: _run(arguments))
    except BrokenPipeError:
        return PIPE_CLOSED
    finally:
        _give_up_broken_output()


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM as an exception inside the block, unless the program around has a handler of its own."""

    def terminate(*_: object) -> NoReturn:
        raise Terminated

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _give_up_broken_output() -> None:
    """Python flushes once more at its end; an output that takes nothing any more would make it complain there."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    parser = make_parser()
    options = parser.parse_args(arguments)
    options.typed = list(sys.argv[1:] if arguments is None else arguments)
    if options.command is None:
        parser.print_help()
        return DONE
    code: int = options.run(options)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _guarded(run: Callable[[], int]) -> int:
    debug = os.environ.get("BITSIEVE_DEBUG", "0") not in ("", "0")
    try:
        return run()
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except Terminated:
        return _complain("terminated", TERMINATED)
    except MemoryError as error:
        detail = f" ({one_line(error)})" if str(error) else ""
        return _complain(f"error: out of memory{detail}: give fewer rows or columns", FAILED)
    except (ValueError, OSError) as error:
        if debug:
            raise
        return _complain(f"error: {one_line(error)}", USER_MISTAKE)
    except Exception as error:
        if debug:
            raise
        return _complain(
            f"internal error: {type(error).__name__}: {one_line(error)}: please report it with what "
            f"BITSIEVE_DEBUG=1 shows",
            FAILED,
        )


def _complain(message: str, code: int) -> int:
    print(f"bitsieve: {message}", file=sys.stderr)
    return code
