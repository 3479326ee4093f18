"""Reading tables from files: the kind is told by content, and every broken file is one clear line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import sys
import zipfile
from csv import field_size_limit
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from tests.faults.mutants import whole_files

from bitsieve.io import dialect, text
from bitsieve.io.column_file import ColumnFile
from bitsieve.io.errors import DataError
from bitsieve.io.libsvm import LibsvmFile
from bitsieve.io.npz import NpzFile
from bitsieve.io.read import read_table

TABLE = pa.table(
    {
        "size": pa.array([1, 2, 3], pa.int64()),
        "weight": pa.array([0.5, None, 2.25], pa.float64()),
        "colour": pa.array(["red", "blue", None]),
        "y": pa.array([True, False, True]),
    }
)


def write(path, kind):
    if kind == "parquet":
        parquet.write_table(TABLE, path)
    elif kind == "arrow":
        with pa.ipc.new_file(path, TABLE.schema) as writer:
            writer.write_table(TABLE)
    elif kind == "stream":
        with pa.ipc.new_stream(path, TABLE.schema) as writer:
            writer.write_table(TABLE)
    else:
        delimiter = {"csv": ",", "tsv": "\t", "semicolon": ";"}[kind]
        csv.write_csv(TABLE, path, csv.WriteOptions(delimiter=delimiter))


def refused(path, *parts):
    """The message of reading ``path``: one line that has all the ``parts``."""
    with pytest.raises(DataError) as caught:
        read_table(path)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    return message


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["csv", "tsv", "semicolon", "parquet", "arrow", "stream"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "npz", "dat", ""])
def test_content_tells_the_kind_and_the_ending_does_not_mislead(tmp_path, kind, ending):
    path = tmp_path / f"data.{ending}"
    write(path, kind)
    assert read_table(path).equals(TABLE)
    assert read_table(str(path)).equals(TABLE)


def test_ending_decides_where_the_content_cannot(tmp_path):
    # one comma and one tab in each line
    for ending, names in (("csv", ["a\tb", "c"]), ("tsv", ["a", "b,c"])):
        path = tmp_path / f"data.{ending}"
        path.write_text("a\tb,c\n1\t2,3\n")
        assert read_table(path).column_names == names


def test_dictionaries_and_small_types_are_kept(tmp_path):
    table = pa.table(
        {
            "code": pa.array(["a", "b", "a"]).dictionary_encode(),
            "byte": pa.array([1, 2, 3], pa.uint8()),
            "half": pa.array([1.0, 2.0, 3.0], pa.float32()),
        }
    )
    parquet.write_table(table, tmp_path / "data.parquet")
    assert read_table(tmp_path / "data.parquet").schema.types == table.schema.types


def test_the_index_pandas_adds_is_no_column(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "y": [0, 1]}, index=["p", "q"])
    frame.to_parquet(tmp_path / "data.parquet")
    assert read_table(tmp_path / "data.parquet").column_names == ["a", "y"]


def test_missing_markers_of_text(tmp_path):
    markers = text.MARKERS
    path = tmp_path / "data.csv"
    path.write_text("number,word\n1.5,red\n" + "".join(f"{marker},{marker}\n" for marker in markers))
    table = read_table(path)
    assert table.schema.types == [pa.float64(), pa.string()]
    # a line of one comma is no blank line, so every marker is a row
    assert [column.null_count for column in table.columns] == [len(markers), len(markers)]


def test_types_are_inferred_from_the_whole_column(tmp_path):
    rows = 600_000  # several blocks of one MiB
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "1,2\n" * rows + "0.5,red\n")
    table = read_table(path)
    assert table.schema.types == [pa.float64(), pa.string()]
    assert table.num_rows == rows + 1


def test_layout_of_text(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"\xef\xbb\xbf size , y\n1,0\n")
    assert read_table(path).column_names == ["size", "y"]
    path.write_bytes(b'\xef\xbb\xbf"a, b",y\r\n"x, ""y""",0\r\n\r\n"two\nlines",1\r\n')
    assert read_table(path).to_pydict() == {"a, b": ['x, "y"', "two\nlines"], "y": [0, 1]}
    path.write_bytes(b"a,b\r1,2\r3,4\r")
    assert read_table(path).to_pydict() == {"a": [1, 3], "b": [2, 4]}


def test_quoted_line_breaks_across_blocks(tmp_path):
    path = tmp_path / "data.csv"
    value = '"' + "many\nlines\n" * 20_000 + '"'  # 220 kB, so that values straddle the blocks of one MiB
    path.write_text("a,b\n" + f"1,{value}\n" * 12)
    table = read_table(path)
    assert table.num_rows == 12
    assert len(table["b"].unique()) == 1


def test_decimal_comma(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a;b;c\n1,5;x;-,25\n2;y;3,0\n")
    assert read_table(path).to_pydict() == {"a": [1.5, 2.0], "b": ["x", "y"], "c": [-0.25, 3.0]}
    path.write_text("a;b\n1,5;0.5\n2;1.5\n")  # points are there: the comma is text
    assert read_table(path).schema.types == [pa.string(), pa.float64()]


def test_a_column_without_values_is_missing_numbers(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,\n2,\n")
    assert read_table(path).schema.types == [pa.int64(), pa.float64()]


@pytest.mark.slow("a header of a million letters")
def test_a_header_longer_than_a_block(tmp_path):
    n_columns = 30_000
    path = tmp_path / "data.csv"
    with open(path, "w") as file:
        file.write(",".join(f"column{j}" for j in range(n_columns)) + "\n")
        for row in range(2):
            file.write(",".join([str(row)] * n_columns) + "\n")
    table = read_table(path)
    assert (table.num_rows, table.num_columns) == (2, n_columns)


def test_no_file(tmp_path):
    refused(tmp_path / "nothing.csv", "there is no file", "nothing.csv")
    refused(tmp_path, "the folder", "holds no table")
    refused("", "is a directory")  # the empty path is the working directory


def test_a_folder_is_all_rows_of_its_files(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,y\nword,3\n")
    assert read_table(tmp_path).to_pydict() == {"x": ["1", "word"], "y": [2, 3]}


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["is empty"]),
        (b"\n \n\n", ["is empty"]),
        (b"a,b,c\n", ["has no rows"]),
        (b"a,b,c\n1,2,3\n4,5\n", ["row 3, the last one,", "has 2 fields where the header has 3"]),
        (b"a,b,c\n1,2,3\n4,5", ["row 3, the last one,", "has 2 fields where the header has 3"]),
        (b"a,b\n1,2\n3,4,5\n6,7\n", ["row 3 (the header is row 1)", "has 3 fields where the header has 2"]),
        (b'a,b\n1,x\n2,"y', ["ends inside a quoted value"]),
        (b'a,b\n1,"x\n2,y\n3,z\n', ["ends inside a quoted value"]),
        (b"1,0,1\n2,3,4\n", ["looks like data", "header=False"]),
        (b"a b c\n1 2 3\n", ["no delimiter", "'a b c'", "put commas in place of the blanks"]),
        (b"y\n1\n0\n", ["no delimiter", "'y'"]),
        (b"a,b\n1,caf\xe9\n1\n", ["row 3", "has 1 fields"]),
        (b"a,b\n1\n2,caf\xe9", ["row 2", "has 1 fields"]),
        (b"a" * 140_000 + b",b\n1,2\n", ["header", "longer than 131,072 characters"]),
        (b"\x00\x01\x02\x03", ["is not a table"]),
        (b"PAR1 is broken", ["as Parquet"]),
        (b"ARROW1 is broken", ["as Arrow"]),
        (b"\xff\xff\xff\xff is broken", ["as an Arrow stream"]),
        (b"FEA1 is old", ["version 1"]),
        (b"PK\x03\x04 is broken", ["as .npz"]),
        (b"\x93NUMPY", ["as a .npy file"]),
    ],
)
def test_broken_files(tmp_path, content, parts):
    field_size_limit(1 << 17)  # Python's own: a library that was imported before may have raised it
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    refused(path, str(path), *parts)


def test_broken_row_in_a_large_file_is_told_with_its_number(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "1,2\n" * 600_000 + "3\n" + "4,5\n" * 10)
    refused(path, "row 600,002 (the header is row 1)", "has 1 fields where the header has 2")


def test_truncated_parquet(tmp_path):
    write(tmp_path / "whole.parquet", "parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(content[: len(content) // 2])
    refused(tmp_path / "half.parquet", "as Parquet")


@pytest.mark.parametrize(
    ("table", "part"),
    [
        (pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}), "has no rows"),
        (pa.table({"a": [[1, 2]], "b": [1]}), "column 'a'"),
        (pa.table({"a": [b"raw"], "b": [1]}), "raw bytes"),
        (pa.table({"a": pa.array([b"raw"], pa.binary(3)), "b": [1]}), "raw bytes"),
        (pa.table({"a": pa.array([b"raw"]).dictionary_encode(), "b": [1]}), "raw bytes"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path, table, part):
    with pa.ipc.new_file(tmp_path / "data.arrow", table.schema) as writer:
        writer.write_table(table)
    refused(tmp_path / "data.arrow", part)


def damaged(path, table, old, new):
    """The table in an Arrow file in which some bytes, that occur once, are others."""
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    return path


def test_values_are_checked_before_they_are_used(tmp_path):
    """Two of these would end the process when the text or the category is looked up."""
    words = pa.table({"word": ["aaa", "bb", "cccc", "d"], "y": [0, 1, 0, 1]})
    offsets = np.array([0, 3, 5, 9, 10], np.int32).tobytes()
    far = np.array([0, 3, 1 << 30, 9, 10], np.int32).tobytes()
    refused(damaged(tmp_path / "offsets.arrow", words, offsets, far), "offsets.arrow", "as Arrow")
    coded = pa.table({"word": pa.DictionaryArray.from_arrays(pa.array([1, 0, 2, 1], pa.int32()), ["a", "b", "c"])})
    indices = np.array([1, 0, 2, 1], np.int32).tobytes()
    far = np.array([1, 0, 1 << 30, 1], np.int32).tobytes()
    refused(damaged(tmp_path / "codes.arrow", coded.append_column("y", [[0, 1, 0, 1]]), indices, far), "as Arrow")
    refused(damaged(tmp_path / "text.arrow", words, b"aaabb", b"aa\xffbb"), "UTF8")


def test_a_table_does_not_change_with_its_file(tmp_path):
    path = tmp_path / "data.arrow"
    write(path, "arrow")
    table = read_table(path)
    path.write_bytes(b"")  # of a mapped file the next look at a value would end the process
    assert table.equals(TABLE)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "stream"])
def test_file_names_that_are_not_utf8(tmp_path, kind):
    path = tmp_path / os.fsdecode(b"caf\xe9." + kind.encode())
    content = tmp_path / "content"
    write(content, kind)
    path.write_bytes(content.read_bytes())
    assert read_table(path).equals(TABLE)
    path.write_bytes(content.read_bytes()[:30])
    refused(path, r"caf\udce9")


@pytest.mark.parametrize("packer", [gzip, bz2, lzma, zipfile])
def test_content_that_the_disk_has_no_room_for_leaves_no_copy(tmp_path, packer, monkeypatch):
    path, content = tmp_path / "table.csv.packed", b"a,y\n" + b"1,0\n" * (1 << 19)  # more than a block
    if packer is zipfile:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("table.csv", content)
    else:
        path.write_bytes(packer.compress(content))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2 * len(content)))
    assert read_table(path).num_rows == 1 << 19
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=2 * len(content) - 2))
    refused(path, "larger than", "half of what is free in", "TMPDIR")
    assert {copy.name for copy in tmp_path.glob("bitsieve-*/*")} <= {"lock"}


def test_a_file_of_the_system_that_waits_for_ever_is_not_opened():
    if not Path("/proc/kmsg").exists():
        pytest.skip("no such file on this system")
    refused("/proc/kmsg", "is empty")


def test_a_first_name_of_two_lines(tmp_path):
    (tmp_path / "lines.csv").write_text('"a\nb",c,y\n1,2,0\n3,4,1\n')
    assert read_table(tmp_path / "lines.csv").column_names == ["a\nb", "c", "y"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "npz", "libsvm", "csv.gz", "list"])
def test_a_file_that_is_replaced_while_it_is_read(tmp_path, monkeypatch, kind):
    contents = dict(whole_files())
    names = {"csv": "comma", "csv.gz": "gzip", "list": "comma"}
    file = tmp_path / f"t.{kind}"
    file.write_bytes(contents[names.get(kind, kind)])

    def replaced_meanwhile(read):
        def read_and_replace(self, *args, **how):
            result = read(self, *args, **how)
            other = tmp_path / "other"
            other.write_bytes(file.read_bytes())
            other.replace(file)
            return result

        return read_and_replace

    for reader, method in ((ColumnFile, "batches"), (NpzFile, "read"), (LibsvmFile, "read")):
        monkeypatch.setattr(reader, method, replaced_meanwhile(getattr(reader, method)))
    with pytest.raises(DataError, match="changed while it was read") as caught:
        read_table([file] if kind == "list" else file)
    assert caught.value.code == "data-changed"


def test_codes_with_leading_zeros_stay_text_and_numbers_beside_them_do_not(tmp_path):
    path = tmp_path / "zip.csv"
    path.write_text("zip,number\n" + "".join(f"{j:05},{j}\n" for j in range(40)))
    table = read_table(path)
    assert table.column("zip").to_pylist()[:2] == ["00000", "00001"]
    assert table.schema.field("number").type == pa.int64()


def test_codes_are_found_in_rows_however_long(tmp_path, monkeypatch):
    monkeypatch.setattr("bitsieve.io.dialect._N_ROW_BYTES", 1)
    path = tmp_path / "zip.csv"
    path.write_text("zip,number\n" + "".join(f"{j:05},{j}\n" for j in range(40)))
    assert pa.types.is_string(read_table(path).schema.field("zip").type)


@pytest.mark.parametrize(
    ("text", "sample"),
    [("a,b\n1,2", "a,b\n1,2"), ("a,b\n1,2\n3,4\n", "a,b\n1,2\n"), ("a,b\n1,2\n3,4", "a,b\n1,2\n")],
)
def test_a_sample_ends_with_a_row_or_with_the_file(tmp_path, monkeypatch, text, sample):
    monkeypatch.setattr(dialect, "_N_SAMPLE_BYTES", 10)
    (tmp_path / "t.csv").write_text(text)
    assert dialect._sample(tmp_path / "t.csv").text == sample
