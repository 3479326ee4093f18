"""Ranges of a text file hold together what the whole file holds, wherever it is cut."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bitsieve.files import text_batches
from bitsieve.files.open_batches import open_file
from bitsieve.files.text_batches import TextBatches

ROWS = 40
CUT = {
    "plain": "a,b\n" + "".join(f"{i},{'x' * (i % 7)}y\n" for i in range(ROWS)),
    "no end of the last line": "a,b\n" + "1,22\n" * ROWS + "3,4",
    "blank lines": "\n\na,b\n" + "1,22\n\n\n" * ROWS + "\n" * 50,
    "returns": "a,b\r\n" + "1,22\r\n" * ROWS,
    "a mark before the header": "\ufeffa,b\n" + "1,22\n" * ROWS,
    "quotes": 'a,"b"\n' + '"x,1","say ""so"""\n,""\n1,"z"\n' * ROWS,
    "quotes and returns": "a;b\r\n" + '"x;1";2\r\n' * ROWS,
    "commas in numbers": "a;b\n" + '1,234;5\n12;"1,000.5"\n' * ROWS,
    "commas in some numbers": "a;b\n" + "1,234.5;x,1\n" * ROWS + "2;7\n" * ROWS,
    "numbers only at first": "a;b\n" + "1,234;1\n" * ROWS + "word;2\n" * 3,
    "nothing at first": "a;b\n" + ";1\n" * ROWS + "1.5;2\n" * 3,
}
WHOLE = {
    "line breaks in values": 'a,b\n1,"x\ny"\n' * ROWS,
    "quotes amidst values": "a,b\n" + '5" x,3" y\n' * ROWS,
    "quotes behind a space": "a,b\n" + '1, "x"\n' * ROWS,
    "no line ends but returns": "a,b\r" + "1,2\r" * ROWS,
}


@pytest.mark.parametrize("text", CUT)
@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_ranges_hold_what_the_file_holds(tmp_path, monkeypatch, text, size):
    monkeypatch.setattr(text_batches, "_RANGE", size)
    monkeypatch.setattr(text_batches, "_BLOCK", 50)
    path = tmp_path / "table.csv"
    path.write_bytes(CUT[text].encode())
    file = open_file(path)
    names = file.names[::-1]
    pieces = file.pieces()
    assert (len(pieces) > 1) == (size < 10_000)
    expected, found = (
        pa.concat_tables([table for part in parts for table in part.read(names, 3)]) for parts in ([file], pieces)
    )
    assert found.equals(expected)
    assert found.num_rows == file.n_rows


@pytest.mark.parametrize("text", WHOLE)
def test_a_file_whose_lines_may_hang_together_is_one_piece(tmp_path, monkeypatch, text):
    monkeypatch.setattr(text_batches, "_RANGE", 10)
    path = tmp_path / "table.csv"
    path.write_bytes(WHOLE[text].encode())
    file = TextBatches(path)
    assert file.pieces() == [file]
