"""``bitsieve how-many``, ``interactions`` and ``compare``: questions on a table, each answered by one function."""

from __future__ import annotations

import argparse
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.options import options_of
from bitsieve.cli.shared import (
    Wording,
    check_written,
    discretization_options,
    given,
    made_by,
    read_options,
    say,
    show,
    sources_of,
)
from bitsieve.diagnostics import UserError
from bitsieve.utils.defaults import INTERACTIONS_BINNING
from bitsieve.utils.progress import phase, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bitsieve.evaluate.plan import Plan
    from bitsieve.results.comparison import Comparison

KEPT = ".folds"  # added to the name of the output: finished folds of a run that has not ended


def run_how_many(options: argparse.Namespace) -> int:
    """What the rules would take of a table, side by side."""
    from bitsieve.plots.figures import FORMATS

    discretization_options(options)
    check_written(options, figure=FORMATS)
    with _asking(options):
        from bitsieve.api.how_many import how_many
        from bitsieve.report.plots import plot_how_many

        found = how_many(options.data, options.target, **given(options))
        found.diagnostics[:] = map(options.wording.reworded, found.diagnostics)
        saved = _drawn(options, lambda: plot_how_many(found))
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, lambda: str(found), saved)
    return 0


def run_interactions(options: argparse.Namespace) -> int:
    """The pairs or triples of columns that carry the most about the target."""
    from bitsieve.io.write import ROWS_WRITTEN, write_rows
    from bitsieve.plots.figures import FORMATS

    check_written(options, output=ROWS_WRITTEN, output_columns=ROWS_WRITTEN, figure=FORMATS)
    discretization_options(options, INTERACTIONS_BINNING)
    saved = list[str]()
    with _asking(options):
        from bitsieve.api.interactions import interactions

        found = interactions(options.data, options.target, **given(options))
        found.diagnostics[:] = map(options.wording.reworded, found.diagnostics)
        if options.output is not None:
            write_rows(found.to_frame("pyarrow"), options.output)
            saved.append(f"saved {len(found.tuples):,} tuples to {options.output!r}")
        if options.output_columns is not None:
            write_rows(found.to_column_frame("pyarrow"), options.output_columns)
            saved.append(f"saved the strongest of {len(found.columns):,} columns to {options.output_columns!r}")
        saved += _drawn(options, found.plot)
    show(options, found.notes, lambda: {**found.to_dict(), **made_by(options)}, found.table_text, saved)
    return 0


@contextmanager
def _asking(options: argparse.Namespace) -> Iterator[None]:
    """Inside the block progress is shown, and notes, which the result has, are no warnings."""
    from bitsieve.utils.messages import BitsieveWarning

    with shown(not options.quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        yield


def _drawn(options: argparse.Namespace, plot: Callable[[], Axes]) -> list[str]:
    """Draw the figure where it was asked for, and say so."""
    if options.figure is None:
        return []
    from bitsieve.plots.figures import save_figure

    phase("drawing")
    save_figure(plot().figure, options.figure)
    return [f"saved the figure to {options.figure!r}"]


def run_compare(options: argparse.Namespace) -> int:
    """Read, compare, save, print."""
    kept = _check_paths(options)
    with shown(not options.quiet):
        plan = _plan(options)
        comparison = _compare(plan, options.threads or -1, kept)
        comparison.diagnostics[:] = map(options.wording.reworded, comparison.diagnostics)
        phase("writing")
        if options.output is not None:
            from bitsieve.io.write import write_rows

            write_rows(comparison.table(), options.output)
        if options.report is not None:
            from bitsieve.report.files import write_report

            write_report(comparison, options.report, command=_command(comparison, options))
    if kept is not None:
        from bitsieve.evaluate.run import remove

        remove(kept)

    def text() -> str:
        from bitsieve.results.comparison import as_text

        return as_text(comparison, call=_command(comparison, options))

    written = ("the table of errors", options.output), ("the report", options.report)
    saved = [f"saved {what} to {path!r}" for what, path in written if path is not None]
    show(options, comparison.notes, lambda: {**comparison.to_dict(), **made_by(options)}, text, saved)
    return 0


def _check_paths(options: argparse.Namespace) -> Path | None:
    """Refuse paths that cannot be used, before any work; say where finished folds are kept."""
    from bitsieve.io.write import ROWS_WRITTEN

    check_written(options, output=ROWS_WRITTEN, report=(".html",))
    if options.output is None:
        if options.resume:
            raise UserError(
                code="output-needed",
                message="--resume goes on with the folds kept with the output",
                advice="give --output as in the first run",
            )
        return None
    kept = Path(options.output + KEPT)
    if kept.exists() and not options.resume:
        raise UserError(
            code="unfinished-run",
            message=f"{str(kept)!r} holds finished folds of a run that did not end",
            advice="add --resume to go on, or delete it",
        )
    return kept


def _plan(options: argparse.Namespace) -> Plan:
    from bitsieve.dataset.read import read_data
    from bitsieve.evaluate.plan import Question, make_plan

    discretization_options(options)
    table = read_data(options.data, read_options(options))
    asked = {name: value for name, value in given(options).items() if name in Question.__dataclass_fields__}
    return make_plan(table, Question(**asked, parameters=dict(options.set or ()), baselines=True))


def _compare(plan: Plan, threads: int, kept: Path | None) -> Comparison:
    from bitsieve.evaluate.run import Checkpoint, remove, run_plan

    if kept is None:
        return run_plan(plan, threads)
    checkpoint = Checkpoint(kept, plan)
    finished, all_of_them = checkpoint.finished, f"of {len(plan.folds):,} folds are"
    if finished:
        say(f"note: {len(finished):,} {all_of_them} done already")
    try:
        return run_plan(plan, threads, checkpoint)
    except BaseException:
        if finished:
            where = f"finished and kept in {str(kept)!r}: the same command with --resume goes on"
            say(f"{len(finished):,} {all_of_them} {where}")
        else:
            remove(kept)
        raise


def _command(comparison: Comparison, options: argparse.Namespace) -> str:
    """The command that selects what is recommended."""
    from bitsieve.methods.registry import parameters_of

    choice = comparison.choice()
    known = {name for option in options_of("select") for name in option.parameters.split()}
    known -= {"groups", "exclude", "n_jobs"}
    asked = {"method": choice.method, "n_features_to_select": choice.n_features}
    asked |= {name: of for name, of in given(options).items() if name in known}
    asked |= {name: of for name, of in options.set or () if name in parameters_of(choice.method)}
    if "uncut='median'" in comparison.parameters["binning"]:
        asked["uncut"] = "median"
    asked["exclude"] = [*(options.exclude or ()), *([] if options.groups is None else [options.groups])]
    words, wording = ["bitsieve", "select", *sources_of(options)], Wording("select", [choice.method])
    words += [word for name in options.target or () for word in ("--target", name)]
    return " ".join(filter(None, [shlex.join(words), *(wording.setting(name, value) for name, value in asked.items())]))
