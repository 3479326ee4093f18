"""``bitsieve how-many``: what four rules would take of a table, side by side."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

from bitsieve.cli.wording import TABLE_OPTIONS, binner_parameters, in_words_of, print_document, say
from bitsieve.common.progress import listening
from bitsieve.common.ticker import Ticker

if TYPE_CHECKING:
    import argparse

    from bitsieve.cli.wording import Wording

OPTIONS = TABLE_OPTIONS | {  # by the parameters of bitsieve.how_many
    "sample_weight": "--weight",
    "method": "--method",
    "criterion": "--method",
    "classifier": "--classifier",
    "folds": "--folds",
    "n_pairs": "--pairs",
    "random_state": "--seed",
}


def run(options: argparse.Namespace) -> int:
    """Read, ask the rules, draw, print."""
    with in_words_of(OPTIONS) as wording:
        return _run(options, wording)


def _run(options: argparse.Namespace, wording: Wording) -> int:
    start = time.perf_counter()
    parameters = binner_parameters(options)
    if options.figure is not None:
        from bitsieve.files.output import check_output
        from bitsieve.report.figures import FORMATS, require_matplotlib

        require_matplotlib()
        check_output(options.figure, FORMATS, what="figure", source=options.data)
    with Ticker() as ticker, listening(ticker.phase):
        from bitsieve.binning import make_binner
        from bitsieve.common.notes import BitsieveWarning
        from bitsieve.evaluation.how_many import how_many

        warnings.simplefilter("ignore", BitsieveWarning)  # the notes are said below
        found = how_many(
            options.data,
            options.target,
            sample_weight=options.weight,
            method=options.method,
            include=options.include or (),
            exclude=options.exclude or (),
            binning=make_binner(options.binning, **parameters) if parameters else options.binning,
            target_bins=options.target_bins,
            classifier=options.classifier,
            folds=options.folds,
            n_pairs=options.pairs,
            random_state=options.seed,
            n_jobs=options.threads or -1,
        )
        if options.figure is not None:
            from bitsieve.report.figures import save_figure
            from bitsieve.report.how_many import plot_how_many

            ticker.phase("drawing")
            save_figure(plot_how_many(found).figure, options.figure)
    for note in found.notes:
        say(f"note: {wording(note)}")
    if options.json:
        print_document({**found.to_dict(), "seconds": round(time.perf_counter() - start, 3)})
    else:
        print(found)
    if options.figure is not None:
        say(f"saved the figure to {options.figure!r}")
    return 0
