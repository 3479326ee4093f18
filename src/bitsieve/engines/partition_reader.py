"""How one partition of the rows becomes a table, a summary of the target or a summary of the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.read import n_rows, n_without, read_xy
from bitsieve.dataset.target import read_weights, take_weighted, zero_where_missing
from bitsieve.dataset.target_summary import TargetCoding, TargetSummary
from bitsieve.dataset.text import target_with_text_read
from bitsieve.dataset.text_format import ColumnRules
from bitsieve.diagnostics import UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.summary import Limits, Summary, summarize
from bitsieve.utils.arrays import Flags, Integers


@dataclass(frozen=True)
class PartitionReader:
    """How a partition of the rows is read: the same for all partitions, and small enough to be sent to a worker.

    A partition is up to three objects: a table of ``columns``; its target ``y`` and its ``weights`` where these are
    not columns of that table.
    """

    # the columns that are features; None: all are, and the target and the weights are objects of their own
    features: Sequence[Any] | None = None
    target: Sequence[Any] = ()  # the columns that are the target; empty: the target is an object of its own
    weight: Any = None  # the column of frequency weights
    drop_missing: bool = False  # whether rows without a target are left out, as if their weight were 0
    left_out: tuple[int, ...] = ()  # features that get one value in every row
    rules: ColumnRules = field(default_factory=partial(ColumnRules, formats={}))  # how columns are read
    target_rules: ColumnRules | None = None  # how text of the target is read; None: as classes

    def n_rows(self, columns: Any, y: Any = None, weights: Any = None) -> list[int]:
        """Count the rows that count, those whose weight is not 0; a list of one, to be joined with other partitions."""
        y, weights = self.target_and_weights(columns, y, weights)
        rows = n_rows(columns)
        if y is not None and n_rows(y) != rows:
            raise UserError(
                code="partitions-differ",
                message=f"a part of the features has {rows:,} rows and that of the target {n_rows(y):,}",
                advice="cut both at the same rows",
            )
        has_weight = _has_weight(weights, rows)
        return [rows if has_weight is None else int(has_weight.sum())]

    def n_without_target(self, columns: Any, y: Any = None, weights: Any = None) -> list[int]:
        """Count the rows left out because they have no target; a list of one, to be joined with other partitions."""
        if not self.drop_missing:
            return [0]
        y, _ = self.target_and_weights(columns, y, weights)
        return [0 if y is None else n_without(y)]

    def summarize_target(
        self,
        first_row: int,
        columns: Any,
        y: Any = None,
        weights: Any = None,
        row_counts: Integers | None = None,
        *,
        sampled: bool,
    ) -> TargetSummary:
        """Summarize the target of the partition, whose first row has this number in the whole table.

        Where equal rows were grouped, ``row_counts[i]`` rows are row i. ``sampled`` asks for a sample of the rows.
        """
        y, weights = self._counting_rows(columns, y, weights)
        return TargetSummary.of_part(y, first_row=first_row, weights=weights, sampled=sampled, row_counts=row_counts)

    def combinations(
        self, first_row: int, columns: Any, y: Any = None, weights: Any = None, *_: Any, target: TargetCoding
    ) -> Integers:
        """List the combinations of classes of a target of several columns that occur in the partition."""
        y, _weights = self._counting_rows(columns, y, weights)
        return np.unique(target.combinations_of(y))

    def read(
        self, first_row: int, columns: Any, y: Any = None, weights: Any = None, *, target: TargetCoding
    ) -> InMemoryDataset:
        """Read the partition as a table, whose classes are those of all rows."""
        features = columns if self.features is None else select_columns(columns, list(self.features))
        _, all_weights = self.target_and_weights(columns, y, weights)
        y_that_counts, _ = self._counting_rows(columns, y, weights)
        table = read_xy(features, None, all_weights, rules=self.rules)
        table = replace(table, y=replace(target.target, codes=target.codes(y_that_counts)))
        return table.without(self.left_out)

    def summarize(
        self,
        first_row: int,
        columns: Any,
        y: Any = None,
        weights: Any = None,
        *,
        target: TargetCoding,
        binner: Binning,
        limits: Limits,
        earlier: Summary | None = None,
        callback: Callable[[InMemoryDataset, Summary], None] | None = None,
    ) -> Summary:
        """Summarize the columns of the partition for a binner.

        ``earlier`` is the summary of other partitions, and ``callback`` is called with the table and its summary.
        """
        table = self.read(first_row, columns, y, weights, target=target)
        summary = summarize(table, binner, first_row=first_row, limits=limits, earlier=earlier)
        if callback is not None:
            callback(table, summary)
        return summary

    def target_and_weights(self, columns: Any, y: Any = None, weights: Any = None) -> tuple[Any, Any]:
        """The target and the frequency weights of a partition, wherever they lie."""
        if len(self.target) == 1:
            y = columns[self.target[0]]
        elif self.target:
            y = select_columns(columns, list(self.target))
        if self.weight is not None:
            weights = columns[self.weight]
        if self.target_rules is not None:
            y, _ = target_with_text_read(y, self.target_rules)
        if self.drop_missing and y is not None and n_rows(y):
            weights = zero_where_missing(weights, y)
        return y, weights

    def _counting_rows(self, columns: Any, y: Any, weights: Any) -> tuple[Any, Integers | None]:
        """The target and the frequency weights of the rows whose weight is not 0."""
        y, weights = self.target_and_weights(columns, y, weights)
        rows = n_rows(columns)
        if y is None:
            y = np.zeros(rows, np.int8)  # without a target all rows are of one class
        has_weight = _has_weight(weights, rows)
        valid_weights = read_weights(weights, rows)
        if has_weight is None or valid_weights is None:
            return y, valid_weights
        return take_weighted(y, has_weight), valid_weights[has_weight]


def select_columns(columns: Any, labels: list[Any]) -> Any:
    """The columns of a partition that have these labels, of an Arrow table or a data frame."""
    if hasattr(columns, "column_names"):
        return columns.select(labels)
    return columns[labels]


def _has_weight(weights: Any, rows: int) -> Flags | None:
    """Whether the weight of each row is not 0; None: there are no weights.

    All weights of a partition may be 0, which :func:`read_weights` refuses in a whole table.
    """
    if weights is None:
        return None
    if not rows:
        return np.zeros(0, bool)
    values = np.asarray(weights)
    if values.dtype.kind in "biuf" and len(values) == rows and not values.any():
        return np.zeros(rows, bool)
    valid_weights = read_weights(values, rows)
    return None if valid_weights is None else valid_weights > 0
