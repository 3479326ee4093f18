"""``python -m bitsieve``, and the command ``bitsieve``."""

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress

from bitsieve import cli

OBJECTS_BETWEEN_COLLECTIONS = 200_000  # a short job makes so many objects and no garbage: the search for it is in vain
#: The allocator of Arrow reads it when it is loaded; "0" switches huge pages off for the process. A short job touches
#: most of its memory once, and in a virtual machine it takes long to clear huge pages.
ALLOWS_HUGE_PAGES = "MIMALLOC_ALLOW_THP"


def main() -> int:
    """Run the command line as all that this process does, and return its exit code."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    os.environ.setdefault(ALLOWS_HUGE_PAGES, "0")
    ending = cli.EndingOfTheProcess()
    taken = cli.take_signals(ending)
    if taken:
        ending.watch()
    code = cli.main(ending=ending)
    for number in taken:  # the work is done, and what follows takes a moment
        signal.signal(number, signal.SIG_IGN)
    if ending.code is not None:
        cli.end_now(code, is_announced=True)
    return code


def command() -> None:
    """The same, and then end the process at once: the interpreter would take a tenth of a short job to tidy up."""
    code = main()
    if not hasattr(atexit, "_run_exitfuncs"):  # a private name: without it the end is as usual
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError):  # nobody reads it, or there is none
            stream.flush()
    cli.end_now(code, is_announced=True)


if __name__ == "__main__":
    command()
