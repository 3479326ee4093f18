"""``bitsieve count`` and ``bitsieve sql``: the tables of all pairs of columns, counted here or by a database."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, discretization_options, execution_options, read_options
from bitsieve.cli.results import note_lines
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.terminal_text import printable_lines

if TYPE_CHECKING:
    from bitsieve.discretization.base import Binning
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.engines.registry import DataInParts
    from bitsieve.options import DiscretizationOptions
    from bitsieve.pipeline.prepare import Prepared


def run(arguments: argparse.Namespace) -> int:
    """Read, count, save."""
    discretization = discretization_options(arguments)
    _refuse_existing_counts(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.saved_counts import check_folder, check_same_columns, count_like, count_table, load_sum
        from bitsieve.engines.stream import StreamSource

        check_folder(arguments.save)
        table, binner = _read(StreamSource(arguments.data, arguments.memory), arguments, discretization)
        if arguments.like is None:
            prepared = _prepared(table, discretization, arguments)
            _print_notes(arguments, [*table.diagnostics, *prepared.diagnostics])
            counts = count_table(prepared.table, binner, few_are_codes=discretization.leaves_codes_open)
        else:
            first = load_sum(arguments.like)
            check_same_columns(list(map(str, table.names)), first.names)
            prepared = _prepared(table.without(first.dropped), discretization, arguments)
            retained = [j for j, reason in prepared.dropped.items() if reason == "empty"]  # other sites may have values
            counts = count_like(table.without(sorted({*prepared.dropped} - {*retained})), first)
            notes = [note for note in prepared.diagnostics if note.code != "empty"]
            _print_notes(arguments, [*table.diagnostics, *notes])
        replace(counts, site=arguments.site or "").save(arguments.save)
    n_samples = int(counts.class_sizes.sum())
    n_columns = len(counts.names)
    arguments.say(
        f"saved the counts of {n_samples:,} samples and all pairs of {n_columns:,} columns to {arguments.save!r}"
    )
    return 0


def check(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop ``bitsieve count``."""
    from bitsieve.engines.saved_counts import check_folder, load_sum
    from bitsieve.engines.stream import StreamSource

    discretization = discretization_options(arguments)
    _refuse_existing_counts(arguments)
    check_folder(arguments.save)
    if arguments.like is not None:
        load_sum(arguments.like)
    if reads_data:
        table, _ = _read(StreamSource(arguments.data, arguments.memory), arguments, discretization)
        _prepared(table, discretization, arguments)


def _refuse_existing_counts(arguments: argparse.Namespace) -> None:
    """Refuse to overwrite saved counts without --force."""
    existing_files = os.listdir(arguments.save) if os.path.isdir(arguments.save) else []
    is_free = all(name.startswith(".bitsieve-") for name in existing_files)  # a killed run leaves such files
    if not is_free and not arguments.force:
        raise UserError(
            code="output-exists",
            message=f"--save {arguments.save!r} is there already",
            advice="add --force to overwrite it, or give another name",
        )


def run_sql(arguments: argparse.Namespace) -> int:
    """Find the bins, and print the statement that counts all pairs of columns."""
    discretization = discretization_options(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.sql import statement

        relation = _relation_of_sql(arguments)
        table, binner = _read(_source_of_sql(arguments), arguments, discretization)
        prepared = _prepared(table, discretization, arguments)
        _print_notes(arguments, [*table.diagnostics, *prepared.diagnostics])
        counted_table = prepared.table
        if discretization.leaves_codes_open:
            counted_table, _ = counted_table.with_small_integers_as_categories()
        text = statement(counted_table, binner, relation)
    print(printable_lines(text))
    return 0


def check_sql(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop ``bitsieve sql``."""
    discretization = discretization_options(arguments)
    if reads_data:
        table, _ = _read(_source_of_sql(arguments), arguments, discretization)
        _prepared(table, discretization, arguments)


def _relation_of_sql(arguments: argparse.Namespace) -> str:
    """The name of the relation in the statement: that of --relation, of the table in a database, or of the file."""
    from bitsieve.io.database import identifier, name_of_table
    from bitsieve.io.read import database_kind

    if arguments.relation is not None:
        return ".".join(map(identifier, arguments.relation.split(".")))
    if database_kind(arguments.data):
        return name_of_table(arguments.data)
    return identifier(Path(str(arguments.data)).stem)


def _source_of_sql(arguments: argparse.Namespace) -> DataInParts:
    """Where the bins are found: in the database itself, or in the rows of a file."""
    from bitsieve.engines.in_database import DatabaseSource
    from bitsieve.engines.stream import StreamSource
    from bitsieve.io.read import database_kind

    if database_kind(arguments.data) == "duckdb":
        return DatabaseSource(arguments.data)
    return StreamSource(arguments.data, arguments.memory)


def _read(
    source: DataInParts, arguments: argparse.Namespace, discretization: DiscretizationOptions
) -> tuple[PartitionedDataset, Binning]:
    """Open the table, and make the rule that bins it."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.engines.registry import refuse_sampling_weights
    from bitsieve.io.errors import DataError
    from bitsieve.io.libsvm import LibsvmFile
    from bitsieve.io.read import open_columns

    if source.target_in_file is not None:
        open_columns(arguments.data)  # refuses sparse rows
    read = read_options(arguments)
    refuse_sampling_weights(read)
    table = source.read_in_parts(read)
    if not isinstance(table, PartitionedDataset):  # sparse rows of a stream, in which nothing is seen before it is read
        raise DataError(code="cannot-read", message=f"{arguments.data!r} is {LibsvmFile.refusal}")
    return table, make_discretizer(discretization, arguments.threads or -1).for_table(table)


def _prepared(
    table: PartitionedDataset, discretization: DiscretizationOptions, arguments: argparse.Namespace
) -> Prepared[PartitionedDataset]:
    """Prepare the table: drop the columns that are no features."""
    from bitsieve.pipeline.prepare import prepare

    return prepare(table, column_options(arguments), discretization, execution_options(arguments))


def _print_notes(arguments: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> None:
    for note in note_lines(arguments, diagnostics):
        arguments.say(f"note: {note}")
