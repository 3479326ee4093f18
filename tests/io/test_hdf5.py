"""HDF5 files that were made to do harm: each is one line of error, and nothing outside the file is read."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.test_h5ad import write_h5ad

import bitsieve
from bitsieve.diagnostics import UserError

h5py = pytest.importorskip("h5py")
N_ROWS = 40
GENES = ["a", "b", "c"]
HUGE = 10**12


@pytest.fixture
def path(tmp_path):
    """A file of three genes of 40 cells, the first of which is the type of the cell."""
    kind = np.arange(N_ROWS) % 2
    X = sparse.csr_array(np.column_stack([kind, np.arange(N_ROWS) % 3, np.arange(N_ROWS) % 5]).astype(np.float32))
    obs = pd.DataFrame({"kind": pd.Categorical.from_codes(kind, ["B", "T"]), "size": np.arange(N_ROWS) % 4})
    return write_h5ad(tmp_path / "cells.h5ad", X, obs, genes=GENES)


def read_all(path, **limits):
    return bitsieve.select(path, "kind", n_features_to_select=1, method="mim", **limits)


def check_refused(path, codes=("cannot-read",)):
    """Check that the file is one line of error, with and without a limit of memory."""
    for limits in ({}, {"memory": "1GB"}):
        with pytest.raises(UserError) as raised:
            read_all(path, **limits)
        assert raised.value.code in codes, raised.value
        assert str(raised.value).isprintable()


def replace(file, name, make):
    """Put what ``make`` writes into the group in the place of an array, whose values it is given."""
    values = file[name][()]
    parent, _, last = name.rpartition("/")
    group = file[parent or "/"]
    del group[last]
    make(group, last, values)


ARRAYS = ("X/data", "X/indices", "X/indptr", "obs/size", "obs/kind/codes", "obs/kind/categories", "var/_index")
GROUPS = ("X", "obs", "var", "obs/kind")


@pytest.mark.parametrize("name", [*ARRAYS, *GROUPS])
@pytest.mark.parametrize("link", ["another file", "circle", "the same file"])
def test_links_are_not_followed(path, tmp_path, name, link):
    """The other file and the other place hold good values: whoever follows the link reads them."""
    (tmp_path / "other.h5ad").write_bytes(path.read_bytes())
    with h5py.File(path, "r+") as file:
        if link == "another file":
            stored_link = h5py.ExternalLink(str(tmp_path / "other.h5ad"), f"/{name}")
        elif link == "circle":
            stored_link = h5py.SoftLink(f"/{name}")
        else:
            file.move(name, "elsewhere")
            stored_link = h5py.SoftLink("/elsewhere")
        if name in file:
            del file[name]
        file[name] = stored_link
    check_refused(path)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("storage", ["external", "virtual", "virtual of any number of files"])
def test_values_in_other_files_are_not_read(path, tmp_path, name, storage):
    (tmp_path / "other.h5ad").write_bytes(path.read_bytes())
    other = str(tmp_path / "other.h5ad")

    def write(group, last, values):
        kind = np.dtype(np.int32) if values.dtype == object else values.dtype
        if storage == "external":
            group.create_dataset(last, values.shape, kind, external=[(other, 0, values.size * kind.itemsize)])
        elif storage == "virtual":
            layout = h5py.VirtualLayout(values.shape, kind)
            layout[:] = h5py.VirtualSource(other, name, values.shape)
            group.create_virtual_dataset(last, layout)
        else:
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            unlimited = h5py.h5s.create_simple(values.shape, (h5py.h5s.UNLIMITED,))
            unlimited.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), values.shape, values.shape)
            source = h5py.h5s.create_simple(values.shape)
            properties.set_virtual(unlimited, b"other-%b.h5ad", name.encode(), source)
            space = h5py.h5s.create_simple(values.shape, (h5py.h5s.UNLIMITED,))
            h5py.h5d.create(group.id, last.encode(), h5py.h5t.py_create(kind), space, properties)

    with h5py.File(path, "r+", libver="latest") as file:
        replace(file, name, write)
    with pytest.raises(UserError, match="its values are in other files"):
        read_all(path)
    check_refused(path)


@pytest.mark.parametrize("name", ARRAYS)
def test_filters_that_would_load_a_library_are_refused(path, name):
    def write(group, last, values):
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk(values.shape)
        properties.set_filter(32015, h5py.h5z.FLAG_OPTIONAL)  # zstd
        kind = h5py.h5t.py_create(np.dtype(np.int32))
        h5py.h5d.create(group.id, last.encode(), kind, h5py.h5s.create_simple(values.shape), properties)

    with h5py.File(path, "r+") as file:
        replace(file, name, write)
    with pytest.raises(UserError, match="a filter of another program"):
        read_all(path)
    check_refused(path)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("chunks", [None, (1 << 16,), (1 << 27,)])
def test_shapes_without_values(path, name, chunks):
    def write(group, last, values):
        kind = h5py.string_dtype() if values.dtype == object else values.dtype
        group.create_dataset(last, (HUGE,), kind, chunks=chunks, compression=None if chunks is None else "gzip")

    with h5py.File(path, "r+") as file:
        replace(file, name, write)
    check_refused(path, ("cannot-read", "wrong-shape"))


@pytest.mark.parametrize("shape", [(HUGE, 10**6), (N_ROWS, HUGE), (HUGE, 3)])
@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("with_annotations", [True, False])
def test_a_matrix_of_a_declared_shape(path, shape, is_sparse, with_annotations):
    """Only the annotations that a selection needs are declared as large as the matrix."""
    with h5py.File(path, "r+") as file:
        if is_sparse:
            file["X"].attrs["shape"] = shape
        else:
            del file["X"]
            file.create_dataset("X", shape, np.float32, chunks=(1 << 10, 1))
        if with_annotations:
            for name, size in (("obs/_index", shape[0]), ("var/_index", shape[1])):
                del file[name]
                file.create_dataset(name, (size,), h5py.string_dtype(), chunks=(1 << 10,))
            del file["obs/kind"]
            del file["obs/size"]
    check_refused(path, ("cannot-read", "wrong-shape"))


def test_sizes_that_overflow(path):
    for shape in ((-1, 3), (2**63 - 1, 2**63 - 1), (2.5, 3.0), (N_ROWS, 3, 1), "40", N_ROWS):
        with h5py.File(path, "r+") as file:
            file["X"].attrs["shape"] = shape
        check_refused(path, ("cannot-read", "wrong-shape"))


def test_arrays_that_unpack_to_many_times_the_file(path, monkeypatch):
    monkeypatch.setattr("bitsieve.io.hdf5.MIN_EXPANDED_BYTES", 1 << 20)
    assert read_all(path).features == ["a"]
    with h5py.File(path, "r+") as file:
        n_values = (1 << 20) + 128 * path.stat().st_size
        for name in ("data", "indices"):
            kind = file["X"][name].dtype
            del file["X"][name]
            file["X"].create_dataset(name, (n_values,), kind, chunks=(1 << 16,), compression="gzip", fillvalue=1)
        indptr = np.full(N_ROWS + 1, n_values)
        indptr[0] = 0
        file["X/indptr"][...] = indptr
    with pytest.raises(UserError, match="128 times the file"):
        read_all(path)
    check_refused(path)


def test_a_long_text_that_is_stored_once_and_repeated(path, monkeypatch):
    """Values of text may refer to the same text in the file, which each value takes in memory."""
    monkeypatch.setattr("bitsieve.io.hdf5.MIN_EXPANDED_BYTES", 1 << 22)
    length = 1 << 16
    with h5py.File(path, "r+") as file:
        del file["obs/size"]
        column = file["obs"].create_dataset("size", (N_ROWS,), h5py.string_dtype(), chunks=(N_ROWS,))
        column[:] = ["x" * length] * N_ROWS
        size = path.stat().st_size
    assert size < 128 * length  # 40 texts of 64 KiB
    read_all(path)
    monkeypatch.setattr("bitsieve.io.hdf5.MIN_EXPANDED_BYTES", length)
    monkeypatch.setattr("bitsieve.io.hdf5.MAX_EXPANSION", 0)
    check_refused(path)


WRONG_TYPES = {
    "references": lambda values: np.zeros(values.shape, h5py.ref_dtype),
    "lists": lambda values: np.zeros(values.shape, h5py.vlen_dtype(np.int32)),
    "records": lambda values: np.zeros(values.shape, [("a", np.int32), ("b", np.float64)]),
    "bytes": lambda values: np.zeros(values.shape, "V8"),
    "complex": lambda values: np.zeros(values.shape, np.complex128),
    "arrays": lambda values: np.zeros((*values.shape, 2, 2), np.int32),
    "nothing": lambda values: h5py.Empty(np.int32),
    "one number": lambda values: np.int32(1),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("kind", WRONG_TYPES)
def test_wrong_types(path, name, kind):
    with h5py.File(path, "r+") as file:
        replace(file, name, lambda group, last, values: group.create_dataset(last, data=WRONG_TYPES[kind](values)))
    check_refused(path, ("cannot-read", "wrong-shape"))


@pytest.mark.parametrize("name", ["X/data", "X/indices", "X/indptr"])
@pytest.mark.parametrize("kind", ["text", "not a number"])
def test_parts_of_a_matrix_that_are_no_numbers(path, name, kind):
    def write(group, last, values):
        data = np.full(values.shape, np.nan) if kind == "not a number" else ["x"] * values.size
        group.create_dataset(last, data=data)

    with h5py.File(path, "r+") as file:
        replace(file, name, write)
    if (name, kind) == ("X/data", "not a number"):
        read_all(path)
    else:
        check_refused(path)


@pytest.mark.parametrize("name", [*ARRAYS, *GROUPS, "obs/_index", "layers"])
def test_parts_that_are_missing_or_of_another_kind(path, name):
    with h5py.File(path, "r+") as file:
        is_group = isinstance(file[name], h5py.Group)
        del file[name]
    codes = ("cannot-read", "wrong-shape", "not-a-table", "table-not-named", "unknown-column")
    if name not in ("layers", "obs/size"):
        check_refused(path, codes)
    with h5py.File(path, "r+") as file:
        if is_group:
            file[name] = np.arange(N_ROWS)
        else:
            file.create_group(name)
    if name != "layers":
        check_refused(path, codes)


@pytest.mark.parametrize(
    ("group", "name"), [("X", "encoding-type"), ("X", "shape"), ("obs", "_index"), ("var", "_index")]
)
@pytest.mark.parametrize("value", [None, 5, b"\xff", "nothing", ["a"] * 3, "x" * 60_000, "/", ".", ".."])
def test_attributes_that_are_missing_or_wrong(path, group, name, value):
    with h5py.File(path, "r+") as file:
        del file[group].attrs[name]
        if value is not None:
            file[group].attrs[name] = value
    check_refused(path, ("cannot-read", "wrong-shape"))


HOSTILE_INDPTR = {
    "falls": lambda indptr: np.concatenate([indptr[:1], indptr[1:-1][::-1], indptr[-1:]]),
    "beyond": lambda indptr: np.where(np.arange(len(indptr)) == 5, 10**9, indptr),
    "negative": lambda indptr: np.where(np.arange(len(indptr)) == 5, -1, indptr),
    "begins late": lambda indptr: np.maximum(indptr, 1),
    "wraps": lambda indptr: np.concatenate([[0, 2**62, -(2**62) - 1], indptr[3:]]),
    "unsigned": lambda indptr: np.where(np.arange(len(indptr)) == 5, np.uint64(2**64 - 1), indptr.astype(np.uint64)),
}
HOSTILE_INDICES = {
    "beyond": lambda indices: np.where(np.arange(len(indices)) == 5, 3, indices),
    "negative": lambda indices: np.where(np.arange(len(indices)) == 5, -1, indices),
    "far beyond": lambda indices: np.where(np.arange(len(indices)) == 5, 2**62, indices.astype(np.int64)),
    "wraps": lambda indices: np.where(np.arange(len(indices)) == 5, 2**32, indices.astype(np.int64)),
    "unsigned": lambda indices: np.where(np.arange(len(indices)) == 5, np.uint64(2**64 - 1), indices.astype(np.uint64)),
}


@pytest.mark.parametrize("kind", HOSTILE_INDPTR)
def test_hostile_indptr(path, kind):
    with h5py.File(path, "r+") as file:
        make = HOSTILE_INDPTR[kind]
        replace(file, "X/indptr", lambda group, last, values: group.create_dataset(last, data=make(values)))
    check_refused(path)


@pytest.mark.parametrize("stored_by", ["csr", "csc"])
@pytest.mark.parametrize("kind", HOSTILE_INDICES)
def test_hostile_indices(path, kind, stored_by):
    with h5py.File(path, "r+") as file:
        if stored_by == "csc":
            file["X"].attrs["encoding-type"] = "csc_matrix"
            file["X"].attrs["shape"] = (3, N_ROWS)
            file.move("obs", "former_obs")
            file.move("var", "obs")
            file.move("former_obs", "var")
            file["obs/kind"] = np.arange(3)
        make = HOSTILE_INDICES[kind]
        replace(file, "X/indices", lambda group, last, values: group.create_dataset(last, data=make(values)))
    check_refused(path)


def test_indices_that_are_not_sorted_or_repeated(path):
    """A value that is stored in parts is their sum, in memory and in batches."""
    with h5py.File(path, "r+") as file:
        X = sparse.csr_array((file["X/data"][()], file["X/indices"][()], file["X/indptr"][()]), shape=(N_ROWS, 3))
    expected = read_all(path)
    parts = [
        (np.tile(X.data[a:b] / 2, 2), np.tile(X.indices[a:b][::-1], 2))
        for a, b in zip(X.indptr, X.indptr[1:], strict=False)
    ]
    halves = [(data[::-1] if False else data, indices) for data, indices in parts]
    with h5py.File(path, "r+") as file:
        reversed_data = [np.tile(X.data[a:b][::-1] / 2, 2) for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
        for name, values in (
            ("data", np.concatenate(reversed_data)),
            ("indices", np.concatenate([indices for _, indices in halves])),
            ("indptr", 2 * X.indptr),
        ):
            del file["X"][name]
            file["X"][name] = values
    for limits in ({}, {"memory": "1GB"}):
        selection = read_all(path, **limits)
        assert selection.features == expected.features
        assert (selection.scores == expected.scores).all()


@pytest.mark.parametrize("name", ["obs/kind/codes"])
@pytest.mark.parametrize("code", [2, 100, -2])
def test_codes_without_a_category(path, name, code):
    with h5py.File(path, "r+") as file:
        file[name][3] = code
    if code < 0:
        read_all(path)
    else:
        check_refused(path)


def test_truncated_files(path):
    content = path.read_bytes()
    for size in sorted({8, 9, 64, 96, *range(128, len(content), max(1, len(content) // 60))}):
        path.write_bytes(content[:size])
        check_refused(path, ("cannot-read", "not-a-table", "wrong-shape"))


def test_numbers_in_another_byte_order(path):
    expected = read_all(path)
    with h5py.File(path, "r+") as file:
        for name in ("X/data", "X/indices", "X/indptr", "obs/size"):
            replace(
                file,
                name,
                lambda group, last, values: group.create_dataset(
                    last, data=values.astype(values.dtype.newbyteorder(">"))
                ),
            )
    for limits in ({}, {"memory": "1GB"}):
        assert (read_all(path, **limits).scores == expected.scores).all()
