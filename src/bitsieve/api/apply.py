"""A selection applied to a file of new data, in batches of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO

import numpy as np
import pyarrow as pa

from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.stream import DEFAULT_MEMORY, rows_of_batch
from bitsieve.io.column_file import ColumnFile
from bitsieve.io.h5ad import AnnotatedColumns, H5adFile
from bitsieve.io.npz import ArrayTable
from bitsieve.io.read import open_file
from bitsieve.io.write import write_batches, write_csv, write_table
from bitsieve.results.saved.class_scores import CLASS_COLUMN, SCORE_COLUMN, check_names_of_scores, score_columns
from bitsieve.results.saved.column_changes import ColumnChanges, merged_changes
from bitsieve.results.saved.cut import ColumnCodes, check_edges_are_saved, cut_columns
from bitsieve.results.saved.data_check import DataCheck, check_of_changes
from bitsieve.results.saved.new_columns import ChosenFormat, choose_formats
from bitsieve.results.saved.schema import SavedColumn
from bitsieve.results.selection import Selection
from bitsieve.utils.memory import check_memory
from bitsieve.utils.progress import phase
from bitsieve.utils.types import TableLike

TARGET_OF_ARRAYS = "y"


@dataclass(frozen=True, kw_only=True)
class ApplyOptions:
    """What is written of new data."""

    output: str | PathLike[str] | IO[bytes] | None  # a file, or an open one that gets CSV; None: nothing is written
    codes: bool = False  # codes in place of values
    append_score: bool = False  # the likely class and its score as two more columns
    check: bool = False  # whether the data is compared with that of the selection
    header: bool | None = None  # whether the first line of a text file has the names
    memory: int | str | None = None  # about how many bytes the work may take

    @property
    def needs_codes(self) -> bool:
        """Whether the values are cut."""
        return self.codes or self.append_score or self.check


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What was written of new data, and how the data differs from that of the selection."""

    n_rows: int
    columns: tuple[str, ...]  # that are written
    check: DataCheck | None  # None where the values were not read
    diagnostics: tuple[Diagnostic, ...]  # what has changed in the columns, and what is done about it


def apply_to_file(selection: Selection, data: TableLike, options: ApplyOptions) -> Applied:
    """Take the selected columns of a file, best first, and its target if it is there, and write them.

    A file of columns is read in batches: once, and once before where the text of columns has to be understood.

    Raises
    ------
    UserError
        If selected columns are missing, all of which are named, or the data cannot be read or written.
    """
    if not selection.features:
        raise UserError(code="no-features", message="no column is selected, so that there is nothing to apply")
    if options.needs_codes:
        check_edges_are_saved(selection.details.columns)
    opened = open_file(data, header=options.header)
    if isinstance(opened, H5adFile):
        opened = AnnotatedColumns(opened)
    if isinstance(opened, ColumnFile):
        return _FileOfColumns(selection, opened, options).apply()
    table = opened.read()
    assert isinstance(table, ArrayTable)  # what other files of arrays hold
    return _apply_to_arrays(selection, table, options)


def _positions(selection: Selection, labels: Sequence[str]) -> list[int]:
    """The positions of the selected columns, best first, among the labels of new data."""
    data = selection.details.data
    columns = WantedColumns(selection.features, selection.indices, data.n_features, data.names is not None)
    return columns.positions_in(labels)


class _BatchCutter:
    """Cuts the selected columns of each batch, and collects what has changed in them."""

    def __init__(self, columns: Sequence[SavedColumn], formats: Sequence[ChosenFormat | None] | None) -> None:
        self.columns = columns
        self.formats = formats  # None: the text of each batch decides
        self.changes_of_batches: list[list[ColumnChanges]] = []

    def cut(self, batch: pa.Table) -> list[ColumnCodes]:
        """The codes of a batch that has the selected columns only."""
        cut = cut_columns(self.columns, batch, self.formats)
        self.changes_of_batches.append([column.changes for column in cut])
        return cut

    def changes(self) -> list[ColumnChanges]:
        """The changes of each column in all batches that were cut."""
        return [merged_changes(batches) for batches in zip(*self.changes_of_batches, strict=True)]


class _FileOfColumns:
    """A file of new data, its selected columns and its target columns."""

    def __init__(self, selection: Selection, file: ColumnFile, options: ApplyOptions) -> None:
        self.selection = selection
        self.saved_columns = selection.details.columns
        self.file = file
        self.options = options
        target_names = _target_names(selection)
        self.targets = [name for name in file.names if name in target_names]
        candidates = [name for name in file.names if name not in self.targets]
        self.columns = [candidates[position] for position in _positions(selection, candidates)]
        memory = check_memory(options.memory) or DEFAULT_MEMORY
        self.rows_of_batch = rows_of_batch(memory, file.row_bytes + len(file.names))
        self.n_rows_read = 0

    def apply(self) -> Applied:
        schema = self._schema()
        cutter = _BatchCutter(self.saved_columns, self._formats())
        output = self.options.output
        if output is None:
            phase("comparing")
            for batch in self._batches():
                cutter.cut(batch.select(self.columns))
        else:
            phase("writing")
            target = self.targets[0] if self.targets else ""
            write_batches(self._tables_to_write(schema, cutter), schema, output, target)
        check = None
        diagnostics = tuple(_changed_kinds(cutter.changes_of_batches[0]))
        if self.options.needs_codes:
            check = check_of_changes(self.saved_columns, cutter.changes())
            diagnostics = check.diagnostics
        return Applied(n_rows=self.n_rows_read, columns=tuple(schema.names), check=check, diagnostics=diagnostics)

    def _formats(self) -> list[ChosenFormat | None] | None:
        """The formats of the text of all rows; None where no values are cut."""
        if not self.options.needs_codes:
            return None
        phase("reading text")
        return choose_formats(self.saved_columns, self.file.batches(self.columns, self.rows_of_batch))

    def _schema(self) -> pa.Schema:
        """The names and types of what is written."""
        types = self.file.types_of_all_rows
        fields = [(name, pa.int32() if self.options.codes else types[name]) for name in self.columns]
        fields += [(name, types[name]) for name in self.targets]
        if self.options.append_score:
            check_names_of_scores([name for name, _ in fields])
            fields += [(CLASS_COLUMN, pa.string()), (SCORE_COLUMN, pa.float64())]
        return pa.schema(fields)

    def _batches(self) -> Iterator[pa.Table]:
        """The batches that have rows. Raises UserError if there is none."""
        for batch in self.file.batches([*self.columns, *self.targets], self.rows_of_batch):
            if batch.num_rows:
                self.n_rows_read += batch.num_rows
                yield batch
        if not self.n_rows_read:
            raise UserError(
                code="empty-data",
                message=f"{self.file.label} has no rows",
                advice="nothing to apply the selection to",
            )

    def _tables_to_write(self, schema: pa.Schema, cutter: _BatchCutter) -> Iterator[pa.Table]:
        """What is written, batch by batch."""
        for number, batch in enumerate(self._batches()):
            table = batch
            if self.options.needs_codes:
                table = self._with_codes(batch, cutter.cut(batch.select(self.columns)))
            elif number == 0:
                cutter.cut(batch.select(self.columns))  # shows whether a column holds another kind of values
            yield table.cast(schema)

    def _with_codes(self, batch: pa.Table, cut: Sequence[ColumnCodes]) -> pa.Table:
        """The batch with codes in place of values, and with scores, where these are wanted."""
        table = batch
        if self.options.codes:
            for j, column in enumerate(cut):
                table = table.set_column(j, self.columns[j], pa.array(column.codes))
        if self.options.append_score:
            class_sizes = self.selection.details.class_sizes
            scores = score_columns(self.saved_columns, cut, class_sizes, self.selection.target.labels)
            for name, values in scores.items():
                table = table.append_column(name, pa.array(values))
        return table


def _changed_kinds(changes: Sequence[ColumnChanges]) -> list[Diagnostic]:
    """Diagnostics on the columns that hold another kind of values, which are written as they are."""
    diagnostics = []
    for column in changes:
        diagnostic = column.kind_changed("the values are written as they are")
        if diagnostic is not None:
            diagnostics.append(diagnostic)
    return diagnostics


def _target_names(selection: Selection) -> list[str]:
    """The names of the columns that were the target; none where it was given as values."""
    target = selection.details.options.get("target")
    if isinstance(target, str):
        return [target]
    if isinstance(target, list):
        return [str(name) for name in target]
    return []


def _apply_to_arrays(selection: Selection, table: ArrayTable, options: ApplyOptions) -> Applied:
    """Take the selected columns of arrays, which are in memory at once."""
    if options.append_score:
        raise UserError(
            code="output-format",
            message="scores are not appended to arrays",
            advice="give the data as Parquet, Arrow or CSV",
        )
    positions = _positions(selection, table.names)
    names = [str(name) for name in selection.features]  # which arrays may have no names for
    X = table.X[:, positions]
    cut = cut_columns(selection.details.columns, X)
    changes = [column.changes for column in cut]
    if options.codes:
        X = np.column_stack([column.codes for column in cut])
    if isinstance(options.output, (str, PathLike)):
        write_table(ArrayTable(X, table.y, names), options.output, TARGET_OF_ARRAYS)
    elif options.output is not None:
        write_csv(ArrayTable(X, table.y, names), options.output, TARGET_OF_ARRAYS)
    check = None
    diagnostics = tuple(_changed_kinds(changes))
    if options.codes or options.check:
        check = check_of_changes(selection.details.columns, changes)
        diagnostics = check.diagnostics
    columns = [*names] if table.y is None else [*names, TARGET_OF_ARRAYS]
    return Applied(n_rows=X.shape[0], columns=tuple(columns), check=check, diagnostics=diagnostics)
