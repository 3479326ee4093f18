"""``bitsieve compare``: from a table file to the errors of several methods for every number of features."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitsieve.cli.wording import TABLE_OPTIONS, binner_parameters, in_words_of, print_document, say
from bitsieve.common.messages import allowed_names
from bitsieve.common.progress import listening
from bitsieve.common.ticker import Ticker

if TYPE_CHECKING:
    import argparse

    from bitsieve.cli.wording import Wording
    from bitsieve.evaluation.checkpoint import Checkpoint
    from bitsieve.evaluation.comparison import Comparison
    from bitsieve.evaluation.plan import Plan
    from bitsieve.table.table import Table

OPTIONS = TABLE_OPTIONS | {  # by the parameters of bitsieve.compare
    "method": "--methods",
    "features": "--features",
    "classifier": "--classifier",
    "folds": "--folds",
    "protocol": "--protocol",
    "random_state": "--seed",
    "scoring": "--scoring",
    "groups": "--groups",
}
KEPT = ".folds"  # added to the name of the output: finished folds of a run that has not ended


def run(options: argparse.Namespace) -> int:
    """Read, compare, save, print."""
    with in_words_of(OPTIONS) as wording:
        return _run(options, wording)


def _run(options: argparse.Namespace, wording: Wording) -> int:
    start = time.perf_counter()
    kept = _check_paths(options)
    with Ticker() as ticker, listening(ticker.phase):
        plan = _plan(options)
        comparison = _compare(plan, options.threads or -1, kept)
        ticker.phase("writing")
        _save(comparison, options)
    if kept is not None:
        kept.unlink(missing_ok=True)
    for note in comparison.notes:
        say(f"note: {wording(note)}")
    if options.json:
        _print_document(comparison, options, time.perf_counter() - start)
    else:
        from bitsieve.evaluation.summary import as_text

        print(as_text(comparison, call=_command(comparison, options)))
    for what, path in (("the table of errors", options.output), ("the report", options.report)):
        if path is not None:
            say(f"saved {what} to {path!r}")
    return 0


def _check_paths(options: argparse.Namespace) -> Path | None:
    """Refuse paths that cannot be used, before any work; say where finished folds are kept."""
    if options.report is not None:
        from bitsieve.report.files import check_report

        check_report(options.report, options.data)
    if options.output is None:
        if options.resume:
            raise ValueError("--resume goes on with the folds kept with the output: give --output as in the first run")
        return None
    from bitsieve.evaluation.tidy import WRITTEN
    from bitsieve.files.output import check_output

    check_output(options.output, WRITTEN, source=options.data)
    kept = Path(options.output + KEPT)
    if kept.exists() and not options.resume:
        raise ValueError(
            f"{str(kept)!r} holds finished folds of a run that did not end: add --resume to go on, or delete it"
        )
    return kept


def _plan(options: argparse.Namespace) -> Plan:
    from bitsieve.binning import make_binner
    from bitsieve.evaluation.plan import DEFAULT_METHODS, make_plan
    from bitsieve.table.read_data import read_data

    if options.binning is None:
        options.binning = "mdl"
        parameters = binner_parameters(options)
        if options.protocol == "paper":
            parameters.setdefault("uncut", "median")
    else:
        parameters = binner_parameters(options)
    table = read_data(
        options.data,
        options.target,
        target_bins=options.target_bins,
        drop_missing=options.drop_missing_target,
        header=options.header,
    )
    groups, exclude = (
        _groups(table, options.groups),
        [*(options.exclude or ()), *([options.groups] if options.groups else [])],
    )
    return make_plan(
        table,
        methods=options.methods or DEFAULT_METHODS,
        counts=options.features,
        classifier=options.classifier,
        scoring=options.scoring,
        folds=options.folds,
        groups=groups,
        include=options.include or (),
        exclude=exclude,
        parameters=dict(options.set),
        baselines=True,
        protocol=options.protocol,
        binning=make_binner(options.binning, **parameters) if parameters else options.binning,
        random_state=options.seed,
        bounds=options.bounds,
    )


def _groups(table: Table, name: str | None) -> Any:
    """The values of the column of groups."""
    if name is None:
        return None
    if name not in table.names:
        raise ValueError(f"there is no column {name!r} for the groups: {allowed_names(name, list(table.names))}")
    values = table.values(list(table.names).index(name))
    return getattr(values, "codes", values)


def _compare(plan: Plan, threads: int, kept: Path | None) -> Comparison:
    from bitsieve.evaluation.checkpoint import Checkpoint
    from bitsieve.evaluation.run import run_plan

    if kept is None:
        return run_plan(plan, threads)
    checkpoint = Checkpoint(kept, plan)
    if checkpoint.finished:
        say(f"note: {len(checkpoint.finished):,} of {len(plan.folds):,} folds are done already")
    try:
        return run_plan(plan, threads, checkpoint)
    except BaseException:
        _tell_what_is_left(checkpoint, plan)
        raise


def _tell_what_is_left(checkpoint: Checkpoint, plan: Plan) -> None:
    if checkpoint.finished:
        say(
            f"{len(checkpoint.finished):,} of {len(plan.folds):,} folds are finished and kept in "
            f"{str(checkpoint.path)!r}: the same command with --resume goes on"
        )
    else:
        checkpoint.path.unlink(missing_ok=True)


def _save(comparison: Comparison, options: argparse.Namespace) -> None:
    if options.output is not None:
        from bitsieve.evaluation.tidy import write_comparison

        write_comparison(comparison, options.output)
    if options.report is not None:
        from bitsieve.report.files import write_report

        write_report(comparison, options.report, command=_command(comparison, options))


def _command(comparison: Comparison, options: argparse.Namespace) -> str:
    """The command that selects what is recommended."""
    choice = comparison.choice()
    words = ["bitsieve", "select", options.data]
    for option, value in (("--target", options.target), ("--method", choice.method), ("--features", choice.n_features)):
        words += [] if value is None else [option, str(value)]
    for option, value in (("--binning", options.binning), ("--bins", options.bins), ("--missing", options.missing)):
        words += [] if value is None or (option, value) == ("--binning", "mdl") else [option, str(value)]
    for option, names in (("--include", options.include), ("--exclude", options.exclude)):
        words += [word for name in names or () for word in (option, name)]
    return shlex.join(words)


def _print_document(comparison: Comparison, options: argparse.Namespace, seconds: float) -> None:
    made = {"output": options.output, "report": options.report, "seconds": round(seconds, 3)}
    print_document({**comparison.to_dict(), **made})
