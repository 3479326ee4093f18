"""``bitsieve interactions``: all pairs or triples of columns, and those that carry the most about the target."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from bitsieve.cli.shared import binning_of, check_drawn, check_written, given, made_by, show
from bitsieve.common.defaults import INTERACTIONS_BINNING
from bitsieve.common.progress import phase, shown

if TYPE_CHECKING:
    import argparse

    from bitsieve.selection.interactions import Interactions


def run(options: argparse.Namespace) -> int:
    """Read, search, save, print."""
    from bitsieve.files.write import ROWS_WRITTEN

    check_drawn(options)
    check_written(options, output=ROWS_WRITTEN, output_columns=ROWS_WRITTEN)
    options.binning = options.binning or INTERACTIONS_BINNING
    binning_of(options)
    with shown(not options.quiet):
        from bitsieve.common.messages import BitsieveWarning
        from bitsieve.selection.interactions import interactions

        warnings.simplefilter("ignore", BitsieveWarning)  # the notes are shown below
        found = interactions(options.data, options.target, **given(options))
        saved = _save(found, options)
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, found.table_text)
    for line in saved:
        options.say(line)
    return 0


def _save(found: Interactions, options: argparse.Namespace) -> list[str]:
    """Write what was asked for; a line on each."""
    from bitsieve.files.write import write_rows
    from bitsieve.selection.figures import save_figure

    saved = list[str]()
    if options.output is not None:
        write_rows(found.to_frame("pyarrow"), options.output)
        saved.append(f"saved {len(found.tuples):,} tuples to {options.output!r}")
    if options.output_columns is not None:
        write_rows(found.to_column_frame("pyarrow"), options.output_columns)
        saved.append(f"saved the strongest of {len(found.columns):,} columns to {options.output_columns!r}")
    if options.figure is not None:
        phase("drawing")
        save_figure(found.plot().figure, options.figure)
        saved.append(f"saved the figure to {options.figure!r}")
    return saved
