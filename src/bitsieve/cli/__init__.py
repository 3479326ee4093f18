"""The command line: parse, call, print. Everything heavy is imported where it is used, so that help comes at once."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bitsieve.cli.command_parser import UsageError
from bitsieve.cli.ending import IN_WORDS, INTERRUPTED, TERMINATED, Ending, Terminated, endable
from bitsieve.cli.parser import make_parser
from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DONE, FAILED, USER_MISTAKE, PIPE_CLOSED = 0, 1, 2, 141


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: failed inside; 2: a user's mistake; 130: interrupted; 141: whoever read the output left;
    143: terminated. ``ending`` is what the handlers of signals tell, where there are any already.
    """
    try:
        with endable(ending or Ending()) as told:
            return _guarded(lambda: _run(arguments), told)
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


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    parser = make_parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command = f"{parser.prog} {options.command}" if options.command else parser.prog
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)} (see {command} --help)")
    options.typed = list(sys.argv[1:] if arguments is None else arguments)
    if options.command is None:
        parser.print_help()
        return DONE
    code: int = options.run(options)
    if sys.stdout is not None:
        sys.stdout.flush()
    return code


def _guarded(run: Callable[[], int], ending: Ending) -> int:
    try:
        return run()
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
