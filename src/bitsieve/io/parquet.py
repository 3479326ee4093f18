"""Parquet files, which are read by row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from bitsieve.io.arrow import give_back_unused
from bitsieve.io.column_file import Partition, native_file
from bitsieve.io.errors import in_one_line
from bitsieve.io.typed_file import TypedColumns, TypedFile

_BUFFER_SIZE = 1 << 18  # bytes of a column that pyarrow reads at once


class ParquetFile(TypedFile):
    """A Parquet file, read by pyarrow, which ends in an error where other libraries abort the process."""

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

    def partitions(self, *, in_one_block: bool) -> Sequence[Partition]:
        return [RowGroups(self.columns, self.group_sizes, 0, len(self.group_sizes))]

    def partitions_to_send(self, n: int | None) -> Sequence[Partition]:
        n_groups = len(self.group_sizes)
        groups_per_partition = 1 if n is None else max(1, -(-n_groups // n))
        return [
            RowGroups(self.columns, self.group_sizes, first, min(first + groups_per_partition, n_groups))
            for first in range(0, n_groups, groups_per_partition)
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
                yield self._read_all(names)
            else:
                yield from self._read_in_batches(names, rows)

    def _read_all(self, names: list[str]) -> pa.Table:
        from pyarrow import parquet

        # By default pyarrow reads all bytes of the row groups ahead, and holds them in memory beside the numbers.
        with native_file(self.columns.path) as opened, parquet.ParquetFile(opened, pre_buffer=False) as file:
            groups = list(range(self.first, self.end))
            table = file.read_row_groups(groups, columns=self._names_to_read(names))
            return self.columns.select(table, names)

    def _read_in_batches(self, names: list[str], rows: int) -> Iterator[pa.Table]:
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
