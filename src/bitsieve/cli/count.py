"""``bitsieve count`` and ``bitsieve sql``: the tables of all pairs of columns, counted here or by a database."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, discretization_options, execution_options, read_options
from bitsieve.cli.shared import note_lines
from bitsieve.diagnostics import UserError
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.terminal_text import printable_lines

if TYPE_CHECKING:
    from bitsieve.discretization.base import Binning
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.engines.registry import DataInParts
    from bitsieve.options import DiscretizationOptions


def run(arguments: argparse.Namespace) -> int:
    """Read, count, save."""
    discretization = discretization_options(arguments)
    existing_files = os.listdir(arguments.save) if os.path.isdir(arguments.save) else []
    is_free = all(name.startswith(".bitsieve-") for name in existing_files)  # a killed run leaves such files
    if not is_free and not arguments.force:
        raise UserError(
            code="output-exists",
            message=f"--save {arguments.save!r} is there already",
            advice="add --force to overwrite it, or give another name",
        )
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.saved_counts import SavedCounts, check_folder, count_like, count_table
        from bitsieve.engines.stream import StreamSource

        check_folder(arguments.save)
        first = None if arguments.like is None else SavedCounts.load(arguments.like)
        source = StreamSource(arguments.data, arguments.memory)
        table, binner = _read(source, arguments, discretization)
        if first is not None and (arguments.include or arguments.exclude):
            raise UserError(
                code="contradicting-parameters",
                message="--include and --exclude have no meaning with --like, which has them",
                advice="leave them out",
            )
        if first is None:
            table = _prepared(table, discretization, arguments)
            counts = count_table(table, binner, few_are_codes=discretization.leaves_codes_open)
        else:
            counts = count_like(table, first)
        counts.save(arguments.save)
    n_samples = int(counts.class_sizes.sum())
    n_columns = len(counts.names)
    arguments.say(
        f"saved the counts of {n_samples:,} samples and all pairs of {n_columns:,} columns to {arguments.save!r}"
    )
    return 0


def run_sql(arguments: argparse.Namespace) -> int:
    """Find the bins, and print the statement that counts all pairs of columns."""
    discretization = discretization_options(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.in_database import DatabaseSource
        from bitsieve.engines.sql import statement
        from bitsieve.engines.stream import StreamSource
        from bitsieve.io.database import identifier, name_of_table
        from bitsieve.io.read import database_kind

        kind = database_kind(arguments.data)
        in_place = kind == "duckdb"
        source = DatabaseSource(arguments.data) if in_place else StreamSource(arguments.data, arguments.memory)
        if arguments.relation is not None:
            name = ".".join(map(identifier, arguments.relation.split(".")))
        else:
            name = name_of_table(arguments.data) if kind else identifier(Path(str(arguments.data)).stem)
        table, binner = _read(source, arguments, discretization)
        table = _prepared(table, discretization, arguments)
        if discretization.leaves_codes_open:
            table, _ = table.with_small_integers_as_categories()
        text = statement(table, binner, name)
    print(printable_lines(text))
    return 0


def _read(
    source: DataInParts, arguments: argparse.Namespace, discretization: DiscretizationOptions
) -> tuple[PartitionedDataset, Binning]:
    """Open the table, and make its binner."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.io.read import open_columns

    if source.target_in_file is not None:
        open_columns(arguments.data)  # refuses sparse rows
    table = source.read_in_parts(read_options(arguments))
    assert isinstance(table, PartitionedDataset)  # the rows are dense
    return table, make_discretizer(discretization, arguments.threads or -1).for_table(table)


def _prepared(
    table: PartitionedDataset, discretization: DiscretizationOptions, arguments: argparse.Namespace
) -> PartitionedDataset:
    """Drop columns, and print the notes."""
    from bitsieve.pipeline.prepare import prepare

    prepared = prepare(table, column_options(arguments), discretization, execution_options(arguments))
    for note in note_lines(arguments, [*table.diagnostics, *prepared.diagnostics]):
        arguments.say(f"note: {note}")
    return prepared.table
