"""Tables that are read in batches of rows, and Arrow files among them."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from bitsieve.common.messages import one_line
from bitsieve.files.arrow import native_file
from bitsieve.files.errors import DataError
from bitsieve.files.read import check_schema, file_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_INDEX = "__index_level_"  # what pandas calls the index that it adds to a file


class Batches:
    """A table in batches of rows, which can be read several times.

    Attributes
    ----------
    names : list of str
        Of the columns.
    label : str
        What messages call it.
    n_rows : int or None
        None where it is not known before the rows were read.
    row_bytes : int
        About how much memory a row takes.
    """

    names: list[str]
    label: str
    n_rows: int | None
    row_bytes: int

    @abstractmethod
    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time.

        Raises
        ------
        DataError
            The data is broken, or is not what it was when it was opened.
        """

    @abstractmethod
    def state(self) -> list[tuple[Any, ...]]:
        """What tells that the data is still the same: of every file its path, size, time of change and number."""


class PartOfFile(Protocol):
    """A part of the rows of a file."""

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Some columns in their order, about so many rows at a time."""


class FileBatches(Batches):
    """The batches of one file of one kind; a subclass reads them.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    state_before : tuple
        What the file was before it was opened.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.label, self.n_rows = path, repr(str(path)), None
        self.state_before = file_state(path)
        kinds = {name: kind for name, kind in self.open().items() if not name.startswith(_INDEX)}
        self.names, self.row_bytes = list(kinds), sum(map(_width, kinds.values()))

    @abstractmethod
    def open(self) -> dict[str, pa.DataType]:
        """Look at the file, and return the names and the types of its columns."""

    def pieces(self) -> Sequence[PartOfFile]:
        """Parts of the rows in their order, which can be read by different processes."""
        return [self]

    def state(self) -> list[tuple[Any, ...]]:
        """Path, size, time of change and number of the file."""
        return [file_state(self.path)]


class ArrowBatches(FileBatches):
    """An Arrow or Feather file, or a file that holds an Arrow stream."""

    def open(self) -> dict[str, pa.DataType]:
        """Look at the schema."""
        schema = self._reader().schema
        check_schema(schema, self.path)
        return {field.name: field.type for field in schema}

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The batches as they were written, cut where they hold more rows."""
        import pyarrow as pa

        try:
            reader = self._reader()
            if isinstance(reader, pa.RecordBatchStreamReader):
                batches: Any = reader
            else:
                batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
            for batch in batches:
                batch.validate(full=True)
                for first in range(0, batch.num_rows, rows):
                    yield pa.Table.from_batches([batch.slice(first, rows).select(list(columns))])
        except (pa.ArrowException, OSError) as error:
            raise broken(self.path, "Arrow", error) from None

    def _reader(self) -> Any:
        import pyarrow as pa

        kind = file_kind(self.path)
        try:
            file = native_file(self.path)  # read and not mapped: a file that is cut while it is mapped ends the process
            return pa.ipc.open_file(file) if kind == "arrow" else pa.ipc.open_stream(file)
        except (pa.ArrowException, OSError) as error:
            raise broken(self.path, "Arrow", error) from None


def file_state(path: Path) -> tuple[Any, ...]:
    """What tells that a file is still the same: path, size, time of change and number."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror}") from None
    return str(path.resolve()), found.st_size, found.st_mtime_ns, found.st_ino


def check_unchanged(label: str, before: Sequence[Any], now: Sequence[Any]) -> None:
    """Refuse data whose state is not what it was."""
    if before != now:
        raise DataError(f"{label} changed while it was read: run again when nobody writes it")


def broken(path: Path, kind: str, error: Exception) -> DataError:
    """The error for a file that can not be read to its end."""
    return DataError(f"cannot read {str(path)!r} as {kind}: {one_line(error)}")


def _width(kind: pa.DataType) -> int:
    """About how many bytes a value takes."""
    try:
        return max(1, kind.bit_width // 8)
    except ValueError:  # text, of which nobody knows how long it is
        return 32
