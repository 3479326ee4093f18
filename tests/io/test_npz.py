"""Reading .npz archives, dense and sparse; every broken one is one clear line."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse

import bitsieve
from bitsieve.cli import main
from bitsieve.io import npz
from bitsieve.io.errors import DataError
from bitsieve.io.npz import ArrayTable
from bitsieve.io.read import read_table

X = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.uint8)
Y = np.array([0, 1, 1], dtype=np.int8)


def refused(path, *parts):
    """The message of reading ``path``: one line that has all the ``parts``."""
    with pytest.raises(DataError) as caught:
        read_table(path)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    return message


def test_npz(tmp_path):
    path = tmp_path / "data.bin"
    with open(path, "wb") as file:
        np.savez(file, X=X, y=Y[:, None], extra=np.arange(7))
    table = read_table(path)
    assert isinstance(table, ArrayTable)
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, Y)
    assert (table.X.dtype, table.y.dtype, table.names) == (X.dtype, Y.dtype, ["x0", "x1"])


@pytest.mark.parametrize("names", [np.array(["p", "q"]), np.array([b"p", b"q"])])
def test_npz_names(tmp_path, names):
    np.savez(tmp_path / "data.npz", X=X, y=Y, feature_names=names)
    assert read_table(tmp_path / "data.npz").names == ["p", "q"]


@pytest.mark.parametrize("index_type", [np.uint8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_npz_sparse(tmp_path, index_type, layout):
    random = np.random.default_rng(0)
    dense = np.where(random.random((50, 200)) < 0.1, random.random((50, 200)), 0)
    matrix = sparse.coo_array(dense).asformat(layout)
    pieces = {
        "data": matrix.data.astype(np.float32),
        "indices": matrix.indices.astype(index_type),
        "indptr": matrix.indptr,
        "shape": np.array(matrix.shape),
    }
    if layout == "csc":
        pieces["format"] = np.array(b"csc")
    np.savez(tmp_path / "data.npz", y=np.arange(50), **pieces)
    table = read_table(tmp_path / "data.npz")
    np.testing.assert_array_equal(table.X.toarray(), matrix.toarray().astype(np.float32))
    assert (table.X.dtype, table.X.format) == (np.float32, layout)
    np.testing.assert_array_equal(table.column("x3"), table.X.toarray()[:, 3])


@pytest.mark.parametrize(
    ("arrays", "parts"),
    [
        ({"y": Y}, ["no array 'X'", "'y'"]),
        ({"X": X, "y": Y[:2]}, ["3 rows", "2 values", "X.T"]),
        ({"X": X, "y": Y[:1]}, ["3 rows", "1 values", "same number"]),
        ({"X": X[:0], "y": Y[:0]}, ["has no rows"]),
        ({"X": X[:, :0], "y": Y}, ["has no columns"]),
        ({"X": X[:, 0], "y": Y}, ["shape (3,)"]),
        ({"X": X, "y": X}, ["shape (3, 2)"]),
        ({"X": X, "y": np.array([0, "a", None], dtype=object)}, ["'y'", "Python objects"]),
        ({"X": X.astype(complex), "y": Y}, ["'X'", "complex128"]),
        ({"X": X, "y": Y, "feature_names": np.array(["p"])}, ["feature_names", "shape (1,)", "2 columns"]),
        ({"X": X, "y": Y, "feature_names": np.array(["p", "p"])}, ["several columns named 'p'"]),
    ],
)
def test_npz_that_cannot_be_used(tmp_path, arrays, parts):
    np.savez(tmp_path / "data.npz", **arrays)
    refused(tmp_path / "data.npz", *parts)


def test_sparse_npz_that_cannot_be_used(tmp_path, monkeypatch):
    path = tmp_path / "data.npz"
    pieces = {"data": np.ones(2), "indices": np.array([0, 9]), "indptr": np.array([0, 1, 2]), "y": np.arange(2)}
    np.savez(path, **pieces, shape=np.array([2, 3]))
    refused(path, "is broken")  # index 9 of 3 columns
    np.savez(path, **pieces, shape=np.array([2, -3]))
    refused(path, "two counts")
    np.savez(path, **{name: values[:0] for name, values in pieces.items()} | {"indptr": [0]}, shape=np.array([0, 3]))
    refused(path, "has no rows")
    np.savez(path, **pieces, shape=np.array([2, 10]), format=np.array("coo"))
    refused(path, "'coo'")
    np.savez(path, **pieces, shape=np.array([2, 1 << 20]))  # never made dense
    assert read_table(path).X.shape == (2, 1 << 20)


@pytest.mark.parametrize("layout", ["coo", "dia"])
def test_a_sparse_npz_of_another_format_is_refused_by_its_name(tmp_path, layout):
    sparse.save_npz(tmp_path / "data.npz", sparse.coo_array(X).asformat(layout))
    refused(tmp_path / "data.npz", repr(layout), "'csr'")


def test_a_target_that_is_not_in_the_file_is_given_by_its_values(tmp_path):
    rows = sparse.csr_array(np.arange(40).reshape(20, 2) % 7)
    sparse.save_npz(tmp_path / "rows.npz", rows)
    classes = np.arange(20) % 2
    selection = bitsieve.select(tmp_path / "rows.npz", classes, verbose=False)
    assert selection.relevance.tolist() == bitsieve.select(rows, classes, verbose=False).relevance.tolist()
    with pytest.raises(bitsieve.UserError, match="no array 'y'") as caught:
        bitsieve.select(tmp_path / "rows.npz")
    assert caught.value.code == "target-needed"


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_selection_is_applied_to_rows_without_a_target(tmp_path, make, capsys):
    rows = np.arange(60).reshape(20, 3) % 7
    classes = np.arange(20) % 2
    names = np.array(["a", "b", "c"])
    arrays = {"X": rows} if make is np.asarray else _pieces(make(rows))
    np.savez(tmp_path / "old.npz", **arrays, y=classes, feature_names=names)
    np.savez(tmp_path / "new.npz", **arrays)  # without names, so that columns are taken by position
    selection = bitsieve.select(tmp_path / "old.npz", n_features_to_select=2, verbose=False)
    selection.save(tmp_path / "selection.json")
    saved = str(tmp_path / "selection.json")
    for name in ("reduced.npz", "reduced.csv"):
        main(["apply", saved, str(tmp_path / "new.npz"), "--output", str(tmp_path / name)])
    expected = rows[:, selection.indices]
    with open(tmp_path / "reduced.csv") as file:
        assert file.readline().replace('"', "").strip().split(",") == selection.features
        np.testing.assert_array_equal(np.loadtxt(file, delimiter=","), expected)
    reduced = read_table(tmp_path / "reduced.npz")
    assert (reduced.y, reduced.names) == (None, selection.features)
    np.testing.assert_array_equal(reduced.X if make is np.asarray else reduced.X.toarray(), expected)


def _pieces(matrix):
    return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}


def test_other_zip_archives(tmp_path):
    path = tmp_path / "book.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    refused(path, str(path))


def test_truncated_npz(tmp_path):
    np.savez(tmp_path / "whole.npz", X=np.zeros((100, 100)), y=np.zeros(100))
    content = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(content[: len(content) // 2])
    refused(tmp_path / "half.npz", "as .npz")


def stored(path, **members):
    """An archive of members as they are, each an array or its bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if not isinstance(content, bytes):
                file = io.BytesIO()
                np.save(file, content)
                content = file.getvalue()
            archive.writestr(name if name == "format" else f"{name}.npy", content)
    return path


def header(text, values=b""):
    """A .npy file with a header of one's own."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + values


@pytest.mark.parametrize(
    ("X", "part"),
    [
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}"), "48 bytes of values"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1099511627776)}"), "26,388,279,066,624 bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, -2)}", bytes(48)), "48 bytes of values"),
        (header("{'descr': '<f8', 'fortran_order': ("), "array 'X'"),
        (header("'''"), "array 'X'"),
        (header("{'descr': '\\d', 'shape': (3, 2)}"), "array 'X'"),
        (b"\x93NUMPY\x03\x00", "version 3.0"),
        (b"\x93NUMPY\x01", "array 'X'"),
        (b"no array", "array 'X'"),
        (b"", "array 'X'"),
    ],
)
def test_arrays_whose_header_is_broken(tmp_path, X, part):
    refused(stored(tmp_path / "data.npz", X=X, y=Y), "data.npz", part)


def test_members_that_zip_cannot_give(tmp_path):
    whole = stored(tmp_path / "data.npz", X=X, y=Y).read_bytes()
    # Of X both the header before it and that in the list at the end are changed.
    places = whole.rindex(b"PK\x03\x04", 0, whole.index(b"X.npy")), whole.index(b"PK\x01\x02") + 2
    for name, offset, value, part in (("encrypted", 6, 1, "password"), ("method", 8, 99, "compression method")):
        content = bytearray(whole)
        for place in places:
            content[place + offset] = value
        (tmp_path / f"{name}.npz").write_bytes(content)
        refused(tmp_path / f"{name}.npz", part)


@pytest.mark.parametrize("layout", [b"csr", np.array(["csr", "csc"]), np.array(b"\xff"), np.array(7)])
def test_formats_of_a_sparse_matrix_that_are_none(tmp_path, layout):
    pieces = {"data": np.ones(1), "indices": np.zeros(1), "indptr": np.arange(2), "shape": np.array([1, 1])}
    refused(stored(tmp_path / "data.npz", y=Y[:1], format=layout, **pieces), "data.npz")


def test_a_dense_array_beyond_the_memory(tmp_path, monkeypatch):
    path = stored(tmp_path / "data.npz", X=X, y=Y)
    monkeypatch.setattr(npz, "available_bytes", lambda: 6)
    assert read_table(path).X.shape == (3, 2)
    monkeypatch.setattr(npz, "available_bytes", lambda: 5)
    refused(path, "array 'X'", "3 x 2 of uint8", "more than the memory that is free")


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_npz_with_far_more_columns_than_values_is_refused_before_it_is_read(tmp_path, layout, monkeypatch):
    matrix, read = sparse.coo_array(np.eye(3)).asformat(layout), []
    pieces = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    np.savez(tmp_path / "wide.npz", **pieces, shape=[3, 2 * 10**9], y=[0, 1, 1], format=layout)
    whole = npz._array
    monkeypatch.setattr(npz, "_array", lambda archive, name, label: read.append(name) or whole(archive, name, label))
    refused(tmp_path / "wide.npz", "2,000,000,000 columns, more than 1,048,576")
    assert "indptr" not in read
