"""Workbooks are read by calamine or by openpyxl, with the same values."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta

import pytest

import bitsieve
from bitsieve.io.errors import DataError
from bitsieve.io.notes import rows_above_names
from bitsieve.io.read import read_table
from bitsieve.io.workbook import n_rows_above_names, sheets_by_calamine, sheets_by_openpyxl

openpyxl = pytest.importorskip("openpyxl")

NAMES = ["whole", "share", "day", "moment", "clock", "length", "flag", "word", "mixed", "error", "blank", "formula"]
ROWS = [
    [1, 0.25, date(2024, 1, 5), datetime(2024, 1, 5, 12, 30), time(8, 30), timedelta(hours=30), True, "a", "x", "#N/A"],
    [2, 0.5, date(2024, 2, 5), datetime(2024, 2, 5), time(9), timedelta(hours=2), False, " b ", 3, "#DIV/0!"],
    [-3, 1, date(1999, 12, 31), datetime(2023, 12, 31, 1, 2, 3, 500000), time(0), None, None, "", 4.5, None],
    [10**10, -1e-9, None, None, None, timedelta(days=1), True, "7", date(2020, 1, 1), "v"],
]


@pytest.fixture
def workbook(tmp_path):
    """A workbook with a sheet of every kind of cell, one whose cells begin at C3, and an empty one."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "cells"
    sheet.append(NAMES)
    for row in ROWS:
        sheet.append([*row, None, "=A2*2"])
    for row in sheet.iter_rows(min_row=2, min_col=2, max_col=2):
        row[0].number_format = "0%"
    sheet.merge_cells("H2:H3")
    shifted = book.create_sheet("shifted")
    for i, row in enumerate([["a", "b"], [1, None], [None, None], [3, "x"]]):
        for j, value in enumerate(row):
            shifted.cell(3 + i, 3 + j, value)
    shifted["H9"].number_format = "0%"  # a cell of a style, without a value
    book.create_sheet("empty")
    path = tmp_path / "book.xlsx"
    book.save(path)
    return path


def test_both_packages_read_the_same_cells(workbook):
    pytest.importorskip("python_calamine")
    cells = sheets_by_openpyxl(workbook)
    assert [*map(repr, cells.items())] == [*map(repr, sheets_by_calamine(workbook).items())]
    assert cells["shifted"] == [["a", "b"], [1.0, None], [None, None], [3.0, "x"]]
    assert cells["empty"] == []


@pytest.mark.slow("the second package")
def test_both_packages_give_the_same_table(workbook, monkeypatch):
    pytest.importorskip("python_calamine")
    by_calamine = read_table(workbook / "cells")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    by_openpyxl = read_table(workbook / "cells")
    assert by_openpyxl.equals(by_calamine)
    assert by_openpyxl["share"].to_pylist() == [0.25, 0.5, 1.0, -1e-9]
    assert by_openpyxl["day"].to_pylist() == [row[2] for row in ROWS]
    assert by_openpyxl["moment"].to_pylist() == [row[3] for row in ROWS]  # midnight is a time, too
    assert by_openpyxl["word"].to_pylist() == ["a", None, None, "7"]
    assert by_openpyxl["mixed"].to_pylist() == ["x", "3", "4.5", "2020-01-01"]
    assert by_openpyxl["error"].to_pylist() == [None, None, None, "v"]


def test_without_both_packages_one_is_named(workbook, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match="needs the package 'python_calamine': pip install"):
        read_table(workbook / "cells")


def test_a_workbook_that_openpyxl_does_not_read_needs_calamine(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(DataError, match="needs the package 'python_calamine'"):
        read_table(path)


@pytest.mark.parametrize(
    ("above", "n_above"),
    [([], 0), ([["A report"], ["of today"], []], 3), ([["A report", None, 3]], 1), ([["a", "b", "c"]], 0)],
)
def test_rows_above_the_names_are_left_out(above, n_above):
    rows = [[*row, *[None] * (4 - len(row))] for row in above] + [["a", "b", "c", None], [1.0, 2.0, 3.0, 4.0]]
    assert n_rows_above_names(rows) == n_above


@pytest.mark.parametrize(("n_above", "expected"), [(19, 19), (20, 0)])
def test_names_are_searched_in_twenty_rows(n_above, expected):
    rows = [["A report", None, None]] * n_above + [["a", "b", "c"], [1.0, 2.0, 3.0]]
    assert n_rows_above_names(rows) == expected


def test_a_sheet_of_two_columns_has_no_title():
    assert n_rows_above_names([["A report", None], ["a", "b"], [1.0, 2.0]]) == 0


@pytest.mark.parametrize(("n_rows", "words"), [(1, "left out 1 row above"), (2, "left out 2 rows above")])
def test_a_note_of_rows_above_the_names_counts_them(n_rows, words):
    assert words in rows_above_names(n_rows, "A report").message


def test_a_report_with_a_title_is_read_with_a_note(tmp_path):
    book = openpyxl.Workbook()
    for row in (["A report"], [], ["a", "b", "y"], *[[i % 5, i % 3, "yes" if i % 5 < 2 else "no"] for i in range(40)]):
        book.active.append(row)
    book.save(tmp_path / "report.xlsx")
    selection = bitsieve.select(tmp_path / "report.xlsx", "y")
    assert selection.features[0] == "a"
    assert [note.code for note in selection.diagnostics].count("rows-above-names") == 1
