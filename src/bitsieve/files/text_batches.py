"""Tables of text in batches of rows: types are those of the first block, made wider where later numbers ask for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bitsieve.files.arrow import native_file
from bitsieve.files.batches import FileBatches, PartOfFile
from bitsieve.files.errors import DataError
from bitsieve.files.text import BadRows, TextLayout, as_kinds, as_named, check_quotes, quotes
from bitsieve.files.text_ranges import opened_range, quotes_stay_in_lines, starts_of_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_BLOCK = 1 << 24  # bytes parsed at once; the types are told by the first of them
_RANGE = 1 << 26  # bytes of a piece
_REFUSED = re.compile(r"In CSV column #(\d+): .*conversion error to ([\w\[\]]+): invalid value '(.*)'", re.DOTALL)


class TextBatches(FileBatches):
    """The batches of a text file with a header line."""

    def open(self) -> dict[str, pa.DataType]:
        """Find the delimiter and the types of all columns, for which the whole file is parsed once."""
        layout = TextLayout.of(self.path)
        has_quotes, odd_quotes = quotes(self.path)
        if odd_quotes:
            check_quotes(self.path, layout.delimiter)
        self.text = Text(self.path, layout, has_quotes, {}, {})
        while True:
            try:
                n_rows, kinds = self._look()
                break
            except _Wider as wider:
                self.text.types[wider.name] = wider.kind
        if not n_rows:
            raise DataError(f"{self.label} has no rows: nothing to select from")
        self.n_rows = n_rows
        self.text.kinds.update(kinds)
        return kinds

    def _look(self) -> tuple[int, dict[str, pa.DataType]]:
        """The number of rows, and the types of the columns."""
        n_rows = 0
        kinds: dict[str, Any] = {}
        for table in self.text.parsed(native_file(self.path), None):
            n_rows += table.num_rows
            named = as_named(table, self.path)
            for name, column in zip(named.column_names, named.columns, strict=True):
                before = kinds.get(name)
                if before is None or column.null_count < len(column):  # a block without values tells nothing
                    kinds[name] = column.type if before is None else _common(before, column.type)
        return n_rows, kinds

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The blocks as they are parsed, cut where they hold more rows."""
        return self.text.read(native_file(self.path), columns, rows)

    def pieces(self) -> Sequence[PartOfFile]:
        """Ranges of whole lines; the whole file where a quoted value may go on in the next line."""
        if self.text.has_quotes and not quotes_stay_in_lines(self.path, self.text.layout.delimiter):
            return [self]
        starts = starts_of_lines(self.path, _RANGE)
        return [TextRange(self.text, starts[0], *ends) for ends in pairwise(starts)] or [self]


@dataclass(frozen=True)
class TextRange(PartOfFile):
    """A range of whole lines of a text file: bytes ``first`` to ``end``, behind ``n_header`` bytes of header."""

    text: Text
    n_header: int
    first: int
    end: int

    def read(self, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """The blocks as they are parsed, cut where they hold more rows."""
        file = opened_range(self.text.path, self.n_header, self.first, self.end)
        return self.text.read(file, columns, rows)


@dataclass(frozen=True)
class Text:
    """How the text of a file is parsed.

    Attributes
    ----------
    path : Path
    layout : TextLayout
    has_quotes : bool
    types : dict
        What pyarrow is to take the columns for, by the names of the header, as far as it is known.
    kinds : dict
        What the columns are, by their names: numbers also where pyarrow takes them for text.
    """

    path: Path
    layout: TextLayout
    has_quotes: bool
    types: dict[str, Any]
    kinds: dict[str, Any]

    def read(self, file: Any, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Some columns, about so many rows at a time."""
        wanted = set(columns)
        for table in self.parsed(file, [name for name in self.layout.header if name.strip() in wanted]):
            chosen = as_kinds(table, self.path, self.kinds).select(list(columns))
            for first in range(0, table.num_rows, rows):
                yield chosen.slice(first, rows)

    def parsed(self, file: Any, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        """The blocks of a file that begins with the header line, as pyarrow takes them; None: all columns."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        bad = BadRows()
        options = self.layout.options(
            least_block=_BLOCK, newlines_in_values=self.has_quotes, handler=bad, types=self.types, columns=columns
        )
        try:
            reader = arrow_csv.open_csv(file, **options)
            if columns is None:
                self.types.update({field.name: field.type for field in reader.schema})
            for batch in reader:
                yield pa.Table.from_batches([batch])
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
            f"column {name!r} of {str(self.path)!r} begins with {what} but later holds {value!r}: make it of one kind, "
            "or write the table as Parquet"
        )


class _Wider(Exception):
    """A column needs a wider type than its first values."""

    def __init__(self, name: str, kind: Any) -> None:
        super().__init__(name)
        self.name, self.kind = name, kind


def _common(one: Any, other: Any) -> Any:
    """The type of a column that is one in some blocks and the other in others, by the commas in its numbers."""
    import pyarrow as pa

    if one == other:
        return one
    return pa.float64() if {one, other} == {pa.int64(), pa.float64()} else pa.string()


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True
