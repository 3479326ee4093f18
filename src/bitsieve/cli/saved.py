"""The commands ``bitsieve apply``, ``bitsieve verify`` and ``bitsieve diff``: what is done with a saved selection."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from bitsieve.cli.build import execution_options
from bitsieve.cli.results import check_written, made_by, note_lines, print_document, show_result
from bitsieve.diagnostics import UserError
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from bitsieve.api.apply import Applied

AGREES = 0
DIFFERS = 1


def run_apply(arguments: argparse.Namespace) -> int:
    """Load the selection, take its columns from the data, write and compare them."""
    from bitsieve.io.formats import written_endings

    check_written(arguments, output=written_endings())
    _check_rows_written(arguments)
    writes_to_standard_output = arguments.output is None and not arguments.check
    with progress_bar(not arguments.quiet):
        from bitsieve.api.apply import ApplyOptions, apply_to_file
        from bitsieve.api.load import load

        selection = load(arguments.selection)
        options = ApplyOptions(
            output=sys.stdout.buffer if writes_to_standard_output else arguments.output,
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
    if arguments.output is not None:
        n_columns = len(applied.columns)
        arguments.say(f"saved {applied.n_rows:,} rows of {n_columns:,} columns to {arguments.output!r}")
    return 0


def _check_rows_written(arguments: argparse.Namespace) -> None:
    """Refuse options that contradict where the rows go: to --output, else to standard output, but for --check alone."""
    if arguments.output is not None:
        return
    if arguments.check and (arguments.codes or arguments.append_score):
        raise UserError(
            code="parameter-without-effect",
            message="--check alone writes no rows, so that --codes and --append-score have no effect",
            advice="add --output, or leave them out",
        )
    if arguments.json and not arguments.check:
        raise UserError(
            code="contradicting-parameters",
            message="--json and the rows would both go to standard output",
            advice="give --output a file for the rows",
        )


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
