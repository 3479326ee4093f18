"""``python -m papers``."""

import signal
import sys

from papers.command import TERMINATED, main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # what is finished is kept, as after Ctrl-C
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a sign that the terminal's encoding lacks is escaped, not fatal
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
