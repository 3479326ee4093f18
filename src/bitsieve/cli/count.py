"""``bitsieve count``: the tables of all pairs of columns, saved to be selected from and added up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from bitsieve.cli.shared import binning_of, rules_of
from bitsieve.common.progress import shown

if TYPE_CHECKING:
    import argparse

    from bitsieve.engines.in_parts import TableInParts


def run(options: argparse.Namespace) -> int:
    """Read, count, save."""
    rule, parameters = binning_of(options)
    there = os.listdir(options.save) if os.path.isdir(options.save) else []
    if not options.force and not all(name.startswith(".bitsieve-") for name in there):  # of a run that was killed
        raise ValueError(f"--save {options.save!r} is there already: add --force to overwrite it, or give another name")
    with shown(not options.quiet):
        from bitsieve.data.binning.registry import make_binner
        from bitsieve.engines.counts_table import count_like, count_table
        from bitsieve.engines.saved_counts import SavedCounts
        from bitsieve.engines.stream import StreamSource
        from bitsieve.files.read import open_columns
        from bitsieve.selection.left_out import consider
        from bitsieve.selection.select import few_are_codes

        first = None if options.like is None else SavedCounts.load(options.like)
        binner = make_binner(rule, n_jobs=options.threads or -1, **parameters)
        source = StreamSource(options.data, options.memory)
        if source.own_target is not None:
            open_columns(options.data)
        if options.target is None:
            raise ValueError("no target is given: name one of the columns")
        how = {name: getattr(options, name) for name in ("target_bins", "target_kind")}
        table = cast(
            "TableInParts", source.read_in_parts(options.target, options.weight, **how, rules=rules_of(options))
        )
        binner = binner.for_table(table)
        codes = few_are_codes(rule, parameters)
        if first is not None and (options.include or options.exclude):
            raise ValueError("--include and --exclude have no meaning with --like, which has them: leave them out")
        if first is None:
            considered = consider(table, options.include or (), options.exclude or (), binner=binner)
            for note in considered.notes:
                options.say(f"note: {options.wording(note)}")
            counts = count_table(cast("TableInParts", considered.table), binner, few_are_codes=codes)
        else:
            counts = count_like(table, first)
        counts.save(options.save)
    rows, columns = int(counts.class_sizes.sum()), len(counts.names)
    options.say(f"saved the counts of {rows:,} samples and all pairs of {columns:,} columns to {options.save!r}")
    return 0
