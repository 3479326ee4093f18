"""Tables of text in batches of rows: types are those of the first block, made wider where later numbers ask for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bitsieve.files.arrow import native_file
from bitsieve.files.batches import FileBatches
from bitsieve.files.errors import DataError
from bitsieve.files.text import BadRows, TextLayout, as_named, check_quotes, quotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

_BLOCK = 1 << 24  # bytes parsed at once; the types are told by the first of them
_REFUSED = re.compile(r"In CSV column #(\d+): .*conversion error to ([\w\[\]]+): invalid value '(.*)'", re.DOTALL)


class TextBatches(FileBatches):
    """The batches of a text file with a header line."""

    def open(self) -> dict[str, pa.DataType]:
        """Find the delimiter and the types of all columns, for which the whole file is parsed once."""
        self.layout = TextLayout.of(self.path)
        has_quotes, odd_quotes = quotes(self.path)
        if odd_quotes:
            check_quotes(self.path, self.layout.delimiter)
        self.has_quotes = has_quotes
        self.types: dict[str, Any] = {}  # by the names of the header, as far as they are known
        while True:
            try:
                n_rows = sum(table.num_rows for table in self._parse(None))
                break
            except _Wider as wider:
                self.types[wider.name] = wider.kind
        if not n_rows:
            raise DataError(f"{self.label} has no rows: nothing to select from")
        self.n_rows = n_rows
        return {name.strip(): self.types[name] for name in self.layout.header}

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The blocks as they are parsed, cut where they hold more rows."""
        wanted = set(columns)
        for table in self._parse([name for name in self.layout.header if name.strip() in wanted]):
            chosen = table.select(list(columns))
            for first in range(0, table.num_rows, rows):
                yield chosen.slice(first, rows)

    def _parse(self, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        bad = BadRows()
        options = self.layout.options(
            least_block=_BLOCK, newlines_in_values=self.has_quotes, handler=bad, types=self.types, columns=columns
        )
        try:
            reader = arrow_csv.open_csv(native_file(self.path), **options)
            if columns is None:
                self.types = {field.name: field.type for field in reader.schema}
            for batch in reader:
                yield as_named(pa.Table.from_batches([batch]), self.path)
        except pa.ArrowInvalid as error:
            found = _REFUSED.search(str(error))
            if found is None:
                raise DataError(bad.why(self.path, error)) from None
            raise self._wider(self.layout.header[int(found[1])], found[2], found[3]) from None

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
