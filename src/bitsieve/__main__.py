"""``python -m bitsieve``, and the command ``bitsieve``."""

import signal
import sys

from bitsieve.cli.ending import EndingOfTheProcess, end_now, take_signals


def main() -> int:
    """Run the command line as all that this process does, and return its exit code."""
    ending = EndingOfTheProcess()
    taken = take_signals(ending)
    if taken:
        ending.watch()
    from bitsieve import cli

    code = cli.main(ending=ending)
    for number in taken:  # the work is done, and what follows takes a moment
        signal.signal(number, signal.SIG_IGN)
    if ending.code is not None:  # the interpreter would take a while to tidy up after itself
        end_now(code, said=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
