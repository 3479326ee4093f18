"""The commands ``bitsieve apply``, ``bitsieve verify`` and ``bitsieve diff``: what is done with a saved selection."""

from __future__ import annotations

import argparse
import sys

from bitsieve.cli.build import execution_options
from bitsieve.cli.results import check_written, made_by, note_lines, print_document, show_result
from bitsieve.diagnostics import UserError
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import JsonObject

AGREES = 0
DIFFERS = 1


def run_apply(arguments: argparse.Namespace) -> int:
    """Load the selection, take its columns from the data, write and compare them."""
    from bitsieve.io.formats import written_endings

    check_written(arguments, output=written_endings())
    output = arguments.output
    to_standard_output = output is None and not arguments.check
    if arguments.json and to_standard_output:
        raise UserError(
            code="contradicting-parameters",
            message="--json and the rows would both go to standard output",
            advice="give --output a file for the rows",
        )
    if output is None and not to_standard_output and (arguments.codes or arguments.append_score):
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
            output=sys.stdout.buffer if to_standard_output else output,
            codes=arguments.codes,
            append_score=arguments.append_score,
            check=arguments.check,
            header=arguments.header,
            memory=arguments.memory,
        )
        applied = apply_to_file(selection, arguments.data, options)
    check = applied.check
    for note in note_lines(arguments, applied.diagnostics):
        arguments.say(f"warning: {note}")
    if arguments.json:
        document: JsonObject = {
            "n_rows": applied.n_rows,
            "columns": list(applied.columns),
            "check": None if check is None or not arguments.check else check.to_dict(),
        }
        print_document({**document, **made_by(arguments)})
    elif arguments.check:
        print(check)
    if output is not None:
        n_columns = len(applied.columns)
        arguments.say(f"saved {applied.n_rows:,} rows of {n_columns:,} columns to {output!r}")
    return 0


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
