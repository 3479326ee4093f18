"""Tables of text in batches of rows; the types are those of the first block, made wider where later numbers ask for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bitsieve.files.batches import FileBatches
from bitsieve.files.errors import DataError
from bitsieve.files.text import TextLayout, as_named, why_unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

_BLOCK = 1 << 24  # bytes parsed at once; the types are told by the first of them
_REFUSED = re.compile(r"In CSV column #(\d+): .*conversion error to ([\w\[\]]+): invalid value '(.*)'", re.DOTALL)


class TextBatches(FileBatches):
    """The batches of a text file with a header line."""

    def open(self) -> list[str]:
        """Find the delimiter and the types of all columns, for which the whole file is parsed once."""
        self.layout = TextLayout.of(self.path)
        self.types: dict[str, Any] = {}
        while True:
            try:
                n_rows = 0
                for table in self._parse(None):
                    n_rows += table.num_rows
                    self.types = self.types or {field.name: field.type for field in table.schema}
                self.n_rows = n_rows
                break
            except _Wider as wider:
                self.types[wider.name] = wider.kind
        if not n_rows:
            raise DataError(f"{self.label} has no rows: nothing to select from")
        return list(self.types)

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The blocks as they are parsed, cut where they hold more rows."""
        for table in self._parse(columns):
            for first in range(0, table.num_rows, rows):
                yield table.slice(first, rows)

    def _parse(self, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        import pyarrow as pa

        bad: list[Any] = []
        try:
            reader = self.layout.open_stream(self.path, _BLOCK, columns, self.types, bad)
            first = self.types
            for batch in reader:
                table = as_named(pa.Table.from_batches([batch]), self.path)
                first = first or {field.name: field.type for field in table.schema}
                yield table
        except pa.ArrowInvalid as error:
            found = _REFUSED.search(str(error))
            if found is None or columns is not None:
                raise DataError(why_unreadable(self.path, bad, error)) from None
            name = self.layout.names[int(found[1])]
            raise self._wider(name, found[2], found[3]) from None

    def _wider(self, name: str, kind: str, value: str) -> Exception:
        """The next wider type of numbers, or the error where a value is no number at all."""
        import pyarrow as pa

        wider = {"null": pa.int64(), "int64": pa.float64()}.get(kind)
        if wider is not None and (kind == "null" or _is_number(value)):
            return _Wider(name, wider)
        what = {"double": "numbers", "int64": "whole numbers"}.get(kind, kind)
        return DataError(
            f"column {name!r} of {self.label} begins with {what} but later holds {value!r}: make it of one kind, or "
            "write the table as Parquet"
        )


class _Wider(Exception):
    """A column needs a wider type than its first values."""

    def __init__(self, name: str, kind: Any) -> None:
        super().__init__(name)
        self.name, self.kind = name, kind


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
