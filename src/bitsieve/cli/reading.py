"""The data that a command is given as a table: read at once, in batches, or by a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from distributed import Client

    from bitsieve.sources.in_parts import TableInParts
    from bitsieve.table.table import Table


def in_batches(options: argparse.Namespace, *, folders: bool = True) -> bool:
    """Whether the data is read in batches: where memory or a spool is given, and a folder always."""
    given = options.memory is not None or options.spool is not None
    if options.data is None:
        return given
    return given or (folders and Path(options.data).is_dir())


def read(options: argparse.Namespace, client: Client | None) -> Table | TableInParts:
    """The table of ``DATA``, or of saved counts."""
    if options.counts:
        return _saved(options)
    how = {"target_bins": options.target_bins, "drop_missing": options.drop_missing_target}
    if client is not None:
        from bitsieve.sources.dask_files import FilesOnCluster

        files = FilesOnCluster(options.data, client)
        return files.read_in_parts(options.target, options.weight, **how)
    if not in_batches(options):
        from bitsieve.table.read_data import read_data

        return read_data(
            options.data,
            options.target,
            options.weight,
            header=options.header,
            **how,
        )
    from bitsieve.sources.stream import StreamSource

    source = StreamSource(options.data, options.memory, options.spool)
    target = source.own_target if options.target is None else options.target
    if target is None:
        raise ValueError("no target is given: name a column with --target")
    if source.own_target is None and (getattr(options, "output", None) or "").lower().endswith(".npz"):
        raise ValueError("what is read in batches is not written to .npz: write .parquet, .arrow or .csv")
    return source.read_in_parts(target, options.weight, **how)


def _saved(options: argparse.Namespace) -> TableInParts:
    from functools import reduce
    from operator import add

    from bitsieve.sources.counts_table import CountsTable
    from bitsieve.sources.saved_counts import SavedCounts

    if options.data is not None:
        raise ValueError("give DATA or --counts, not both")
    if getattr(options, "output", None) is not None:
        raise ValueError("--counts has no rows to write: leave out --output")
    return CountsTable(reduce(add, map(SavedCounts.load, options.counts)))
