"""Parquet files, which are read by row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import pyarrow as pa

from bitsieve.io.arrow import give_back_unused
from bitsieve.io.column_file import Partition, native_file
from bitsieve.io.errors import in_one_line
from bitsieve.io.typed_file import TypedColumns, TypedFile

_BUFFER_SIZE = 1 << 18  # bytes of a column that pyarrow reads at once
_BATCHES_AT_ONCE = 4  # batches that polars reads at once, where a row group has no more
_PAGE = 1 << 17  # rows of a page: reading any of them reads all


class ParquetFile(TypedFile):
    """A Parquet file, read by polars where it is installed and knows the types, else by pyarrow."""

    description = "Parquet"

    @property
    def n_rows(self) -> int:
        return sum(self.group_sizes)

    def read_schema(self) -> pa.Schema:
        from pyarrow import parquet

        with native_file(self.path) as opened, parquet.ParquetFile(opened) as file:
            metadata = file.metadata
            self.group_sizes = tuple(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
            return file.schema_arrow

    def partitions(self, *, whole: bool) -> Sequence[Partition]:
        return [RowGroups(self.columns, self.group_sizes, 0, len(self.group_sizes))]

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        n_groups = len(self.group_sizes)
        step = 1 if n is None else max(1, -(-n_groups // n))
        return [
            RowGroups(self.columns, self.group_sizes, first, min(first + step, n_groups))
            for first in range(0, n_groups, step)
        ]


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of a Parquet file, from ``first`` to ``end``."""

    columns: TypedColumns
    sizes: tuple[int, ...]  # rows of every row group of the file
    first: int
    end: int

    def batches(self, columns: Sequence[str] | None, rows: int | None) -> Iterator[pa.Table]:
        names = self.columns.names(columns)
        with in_one_line(f"cannot read {self.columns.label} as {self.columns.description}"):
            if rows is None:
                yield self._read_by_pyarrow(names)
            elif self._suits_polars(names, rows):
                yield from self._batches_by_polars(names, rows)
            else:
                yield from self._batches_by_pyarrow(names, rows)

    def _suits_polars(self, names: list[str], rows: int) -> bool:
        """Whether polars is installed, reads these types as pyarrow does, and the row groups are short enough."""
        return (
            find_spec("polars") is not None
            and self.columns.indices is None
            and str(self.columns.path).isprintable()  # polars cannot open names that are not UTF-8
            and (max(self.sizes, default=0) <= _BATCHES_AT_ONCE * rows or rows >= _PAGE)
            and all(_is_read_alike(self.columns.schema.field(name).type) for name in names)
        )

    def _batches_by_polars(self, names: list[str], rows: int) -> Iterator[pa.Table]:
        import polars

        frame = polars.scan_parquet(self.columns.path, glob=False, hive_partitioning=False).select(names)
        schema = pa.schema([self.columns.schema.field(name) for name in names]).remove_metadata()
        first = sum(self.sizes[: self.first])  # the first row that was not read yet
        end = first
        for group in range(self.first, self.end):
            end += self.sizes[group]
            is_last = group + 1 == self.end
            if end - first < rows and not is_last:
                continue
            is_long = end - first > _BATCHES_AT_ONCE * rows
            n_batches = 2 if is_long else _BATCHES_AT_ONCE
            for start in range(first, end, n_batches * rows):
                n_rows = min(n_batches * rows, end - start)
                table = frame.slice(start, n_rows).collect()
                if len(table) != n_rows:
                    raise OSError("it holds fewer rows than it says")
                yield self.columns.select(table.rechunk().to_arrow().cast(schema), names)  # text has wider offsets
            first = end

    def _read_by_pyarrow(self, names: list[str]) -> pa.Table:
        from pyarrow import parquet

        # By default pyarrow reads all bytes of the row groups ahead, and holds them in memory beside the numbers.
        with native_file(self.columns.path) as opened, parquet.ParquetFile(opened, pre_buffer=False) as file:
            groups = list(range(self.first, self.end))
            table = file.read_row_groups(groups, columns=self._names_to_read(names))
            return self.columns.select(table, names)

    def _batches_by_pyarrow(self, names: list[str], rows: int) -> Iterator[pa.Table]:
        from pyarrow import parquet

        with (
            native_file(self.columns.path) as opened,
            parquet.ParquetFile(opened, pre_buffer=False, buffer_size=_BUFFER_SIZE) as file,
        ):
            groups = list(range(self.first, self.end))
            for batch in file.iter_batches(rows, row_groups=groups, columns=self._names_to_read(names)):
                yield self.columns.select(pa.Table.from_batches([batch]), names)
                give_back_unused()

    def _names_to_read(self, names: list[str]) -> list[str] | None:
        """The columns to read; None for all, where the names in the file are not unique."""
        return names if self.columns.indices is None else None


def _is_read_alike(kind: pa.DataType) -> bool:
    """Whether polars reads a type as pyarrow does."""
    tests = (pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_boolean, pa.types.is_string)
    return any(test(kind) for test in tests)
