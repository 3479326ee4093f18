"""Files in blocks: all blocks together are the file read whole, types and notes included, wherever it is cut."""

from __future__ import annotations

import contextlib
import gzip
import json
import pickle
from itertools import product

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse
from sklearn.datasets import dump_svmlight_file
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.io import text
from bitsieve.io.arrow import stored_stream
from bitsieve.io.errors import DataError
from bitsieve.io.read import open_columns, open_file, read_table

ROWS = 16
TEXTS = {
    "plain": "a,b\n" + "".join(f"{i},{'x' * (i % 7)}y\n" for i in range(ROWS)),
    "no end of the last line": "a,b\n" + "1,22\n" * ROWS + "3,4",
    "blank lines": "\n\na,b\n" + "1,22\n\n\n" * ROWS + "\n" * 50,
    "returns": "a,b\r\n" + "1,22\r\n" * ROWS,
    "returns alone": "a,b\r" + "1,2\r" * ROWS,
    "a mark before the header": "\ufeffa,b\n" + "1,22\n" * ROWS,
    "several columns of several types": "a,b,c\n" + "1,2,3\n" * ROWS + "1.5,2.5,x\n" * ROWS,
    "booleans and numbers in several columns": "a,b\n" + "true,false\n" * ROWS + "5,6\n" * ROWS,
    "quotes": 'a,"b"\n' + '"x,1","say ""so"""\n,""\n1,"z"\n' * ROWS,
    "quotes and returns": "a;b\r\n" + '"x;1";2\r\n' * ROWS,
    "line breaks in values": 'a,b\n1,"x\ny"\n' * ROWS,
    "line breaks in names": 'b,"a\nb"\n' + '1,"x\n\ny"\n' * ROWS,
    "quotes amidst values": "a,b\n" + '5" x,3" y\n' * ROWS,
    "quotes behind a space": "a,b\n" + '1, "x"\n' * ROWS,
    "text behind quotes": "a,b\n" + '"x"y,"u\nv"" w"\n' * ROWS,
    "names twice": "a,b,a\n" + "1,22,x\n" * ROWS,
    "comments": "# made\n" + "a,b\n" + "1,22\n# so\n" * ROWS,
    "cp1252": "größe,y\n" + "é,b\n" * ROWS,
    "no letter of cp1252 until late": "a,y\n" + "1,b\n" * ROWS + "2,é\n",
    "decimal commas": "a;b\n" + "1,5;2\n7;1,25\n" * ROWS,
}
TYPES = {
    "commas in numbers": "a;b\n" + '1,234;5\n12;"1,000.5"\n' * ROWS,
    "commas in some numbers": "a;b\n" + "1,234.5;x,1\n" * ROWS + "2;7\n" * ROWS,
    "commas in most numbers": "a;b\n" + "1,234.5;x\n" * ROWS + "1234;7\n" * ROWS,
    "text at last": "a;b\n" + "1;1\n" * ROWS + "word;2\n" * 3,
    "text at first": "a;b\n" + "word;1\n" * 3 + "1;1\n" * ROWS,
    "nothing at first": "a;b\n" + ";1\n" * ROWS + "1.5;2\n" * 3,
    "nothing at all": "a;b\n" + ";1\n" * ROWS,
    "fractions at last": "a,b\n" + "1,2\n" * ROWS + "0.5,1e3\n",
    "hexadecimal, then fractions": "a,b\n" + "0x10,2\n" * ROWS + "0.5,3\n",
    "truth values": "a,b\n" + "0,2\n1,2\n" * ROWS + "true,3\n",
    "numbers and truth values": "a,b\n" + "0,2\n2,2\n" * ROWS + "true,3\n",
    "dates, then times": "a,b\n"
    + "2020-01-01,1\n" * ROWS
    + "2020-01-01 10:00:00,2\n" * 3
    + "2020-01-01 10:00:00.5,2\n",
    "dates out of range": "a,b\n" + "1500-01-01,1\n" * ROWS + "2020-01-01 10:00:00.5,2\n",
    "dates and numbers": "a,b\n" + "2020-01-01,1\n" * ROWS + "7,2\n",
    "dates and text": "a,b\n" + "2020-01-01,1\n" * ROWS + "never,2\n",
    "times of the day": "a,b\n" + "10:00:00,1\n" * ROWS + "2020-01-01,2\n",
    "times of a zone": "a,b\n" + "2020-01-01T00:00:00Z,1\n" * ROWS + "2020-01-01T00:00:00.5Z,2\n",
    "missing markers": "a,b\n" + "NA,?\n" * ROWS + "1,2020-01-01\n",
}
OBJECTS = {
    "plain": [{"a": 1, "b": "x"}, {"a": None, "b": "y"}],
    "fractions at last": [{"a": 1, "b": "x"}] * ROWS + [{"a": 0.5, "b": "y"}],
    "keys at last": [{"a": 1}] * ROWS + [{"b": "y", "a": 2}],
    "dates, then text": [{"a": "2020-01-01", "b": True}] * ROWS + [{"a": "never", "b": False}],
    "nothing": [{"a": None, "b": 1}] * ROWS,
}


def whole(path):
    notes = []
    return read_table(path, diagnostics=notes), notes


def together(blocks):
    return pa.concat_tables(list(blocks)).combine_chunks()


@pytest.mark.parametrize(
    ("size", "content"),
    quick_and_slow(
        product([1, 7, 40, 10_000], TEXTS | TYPES),
        quick={*product([7], TEXTS | TYPES)},
        reason="ranges of another size",
    ),
)
def test_ranges_of_text_hold_what_the_file_holds(tmp_path, monkeypatch, content, size):
    monkeypatch.setattr(text, "RANGE_BYTES", size)
    path = tmp_path / "table.csv"
    path.write_bytes((TEXTS | TYPES)[content].encode("cp1252" if "cp1252" in content else "utf-8"))
    expected, notes = whole(path)
    file = open_file(path)
    assert file.names == expected.column_names
    for rows in (3, 10**6, None):
        found = together(file.batches(rows=rows))
        assert found.equals(expected.combine_chunks()), found.schema
    assert (dict(file.types), file.n_rows, file.diagnostics) == (
        dict(zip(expected.column_names, expected.schema.types, strict=True)),
        expected.num_rows,
        notes,
    )
    names = file.names[::-1]
    assert together(file.batches(names, 5)).equals(expected.select(names).combine_chunks())


@pytest.mark.parametrize("content", [name for name in TEXTS if name not in ("comments",) and "cp1252" not in name])
def test_portions_can_be_sent_to_other_processes(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(TEXTS[content].encode())
    file = open_file(path)
    for n in (1, 5, 1000):
        parts = pickle.loads(pickle.dumps(file.checked_partitions(n)))
        assert len(parts) <= n + 1
        assert len(parts) > 1 or n == 1 or content == "returns alone"
        assert together(block for part in parts for block in part.batches(rows=3)).equals(
            whole(path)[0].combine_chunks()
        )
    with open(path, "ab") as opened:
        opened.write(b"1,2\n")
    with pytest.raises(DataError, match=r"table.csv' changed while it was read: run again"):
        list(parts[0].batches())


def test_portions_of_copies_are_refused(tmp_path):
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(TEXTS["plain"].encode()))
    with pytest.raises(DataError, match=r"table.csv.gz' is compressed or not UTF-8, and cannot be read in batches"):
        open_file(tmp_path / "table.csv.gz").checked_partitions()


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_a_file_of_one_range_is_parsed_once(tmp_path, monkeypatch, size):
    monkeypatch.setattr(text, "RANGE_BYTES", size)
    parsed, of_file = [], text.DelimitedParser.parse
    monkeypatch.setattr(text.DelimitedParser, "parse", lambda self, *of: parsed.append(of[:2]) or of_file(self, *of))
    (tmp_path / "table.csv").write_text(TEXTS["plain"])
    file = open_columns(tmp_path / "table.csv")
    assert parsed == []
    assert file.row_bytes == 8 + 32
    list(file.batches())
    assert len(parsed) == (1 if size == 10_000 else 2 * len({first for first, _ in parsed}))


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("a,b\n" + "1,2\n" * 30 + "3\n" + "1,2\n" * 9, ["row 32 (the header is row 1)", "has 1 fields where"]),
        ("a,b\n" + "1,2\n" * 30 + "3", ["row 32, the last one,", "has 1 fields where"]),
        ("a,b\n" + "1,2\n" * 30 + '3,"x\n' + "1,2\n" * 9, ["ends inside a quoted value"]),
        ("a,b\n", ["has no rows"]),
    ],
)
@pytest.mark.parametrize("size", [5, 10_000])
def test_broken_text_is_refused_in_the_same_words(tmp_path, monkeypatch, content, parts, size):
    monkeypatch.setattr(text, "RANGE_BYTES", size)
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(DataError) as expected:
        read_table(path)
    with pytest.raises(DataError) as found:
        list(open_file(path).batches())
    assert str(found.value) == str(expected.value)
    assert all(part in str(found.value) for part in [str(path), *parts])


@pytest.mark.each_value
@pytest.mark.parametrize("content", OBJECTS)
@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize("size", [1, 50, 10_000])
def test_json(tmp_path, monkeypatch, content, is_list, size):
    monkeypatch.setattr(text, "RANGE_BYTES", size)
    rows, path = OBJECTS[content], tmp_path / "rows.json"
    path.write_text(json.dumps(rows) if is_list else "".join(json.dumps(row) + "\n" for row in rows))
    expected = whole(path)[0].combine_chunks()
    file = open_file(path)
    assert file.names == expected.column_names
    for n in (3, None):
        assert together(file.batches(rows=n)).equals(expected)
    assert together(file.batches(file.names[:1])).equals(expected.select([0]))
    assert file.n_rows == len(rows)


def test_json_of_several_types_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.json"
    path.write_text('{"a": 1}\n' * ROWS + '{"a": true}\n')
    for size in (20, 10_000):
        monkeypatch.setattr(text, "RANGE_BYTES", size)
        with pytest.raises(DataError, match=r"rows.json' as JSON: .*Column\(/a\) changed from"):
            list(open_file(path).batches())


TABLE = pa.table(
    {
        "number": np.arange(100) / 7,
        "word": [f"w{i % 9}" for i in range(100)],
        "code": pa.array([f"c{i % 3}" for i in range(100)]).dictionary_encode(),
        "gaps": pa.array([None if i % 5 else i for i in range(100)], pa.int16()),
    }
)
STORED = {
    "parquet": lambda path: parquet.write_table(TABLE, path, row_group_size=30),
    "feather": lambda path: feather.write_feather(TABLE, str(path), chunksize=40),
    "stream": lambda path: pa.ipc.new_stream(str(path), TABLE.schema).write_table(TABLE, 40),
}


@pytest.mark.parametrize("kind", STORED)
@pytest.mark.parametrize("rows", [7, 35, 1000, None])
def test_stored_types(tmp_path, kind, rows):
    path = tmp_path / "table"
    STORED[kind](path)
    file = open_file(path)
    assert (file.names, list(file.types.values())) == (TABLE.column_names, TABLE.schema.types)
    for columns in (None, ["gaps", "number"], ["number", "gaps", "word"]):
        expected = TABLE if columns is None else TABLE.select(columns)
        for found in (
            file.batches(columns, rows),
            (b for part in file.checked_partitions() for b in part.batches(columns, rows)),
        ):
            blocks = list(found)
            assert pa.concat_tables(blocks).equals(expected)
            assert len(blocks) > 1 or rows in (1000, None)


@pytest.mark.parametrize("rows", [3, 7, 22])
def test_long_row_groups_are_read_in_blocks(tmp_path, rows):
    parquet.write_table(TABLE, tmp_path / "table.parquet", row_group_size=90)
    file = open_file(tmp_path / "table.parquet")
    blocks = list(file.batches(["number", "word", "gaps"], rows))
    assert pa.concat_tables(blocks).equals(TABLE.select(["number", "word", "gaps"]))
    assert max(map(len, blocks)) <= rows


def test_a_parquet_file_without_row_groups_has_no_part_to_send(tmp_path):
    parquet.ParquetWriter(tmp_path / "table.parquet", TABLE.schema).close()
    file = open_file(tmp_path / "table.parquet")
    assert [file.partitions_to_send(n) for n in (None, 1, 3)] == [[], [], []]


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}], ids=str)
def test_columns_of_string_views(tmp_path, how):
    words = ["a long word, stored apart", "b", None]
    table = pa.table({"word": words * 40, "few": ["1", "2", "3"] * 40, "y": ["no", "yes"] * 60})
    views = table.cast(pa.schema([(name, pa.string_view()) for name in table.column_names]))
    parquet.write_table(views, tmp_path / "t.parquet")
    with pa.ipc.new_file(tmp_path / "t.arrow", views.schema) as writer:
        writer.write_table(views, 50)
    expected = bitsieve.select(table, "y", missing="bin", verbose=False)
    for path in "t.parquet", "t.arrow":
        selection = bitsieve.select(tmp_path / path, "y", missing="bin", verbose=False, **how)
        assert selection.features == expected.features
        assert selection.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("seed", quick_and_slow(range(4), quick={0}, reason="more damaged files"))
def test_damaged_parquet_in_batches(tmp_path, seed):
    """Nothing but rows or a DataError: no panic of a library, and no abort of the process."""
    random = np.random.default_rng(seed)
    path = tmp_path / "table.parquet"
    for compression in "snappy", "none", "zstd":
        parquet.write_table(TABLE, path, compression=compression, row_group_size=40)
        content = path.read_bytes()
        for _ in range(50):
            damaged = bytearray(content)
            for position in random.integers(4, len(content) - 8, 3):
                damaged[position] = random.integers(256)
            path.write_bytes(damaged)
            with contextlib.suppress(DataError):
                list(open_file(path).batches(rows=20))


def test_names_that_occur_twice_in_a_stored_file(tmp_path):
    table = pa.Table.from_arrays(
        [pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 6])], ["a", "__index_level_0__", "a"]
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, str(tmp_path / "a.feather"))
    for name in ("a.parquet", "a.feather"):
        file = open_file(tmp_path / name)
        assert file.names == ["a", "a.1"]
        assert [note.code for note in file.diagnostics] == ["columns-renamed"]
        for rows in (1, None):
            assert together(file.batches(["a.1"], rows)).to_pydict() == {"a.1": [5, 6]}


def test_values_of_blocks_are_checked_before_they_are_used(tmp_path):
    words = pa.table({"word": ["aaa", "bb", "cccc", "d"], "y": [0, 1, 0, 1]})
    with pa.ipc.new_file(tmp_path / "words.arrow", words.schema) as writer:
        writer.write_table(words)
    content = (tmp_path / "words.arrow").read_bytes()
    (tmp_path / "words.arrow").write_bytes(content.replace(b"aaabb", b"aa\xffbb"))
    with pytest.raises(DataError, match=r"words.arrow' as Arrow: .*UTF8"):
        list(open_file(tmp_path / "words.arrow").batches(["word"]))


@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "libsvm"])
def test_arrays(tmp_path, kind):
    X = np.where(np.arange(400).reshape(50, 8) % 3 == 0, np.arange(400).reshape(50, 8) / 4, 0)
    y = np.arange(50) % 3
    if kind == "dense":
        np.savez(tmp_path / "data", X=X, y=y)
    elif kind == "libsvm":
        dump_svmlight_file(X, y, str(tmp_path / "data.npz"), zero_based=False)
    else:
        stored = sparse.csr_array(X).asformat(kind)
        pieces = {name: getattr(stored, name) for name in ("data", "indices", "indptr")}
        np.savez(tmp_path / "data", y=y, shape=X.shape, format=np.array(kind.encode()), **pieces)
    found = read_table(tmp_path / "data.npz")
    np.testing.assert_array_equal(found.X if kind == "dense" else found.X.toarray(), X)
    assert (found.y.tolist(), found.y.dtype.kind) == (y.tolist(), "i")
    assert list(found.names) == [f"x{j}" for j in range(8)]
    with pytest.raises(DataError, match="which is not read in batches"):
        open_columns(tmp_path / "data.npz")


def folder(tmp_path, files):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.mark.parametrize("value", ["", "-", "--5", "9" * 20])
def test_names_of_folders_that_are_no_whole_numbers_of_64_bits_are_text(tmp_path, value):
    path = folder(tmp_path, {f"year={value}/1.csv": "p,q\n1,x\n", "year=2020/1.csv": "p,q\n2,y\n"})
    years = together(open_file(path).batches(["year"]))["year"].to_pylist()
    assert sorted(years) == sorted([value, "2020"])


def test_folders(tmp_path):
    path = folder(
        tmp_path,
        {
            "year=2020/kind=a%20b/1.csv": "p,q\n1,x\n",
            "year=2020/kind=__HIVE_DEFAULT_PARTITION__/1.csv": "p,q\n2,y\n",
            "year=3000000000/kind=c/2.tsv": "p\tq\n3\tz\n",
            "year=2020/kind=c/notes.md": "nothing",
            "year=2020/kind=c/.hidden.csv": "p,q\n4,x\n",
            "_year=2020/kind=c/1.csv": "p,q\n5,x\n",
        },
    )
    file = open_file(path)
    expected = {
        "p": [2, 1, 3],
        "q": ["y", "x", "z"],
        "year": [2020, 2020, 3_000_000_000],
        "kind": [None, "a b", "c"],
    }
    assert file.names == list(expected)
    assert together(file.batches()).to_pydict() == expected
    assert together(file.batches(["kind"])).to_pydict() == {"kind": expected["kind"]}
    assert together(b for part in file.checked_partitions() for b in part.batches(["year", "p"])).column_names == [
        "year",
        "p",
    ]
    assert (file.n_rows, len(file.state()), [str(kind) for kind in file.types.values()]) == (
        3,
        3,
        ["int64", "string", "int64", "string"],
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.md": "a,b\n1,2\n"}, "holds no table: files that end in .parquet"),
        (
            {"1.csv": "a,b\n1,2\n", "2.csv": "a,c\n1,2\n"},
            "2.csv' lacks the column 'b', unlike '.*1.csv': give all parts",
        ),
        ({"1.csv": "a,b,c\n1,2,3\n", "2.csv": "a,x\n1,2\n"}, "2.csv' lacks the columns 'b', 'c', unlike"),
        ({"1.csv": "a,b\n1,2\n", "2.csv": "a,b,c\n1,2,3\n"}, "2.csv' has the column 'c' besides, unlike"),
        (
            {"u=1/1.csv": "a,b\n1,2\n", "2.csv": "a,b\n1,2\n"},
            "are not all named by the same columns: name each of them COLUMN=VALUE, with the same column",
        ),
        ({"1.csv": "1 1:2\n"}, r"1.csv' is a libsvm file, which is not read in batches of columns"),
    ],
)
def test_folders_that_are_none(tmp_path, files, message):
    with pytest.raises(DataError, match=message):
        open_file(folder(tmp_path, files))


def test_files_of_a_folder_that_are_no_tables(tmp_path):
    path = folder(
        tmp_path,
        {
            "k=1/1.csv": "a,b\n1,2\n",
            "k=2/2.csv": "a,b\n3,4\n",
            "k=2/part.txt": "a,b\n5,6\n",
            "k=2/empty.csv": "",
            "readme.txt": "The rows of the hospital,\nby day.\n",
            "about this.txt": "of all, by day",
            "no text.txt": "\0\0",
        },
    )
    file = open_file(path)
    assert together(file.batches()).to_pydict() == {"a": [1, 3, 5], "b": [2, 4, 6], "k": [1, 2, 2]}
    names_of_code = {note.code: note.message for note in file.diagnostics}
    assert set(names_of_code) == {"empty-files-left-out", "documents-left-out"}
    assert "'k=2/empty.csv'" in names_of_code["empty-files-left-out"]
    assert "the files 'about this.txt', 'no text.txt', 'readme.txt'" in names_of_code["documents-left-out"]


def test_a_folder_without_anything_but_documents(tmp_path):
    with pytest.raises(DataError, match="holds no table") as caught:
        open_file(folder(tmp_path, {"readme.txt": "a,b\n1,2\n", "empty.csv": ""}))
    assert caught.value.code == "not-a-table"


def test_a_pattern_is_a_list_of_files(tmp_path):
    folder(tmp_path, {"1.csv": "a,b\n1,2\n", "2.csv": "a,b\n3,4\n", "3.tsv": "a\tb\n5\t6\n", "of[1].csv": "a,b\n7,8\n"})
    pattern = f"{tmp_path}/[0-9].csv"
    assert together(open_file(pattern).batches()).to_pydict() == {"a": [1, 3], "b": [2, 4]}
    assert together(open_file(tmp_path / "*.tsv").batches()).to_pydict() == {"a": [5], "b": [6]}
    assert read_table(pattern).num_rows == 2
    assert read_table(tmp_path / "of[1].csv").to_pydict() == {"a": [7], "b": [8]}  # the name of a file is no pattern
    with pytest.raises(DataError, match=r"no file matches '.*none\*'") as caught:
        read_table(f"{tmp_path}/none*")
    assert caught.value.code == "file-missing"


def test_a_stream(tmp_path):
    file = open_file(TABLE.to_reader(max_chunksize=30), spool=tmp_path / "spool")
    assert (file.n_rows, file.names, file.state(), file.label) == (100, TABLE.column_names, [], "the stream")
    for _ in range(2):
        assert together(file.batches()).equals(TABLE.combine_chunks())
    with pytest.raises(DataError, match="the stream has no rows: nothing to select from"):
        open_file(TABLE[:0].to_reader())
    with pytest.raises(DataError, match=r"column 'a' of the stream holds list<item: int64>; drop it"):
        open_file(pa.table({"a": [[1]]}).to_reader())
    del file
    assert list((tmp_path / "spool").iterdir()) == []


class LazyFrame:
    """A lazy frame that yields its batches in any order unless it is asked to keep theirs."""

    def collect_batches(self, *, maintain_order):
        batches = [pl.DataFrame({"a": [first, first + 1]}) for first in (0, 2, 4)]
        return batches if maintain_order else batches[::-1]


def test_the_rows_of_a_lazy_frame_keep_their_order():
    assert together(stored_stream(LazyFrame(), None).batches())["a"].to_pylist() == [0, 1, 2, 3, 4, 5]


def test_a_source_that_fails_while_it_is_read_is_one_line():
    def batches():
        yield from TABLE.to_batches()
        raise OSError("server closed the connection unexpectedly\n\tThis probably means that it was killed\n")

    with pytest.raises(DataError) as caught:
        open_file(pa.RecordBatchReader.from_batches(TABLE.schema, batches()))
    assert caught.value.code == "cannot-read"
    assert "server closed the connection" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize("how", [{}, {"memory": "1GB"}, {"push_down": True}], ids=str)
def test_a_table_that_is_dropped_before_it_is_read_is_one_line(how):
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("create table t as select i % 7 as a, i % 2 as y from range(500) r(i)")
    relation = connection.table("t")
    connection.execute("drop table t")
    with pytest.raises(DataError, match=r"^[^\n]*Table with name t does not exist[^\n]*$") as caught:
        bitsieve.select(relation, "y", **how)
    assert caught.value.code == "cannot-read"


@pytest.mark.parametrize("how", ["table", "stream"])
def test_decimals_that_a_driver_returns_as_text(how):
    numeric = pa.opaque(pa.string(), "numeric", "PostgreSQL")
    random = np.random.default_rng(6)
    y = random.integers(0, 2, 400)
    hundredths = random.integers(0, 30, 400) + 9 * y
    words = [f"{value / 100:.2f}" for value in hundredths.tolist()]
    words[5:9] = ["NaN", None, "1e-1", "0.100"]
    numbers = [np.nan if word is None else float(word) for word in words]
    table = pa.table({"a": pa.ExtensionArray.from_storage(numeric, pa.array(words, pa.string())), "y": y})
    selection = bitsieve.select(table.to_reader() if how == "stream" else table, "y")
    expected = bitsieve.select(pa.table({"a": pa.array(numbers, from_pandas=True), "y": y}), "y")
    assert selection.scores.tobytes() == expected.scores.tobytes()


def test_decimals_in_text_that_differ_in_a_digit_too_many():
    numeric = pa.opaque(pa.string(), "numeric", "PostgreSQL")
    words = pa.array(["1.00000000000000000001", "1.00000000000000000002"] * 10)
    table = pa.table({"a": pa.ExtensionArray.from_storage(numeric, words), "y": [0, 1] * 10})
    with pytest.raises(ValueError, match="'a'") as caught:
        bitsieve.select(table, "y")
    assert caught.value.code == "precision-lost"


def test_partitions_of_a_folder_are_shared_among_its_files(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n" + "1,2\n" * 1000)
    folder = open_columns(tmp_path)
    assert [len(folder.checked_partitions(n)) for n in (1, 2, 4, 8)] == [2, 2, 4, 8]


def test_hidden_folders_are_left_out_and_those_behind_them_are_not(tmp_path):
    for letter in "abcdefgh":
        for folder in (tmp_path / f".{letter}", tmp_path / letter):
            folder.mkdir()
            (folder / "part.csv").write_text(f"x,name\n1,{letter}\n2,{letter}\n")
    assert open_columns(tmp_path).n_rows == 16


def test_each_name_in_the_folders_has_a_type_of_its_own(tmp_path):
    for colour, number in (("red", 1), ("blue", 2)):
        folder = tmp_path / f"colour={colour}" / f"number={number}"
        folder.mkdir(parents=True)
        (folder / "part.csv").write_text("x,y\n1,2\n")
    assert [str(open_columns(tmp_path).types[name]) for name in ("colour", "number")] == ["string", "int64"]
