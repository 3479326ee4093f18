"""Parquet in batches of rows: by polars where it is installed and knows the types, else by pyarrow."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bitsieve.files.arrow import native_file
from bitsieve.files.batches import FileBatches, PartOfFile, broken
from bitsieve.files.read import check_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_BUFFER = 1 << 18  # bytes of a column that are read at once
_LONG = 4  # a row group of more batches is not taken whole


class ParquetBatches(FileBatches):
    """The batches of a Parquet file: some row groups at a time."""

    def open(self) -> dict[str, pa.DataType]:
        """Look at the schema and the row groups."""
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with native_file(self.path) as opened, parquet.ParquetFile(opened) as file:
                self.schema, metadata = file.schema_arrow, file.metadata
                self.n_rows = metadata.num_rows
                self.groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        except (pa.ArrowException, OSError) as error:
            raise broken(self.path, "Parquet", error) from None
        check_schema(self.schema, self.path)
        return {field.name: field.type for field in self.schema}

    def pieces(self) -> Sequence[RowGroup]:
        """The row groups."""
        return [RowGroup(self.path, place) for place in range(len(self.groups))]

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Whole row groups where they are short enough, else pieces of them."""
        by_polars = (
            find_spec("polars") is not None
            and _is_text(self.path)
            and max(self.groups, default=0) <= _LONG * rows
            and all(_is_plain(self.schema.field(name).type) for name in columns)
        )
        yield from self._by_polars(columns, rows) if by_polars else self._by_pyarrow(columns, rows)

    def _by_polars(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        import polars
        import pyarrow as pa

        frame = polars.scan_parquet(self.path, glob=False, hive_partitioning=False).select(list(columns))
        wanted = pa.schema([self.schema.field(name) for name in columns]).remove_metadata()
        first = taken = 0
        for place, n_rows in enumerate(self.groups):
            taken += n_rows
            if taken - first < rows and place + 1 < len(self.groups):
                continue
            try:
                table = frame.slice(first, taken - first).collect()
            except (polars.exceptions.PolarsError, OSError) as error:
                raise broken(self.path, "Parquet", error) from None
            if len(table) != taken - first:
                raise broken(self.path, "Parquet", ValueError("it holds fewer rows than it says"))
            if taken > first:
                yield table.rechunk().to_arrow().cast(wanted)  # text comes with wider offsets
            first = taken

    def _by_pyarrow(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            # By default whole columns of a row group are read ahead.
            how = {"pre_buffer": False, "buffer_size": _BUFFER}
            with native_file(self.path) as opened, parquet.ParquetFile(opened, **how) as file:
                for batch in file.iter_batches(rows, columns=list(columns)):
                    yield pa.Table.from_batches([batch]).select(list(columns))
                    pa.default_memory_pool().release_unused()
        except (pa.ArrowException, OSError) as error:
            raise broken(self.path, "Parquet", error) from None


@dataclass(frozen=True)
class RowGroup(PartOfFile):
    """A row group of a Parquet file."""

    path: Path
    place: int

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The row group whole."""
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with native_file(self.path) as opened, parquet.ParquetFile(opened) as file:
                yield file.read_row_group(self.place, columns=list(columns)).select(list(columns))
        except (pa.ArrowException, OSError, IndexError) as error:
            raise broken(self.path, "Parquet", error) from None


def _is_text(path: Path) -> bool:
    """Whether the name of a file is UTF-8, as polars wants it."""
    try:
        return bool(str(path).encode())
    except UnicodeEncodeError:
        return False


def _is_plain(kind: Any) -> bool:
    """Whether polars reads a type as pyarrow does."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_boolean, pa.types.is_string)
    return any(test(kind) for test in tests)
