"""Sparse tables as they are read: every format, and what is odd about some of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from bitsieve.dataset.read import read_data, read_xy
from bitsieve.dataset.sparse import read_sparse
from bitsieve.io.npz import ArrayTable
from bitsieve.options import ReadOptions
from bitsieve.utils.column_names import NumberedNames

X = np.array([[0, 2, 0, 0], [1, 0, 0, 5], [0, 3, 0, 5]])
FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


def dense(table):
    return np.column_stack([table.numeric(j) for j in range(table.n_features)])


@pytest.mark.each_value
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_formats_and_types(form, kind, make):
    given = make(X.astype(kind)).asformat(form)
    table = read_xy(given, [0, 1, 0])
    assert table.is_sparse
    np.testing.assert_array_equal(dense(table), X.astype(kind))
    assert table.stored.stored.dtype == (np.float32 if kind == np.float32 else np.float64)
    assert (table.n_samples, table.n_features, list(table.names)) == (3, 4, ["x0", "x1", "x2", "x3"])


def test_complex_numbers_are_refused_in_one_line():
    with pytest.raises(ValueError, match=r"^Complex data not supported: the sparse table holds complex128[^\n]*$"):
        read_sparse(sparse.csr_array(X * 1j))


def test_csc_is_not_copied():
    given = sparse.csc_array(X.astype(np.float32))
    assert np.shares_memory(read_sparse(given).value, given.data)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_zeros_that_are_stored_duplicates_and_any_order(index):
    row, column = np.array([2, 1, 0, 2, 1, 0, 2], index), np.array([1, 0, 1, 3, 3, 2, 1], index)
    value = np.array([2.0, 1, 2, 5, 5, 0, 1])
    for given in (
        sparse.coo_array((value, (row, column)), shape=(3, 4)),
        sparse.csr_array((value[[2, 5, 1, 4, 3, 0, 6]], column[[2, 5, 1, 4, 3, 0, 6]], np.array([0, 2, 4, 7], index))),
    ):
        before = given.copy()
        columns = read_sparse(given)
        np.testing.assert_array_equal(columns.dense(), X)
        assert (columns.value != 0).all()
        assert before.nnz == given.nnz == 7  # what was given is as it was


def test_weights_of_zero_leave_rows_out():
    table = read_xy(sparse.csr_array(X), ["a", "b", "c"], [2, 0, 3])
    np.testing.assert_array_equal(dense(table), X[[0, 2]])
    assert table.weights.tolist() == [2, 3]
    assert table.target.labels.tolist() == ["a", "c"]


@pytest.mark.parametrize(("weights", "name"), [(None, None), ([2, 1, 3], "sample_weight")])
def test_weights_given_by_their_values_are_named(weights, name):
    rows = ArrayTable(sparse.csr_array(X), np.array(["a", "b", "c"]), NumberedNames(4))
    assert read_data(rows, ReadOptions(sample_weight=weights)).original.weight == name


@pytest.mark.parametrize(("names", "feature_names"), [(NumberedNames(4), None), ([*"abcd"], [*"abcd"])])
def test_only_names_that_were_given_are_those_of_features(names, feature_names):
    table = read_data(ArrayTable(sparse.csr_array(X), np.array(["a", "b", "c"]), names), ReadOptions())
    assert list(table.names) == list(names)
    assert (table.feature_names is None) == (feature_names is None)
    assert feature_names is None or table.feature_names.tolist() == feature_names


def test_what_varies():
    table = read_sparse(sparse.csr_array(np.array([[0, 7, 1, 0.0], [0, 7, 2, 1]])))
    assert table.constant.tolist() == [True, True, False, False]
    assert [bound.tolist() for bound in table.bounds] == [[np.inf, 7, 1, 1], [-np.inf, 7, 2, 1]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (sparse.csr_array((0, 3)), "0 samples and 3 columns"),
        (sparse.csr_array((3, 0)), "3 samples and 0 columns"),
        (sparse.coo_array(np.array([1.0, 0])), r"sparse array of shape \(2,\)"),
        (sparse.csr_array(np.array([[1j, 0]])), "Complex data not supported"),
        (sparse.csr_array(np.array([[2**53 + 1, 0]])), r"whole numbers beyond 2\*\*53"),
    ],
)
def test_mistakes(given, message):
    with pytest.raises(ValueError, match=message):
        read_sparse(given)


def test_numbered_names():
    names = NumberedNames(12)
    assert list(names) == [f"x{j}" for j in range(12)] == names
    assert (names[-1], names[2:4], names.index("x7"), len(names)) == ("x11", ["x2", "x3"], 7, 12)
    assert [name in names for name in ("x0", "x11", "x12", "x-1", "x03", "y", 3)] == [True, True] + [False] * 5
    with pytest.raises(ValueError, match="'x12' is not among the names"):
        names.index("x12")


def test_blocks_of_columns_hold_about_equally_many_values():
    table = read_sparse(sparse.csc_array(np.eye(160)))
    blocks = table.blocks(2)
    n_columns = [end - begin for begin, end in blocks]
    assert len(blocks) > 1
    assert sum(n_columns) == 160
    assert max(n_columns) - min(n_columns) <= 1
