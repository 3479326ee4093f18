"""The commands ``bitsieve apply``, ``bitsieve verify`` and ``bitsieve diff``: what is done with a saved selection."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from bitsieve.cli.build import execution_options
from bitsieve.cli.results import check_written, made_by, note_lines, print_document, show_result, sources_of
from bitsieve.diagnostics import UserError
from bitsieve.io.saved_files import is_saved_scorecard
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from bitsieve.api.apply import Applied

AGREES = 0
DIFFERS = 1


def run_apply(arguments: argparse.Namespace) -> int:
    """Load the selection, take its columns from the data, write and compare them; or score rows by a scorecard."""
    from bitsieve.io.formats import written_endings

    check_written(arguments, output=written_endings())
    if arguments.json and _writes_to_standard_output(arguments):
        raise UserError(
            code="contradicting-parameters",
            message="--json and the rows would both go to standard output",
            advice="give --output a file for the rows",
        )
    if is_saved_scorecard(arguments.selection):
        return _score_by_card(arguments)
    return _apply_selection(arguments)


def _writes_to_standard_output(arguments: argparse.Namespace) -> bool:
    return arguments.output is None and not arguments.check


def _apply_selection(arguments: argparse.Namespace) -> int:
    """Write the selected columns of the data, and compare them with those of the selection."""
    if arguments.output is None and arguments.check and (arguments.codes or arguments.append_score):
        raise UserError(
            code="parameter-without-effect",
            message="--check alone writes no rows, so that --codes and --append-score have no effect",
            advice="add --output, or leave them out",
        )
    with progress_bar(not arguments.quiet):
        from bitsieve.api.apply import ApplyOptions, apply_to_file
        from bitsieve.api.load import load

        selection = load(arguments.selection)
        options = ApplyOptions(
            output=sys.stdout.buffer if _writes_to_standard_output(arguments) else arguments.output,
            codes=arguments.codes,
            append_score=arguments.append_score,
            check=arguments.check,
            header=arguments.header,
            memory=arguments.memory,
        )
        applied = apply_to_file(selection, arguments.data, options)
    for note in note_lines(arguments, applied.diagnostics):
        arguments.say(f"warning: {note}")
    if arguments.json:
        print_document(_document(applied, arguments))
    elif arguments.check:
        print(applied.check)
    _say_saved(arguments, applied.n_rows, len(applied.columns))
    return 0


def _document(applied: Applied, arguments: argparse.Namespace) -> JsonObject:
    """The result of ``apply`` for JSON."""
    check = applied.check if arguments.check else None
    document: JsonObject = {
        "n_rows": applied.n_rows,
        "columns": list(applied.columns),
        "check": None if check is None else check.to_dict(),
    }
    document.update(made_by(arguments))
    return document


def _score_by_card(arguments: argparse.Namespace) -> int:
    """Write the rows of the data with the points and the score that a saved scorecard gives them."""
    if arguments.check:
        command = shlex.join(["bitsieve", "drift", *sources_of(arguments), "--card", arguments.selection])
        raise UserError(
            code="parameter-without-effect",
            message="--check has no effect with a scorecard",
            advice=f"compare the data with its bins by '{command}'",
        )
    for option in ("codes", "append_score"):
        if getattr(arguments, option):
            raise UserError(
                code="parameter-without-effect",
                message=f"--{option.replace('_', '-')} has no effect with a scorecard, which appends its points",
                advice="leave it out",
            )
    with progress_bar(not arguments.quiet):
        from bitsieve.api.score_file import ScoreOptions, score_to_file
        from bitsieve.results.scorecard import Scorecard

        output = sys.stdout.buffer if arguments.output is None else arguments.output
        options = ScoreOptions(output=output, header=arguments.header, memory=arguments.memory)
        scored = score_to_file(Scorecard.load(arguments.selection), arguments.data, options)
    for note in note_lines(arguments, scored.diagnostics):
        arguments.say(f"warning: {note}")
    if arguments.json:
        print_document({"n_rows": scored.n_rows, "columns": list(scored.columns), **made_by(arguments)})
    _say_saved(arguments, scored.n_rows, len(scored.columns))
    return 0


def _say_saved(arguments: argparse.Namespace, n_rows: int, n_columns: int) -> None:
    if arguments.output is not None:
        arguments.say(f"saved {n_rows:,} rows of {n_columns:,} columns to {arguments.output!r}")


def run_verify(arguments: argparse.Namespace) -> int:
    """Load the selection, select again from the data, print the comparison."""
    execution = execution_options(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.api.load import load
        from bitsieve.api.verify import verify_selection

        saved = load(arguments.selection)
        verification = verify_selection(saved, arguments.data, execution)

    show_result(arguments, [], verification, lambda: str(verification))
    return AGREES if verification.agrees else DIFFERS


def run_diff(arguments: argparse.Namespace) -> int:
    """Load both selections, print how they differ."""
    from bitsieve.api.load import load

    difference = load(arguments.then).diff(load(arguments.now))

    show_result(arguments, [], difference, lambda: str(difference))
    return AGREES if difference.is_same else DIFFERS
