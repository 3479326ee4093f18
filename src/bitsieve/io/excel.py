"""Workbooks of Excel and OpenDocument."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pyarrow as pa

from bitsieve.io.column_file import native_file
from bitsieve.io.errors import DataError, named_inside
from bitsieve.io.notes import rows_above_names
from bitsieve.io.process import run_in_process
from bitsieve.io.typed_file import WholeFile
from bitsieve.io.workbook import SHEETS_FILE, Sheet, sheet_file

_MAX_SECONDS = 600.0
_MAX_MEMORY = 8 << 30  # bytes that the process which reads a workbook may take


class ExcelFile(WholeFile):
    """A sheet of a workbook, whose first row has the names. Another process reads it."""

    description = "an Excel workbook"

    def read_table(self) -> pa.Table:
        reader = _installed_reader(self.path)
        folder = self.file.copies.folder / "sheets"
        folder.mkdir(exist_ok=True)
        sheets = _write_sheets(self.path, folder, reader)
        if not sheets:
            raise DataError(
                code="empty-data",
                message=f"{self.label} has no rows",
                advice="nothing to select from",
            )
        names = [sheet.name for sheet in sheets]
        index = names.index(named_inside(names, self.file.table, self.label, "sheet"))
        sheet = sheets[index]
        if sheet.n_rows_above_names:
            self.diagnostics.append(rows_above_names(sheet.n_rows_above_names, sheet.first_cell))
        with native_file(sheet_file(folder, index)) as opened:
            return pa.ipc.open_file(opened).read_all()


def _installed_reader(path: Path) -> str:
    """``calamine``, or ``openpyxl`` where calamine is missing and the format is .xlsx."""
    try:
        import python_calamine

        del python_calamine
        return "calamine"
    except ImportError:
        if not _is_xlsx(path):
            raise
    try:
        import openpyxl

        del openpyxl
        return "openpyxl"
    except ImportError:
        raise ModuleNotFoundError("no package reads Excel", name="python_calamine") from None


def _is_xlsx(path: Path) -> bool:
    """Whether a file is a workbook of Excel 2007 or later; others, such as .xls and .ods, only calamine reads."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "xl/workbook.xml" in archive.namelist()


def _write_sheets(path: Path, folder: Path, reader: str) -> list[Sheet]:
    """Write the sheets of a workbook into a folder, by another process."""
    arguments = [os.fspath(path), os.fspath(folder), reader, str(_MAX_MEMORY)]
    reason_of_abort = (
        "as it does where the last cell is so far down or to the right that the sheet takes over "
        f"{_MAX_MEMORY >> 30} GiB: delete what is below and beside the table, or save it as CSV"
    )
    run_in_process("bitsieve.io.workbook", arguments, _MAX_SECONDS, reason_of_abort)
    return [Sheet(*fields) for fields in json.loads((folder / SHEETS_FILE).read_text(encoding="utf-8"))]
