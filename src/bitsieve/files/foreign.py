"""Files of other programs, read at once by libraries that know them: Excel, Stata, SAS, SPSS, ARFF and ORC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.files.arrow import StoredParts
from bitsieve.files.errors import DataError, in_one_line, named_inside
from bitsieve.files.parts import Given, Rows
from bitsieve.files.text import Parsed


class ForeignParts(StoredParts):
    """A file that is read at once; of a workbook one sheet."""

    def opened(self, kind: str) -> pa.Schema:
        what, read = READERS[kind]
        with in_one_line(f"cannot read {self.label} as {what}", f"{self.label} is {what}, which"):
            self._table = read(self.given, kind)
        return self._table.schema

    @property
    def n_rows(self) -> int:
        return int(self._table.num_rows)

    def pieces(self, *, whole: bool) -> Sequence[Rows[pa.Table]]:
        return [Parsed(self.stored.chosen(self._table, list(self.names)))]


def _read_workbook(given: Given, _: str) -> pa.Table:
    """A sheet of a workbook; its first row has the names."""
    from python_calamine import CalamineWorkbook

    with open(given.path, "rb") as file:
        book = CalamineWorkbook.from_filelike(file)
        sheets = {name: rows for name in book.sheet_names if (rows := book.get_sheet_by_name(name).to_python())}
    if not sheets:
        raise DataError(f"{given.label} has no rows: nothing to select from")
    names, *rows = sheets[named_inside(list(sheets), given.inside, given.label, "sheet")]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table([_cells(column) for column in columns], names=list(map(_shown, names)))


def _cells(values: Sequence[Any]) -> pa.Array:
    """The cells of a column; of several kinds they are text."""
    known = [None if value == "" else value for value in values]
    kinds = {type(value) for value in known} - {type(None)}
    if kinds <= {int, float}:
        return _numbers(pa.array(known, pa.float64()))
    return pa.array(known if len(kinds) == 1 else [None if value is None else _shown(value) for value in known])


def _numbers(values: pa.Array) -> pa.Array:
    """Numbers of a format that stores all of them as floats: whole ones are whole numbers."""
    is_whole = pa.types.is_float64(values.type) and values.null_count < len(values)
    is_whole = is_whole and pc.all(pc.equal(values, pc.round(values))).as_py()
    return values.cast(pa.int64()) if is_whole and pc.max(pc.abs(values)).as_py() < 2**53 else values


def _shown(value: Any) -> str:
    """A cell as text; numbers of a workbook are floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read_statistics(given: Given, kind: str) -> pa.Table:
    """A file of Stata, SAS or SPSS: values as they are stored, without their labels."""
    import pyreadstat

    columns, _ = getattr(pyreadstat, f"read_{kind}")(str(given.path), output_format="dict")
    return pa.table({name: _numbers(pa.array(values, from_pandas=True)) for name, values in columns.items()})


def _read_arff(given: Given, _: str) -> pa.Table:
    """An ARFF file: numbers, and the names of nominal values."""
    from scipy.io import arff

    with open(given.path, encoding="utf-8", errors="surrogateescape") as file:
        rows, about = arff.loadarff(file)
    columns: dict[str, Any] = {}
    for name in about.names():
        values = rows[name]
        if values.dtype.kind == "S":
            columns[name] = pa.array([None if value == b"?" else value.decode() for value in values.tolist()])
        else:
            columns[name] = _numbers(pa.array(values, from_pandas=True))
    return pa.table(columns)


def _read_orc(given: Given, _: str) -> pa.Table:
    """An ORC file."""
    from pyarrow import orc

    return orc.read_table(str(given.path))


Reader = Callable[[Given, str], pa.Table]
#: Of the name of a format what messages call such a file, and what reads it.
READERS: Mapping[str, tuple[str, Reader]] = {
    "excel": ("an Excel workbook", _read_workbook),
    "dta": ("a Stata file", _read_statistics),
    "sas7bdat": ("a SAS file", _read_statistics),
    "xport": ("a SAS transport file", _read_statistics),
    "sav": ("an SPSS file", _read_statistics),
    "arff": ("an ARFF file", _read_arff),
    "orc": ("an ORC file", _read_orc),
}
