"""The command line: parse, call, print. Everything heavy is imported where it is used, so that help comes at once."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module

from bitsieve.cli.ending import IN_WORDS, INTERRUPTED, TERMINATED, Ending, Terminated, endable

DONE, FAILED, USER_MISTAKE, PIPE_CLOSED = 0, 1, 2, 141


def main(arguments: Sequence[str] | None = None, ending: Ending | None = None) -> int:
    """Run the command line and return its exit code; ``ending`` is what handlers of signals report to, if any."""
    try:
        with endable(ending or Ending()) as asked:
            return _guarded(sys.argv[1:] if arguments is None else arguments, asked)
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
    from bitsieve.cli.shared import in_words_of, say, say_nothing, wording_of

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    start = time.perf_counter()
    options = parse(arguments)
    if options.command is None:
        return DONE
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
    from bitsieve.common.messages import one_line

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
