"""``bitsieve how-many`` and ``bitsieve interactions``: questions on a table that one function of Python answers."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bitsieve.cli.shared import binner_of, binning_of, check_written, given, made_by, show
from bitsieve.common.defaults import INTERACTIONS_BINNING
from bitsieve.common.progress import phase, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes


def run_how_many(options: argparse.Namespace) -> int:
    """What the rules would take of a table, side by side."""
    from bitsieve.selection.figures import FORMATS

    binning = binning_of(options)
    check_written(options, figure=FORMATS)
    with _asking(options):
        from bitsieve.evaluate.how_many import how_many
        from bitsieve.report.plots import plot_how_many

        asked = {name: of for name, of in given(options).items() if name not in ("n_bins", "uncut", "missing")}
        found = how_many(options.data, options.target, **{**asked, "binning": binner_of(*binning)})
        _draw(options, lambda: plot_how_many(found))
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, lambda: str(found))
    _say_drawn(options)
    return 0


def run_interactions(options: argparse.Namespace) -> int:
    """The pairs or triples of columns that carry the most about the target."""
    from bitsieve.files.write import ROWS_WRITTEN, write_rows
    from bitsieve.selection.figures import FORMATS

    check_written(options, output=ROWS_WRITTEN, output_columns=ROWS_WRITTEN, figure=FORMATS)
    options.binning = options.binning or INTERACTIONS_BINNING
    binning_of(options)
    saved = list[str]()
    with _asking(options):
        from bitsieve.selection.interactions import interactions

        found = interactions(options.data, options.target, **given(options))
        if options.output is not None:
            write_rows(found.to_frame("pyarrow"), options.output)
            saved.append(f"saved {len(found.tuples):,} tuples to {options.output!r}")
        if options.output_columns is not None:
            write_rows(found.to_column_frame("pyarrow"), options.output_columns)
            saved.append(f"saved the strongest of {len(found.columns):,} columns to {options.output_columns!r}")
        _draw(options, found.plot)
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, found.table_text)
    for line in saved:
        options.say(line)
    _say_drawn(options)
    return 0


@contextmanager
def _asking(options: argparse.Namespace) -> Iterator[None]:
    """Inside the block progress is shown, and notes, which the result has, are no warnings."""
    from bitsieve.common.messages import BitsieveWarning

    with shown(not options.quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        yield


def _draw(options: argparse.Namespace, plot: Callable[[], Axes]) -> None:
    if options.figure is not None:
        from bitsieve.selection.figures import save_figure

        phase("drawing")
        save_figure(plot().figure, options.figure)


def _say_drawn(options: argparse.Namespace) -> None:
    if options.figure is not None:
        options.say(f"saved the figure to {options.figure!r}")
