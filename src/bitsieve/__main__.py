"""``python -m bitsieve``: the command line."""

import sys

from bitsieve.cli import main

if __name__ == "__main__":
    sys.exit(main())
