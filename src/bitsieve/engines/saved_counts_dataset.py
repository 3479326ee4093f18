"""Saved counts in place of a table, and as a source of counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from math import prod
from typing import Any

import numpy as np

from bitsieve.counts.source import CountSource
from bitsieve.counts.strata import MergedClasses, SourceInStrata
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.column_info import ColumnInfo
from bitsieve.dataset.identifiers import are_counts_of_identifier
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.base import Binning
from bitsieve.engines.out_of_core import OutOfCoreDataset
from bitsieve.engines.pair_cells import first_cells
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.utils.arrays import Columns, Integers
from bitsieve.utils.column_names import STRATUM
from bitsieve.utils.messages import quoted


class SavedCountsDataset(OutOfCoreDataset):
    """Saved counts in place of a table: they are binned and counted already.

    ``within_strata`` says whether information is within the strata of the counts, or of all rows.
    """

    def __init__(
        self,
        counts: SavedCounts,
        *,
        named: bool = True,
        identifier_candidates: Collection[int] = (),
        within_strata: bool = False,
    ) -> None:
        self.within_strata = within_strata
        #: Columns that may be identifiers; none where identifiers were dropped before counting
        self.identifier_candidates = identifier_candidates
        self.counts = counts
        self.names = counts.names
        self.feature_names = np.array(counts.names, object) if named else None
        self.original = None
        self.dropped = counts.dropped
        dropped = [str(self.names[j]) for j in self.dropped]
        self.diagnostics = (left_out_of_counts(dropped),) if dropped else ()
        source = TabledSource(counts)
        counts_of_codes = source.tables(None, np.arange(len(counts.names)), False)
        self._has_one_code = np.array([len(table.occupied()[0]) <= 1 for table in counts_of_codes], bool)
        self._uncut = {*counts.binner.columns_without_cut.tolist()} - {*counts.dropped}
        self._coded_arities = source.arities.astype(np.int64)

    @property
    def capabilities(self) -> frozenset[str]:
        if self.within_strata:
            return frozenset({"tables"})  # tables of pairs of columns
        return frozenset({"tables", "unstratified"})

    @property
    def class_counts_of_strata(self) -> Integers | None:
        if self.counts.strata is None or not self.within_strata:
            return None
        return self.counts.strata.combinations.class_counts(self.counts.class_sizes)

    @property
    def role_of_column(self) -> dict[str, str]:
        roles = super().role_of_column
        return roles if self.counts.strata is None else {self.counts.strata.name: STRATUM, **roles}

    @property
    def can_leave_out(self) -> bool:
        return False  # all columns were counted

    @property
    def n_samples(self) -> int:
        return int(self.counts.class_sizes.sum())

    @property
    def target(self) -> Target:
        return self.counts.target

    @property
    def coded_arities(self) -> Integers:
        return self._coded_arities

    def summarize(self, binner: Any = None) -> list[ColumnInfo]:
        return [self._describe(j) for j in range(self.n_features)]

    def _describe(self, j: int) -> ColumnInfo:
        is_constant = bool(self._has_one_code[j])
        categories = self.counts.binner.categories_[j]
        if j not in self.identifier_candidates or categories is None:
            return ColumnInfo(is_constant=is_constant)
        (table,) = TabledSource(self.counts).tables(None, np.array([j]), False)
        codes, n_rows = table.occupied()
        has_value = codes < len(categories)  # a missing value has the code after those of the categories
        return ColumnInfo(
            is_constant=is_constant,
            has_values=bool(has_value.any()),
            is_identifier=are_counts_of_identifier(categories[codes[has_value]], n_rows[has_value]),
        )

    def with_small_integers_as_categories(self, n_jobs: int | None = None) -> SavedCountsDataset:
        return self

    def count(self, binner: Binning) -> tuple[Binning, CountSource]:
        return self.counts.binner, self._source()

    def _source(self) -> CountSource:
        """The tables within the strata, or with these added up."""
        source = TabledSource(self.counts)
        if self.counts.strata is None:
            return source
        combinations = self.counts.strata.combinations
        if self.within_strata:
            return SourceInStrata(source, combinations)
        return MergedClasses(source, combinations.label, combinations.n_classes)

    def without(self, columns: Sequence[int]) -> SavedCountsDataset:
        """The same counts, of every column; ``dropped`` says which of them no method is to choose."""
        if set(columns) <= {*self.dropped}:
            return self
        table = copy(self)
        table.dropped = tuple(sorted({*self.dropped, *columns}))
        return table

    def is_constant(self, j: int) -> bool:
        return bool(self._has_one_code[j]) and j not in self._uncut

    def is_row_counter(self, j: int) -> bool:
        return False


class TabledSource(CountSource):
    """Saved tables of pairs as a source of counts, for methods that need no other tables."""

    def __init__(self, counts: SavedCounts) -> None:
        self.counts = counts
        self.n_jobs = None
        self.class_sizes = counts.class_sizes
        self.n_classes = len(counts.class_sizes)
        self.n_samples = int(counts.class_sizes.sum())
        self.n_features = len(counts.names)
        self._first_cells = first_cells(counts.arities, self.n_classes)
        self.arities = np.array([self._n_codes(j) for j in range(self.n_features)], np.int32)

    def _n_codes(self, j: int) -> int:
        """One more than the largest code that occurs: the number of codes of a column in memory."""
        samples_of_code = self._dense(j, j).sum(axis=(1, 2))
        return int(np.flatnonzero(samples_of_code)[-1]) + 1

    def tables(self, pivot: int | None, columns: Columns, by_class: bool) -> list[ContingencyTable]:
        tables = []
        for column in map(int, columns):
            if pivot is None:
                n_first = 1
                dense = self._dense(column, column).sum(axis=1)[None]
            else:
                n_first = int(self.arities[pivot])
                dense = self._dense(pivot, column)
            dense = dense[:n_first, : self.arities[column]]
            if not by_class:
                dense = dense.sum(axis=2, keepdims=True)
            flat = np.ascontiguousarray(dense).reshape(-1)
            cells = np.flatnonzero(flat)
            n_first_codes, n_codes, n_classes = dense.shape
            tables.append(ContingencyTable.of_cells((n_first_codes, n_codes, n_classes), cells, flat[cells]))
        return tables

    def _dense(self, i: int, j: int) -> Integers:
        """The cells of a pair, of shape (codes of i, codes of j, classes)."""
        first_column = min(i, j)
        second_column = max(i, j)
        arities = self.counts.arities
        n_first = int(arities[first_column])
        shape = (n_first, int(arities[second_column]), self.n_classes)
        codes_between = int(arities[first_column:second_column].sum())  # of the columns whose tables come before
        start = self._first_cells[first_column] + n_first * self.n_classes * codes_between
        dense = self.counts.cells[start : start + prod(shape)].reshape(shape)
        return dense if i <= j else dense.transpose(1, 0, 2)


def left_out_of_counts(names: Sequence[str]) -> Diagnostic:
    """Columns were dropped before the rows were counted."""
    return Diagnostic(
        code="left-out-of-counts",
        message=f"left out when the rows were counted: {quoted(names)}",
        columns=tuple(names),
    )
