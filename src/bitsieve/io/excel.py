"""Workbooks of Excel and OpenDocument."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from bitsieve.io.errors import DataError, named_inside
from bitsieve.io.notes import rows_above_names
from bitsieve.io.typed_file import WholeFile, as_integers

#: A cell as both readers give it: numbers are floats, a date without a time of day is a date, blanks and errors are
#: None.
Cell: TypeAlias = float | bool | str | date | datetime | time | timedelta | None
Rows: TypeAlias = list[list[Cell]]
MIDNIGHT = time()
MAX_TITLE_ROWS = 20  # of a sheet, among which the names are searched


class ExcelFile(WholeFile):
    """A sheet of a workbook, whose first row has the names."""

    description = "an Excel workbook"

    def read_table(self) -> pa.Table:
        sheets = read_sheets(self.path)
        filled = {name: rows for name, rows in sheets.items() if rows}
        if not filled:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no rows",
                advice="nothing to select from",
            )
        sheet = named_inside(list(filled), self.file.table, self.label, "sheet")
        rows = filled[sheet]
        n_above = n_rows_above_names(rows)
        if n_above:
            self.diagnostics.append(rows_above_names(n_above, _text(_first_filled(rows[0]))))
        names, *rows = rows[n_above:]
        columns = zip(*rows, strict=True) if rows else [()] * len(names)
        return pa.table([_column(cells) for cells in columns], names=[_text(name) for name in names])


def read_sheets(path: Path) -> dict[str, Rows]:
    """The rows of every sheet, by calamine, or by openpyxl where calamine is missing and the format is .xlsx.

    Empty rows and columns around the cells are left out.
    """
    try:
        return sheets_by_calamine(path)
    except ImportError:
        if not _is_xlsx(path):
            raise
    try:
        return sheets_by_openpyxl(path)
    except ImportError:
        raise ModuleNotFoundError("no package reads Excel", name="python_calamine") from None


def sheets_by_calamine(path: Path) -> dict[str, Rows]:
    """The rows of every sheet of a workbook of any kind."""
    from python_calamine import CalamineWorkbook

    with open(path, "rb") as opened:
        workbook = CalamineWorkbook.from_filelike(opened)
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    return {name: [[None if cell == "" else cell for cell in row] for row in rows] for name, rows in sheets.items()}


def sheets_by_openpyxl(path: Path) -> dict[str, Rows]:
    """The rows of every sheet of an .xlsx file, as calamine gives them."""
    from openpyxl import load_workbook
    from openpyxl.cell.cell import TYPE_ERROR

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of styles that it does not know
        workbook = load_workbook(path, data_only=True)
    sheets: dict[str, Rows] = {}
    for sheet in workbook.worksheets:
        rows = [[None if cell.data_type == TYPE_ERROR else _cell(cell.value) for cell in row] for row in sheet.rows]
        sheets[sheet.title] = _without_empty_edges(rows)
    return sheets


def _cell(value: object) -> Cell:
    """A value of openpyxl as calamine gives it."""
    if isinstance(value, datetime) and value.time() == MIDNIGHT:
        return value.date()
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if value == "" or not isinstance(value, Cell):
        return None
    return value


def _without_empty_edges(rows: Rows) -> Rows:
    """The rows without the empty ones above and below, and without the empty columns on both sides."""
    filled_rows = [i for i, row in enumerate(rows) if any(cell is not None for cell in row)]
    if not filled_rows:
        return []
    filled_columns = [j for row in rows for j, cell in enumerate(row) if cell is not None]
    first_column = min(filled_columns)
    last_column = max(filled_columns)
    return [row[first_column : last_column + 1] for row in rows[filled_rows[0] : filled_rows[-1] + 1]]


def n_rows_above_names(rows: Rows) -> int:
    """How many rows stand above the names, such as a title: they fill at most half of three columns or more."""
    n_columns = len(rows[0])
    if n_columns < 3:
        return 0
    for index, row in enumerate(rows[:MAX_TITLE_ROWS]):
        cells = [cell for cell in row if cell is not None]
        if 2 * len(cells) > n_columns:
            are_names = all(isinstance(cell, str) for cell in cells)
            return index if are_names else 0
    return 0


def _first_filled(row: list[Cell]) -> Cell:
    return next(cell for cell in row if cell is not None)


def _is_xlsx(path: Path) -> bool:
    """Whether a file is a workbook of Excel 2007 or later; others, such as .xls and .ods, only calamine reads."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "xl/workbook.xml" in archive.namelist()


def _column(cells: Sequence[Cell]) -> pa.Array:
    """The cells of a column; of several kinds they are text."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {int, float}:
        return as_integers(pa.array(cells, pa.float64()))
    if kinds == {date, datetime}:
        return pa.array([_at_midnight(cell) for cell in cells])
    if len(kinds) == 1:
        return pa.array(cells)
    return pa.array([None if cell is None else _text(cell) for cell in cells])


def _at_midnight(cell: Cell) -> Cell:
    """A date as the time at which its day begins; other cells as they are."""
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime.combine(cell, MIDNIGHT)
    return cell


def _text(cell: Cell) -> str:
    """A cell as text; whole numbers without a decimal point."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)
