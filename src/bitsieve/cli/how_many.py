"""``bitsieve how-many``: what five rules would take of a table, side by side."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from bitsieve.cli.shared import binner_of, binning_of, check_drawn, given, made_by, show
from bitsieve.common.progress import phase, shown

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> int:
    """Read, ask the rules, draw, print."""
    binning = binning_of(options)
    check_drawn(options)
    with shown(not options.quiet):
        from bitsieve.common.messages import BitsieveWarning
        from bitsieve.evaluate.how_many import how_many

        warnings.simplefilter("ignore", BitsieveWarning)  # the notes are shown below
        asked = {name: of for name, of in given(options).items() if name not in ("n_bins", "uncut", "missing")}
        found = how_many(options.data, options.target, **{**asked, "binning": binner_of(*binning)})
        if options.figure is not None:
            from bitsieve.report.plots import plot_how_many
            from bitsieve.selection.figures import save_figure

            phase("drawing")
            save_figure(plot_how_many(found).figure, options.figure)
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, lambda: str(found))
    if options.figure is not None:
        options.say(f"saved the figure to {options.figure!r}")
    return 0
