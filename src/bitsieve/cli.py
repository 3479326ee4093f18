"""The command line: parse, call, print. Everything heavy is imported where it is used, so that help comes at once."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bitsieve.commands.arguments import make_parser
from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DONE, FAILED, USER_MISTAKE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 1: failed inside; 2: a user's mistake; 130: interrupted; 141: whoever read the output left.
    """
    try:
        return _guarded(lambda: _run(arguments))
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
    options = make_parser().parse_args(arguments)
    code = options.run(options)
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
