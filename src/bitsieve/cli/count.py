"""``bitsieve count`` and ``bitsieve sql``: the tables of all pairs of columns, counted here or by a database."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitsieve.cli.shared import discretization_options, read_options
from bitsieve.utils.progress import shown

if TYPE_CHECKING:
    from bitsieve.discretization.base import Binning
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.options import DiscretizationOptions


def run(options: argparse.Namespace) -> int:
    """Read, count, save."""
    discretization = discretization_options(options)
    there = os.listdir(options.save) if os.path.isdir(options.save) else []
    if not options.force and not all(name.startswith(".bitsieve-") for name in there):  # of a run that was killed
        raise ValueError(f"--save {options.save!r} is there already: add --force to overwrite it, or give another name")
    with shown(not options.quiet):
        from bitsieve.engines.saved_counts import SavedCounts, check_folder, count_like, count_table
        from bitsieve.engines.stream import StreamSource

        check_folder(options.save)
        first = None if options.like is None else SavedCounts.load(options.like)
        source = StreamSource(options.data, options.memory)
        table, binner = _read(source, options, discretization)
        if first is not None and (options.include or options.exclude):
            raise ValueError("--include and --exclude have no meaning with --like, which has them: leave them out")
        if first is None:
            table = _prepared(table, binner, options)
            counts = count_table(table, binner, few_are_codes=discretization.leaves_codes_open)
        else:
            counts = count_like(table, first)
        counts.save(options.save)
    rows, columns = int(counts.class_sizes.sum()), len(counts.names)
    options.say(f"saved the counts of {rows:,} samples and all pairs of {columns:,} columns to {options.save!r}")
    return 0


def run_sql(options: argparse.Namespace) -> int:
    """Find the bins, and print the statement that counts all pairs of columns."""
    discretization = discretization_options(options)
    with shown(not options.quiet):
        from bitsieve.engines.in_database import DatabaseSource
        from bitsieve.engines.sql import statement
        from bitsieve.engines.stream import StreamSource
        from bitsieve.io.database import identifier, name_of_table
        from bitsieve.io.read import database_kind

        kind = database_kind(options.data)
        in_place = kind == "duckdb"
        source = DatabaseSource(options.data) if in_place else StreamSource(options.data, options.memory)
        if options.relation is not None:
            name = ".".join(map(identifier, options.relation.split(".")))
        else:
            name = name_of_table(options.data) if kind else identifier(Path(str(options.data)).stem)
        table, binner = _read(source, options, discretization)
        table = _prepared(table, binner, options)
        if discretization.leaves_codes_open:
            table, _ = table.few_as_codes()
        text = statement(table, binner, name)
    print(text)
    return 0


def _read(
    source: Any, options: argparse.Namespace, discretization: DiscretizationOptions
) -> tuple[PartitionedDataset, Binning]:
    """The table, of which the target is known, and its binner."""
    from bitsieve.discretization.registry import make_discretizer
    from bitsieve.engines.partitioned_dataset import PartitionedDataset
    from bitsieve.io.read import open_columns

    if getattr(source, "own_target", None) is not None:
        open_columns(options.data)
    table = source.read_in_parts(read_options(options))
    assert isinstance(table, PartitionedDataset)  # sparse rows are refused above
    return table, make_discretizer(discretization, options.threads or -1).for_table(table)


def _prepared(table: PartitionedDataset, binner: Binning, options: argparse.Namespace) -> PartitionedDataset:
    """The table without the columns that are dropped, each with a note."""
    from bitsieve.pipeline.prepare import ColumnChoice, prepare

    choice = ColumnChoice(include=options.include or (), exclude=options.exclude or ())
    prepared = prepare(table, choice, binner=binner)
    for note in (*table.notes, *prepared.notes):
        options.say(f"note: {options.wording(note)}")
    return prepared.table
