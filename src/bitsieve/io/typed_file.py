"""Files that store the types of their columns, such as Parquet, Arrow, databases and files of statistics programs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.diagnostics import Diagnostic
from bitsieve.io.column_file import INDEX, ColumnFile, InputFile, Partition, TablePartition, check_schema
from bitsieve.io.dialect import unique_names
from bitsieve.io.errors import DataError, in_one_line


@dataclass(frozen=True)
class TypedColumns:
    """The columns of a file that stores their types."""

    path: Path
    label: str
    kind: str  # the key of the format of the file
    description: str  # what messages call such files
    schema: pa.Schema
    indices: dict[str, int] | None  # the index of every column in the file; None where no name was changed

    def names(self, columns: Sequence[str] | None) -> list[str]:
        """The names of the requested columns; None requests all."""
        return list(self.schema.names if columns is None else columns)

    def select(self, block: pa.Table, columns: list[str]) -> pa.Table:
        """Take columns of a block of rows, and check that their values are valid."""
        if self.indices is None:
            table = block.select(columns)
        else:
            table = block.select([self.indices[name] for name in columns]).rename_columns(columns)
        table.validate(full=True)
        return table


class TypedFile(ColumnFile):
    """A file that stores the types of its columns."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What messages call such files."""

    def __init__(self, file: InputFile, diagnostics: list[Diagnostic], kind: str) -> None:
        super().__init__(file, diagnostics, kind)
        with in_one_line(f"cannot read {self.label} as {self.description}"):
            schema = self.read_schema()
        all_names = schema.names  # Arrow makes the list anew for every access
        indices = [index for index, name in enumerate(all_names) if not name.startswith(INDEX)]
        stored_names = [all_names[index] for index in indices]
        names = unique_names(stored_names, diagnostics)
        if not names:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no columns",
                advice="nothing to select from",
            )
        fields = [schema.field(index).with_name(name) for index, name in zip(indices, names, strict=True)]
        schema = pa.schema(fields)
        check_schema(schema, self.label)
        renamed = None if names == stored_names else dict(zip(names, indices, strict=True))
        self.columns = TypedColumns(self.path, self.label, kind, self.description, schema, renamed)

    @abstractmethod
    def read_schema(self) -> pa.Schema:
        """Read the names and the types of the columns."""

    @property
    def names(self) -> Sequence[str]:
        return list(self.columns.schema.names)

    @property
    def types(self) -> dict[str, pa.DataType]:
        return {field.name: field.type for field in self.columns.schema}


class WholeFile(TypedFile):
    """A file that is read at once, by a library that knows its format."""

    @abstractmethod
    def read_table(self) -> pa.Table:
        """Read all rows."""

    def read_schema(self) -> pa.Schema:
        problem = f"cannot read {self.label} as {self.description}"
        with in_one_line(problem, needed=f"{self.label} is {self.description}, which"):
            self._table = self.read_table()
        return self._table.schema

    @property
    def n_rows(self) -> int:
        return int(self._table.num_rows)

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        with in_one_line(f"cannot read {self.label} as {self.description}"):
            table = self.columns.select(self._table, list(self.names))
        return [TablePartition(table)]


def as_integers(values: pa.Array) -> pa.Array:
    """Convert floats to integers if all of them are whole, for formats that store every number as a float."""
    if not pa.types.is_float64(values.type) or values.null_count == len(values):
        return values
    are_whole = pc.all(pc.equal(values, pc.round(values))).as_py()
    if not are_whole or pc.max(pc.abs(values)).as_py() >= 2**53:
        return values
    return values.cast(pa.int64())
