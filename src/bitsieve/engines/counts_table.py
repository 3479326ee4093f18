"""Saved counts as a table to select from, and data that is counted as others were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.counts.source import CountSource
from bitsieve.data.binning.base import Binning
from bitsieve.data.binning.coding import Coding
from bitsieve.data.profile import Profile
from bitsieve.data.table import TableElsewhere
from bitsieve.data.target import Target
from bitsieve.engines.in_parts import TableInParts
from bitsieve.engines.saved_counts import SavedCounts, TabledSource, count_all_pairs
from bitsieve.engines.sql import load_result


class CountsTable(TableElsewhere):
    """Saved counts in place of a table: they are binned and counted already."""

    offers = frozenset({"tables"})  # of pairs of columns
    leaves_out = False  # every column was counted

    def __init__(self, counts: SavedCounts, *, named: bool = True) -> None:
        self.counts, self.names = counts, counts.names
        self.feature_names = np.array(counts.names, object) if named else None
        self.given, self.left_out = None, counts.left_out
        self.notes = (f"left out when the rows were counted: {self.quoted(self.left_out)}",) if self.left_out else ()
        source = TabledSource(counts)
        alone = source.tables(None, np.arange(len(counts.names)), False)
        self._varies = np.array([len(table.occupied()[0]) > 1 for table in alone], bool)
        self._uncut = {*getattr(counts.binner, "uncut_", ())} - {*counts.left_out}
        kinds = [None if known is not None else np.dtype(float) for known in counts.binner.categories_]
        self.coding = Coding(counts.binner, kinds, source.arities, (), 0.0)

    @property
    def n_samples(self) -> int:
        return int(self.counts.class_sizes.sum())

    @property
    def target(self) -> Target:
        return self.counts.target

    def profile(self, binner: Any = None) -> Profile:
        """Facts of the columns, as far as counts show them."""
        n = self.n_features
        return Profile(self.n_samples, np.ones(n, bool), np.zeros(n, bool), np.zeros(n, bool), self._varies)

    def few_as_codes(self, n_jobs: int | None = None) -> tuple[CountsTable, bool]:
        return self, False

    def count(self, binner: Any) -> tuple[Binning, CountSource]:
        return self.counts.binner, TabledSource(self.counts)

    def without(self, columns: Sequence[int]) -> CountsTable:
        return self  # every column was counted

    def varies(self, j: int) -> bool:
        return bool(self._varies[j]) or j in self._uncut

    def counts_rows(self, j: int) -> bool:
        return False


def load_counts(path: str | PathLike[str]) -> SavedCounts:
    """Saved counts, or what a statement has returned in a file."""
    return load_result(Path(path)) if Path(path).is_file() else SavedCounts.load(path)


def count_table(table: TableInParts, binner: Binning, *, few_are_codes: bool) -> SavedCounts:
    """The tables of all pairs of columns of a table, with bins of its own."""
    if table.target.kind == "joint":
        raise ValueError("the counts of several targets together are not saved: name one column as the target")
    if few_are_codes:
        table, _ = table.few_as_codes()
    fitted, source = table.count(binner)
    counts = count_all_pairs(source, table.names, table.target, fitted, fitted.n_bins_.astype(np.int32))
    return replace(counts, left_out=table.left_out)


def count_like(table: TableInParts, first: SavedCounts) -> SavedCounts:
    """The tables of all pairs of columns of a table, with the columns, the bins and the classes of other counts."""
    if list(table.names) != first.names:
        lost = [name for name in first.names if name not in set(table.names)]
        raise ValueError(
            f"the data lacks {quoted(lost)}, which the first counts have"
            if lost
            else f"the columns are not those of the first counts: {quoted(first.names)}"
        )
    known, labels = first.target, first.target.labels
    if known.edges is None:
        new = sorted(set(map(str, table.target.labels.tolist())) - set(map(str, labels.tolist())))
        if new:
            raise ValueError(f"the target holds {quoted(new)}, which the first counts have not: count all rows anew")
    source = table.without(first.left_out).count_as(first.binner, first.arities, known)
    counts = count_all_pairs(source, first.names, known, first.binner, first.arities)
    return replace(counts, left_out=first.left_out)
