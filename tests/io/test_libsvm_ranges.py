"""Libsvm files in ranges of text: the columns of the file read whole, for ranges and blocks of any size."""

from __future__ import annotations

import os

import numpy as np
import pytest

from bitsieve.dataset.sparse import read_sparse
from bitsieve.io import libsvm, spool
from bitsieve.io.column_file import InputFile
from bitsieve.io.errors import DataError
from bitsieve.io.libsvm import read_libsvm_in_ranges
from bitsieve.io.read import read_table
from bitsieve.utils.progress import listening

TWO_COLUMNS = "".join(f"{i % 3} {1 + i % 7}:{i}.5 9:-2\n" for i in range(60))


def drawn(n_rows, n_columns, density, first=1, seed=0):
    """Rows of a table with columns of all lengths, stored zeros and missing values among its values."""
    random = np.random.default_rng(seed)
    there = random.random((n_rows, n_columns)) < density * 2 * random.random(n_columns)
    there[:, -2] = True
    values = random.choice(["0", "1", "2.25", "-1e-3", "nan", "0.0"], (n_rows, n_columns))
    rows = [" ".join(f"{first + j}:{values[i, j]}" for j in np.flatnonzero(there[i])) for i in range(n_rows)]
    return "".join(f"{i % 2}.5 {row}\n" for i, row in enumerate(rows))


TEXTS = {
    "two columns": TWO_COLUMNS,
    "no line end": TWO_COLUMNS.removesuffix("\n"),
    "line ends of Windows": TWO_COLUMNS.replace("\n", "\r\n"),
    "columns from 0": "1 2:3\n0 0:4 5:1\n1 1:1\n",
    "columns from 0, which is a zero": "1 2:3\n0 0:0 5:1\n1 1:1\n",
    "columns from 3": "1 3:3\n0 5:1\n1 4:1\n",
    "the last column is a zero": "1 3:3\n0 5:1 9:0\n1 4:1\n",
    "only zeros": "1 3:0\n0 5:0.0\n",
    "comments, queries and rows without values": "# a\n1 qid:3 2:1 # 5:7\n\n0\n  \n0 qid:4\n1 1:2#x\n0\n",
    "drawn": drawn(50, 20, 0.3),
    "drawn, from 0": drawn(30, 40, 0.5, first=0, seed=1),
}
LABELS = {"whole numbers": "1 1:1\n-7 1:2\n", "fractions": "1 1:1\n-7.25 1:2\n", "missing": "1 1:1\nnan 1:2\n"}


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "data.libsvm"
        path.write_bytes(text.encode())
        return path

    return write


def same(found, path):
    """Whether a table in a spool is that of the file read whole; how many values it stores."""
    expected = read_table(path)
    columns = read_sparse(expected.X)
    assert found.X.shape == expected.X.shape == (len(found.y), len(found.names))
    assert (found.y.dtype, found.y.tobytes()) == (expected.y.dtype, expected.y.tobytes())
    np.testing.assert_array_equal(found.X.indptr, columns.start)
    np.testing.assert_array_equal(found.X.indices, columns.row)
    assert found.X.data.tobytes() == columns.value.tobytes()  # NaN, too
    assert (found.X.indices.dtype, found.X.data.dtype) == (np.int32, np.float64)
    return len(found.X.data)


@pytest.mark.parametrize("text", TEXTS)
def test_columns_are_those_of_the_file_read_whole(file, text):
    path = file(TEXTS[text])
    for range_bytes, n_sorted_at_once in ((1, 40), (200, 1), (200, 6), (200, 10**6), (10**6, 40)):
        memory = n_sorted_at_once * 256
        same(read_libsvm_in_ranges(InputFile.of_path(path), memory, range_bytes=range_bytes), path)


@pytest.mark.parametrize("n_sorted_at_once", [1, 40, 10**6])
def test_the_sort_by_column_ends_with_its_last_step(file, n_sorted_at_once):
    heard = []
    with listening(heard.append):
        read_libsvm_in_ranges(InputFile.of_path(file(TEXTS["drawn"])), n_sorted_at_once * 256)
    steps = [(step.done, step.total) for step in heard if step.total and step.phase == "sorting by column"]
    total = steps[-1][1]
    assert steps == [(done, total) for done in range(1, total + 1)]


@pytest.mark.parametrize("labels", LABELS)
def test_labels(file, labels):
    path = file(LABELS[labels])
    assert same(read_libsvm_in_ranges(InputFile.of_path(path), 1, range_bytes=3), path) == 2


def test_the_size_of_a_range_follows_from_memory(file, monkeypatch):
    path, read = file(f"0.5 1:2.{'0' * 2000}\n" * 600), []
    of_whole, size = libsvm.sparse_rows, path.stat().st_size
    monkeypatch.setattr(libsvm, "sparse_rows", lambda text, _: read.append(text) or of_whole(text, path))
    for memory, n_ranges in ((1, 2), (1 << 30, 1)):
        read.clear()
        read_libsvm_in_ranges(InputFile.of_path(path), memory)
        assert len(read) == n_ranges
    assert 1 << 20 < size < 1 << 21


def test_a_bad_row_in_a_later_range(file):
    path = file("1 1:1\n" * 20 + "1 3:1 2:1\n" + "1 1:1\n" * 20)
    with pytest.raises(DataError) as whole:
        read_table(path)
    with pytest.raises(DataError) as in_ranges:
        read_libsvm_in_ranges(InputFile.of_path(path), 1, range_bytes=50)
    assert str(in_ranges.value) == str(whole.value)


@pytest.mark.parametrize("text", ["# nothing\n", "1\n0\n"])
def test_nothing_to_select_from(file, text):
    path = file(text)
    with pytest.raises(DataError) as whole:
        read_table(path)
    with pytest.raises(DataError) as in_ranges:
        read_libsvm_in_ranges(InputFile.of_path(path), 1, range_bytes=2)
    assert str(in_ranges.value) == str(whole.value)
    assert "nothing to select from" in str(whole.value)


def test_more_columns_than_the_values_of_the_file_justify(file):
    path = file("1 2147483647:1\n")
    for read in (read_table, lambda path: read_libsvm_in_ranges(InputFile.of_path(path), 1)):
        with pytest.raises(
            DataError, match=r"^'.*' has 2,147,483,647 columns, more than 1,048,576: .*; renumber them$"
        ):
            read(path)


def test_as_many_columns_as_the_values_justify(file, monkeypatch):
    monkeypatch.setattr("bitsieve.io.errors.MAX_COLUMNS", 20)
    path = file("1 1:1 32:1\n0 2:1\n")
    assert read_table(path).X.shape == read_libsvm_in_ranges(InputFile.of_path(path), 1).X.shape == (2, 32)
    for read in (read_table, lambda path: read_libsvm_in_ranges(InputFile.of_path(path), 1)):
        with pytest.raises(DataError, match="49 columns, more than 48"):
            read(file("1 1:1 49:1\n0 2:1\n"))


def test_a_file_that_changes_while_it_is_read(file, tmp_path, monkeypatch):
    path, of_whole = file(TWO_COLUMNS), libsvm.sparse_rows

    def changing(text, _):
        os.utime(path, ns=(0, 0))
        return of_whole(text, repr(str(path)))

    monkeypatch.setattr(libsvm, "sparse_rows", changing)
    with pytest.raises(DataError, match=r"data.libsvm' changed while it was read: run again when nobody writes it"):
        read_libsvm_in_ranges(InputFile.of_path(path), 1, tmp_path / "spool")
    assert list((tmp_path / "spool").iterdir()) == []


def test_nothing_is_left(file, tmp_path, monkeypatch):
    monkeypatch.setattr(spool.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    path = file(TWO_COLUMNS)
    found = read_libsvm_in_ranges(InputFile.of_path(path), 1, range_bytes=50)
    (folder,) = (tmp_path / "temporary").iterdir()
    assert {left.name for left in folder.iterdir()} == {"lock"}  # what is mapped has no name
    same(found, path)
    del found
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.fixture
def readings(monkeypatch):
    """How often a text was read."""
    calls, read = [], libsvm._read_rows
    monkeypatch.setattr(libsvm, "_read_rows", lambda *of: calls.append(1) or read(*of))
    return calls


@pytest.mark.parametrize("text", ["drawn", "only zeros"])
def test_a_spool_is_used_again(file, tmp_path, readings, text):
    path, folder = file(TEXTS[text]), tmp_path / "spool"
    for memory in (1, 10**6, 10**9):
        same(read_libsvm_in_ranges(InputFile.of_path(path), memory, folder), path)
    assert len(readings) == 1
    assert len(list(folder.iterdir())) == 1
    file(TWO_COLUMNS)
    same(read_libsvm_in_ranges(InputFile.of_path(path), 1, folder), path)
    assert len(readings) == 2
    assert len(list(folder.iterdir())) == 2


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["start", "labels", "row", "value", "facts.json"])
@pytest.mark.parametrize("how", ["shorter", "spoiled", "gone"])
def test_a_damaged_spool_is_not_trusted(file, tmp_path, readings, name, how):
    path, folder = file(TEXTS["drawn"]), tmp_path / "spool"
    read_libsvm_in_ranges(InputFile.of_path(path), 1, folder)
    (kept,) = folder.iterdir()
    content = (kept / name).read_bytes()
    if how == "gone":
        (kept / name).unlink()
    else:
        (kept / name).write_bytes(content[:-8] if how == "shorter" else b"\0" * len(content))
    same(read_libsvm_in_ranges(InputFile.of_path(path), 1, folder), path)
    same(read_libsvm_in_ranges(InputFile.of_path(path), 1, folder), path)
    assert len(readings) == 2  # what was made anew is used again


def test_a_full_disk(file, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = file(TWO_COLUMNS)
    monkeypatch.setattr(spool.os, "posix_fallocate", full)
    with pytest.raises(DataError, match=r"^the spool needs .* more in '.*spool', where .* are free \(No space left"):
        read_libsvm_in_ranges(InputFile.of_path(path), 1, tmp_path / "spool")
    assert list((tmp_path / "spool").iterdir()) == []


def test_some_columns(file):
    path = file(TEXTS["drawn"])
    table, whole = read_libsvm_in_ranges(InputFile.of_path(path), 1), read_sparse(read_table(path).X).stored.toarray()
    for places in ([3, 4, 5, 0, 19, 7], [2], [], list(range(20)), [19, 18]):
        np.testing.assert_array_equal(table.X[:, places].toarray(), whole[:, places])
        some = table.X.columns(places)
        assert some.shape == (50, len(places))
        np.testing.assert_array_equal(some[:, list(range(len(places)))].toarray(), whole[:, places])
    blanked = whole.copy()
    blanked[:, [0, 18, 7]] = 0
    np.testing.assert_array_equal(table.X.blanked([0, 18, 7])[:, list(range(20))].toarray(), blanked)
