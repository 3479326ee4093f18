"""Files as people have them: compressed, of another encoding, with comments, without a header, JSON, standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile

import pyarrow as pa
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.io.dialect import _western_encoding
from bitsieve.io.errors import DataError
from bitsieve.io.read import read_table

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"], "c": [0.5, 1.5, 2.5]})
TEXT = b"a,b,c\n1,x,0.5\n2,y,1.5\n3,x,2.5\n"


def read(tmp_path, content, name="data.csv", **keywords):
    path = tmp_path / name
    path.write_bytes(content)
    notes = []
    return read_table(path, diagnostics=notes, **keywords), [*map(str, notes)]


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda text: zipped(data_csv=text)])
def test_compressed(tmp_path, pack):
    table, notes = read(tmp_path, pack(TEXT), "data.csv.packed")
    assert table.equals(TABLE)
    assert notes == []
    selection = bitsieve.select(tmp_path / "data.csv.packed", "b", binning="none", exclude=["c"])
    assert selection.features == ["a"]


def test_compressed_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match=r"data\.csv' holds 2 files \('a.csv', 'b.csv'\): give one of them"):
        read(tmp_path, zipped(a_csv=TEXT, b_csv=TEXT))
    with pytest.raises(DataError, match=r"cannot decompress '.*data\.csv': "):
        read(tmp_path, gzip.compress(TEXT)[:-9])
    with pytest.raises(DataError, match=r"row 3, the last one, of '.*broken\.gz' has 1 fields"):
        read(tmp_path, gzip.compress(b"a,b\n1,2\n3\n"), "broken.gz")
    archive = bytearray(zipped(a_csv=TEXT))
    archive[archive.index(b"PK\x01\x02") + 6] = 210  # the version of the format that it asks for
    with pytest.raises(DataError, match=r"data\.csv' as \.npz: zip file version 21\.0"):
        read(tmp_path, bytes(archive))


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_delimiters(tmp_path, mark):
    assert read(tmp_path, TEXT.replace(b",", mark.encode()))[0].equals(TABLE)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-8", "utf-8-sig"])
def test_encodings(tmp_path, encoding):
    odd = "\x81" if encoding == "latin-1" else ""
    table, notes = read(tmp_path, f"größe,y\n1,é{odd}\n2,b\n".encode(encoding))
    assert table.column_names == ["größe", "y"]
    assert table["y"].to_pylist() == [f"é{odd}", "b"]
    assert len(notes) == (not encoding.startswith("utf-8"))
    assert all(encoding in note for note in notes)


@pytest.mark.parametrize("byte", range(0x80, 0xA0))
def test_bytes_that_cp1252_does_not_have_are_latin_1(tmp_path, byte):
    try:
        bytes([byte]).decode("cp1252")
        expected = "cp1252"
    except UnicodeDecodeError:
        expected = "latin-1"
    (tmp_path / "t.csv").write_bytes(b"a,y\n1,x" + bytes([byte]) + b"\n")
    assert _western_encoding(tmp_path / "t.csv") == expected


def test_comments(tmp_path):
    table, notes = read(tmp_path, b"# made today\n#\n" + TEXT + b"# the end\n")
    assert table.equals(TABLE)
    assert notes == ["left out 3 comment lines that begin with '#'"]
    table, notes = read(tmp_path, b"# one\n# a,b,c\n1,x,0.5\n2,y,1.5\n3,x,2.5\n")
    assert table.equals(TABLE)
    assert notes == ["left out 1 comment line that begins with '#'"]
    assert read(tmp_path, b"#a,b\n1,2\n#3,4\n")[0].to_pydict() == {"#a": ["1", "#3"], "b": [2, 4]}
    assert read(tmp_path, b"a,b\n1,2\n#3,4\n")[0].num_rows == 2


def test_a_first_row_of_data_is_never_eaten(tmp_path, capsys):
    content = b"5.1,3.5,x\n4.9,3.0,y\n6.1,3.1,x\n"
    with pytest.raises(DataError, match=r"looks like data .*add header=False if it is data, header=True if it has"):
        read(tmp_path, content)
    table, notes = read(tmp_path, content, header=False)
    assert table.column_names == ["x0", "x1", "x2"]
    assert table["x0"].to_pylist() == [5.1, 4.9, 6.1]
    assert notes == ["the file has no names: its columns are x0 to x2"]
    table, _ = read(tmp_path, content, header=True)
    assert table.column_names == ["5.1", "3.5", "x"]
    assert read(tmp_path, b"0,1,2,y\n5,6,7,a\n5,6,8,b\n")[0].num_rows == 2  # as pandas numbers columns
    with pytest.raises(DataError, match="looks like data"):
        read(tmp_path, b"p,x,p,x,p,x\np,x,p,x,x,x\n")
    path = str(tmp_path / "rows.csv")
    (tmp_path / "rows.csv").write_bytes(b"5.1,3.5,x\n4.9,3.0,y\n" * 20)
    assert main(["select", path, "--target", "x2"]) == 2
    assert "add --no-header if it is data, --header if it has the names" in capsys.readouterr().err
    assert main(["select", path, "--target", "x2", "--no-header"]) == 0


def test_names_that_occur_twice_get_a_number(tmp_path):
    table, notes = read(tmp_path, b"a,b,a,a.1,c\n1,2,3,4,5\n6,7,8,9,10\n")
    assert len(set(table.column_names)) == 5
    assert table.column_names[:2] == ["a", "b"]
    assert table.column_names[3:] == ["a.1", "c"]
    assert notes == [f"several columns are named 'a': the later ones are '{table.column_names[2]}' here"]
    assert [column.to_pylist()[0] for column in table.columns] == [1, 2, 3, 4, 5]


def test_json(tmp_path):
    rows = TABLE.to_pylist()
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    assert read(tmp_path, lines, "data.jsonl")[0].equals(TABLE)
    assert read(tmp_path, json.dumps(rows, indent=1).encode(), "data.json")[0].equals(TABLE)
    assert read(tmp_path, b'{"a": 1, "b": "x"}\n{"b": "y"}\n')[0].to_pydict() == {"a": [1, None], "b": ["x", "y"]}
    with pytest.raises(DataError, match=r"cannot read '.*data\.csv' as JSON"):
        read(tmp_path, b'{"a": 1,\n{"a"')
    for broken in (
        b'{"a": 1, "b": "\xff"}\n{"a": 2, "b": "x"}\n',
        b'[{"a": 1, "b": "\xff"}]',
        b'[{"a": "\\ud800"}]',
        b'[{"a": 123456789012345678901234567890}]',
        b'[{"a": ' + b"[" * 100_000,
    ):
        with pytest.raises(DataError, match=r"cannot read '.*data\.csv' as JSON: .*(UTF8|utf-8|large|recursion)"):
            read(tmp_path, broken)


@pytest.mark.parametrize("line", ["sep=;", "sep=;;;", '"sep=;"'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_that_names_the_delimiter_is_skipped(tmp_path, line, end):
    content = end.join(["\ufeff" + line, "", "a;b;y", "1,5;2;x", "2,5;3;z", ""])
    table, _ = read(tmp_path, content.encode())
    assert table.to_pydict() == {"a": [1.5, 2.5], "b": [2, 3], "y": ["x", "z"]}


def test_numbers_with_commas(tmp_path):
    content = b'price,count,name,y\n"1,234.56","1,000","1,2",a\n7.5,12,"3,4",b\n,"-2,345,678","5,6",a\n'
    table, _ = read(tmp_path, content)
    assert table["price"].to_pylist() == [1234.56, 7.5, None]
    assert table["count"].to_pylist() == [1000, 12, -2345678]
    assert table["name"].to_pylist() == ["1,2", "3,4", "5,6"]


@pytest.mark.parametrize(
    ("later", "kind"),
    [
        ("abc", pa.string()),
        ("2020-01-01", pa.string()),
        ("7", pa.float64()),
        ("", pa.float64()),
        ("1e400", pa.float64()),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_fractions_in_the_first_rows_do_not_decide_what_a_column_is(tmp_path, later, kind, delimiter):
    first = ["0.5", "-1.25", ".5", "3", "1e-7"] * 20
    rows = [delimiter.join([str(row), value, "x"]) for row, value in enumerate([*first, later])]
    table, _ = read(tmp_path, "\n".join([delimiter.join("abc"), *rows]).encode())
    assert table.schema.types == [pa.int64(), kind, pa.string()]
    expected = pa.array([*first, later or None])
    assert table["b"].combine_chunks().equals(expected.cast(kind))


def test_standard_input(monkeypatch, capsys):
    rows = b"a,b,y\n" + b"1,2,x\n3,1,y\n" * 20
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(rows)))
    assert main(["select", "-", "--target", "y"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[1] == "a"
    for pack in (gzip.compress, lambda text: zipped(data_csv=text)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pack(rows))))
        assert main(["select", "-", "--target", "y"]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[1] == "a"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["select", "-", "--target", "y"]) == 2
    assert "'standard input' is empty" in capsys.readouterr().err


def test_what_was_noticed_in_the_file_is_noted(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"# once\n" + b"a,b,y\n" + b"1,2,x\n3,1,y\n" * 20)
    with pytest.warns(bitsieve.BitsieveWarning, match="1 comment line"):
        selection = bitsieve.select(path, "y")
    assert any("1 comment line" in note for note in selection.notes)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A report,,\nof today,,\n,,\na,b,y\n1,2,0\n", 4),
        ("A report\n\na;b;y\n1;2;0\n", 3),
        ("A report\na\tb\n1\t2\n", 2),
    ],
)
def test_a_title_above_the_names_is_refused(tmp_path, text, line):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=f"'A report.*delete the lines above line {line}, if that has the names"):
        read_table(path)


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a,b,y\n" + "1,2,0\n" * 30 + "q" * 10**7 + ",1,0\n"),
        ("t.csv", "a,b,y\n" + "1,2,0\n" * 30 + '1,1,"' + "q" * 10**7 + '"\n'),
        ("t.csv", "a,b,y\n" + "1,2,0\n" * 30 + "1" * 10**7 + ",1,0\n"),
        ("t.jsonl", '{"a":1,"y":0}\n' * 30 + '{"a":"' + "q" * 10**7 + '","y":0}\n'),
    ],
    ids=["a text", "a quoted text", "a number", "JSON"],
)
def test_a_value_of_many_letters_is_refused_in_our_words(tmp_path, name, text, how):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=r"has a row of more than 1,048,576 bytes") as caught:
        bitsieve.select(path, "y", **how)
    assert caught.value.code == "malformed-row"
