"""The command ``bitsieve bounds``: a lower and an upper bound on the error of the best possible classifier."""

from __future__ import annotations

import argparse

from bitsieve.cli.build import column_options, read_options
from bitsieve.cli.results import note_lines, show_result
from bitsieve.utils.progress import progress_bar


def run(arguments: argparse.Namespace) -> int:
    """Read, bound, print."""
    from bitsieve.dataset.read import read_data
    from bitsieve.evaluate.error_bounds import bounds_of_table

    with progress_bar(not arguments.quiet):
        table = read_data(arguments.data, read_options(arguments))
        bounds = bounds_of_table(table, column_options(arguments), arguments.column or (), arguments.tree)
        notes = note_lines(arguments, bounds.diagnostics)

    show_result(arguments, notes, bounds, lambda: str(bounds))
    return 0
