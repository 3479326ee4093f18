"""Reads a workbook in a process of its own, whose end is an error and not the end of the program.

Its cells are a dense table up to the last one that is used: a file of a few kilobytes can take more memory than there
is, and the library that reads it then aborts its process.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from bitsieve.io.column_file import native_file
from bitsieve.io.typed_file import as_integers

#: A cell as both readers give it: numbers are floats, a date without a time of day is a date, blanks and errors are
#: None.
Cell: TypeAlias = float | bool | str | date | datetime | time | timedelta | None
Rows: TypeAlias = list[list[Cell]]
MIDNIGHT = time()
MAX_CELL_LENGTH = 32_767  # characters of a text, the limit of Excel
MAX_TITLE_ROWS = 20  # of a sheet, among which the names are searched
SHEETS_FILE = "sheets.json"  # what is known of the sheets that are not empty


class Sheet(NamedTuple):
    """A sheet that is not empty."""

    name: str
    n_rows_above_names: int
    first_cell: str  # of the first row


def main(path: str, folder: str, reader: str, n_bytes: str) -> None:
    """Write the sheets of a workbook into a folder. An error is one line on standard error."""
    _limit_memory(int(n_bytes))
    try:
        write_sheets(Path(path), Path(folder), reader)
    except Exception as error:
        sys.exit(" ".join((str(error) or type(error).__name__).split()))


def _limit_memory(n_bytes: int) -> None:
    """Let this process take at most ``n_bytes`` of memory; without effect on Windows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, hard_limit))


def write_sheets(path: Path, folder: Path, reader: str) -> None:
    """Write every sheet that is not empty as the Arrow file of its number in ``folder``, and what is known of them."""
    rows_of_sheets = sheets_by_calamine(path) if reader == "calamine" else sheets_by_openpyxl(path)
    sheets: list[Sheet] = []
    for name, rows in rows_of_sheets.items():
        if not rows:
            continue
        _refuse_long_text(rows)
        n_above = n_rows_above_names(rows)
        table = _table(rows[n_above:])
        with (
            native_file(sheet_file(folder, len(sheets)), "wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table)
        first_cell = _text(_first_filled(rows[0])) if n_above else ""
        sheets.append(Sheet(name, n_above, first_cell))
    (folder / SHEETS_FILE).write_text(json.dumps(sheets), encoding="utf-8")


def _refuse_long_text(rows: Rows) -> None:
    """Refuse text that is longer than Excel allows, which a small file can hold."""
    for row in rows:
        for cell in row:
            if isinstance(cell, str) and len(cell) > MAX_CELL_LENGTH:
                raise ValueError(f"a cell holds {len(cell):,} characters, and {MAX_CELL_LENGTH:,} are allowed")


def sheet_file(folder: Path, index: int) -> Path:
    """The file of a sheet that is not empty."""
    return folder / f"{index}.arrow"


def _table(rows: Rows) -> pa.Table:
    """A table of rows, of which the first has the names."""
    names, *cells_of_rows = rows
    columns = zip(*cells_of_rows, strict=True) if cells_of_rows else [()] * len(names)
    return pa.table([_column(cells) for cells in columns], names=[_text(name) for name in names])


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


def _is_empty(row: Sequence[object]) -> bool:
    return all(cell is None for cell in row)


def _without_empty_edges(rows: Rows) -> Rows:
    """The rows without the empty ones above and below, and without the empty columns on both sides."""
    filled_rows = [i for i, row in enumerate(rows) if not _is_empty(row)]
    if not filled_rows:
        return []
    filled_columns: list[int] = []
    for row in rows:
        filled_columns += [j for j, cell in enumerate(row) if cell is not None]
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
