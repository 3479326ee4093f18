"""Workbooks of Excel and OpenDocument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from bitsieve.io.errors import DataError, named_inside
from bitsieve.io.typed_file import WholeFile, as_integers


class ExcelFile(WholeFile):
    """A sheet of a workbook, read by calamine; its first row has the names."""

    description = "an Excel workbook"

    def read_table(self) -> pa.Table:
        from python_calamine import CalamineWorkbook

        with open(self.path, "rb") as opened:
            workbook = CalamineWorkbook.from_filelike(opened)
            sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
        filled = {name: rows for name, rows in sheets.items() if rows}
        if not filled:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no rows",
                advice="nothing to select from",
            )
        sheet = named_inside(list(filled), self.file.table, self.label, "sheet")
        names, *rows = filled[sheet]
        columns = zip(*rows, strict=True) if rows else [()] * len(names)
        return pa.table([_column(cells) for cells in columns], names=[_text(name) for name in names])


def _column(cells: Sequence[Any]) -> pa.Array:
    """The cells of a column; of several kinds they are text."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float}:
        return as_integers(pa.array(values, pa.float64()))
    if len(kinds) == 1:
        return pa.array(values)
    return pa.array([None if value is None else _text(value) for value in values])


def _text(cell: Any) -> str:
    """A cell as text; numbers of a workbook are floats."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
