"""``bitsieve explain``: why a feature is selected or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bitsieve.commands.options import say
from bitsieve.commands.select import select_as_asked, worded
from bitsieve.common.progress import listening, phase
from bitsieve.common.ticker import Ticker

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Read, select, explain, print."""
    with worded(options) as wording:
        with Ticker() as ticker, listening(ticker.phase):
            selection = select_as_asked(options)
            phase("explaining")
            explanation = selection.explain(options.feature)
        for note in selection.notes:
            say(f"note: {wording(note)}")
        if options.json:
            from bitsieve import __version__

            document = {**explanation.to_dict(), "method": selection.method, "version": __version__}
            print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
        else:
            print(explanation)
    return 0
