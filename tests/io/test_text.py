"""What is known of a file of text before its rows are parsed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bitsieve.io import text
from bitsieve.io.dialect import MARKERS
from bitsieve.io.read import read_table

BLOCK = 1 << 18  # bytes that are looked at at once


def contents_of(tmp_path, content, start=0):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    return text.TextContents.of_file(path, start)


@pytest.mark.parametrize("marker", [marker for marker in MARKERS if marker])
def test_every_marker_of_a_missing_value_is_noticed(tmp_path, marker):
    assert contents_of(tmp_path, f"a,b\n1,{marker}\n".encode(), start=4).may_have_markers


def test_rows_of_numbers_have_no_markers(tmp_path):
    assert not contents_of(tmp_path, b"a,b\n1,-2.5e-3\n,4\n").may_have_markers


@pytest.mark.parametrize("n_bytes", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_letters_of_names_are_no_markers(tmp_path, n_bytes):
    """Only the rows count, in whatever block they begin."""
    header = b"N" * n_bytes + b"\n"
    assert not contents_of(tmp_path, header + b"1\n2\n", start=len(header)).may_have_markers
    assert contents_of(tmp_path, header + b"1\nNA\n", start=len(header)).may_have_markers


@pytest.mark.parametrize("place", [0, BLOCK - 1, BLOCK, 2 * BLOCK])
def test_quotation_marks_are_counted_in_all_blocks(tmp_path, place):
    content = b"1" * place + b'""' + b"1" * BLOCK + b'"'
    assert contents_of(tmp_path, content).n_quotes == 3


@pytest.mark.parametrize("last", ["4.5", "NaN", "?", ""])
def test_numbers_are_read_alike_with_and_without_markers(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text(f"number,y\n1.5,0\n,1\n2.5,0\n{last},1\n")
    table = read_table(path)
    assert table["number"].type == pa.float64()
    assert table["number"].to_pylist() == [1.5, None, 2.5, 4.5 if last == "4.5" else None]
