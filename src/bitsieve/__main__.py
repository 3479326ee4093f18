"""``python -m bitsieve``, and the command ``bitsieve``."""

import signal
import sys

from bitsieve import cli


def main() -> int:
    """Run the command line as all that this process does, and return its exit code."""
    ending = cli.EndingOfTheProcess()
    taken = cli.take_signals(ending)
    if taken:
        ending.watch()
    code = cli.main(ending=ending)
    for number in taken:  # the work is done, and what follows takes a moment
        signal.signal(number, signal.SIG_IGN)
    if ending.code is not None:  # the interpreter would take a while to tidy up after itself
        cli.end_now(code, said=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
