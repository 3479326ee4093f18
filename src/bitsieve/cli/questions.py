"""The commands ``bitsieve how-many``, ``bitsieve interactions`` and ``bitsieve compare``."""

from __future__ import annotations

import argparse
import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.build import (
    check_settings_of_compare,
    column_options,
    discretization_options,
    drift_rule,
    execution_options,
    read_options,
)
from bitsieve.cli.options import options_of
from bitsieve.cli.results import (
    check_written,
    show_result,
    sources_of,
    take_notes,
    write_figure,
    write_report,
)
from bitsieve.cli.set_values import parameters_of_settings, settable_parameters
from bitsieve.cli.wording import Wording, say, typed_values
from bitsieve.diagnostics import UserError, without_passwords
from bitsieve.utils.defaults import ESTIMATOR, INTERACTIONS_BINNING
from bitsieve.utils.progress import phase, progress_bar

if TYPE_CHECKING:
    from bitsieve.api.how_many import RuleOptions
    from bitsieve.api.interactions import InteractionOptions
    from bitsieve.evaluate.plan import ComparisonOptions, Plan
    from bitsieve.options import DiscretizationOptions
    from bitsieve.results.comparison import Comparison

EFFECT = "effect"  # the name of --effect in --set
FOLDS_ENDING = ".folds"  # --output with this ending is the folder of finished folds, until all are finished


def run_how_many(arguments: argparse.Namespace) -> int:
    """Ask the rules how many columns to take, draw the figure, write the report, print."""
    from bitsieve.plots.figure_files import FORMATS

    discretization = discretization_options(arguments)
    check_written(arguments, figure=FORMATS, report=(".html",))
    with _progress_and_notes(arguments):
        from bitsieve.api.how_many import ask_rules
        from bitsieve.report.plots import plot_how_many

        result = ask_rules(
            arguments.data,
            read_options(arguments),
            execution_options(arguments),
            discretization,
            column_options(arguments),
            _rule_options(arguments),
            drift_rule(arguments),
        )
        notes = take_notes(arguments, result.diagnostics)
        saved = write_figure(arguments, lambda: plot_how_many(result).figure)
        saved += write_report(arguments, result)

    show_result(arguments, notes, result, result.table_text, saved)
    return 0


def check_how_many(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop the command."""
    from bitsieve.evaluate.plan import ComparisonOptions, make_plan
    from bitsieve.information import check_estimator
    from bitsieve.plots.figure_files import FORMATS

    discretization = discretization_options(arguments)
    check_written(arguments, figure=FORMATS, report=(".html",))
    check_estimator(arguments.estimator or ESTIMATOR)
    rules = _rule_options(arguments)
    if not reads_data:
        return
    from bitsieve.dataset.read import read_data

    table = read_data(arguments.data, read_options(arguments))
    comparison = ComparisonOptions(
        methods=[rules.method],
        features=[1],
        classifier=rules.classifier,
        scoring=rules.scoring,
        folds=rules.folds,
        random_state=rules.random_state,
        effect=rules.effect,
    )
    make_plan(table, comparison, column_options(arguments), discretization, execution_options(arguments))


def _rule_options(arguments: argparse.Namespace) -> RuleOptions:
    from bitsieve.api.how_many import RuleOptions
    from bitsieve.information import ANY_EFFECT

    return RuleOptions(
        method=arguments.method,
        estimator=arguments.estimator or ESTIMATOR,
        classifier=arguments.classifier,
        scoring=arguments.scoring,
        folds=arguments.folds,
        n_pairs=arguments.pairs,
        random_state=arguments.seed,
        effect=arguments.effect or ANY_EFFECT,
    )


def run_interactions(arguments: argparse.Namespace) -> int:
    """Search the strongest pairs or triples, save them, draw the figure, print."""
    from bitsieve.io.write import ROWS_WRITTEN, write_rows
    from bitsieve.plots.figure_files import FORMATS

    check_written(arguments, output=ROWS_WRITTEN, output_columns=ROWS_WRITTEN, figure=FORMATS)
    discretization = discretization_options(arguments, INTERACTIONS_BINNING)
    saved: list[str] = []
    with _progress_and_notes(arguments):
        from bitsieve.api.interactions import search_interactions

        result = search_interactions(
            arguments.data,
            read_options(arguments),
            replace(execution_options(arguments), push_down=False),
            discretization,
            column_options(arguments),
            _interaction_options(arguments),
        )
        notes = take_notes(arguments, result.diagnostics)
        if arguments.output is not None:
            write_rows(result.to_frame("pyarrow"), arguments.output)
            saved.append(f"saved {len(result.tuples):,} tuples to {arguments.output!r}")
        if arguments.output_columns is not None:
            write_rows(result.to_column_frame("pyarrow"), arguments.output_columns)
            saved.append(f"saved the strongest of {len(result.columns):,} columns to {arguments.output_columns!r}")
        saved += write_figure(arguments, lambda: result.plot().figure)

    show_result(arguments, notes, result, result.table_text, saved)
    return 0


def check_interactions(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop the command."""
    from bitsieve.io.write import ROWS_WRITTEN
    from bitsieve.plots.figure_files import FORMATS

    check_written(arguments, output=ROWS_WRITTEN, output_columns=ROWS_WRITTEN, figure=FORMATS)
    discretization = discretization_options(arguments, INTERACTIONS_BINNING)
    question = _interaction_options(arguments)
    if not reads_data:
        return
    from bitsieve.api.interactions import prepare_search

    prepare_search(
        arguments.data,
        read_options(arguments),
        replace(execution_options(arguments), push_down=False),
        discretization,
        column_options(arguments),
        question,
    )


def _interaction_options(arguments: argparse.Namespace) -> InteractionOptions:
    from bitsieve.api.interactions import InteractionOptions

    return InteractionOptions(
        order=arguments.order,
        top=arguments.top,
        statistic=arguments.statistic,
        n_shuffles=arguments.shuffles,
        screen=arguments.screen,
        strata=arguments.strata,
        rate_by=arguments.rate_by,
        random_state=arguments.seed,
    )


@contextmanager
def _progress_and_notes(arguments: argparse.Namespace) -> Iterator[None]:
    """Inside the block, progress is shown unless --quiet is given, and notes are not warned of: the result has them."""
    from bitsieve.utils.note_warnings import BitsieveWarning

    with progress_bar(not arguments.quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        yield


def run_compare(arguments: argparse.Namespace) -> int:
    """Read, compare, save, print."""
    folder = _check_paths(arguments)
    with progress_bar(not arguments.quiet):
        plan = _read_and_plan(arguments)
        comparison = _compare(plan, arguments.threads or -1, folder)
        command = _select_command(comparison, plan.discretization, arguments)
        notes = take_notes(arguments, comparison.diagnostics)
        saved = _save_comparison(comparison, command, arguments)
    if folder is not None:
        from bitsieve.evaluate.checkpoint import remove

        remove(folder)

    def text() -> str:
        from bitsieve.results.comparison import as_text

        return as_text(comparison, call=command)

    show_result(arguments, notes, comparison, text, saved)
    return 0


def check_compare(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop the command."""
    _check_paths(arguments)
    discretization_options(arguments, None)
    _comparison_options(arguments)
    if reads_data:
        _read_and_plan(arguments)


def _save_comparison(comparison: Comparison, command: str, arguments: argparse.Namespace) -> list[str]:
    """Write the table of errors and the report if they are asked for; return a line on each."""
    phase("writing")
    saved: list[str] = []
    if arguments.output is not None:
        from bitsieve.io.write import write_rows

        write_rows(comparison.table(), arguments.output)
        saved.append(f"saved the table of errors to {arguments.output!r}")
    return saved + write_report(arguments, comparison, command)


def _check_paths(arguments: argparse.Namespace) -> Path | None:
    """Refuse paths that cannot be used, before any work; return the folder of finished folds, None without --output."""
    from bitsieve.io.write import ROWS_WRITTEN

    check_written(arguments, output=ROWS_WRITTEN, report=(".html",))
    if arguments.output is None:
        if arguments.resume:
            raise UserError(
                code="output-needed",
                message="--resume goes on from the folds that are kept next to the output",
                advice="give --output as in the first run",
            )
        return None
    folder = Path(arguments.output + FOLDS_ENDING)
    if folder.exists() and not arguments.resume:
        raise UserError(
            code="unfinished-run",
            message=f"{str(folder)!r} holds finished folds of a run that did not end",
            advice="add --resume to go on, or delete it",
        )
    return folder


def _read_and_plan(arguments: argparse.Namespace) -> Plan:
    from bitsieve.api.drift_rule import apply_drift_rule
    from bitsieve.dataset.read import read_data
    from bitsieve.evaluate.plan import make_plan
    from bitsieve.pipeline.period_columns import missing_column_reported_by_role

    discretization = discretization_options(arguments, None)
    comparison = _comparison_options(arguments)
    execution = execution_options(arguments)
    read = read_options(arguments)
    applied = apply_drift_rule(arguments.data, read, execution, column_options(arguments), drift_rule(arguments))
    with missing_column_reported_by_role(arguments.period, arguments.strata, read.survival):
        table = read_data(arguments.data, applied.read)
    comparison = replace(comparison, penalties=applied.penalties)
    plan = make_plan(table, comparison, applied.columns, discretization, execution)
    return replace(plan, diagnostics=[*applied.diagnostics, *plan.diagnostics])


def _comparison_options(arguments: argparse.Namespace) -> ComparisonOptions:
    from bitsieve.evaluate.plan import DEFAULT_METHODS, ComparisonOptions
    from bitsieve.information import ANY_EFFECT

    check_settings_of_compare(arguments)
    return ComparisonOptions(
        methods=arguments.methods or DEFAULT_METHODS,
        features=arguments.features,
        classifier=arguments.classifier,
        scoring=arguments.scoring,
        folds=arguments.folds,
        protocol=arguments.protocol,
        parameters=parameters_of_settings([setting for setting in arguments.set or () if setting[0] != EFFECT]),
        baselines=True,
        random_state=arguments.seed,
        bounds=arguments.bounds,
        effect=_effect(arguments) or ANY_EFFECT,
    )


def _effect(arguments: argparse.Namespace) -> str | None:
    """The effect of --effect, or of --set for all methods; None if neither is given."""
    effects = [str(value) for name, value in arguments.set or () if name == EFFECT]
    if arguments.effect is not None:
        effects.append(arguments.effect)
    if len(effects) > 1:
        raise UserError(
            code="given-twice",
            message=f"the effect is given {len(effects)} times",
            advice="give --effect once",
        )
    return effects[0] if effects else None


def _compare(plan: Plan, threads: int, folder: Path | None) -> Comparison:
    """Run the comparison. With a folder, finished folds are stored there, so that an interrupted run can go on."""
    from bitsieve.evaluate.checkpoint import Checkpoint, remove
    from bitsieve.evaluate.run import run_plan

    if folder is None:
        return run_plan(plan, threads)
    checkpoint = Checkpoint(folder, plan)
    n_folds = len(plan.folds)
    if checkpoint.finished:
        say(f"note: {len(checkpoint.finished):,} of {n_folds:,} folds are done already")
    try:
        return run_plan(plan, threads, checkpoint)
    except BaseException:
        if checkpoint.finished:
            say(
                f"{len(checkpoint.finished):,} of {n_folds:,} folds are finished and kept in {str(folder)!r}: the same "
                "command with --resume goes on"
            )
        else:
            remove(folder)
        raise


def _select_command(
    comparison: Comparison, discretization: DiscretizationOptions, arguments: argparse.Namespace
) -> str:
    """The ``bitsieve select`` that selects what the comparison recommends, with the options of this command."""
    from bitsieve.methods.registry import find_method
    from bitsieve.options import PAPER

    choice = comparison.choice()
    parameters: dict[str, object] = {"method": choice.method, "n_features_to_select": choice.n_features}
    parameters.update(_typed_for_select(arguments))
    effect = _effect(arguments)
    if effect is not None:
        parameters[EFFECT] = effect
    settable = settable_parameters(find_method(choice.method))
    parameters.update((name, value) for name, value in arguments.set or () if name in settable)
    if discretization.uncut is not None:
        parameters["uncut"] = discretization.uncut
    if comparison.parameters["protocol"] == PAPER:
        parameters["protocol"] = PAPER
    excluded = list(arguments.exclude or ())
    if arguments.groups is not None and arguments.groups not in (arguments.strata or ()):  # strata are no features
        excluded.append(arguments.groups)
    parameters["exclude"] = excluded

    words = ["bitsieve", "select", *sources_of(arguments)]
    for name in arguments.target or ():
        words += ["--target", name]
    wording = Wording("select", [choice.method])
    options = [wording.setting(name, value) for name, value in parameters.items()]
    typed_options = [option for option in options if option]  # those of a list without elements are empty
    return without_passwords(" ".join([shlex.join(words), *typed_options]))


def _typed_for_select(arguments: argparse.Namespace) -> dict[str, object]:
    """What was typed that ``bitsieve select`` takes in the same sense. The number of threads changes no result."""
    parameters_of_select: set[str] = set()
    for option in options_of("select"):
        parameters_of_select.update(option.parameters.split())
    parameters_of_select -= {"groups", "exclude", "n_jobs", "protocol"}
    return {name: value for name, value in typed_values(arguments).items() if name in parameters_of_select}
