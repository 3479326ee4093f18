"""How rows of a relation are grouped by the target and the strata, and the classes of the groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from bitsieve.dataset.encoding import are_categories, is_missing, lookup
from bitsieve.dataset.target import read_values, split_target
from bitsieve.dataset.target_summary import TargetCoding, TargetPart
from bitsieve.engines.partition_reader import PartitionReader, RawPartition
from bitsieve.engines.relation import Groups, code_by_cuts, data_changed, integers_of
from bitsieve.utils.arrays import Integers
from bitsieve.utils.types import ColumnLike, Label


class GroupingColumn(NamedTuple):
    """A column of the target or of the strata, by which rows are grouped."""

    label: Label
    part: TargetPart
    is_cut: bool  # whether rows are grouped by the intervals of a quantity; else by the values

    def key(self) -> nw.Expr:
        """The expression by which rows are grouped."""
        column = nw.col(self.label)
        if not self.is_cut:
            return column
        return code_by_cuts(column.cast(nw.Float64), self.part.target.quantity_edges.tolist(), "left")

    def classes(self, keys: ColumnLike) -> Integers:
        """The classes of keys that were fetched; -1 for a missing value."""
        if self.is_cut:
            return integers_of(keys)  # the number of an interval is the class
        column = read_values(keys, "the target")
        missing = is_missing(column)
        present = column.categories if are_categories(column) else column[~missing]
        if self.part.target.edges is None and (lookup(present, self.part.values) < 0).any():
            raise data_changed()
        return np.where(missing, -1, self.part.codes(column)).astype(np.int64)


class TargetGrouping(NamedTuple):
    """How rows are grouped by the columns of the target and of the strata."""

    columns: Sequence[GroupingColumn]
    strata: Sequence[GroupingColumn]
    target: TargetCoding
    reader: PartitionReader  # reads the target from fetched groups, which have no weights

    def classes(self, groups: Groups) -> Integers:
        """The class of each group, or its combination of stratum and class; -1 where the target is missing."""
        table = pa.table({column.label: groups.keys[column.label] for column in self.columns})
        y, _ = self.reader.target_and_weights(RawPartition(table))
        keys_of_columns = split_target(y).values()
        classes = [column.classes(keys) for column, keys in zip(self.columns, keys_of_columns, strict=True)]
        strata = [column.classes(groups.keys[column.label]) for column in self.strata]
        if not self.target.needs_combinations:
            return classes[0]
        return self._combinations_of([*strata, *classes])

    def _combinations_of(self, classes: Sequence[Integers]) -> Integers:
        """The combinations of the classes of all columns."""
        assert self.target.combinations is not None  # known before the rows are counted
        numbers = self.target.numbers([np.maximum(classes_of_column, 0) for classes_of_column in classes])
        has_missing = np.min(classes, axis=0) < 0
        return np.where(has_missing, -1, np.searchsorted(self.target.combinations, numbers))
