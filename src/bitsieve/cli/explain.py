"""``bitsieve explain``: why a feature is selected or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.cli.select import select_as_asked, worded
from bitsieve.cli.wording import print_document, say
from bitsieve.common.progress import listening, phase
from bitsieve.common.ticker import Ticker

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Read, select, explain, print."""
    if options.data is None and not options.counts:
        raise ValueError(
            f"DATA is missing: give the column to explain, and then the data (FEATURE {options.feature!r})"
        )
    with worded(options) as wording:
        with Ticker() as ticker, listening(ticker.phase):
            selection = select_as_asked(options)
            phase("explaining")
            explanation = selection.explain(options.feature)
        for note in selection.notes:
            say(f"note: {wording(note)}")
        if options.json:
            print_document({**explanation.to_dict(), "method": selection.method})
        else:
            print(explanation)
    return 0
