"""HDF5 files that were made to do harm: each is one line of error, and nothing outside the file is read."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.cover import quick_and_slow
from tests.io.test_h5ad import write_h5ad

import bitsieve
from bitsieve.diagnostics import UserError

h5py = pytest.importorskip("h5py")
pytestmark = pytest.mark.usefixtures("walks_in_this_process")
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
ARRAY_CASES = quick_and_slow(ARRAYS, quick={"X/data", "obs/kind/codes"}, reason="read by the same function")


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


@pytest.mark.parametrize("name", ARRAY_CASES)
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


@pytest.mark.parametrize("name", ["X/data", "obs/kind/codes"])
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


@pytest.mark.parametrize("name", ARRAY_CASES)
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
            file.create_dataset("X", shape, np.float32, chunks=(min(shape[0], 1 << 10), 1))
        if with_annotations:
            for name, size in (("obs/_index", shape[0]), ("var/_index", shape[1])):
                del file[name]
                file.create_dataset(name, (size,), h5py.string_dtype(), chunks=(min(size, 1 << 10),))
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


def test_long_text_counts_toward_the_limit(path, monkeypatch):
    with h5py.File(path, "r+") as file:
        file["obs"].create_dataset("note", data=["x" * 100_000] * N_ROWS, dtype=h5py.string_dtype())
    assert read_all(path).features == ["a"]
    monkeypatch.setattr("bitsieve.io.hdf5.MIN_EXPANDED_BYTES", 1 << 20)
    monkeypatch.setattr("bitsieve.io.hdf5.MAX_EXPANSION", 0)
    check_refused(path)


WRONG_TYPES = {
    "references": ((), h5py.ref_dtype),
    "lists": ((), h5py.vlen_dtype(np.int32)),
    "records": ((), [("a", np.int32), ("b", np.float64)]),
    "bytes": ((), "V8"),
    "complex numbers": ((), np.complex128),
    "arrays": ((2, 2), np.int32),
    "arrays of text": ((2,), h5py.string_dtype()),
}


@pytest.mark.parametrize("name", ARRAY_CASES)
@pytest.mark.parametrize("kind", WRONG_TYPES)
def test_wrong_types(path, name, kind):
    """The values have another type, or are arrays of this shape each."""
    shape, dtype = WRONG_TYPES[kind]

    def write(group, last, values):
        group.create_dataset(last, (*values.shape, *shape), dtype)

    with h5py.File(path, "r+") as file:
        replace(file, name, write)
    check_refused(path, ("cannot-read", "wrong-shape"))


@pytest.mark.parametrize("name", ARRAY_CASES)
@pytest.mark.parametrize("data", [h5py.Empty(np.int32), 1, "x"])
def test_no_value_or_a_single_value(path, name, data):
    with h5py.File(path, "r+") as file:
        replace(file, name, lambda group, last, _: group.create_dataset(last, data=data))
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


@pytest.mark.parametrize("name", [*ARRAYS, *GROUPS, "obs/_index"])
@pytest.mark.parametrize("replacement", ["nothing", "a group", "an array"])
def test_parts_that_are_missing_or_of_another_kind(path, name, replacement):
    with h5py.File(path, "r+") as file:
        del file[name]
        if replacement == "a group":
            file.create_group(name)
        elif replacement == "an array":
            file[name] = [["x"]]
    if name == "obs/size" and replacement == "nothing":
        assert read_all(path).features == ["a"]
    else:
        check_refused(path, ("cannot-read", "wrong-shape", "not-a-table", "table-not-named", "unknown-column"))


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
    """A value that is stored in two halves is their sum, in memory and in batches."""
    expected = read_all(path)

    def store_halves(file, name, factor):
        values = np.split(file["X"][name][()] * factor, file["X/indptr"][1:-1])
        del file["X"][name]
        file["X"][name] = np.concatenate([np.tile(values_of_row[::-1], 2) for values_of_row in values])

    with h5py.File(path, "r+") as file:
        store_halves(file, "data", np.float32(0.5))
        store_halves(file, "indices", 1)
        file["X/indptr"][...] = 2 * file["X/indptr"][()]
    for limits in ({}, {"memory": "1GB"}):
        selection = read_all(path, **limits)
        assert selection.features == expected.features
        assert (selection.scores == expected.scores).all()


@pytest.mark.parametrize("code", [2, 100])
def test_codes_without_a_category(path, code):
    with h5py.File(path, "r+") as file:
        file["obs/kind/codes"][3] = code
    check_refused(path)


def test_truncated_files(path):
    content = path.read_bytes()
    for size in sorted({8, 9, 64, 96, *range(128, len(content), max(1, len(content) // 60))}):
        path.write_bytes(content[:size])
        check_refused(path, ("cannot-read", "not-a-table", "wrong-shape"))


def test_numbers_in_another_byte_order(path):
    expected = read_all(path)

    def write(group, last, values):
        group[last] = values.astype(values.dtype.newbyteorder(">"))

    with h5py.File(path, "r+") as file:
        for name in ("X/data", "X/indices", "X/indptr", "obs/size"):
            replace(file, name, write)
    for limits in ({}, {"memory": "1GB"}):
        assert (read_all(path, **limits).scores == expected.scores).all()
