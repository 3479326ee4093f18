"""Saved counts as a table to select from, and data that is counted as others were."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.data.binning import EqualWidthBinner
from bitsieve.data.binning.coding import Coding, arity_of
from bitsieve.data.target_summary import TargetPart
from bitsieve.engines.in_parts import TableInParts
from bitsieve.engines.saved_counts import SavedCounts, TabledSource, count_pairs

if TYPE_CHECKING:
    from bitsieve.counts.source import CountSource
    from bitsieve.data.binning.base import Binner
    from bitsieve.data.summary import Summary
    from bitsieve.engines.stream_table import StreamedTable


class CountsTable(TableInParts):
    """Saved counts in place of a table: they are binned and counted already.

    Parameters
    ----------
    counts : SavedCounts
    named : bool, default=True
        Whether the columns had names of their own.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"tables"})
    given = None  # type: ignore[assignment]  # there are no rows to give back

    def __init__(self, counts: SavedCounts, *, named: bool = True) -> None:
        self.counts, self.names, self.target = counts, counts.names, counts.target
        self.feature_names = np.array(counts.names, object) if named else None
        self.n_samples = int(counts.class_sizes.sum())

    def count(self, binner: Binner) -> tuple[Coding, CountSource]:
        """The counts as they are, whatever the binner."""
        source = TabledSource(self.counts)
        alone = source.tables(None, np.arange(len(self.names)), False)
        self.varying = [len(table.occupied()[0]) > 1 for table in alone]
        kinds = [None if known is not None else np.dtype(float) for known in self.counts.binner.categories_]
        self.coding = Coding(self.counts.binner, kinds, source.arities, (), 0.0)
        return self.coding, source

    def summary(self, binner: Binner) -> Summary:
        """There are no rows to look at."""
        raise ValueError("saved counts have the bins that they were counted with: count the data anew for others")

    def source(self, coding: Coding) -> CountSource:
        """The counts as they are."""
        return TabledSource(self.counts)

    def varies(self, j: int) -> bool:
        """Whether column ``j`` has several codes."""
        return self.varying[j]


def count_table(table: StreamedTable, binner: Binner, *, few_are_codes: bool) -> SavedCounts:
    """The tables of all pairs of columns of a table, with bins of its own."""
    if table.target.kind == "joint":
        raise ValueError("the counts of several targets together are not saved: name one column as the target")
    table.few_are_codes = few_are_codes
    coding, source = table.count(binner)
    return count_pairs(source, table.names, table.target, coding.binner, coding.binner.n_bins_.astype(np.int32))


def count_like(table: StreamedTable, first: SavedCounts) -> SavedCounts:
    """The tables of all pairs of columns of a table, with the columns, the bins and the classes of other counts.

    Raises
    ------
    ValueError
        If the table has other columns, or a class or a category that the first one had not.
    """
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
    (name,) = table.coded_target.parts
    codes = np.arange(len(labels), dtype=np.int32)
    values = labels if known.edges is None else np.empty(0)
    part = TargetPart(values, replace(known, codes=codes))
    table.coded_target = replace(table.coded_target, parts={name: part}, target=known)
    table.target = known
    table.n_jobs = None
    ends = table.summary(EqualWidthBinner(missing=first.binner.missing))
    arities = np.array([min(arity_of(first.binner, ends, j), n) for j, n in enumerate(first.arities)], np.int32)
    coding = Coding(first.binner, [column.kind for column in ends.columns], arities, (), 0.0)
    return count_pairs(table.source(coding), first.names, known, first.binner, first.arities)
