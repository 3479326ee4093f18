"""Dense and sparse columns against vectors that are standardised as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from cutting_plane_reference import standardized
from scipy import sparse

from bitsieve import _native
from bitsieve.methods.by_samples.cutting_plane import columns as module
from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns, SparseColumns

ROUNDING = 1e-12  # some hundred additions of numbers up to 1


@pytest.fixture
def table(grouped):
    X, _ = grouped(60, 23, 0)
    X[:, 3] = 1.0 + np.arange(60) % 2  # no zeros
    X[:, 4] = 5.0  # constant, and not 0
    X[0, 5] = 1.0
    X[1:, 5] = 0.0  # one entry
    X[:, 6] = X[:, 7] == 0  # what X7 is not: correlated without a common row
    return X


def test_moments(columns_of, table):
    columns = columns_of(table)
    assert (columns.length > 0).tolist() == [len(set(column)) > 1 for column in table.T.tolist()]
    np.testing.assert_allclose(columns.mean, table.mean(axis=0), rtol=ROUNDING, atol=ROUNDING)
    length = np.where((columns.length > 0), table.std(axis=0) * np.sqrt(60), 0.0)
    np.testing.assert_allclose(columns.length, length, rtol=ROUNDING)


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_products(columns_of, table, n_tasks):
    weights = np.random.default_rng(1).standard_normal((60, n_tasks))
    expected = standardized(table).T @ weights
    np.testing.assert_allclose(columns_of(table).products(weights), expected, atol=ROUNDING * 60)


def test_a_part(columns_of, table):
    random = np.random.default_rng(2)
    chosen = np.array([6, 3, 19, 4, 0])
    F, part = standardized(table)[:, chosen], columns_of(table).subset(chosen)
    up, down = random.standard_normal((5, 2)), random.standard_normal((60, 2))
    samples = random.random(60) < 0.4
    np.testing.assert_allclose(part.times(up), F @ up, atol=ROUNDING)
    np.testing.assert_allclose(part.against(down), F.T @ down, atol=60 * ROUNDING)
    np.testing.assert_allclose(part.scatter(samples), F[samples].T @ F[samples], atol=ROUNDING)


@pytest.mark.parametrize("least", [0.05, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("among", [None, np.array([22, 6, 1, 3, 7, 12])])
def test_correlated_pairs(columns_of, table, least, among):
    chosen = np.array([7, 3, 19, 4, 0, 5])
    F = standardized(table)
    correlation = F.T @ F[:, chosen]
    looked_at = np.arange(23) if among is None else among
    expected = {(j, s) for j in looked_at.tolist() for s in range(6) if abs(correlation[j, s]) >= least}
    assert not any(abs(abs(rho) - least) < 1e-9 for rho in correlation.ravel())  # or rounding would decide
    pairs = columns_of(table).correlated(chosen, least, among)
    found = list(zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected
    np.testing.assert_allclose(pairs.correlation, correlation[pairs.column, pairs.chosen], atol=ROUNDING)


def test_complements_share_no_row(columns_of):
    """x and 1 - x are correlated by -1 although no row has both: the bound on what need not be looked at knows."""
    x = np.arange(40) < 13
    columns = columns_of(np.stack([x, ~x], axis=1).astype(float))
    pairs = columns.correlated(np.array([0]), 0.9)
    assert pairs.column.tolist() == [0, 1]
    np.testing.assert_allclose(pairs.correlation, [1, -1], rtol=ROUNDING)


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_units_do_not_matter(columns_of, table, scale):
    weights = np.random.default_rng(1).standard_normal((60, 1))
    one, other = columns_of(table), columns_of(table * scale)
    np.testing.assert_allclose(one.products(weights), other.products(weights), rtol=1e-9, atol=ROUNDING)
    assert ((one.length > 0) == (other.length > 0)).all()


def test_an_offset_is_no_loss(both_kinds):
    """Columns without zeros are centred before they are multiplied: 1e9 beside deviations of 1 leaves 7 digits."""
    random = np.random.default_rng(3)
    X, weights = random.standard_normal((50, 4)), random.standard_normal((50, 1))
    expected = standardized(X).T @ weights
    for columns in both_kinds(X + 1e9):
        np.testing.assert_allclose(columns.products(weights), expected, atol=1e-6)


def test_layouts_types_and_blocks_make_no_difference(monkeypatch, table):
    weights = np.random.default_rng(1).standard_normal((60, 2))
    X = table.astype(np.float32)
    expected = standardized(X.astype(np.float64)).T @ weights
    layouts = [X, np.asfortranarray(X), X[::-1][::-1], X.astype(np.float64), np.round(10 * X).astype(np.int8)]
    for values in layouts[:-1]:
        np.testing.assert_allclose(DenseColumns(values).products(weights), expected, atol=1e-10)
    integers = standardized(layouts[-1].astype(np.float64)).T @ weights
    np.testing.assert_allclose(DenseColumns(layouts[-1]).products(weights), integers, atol=1e-10)
    made = [
        sparse_type(matrix)
        for matrix in (X, X.astype(np.float64))
        for sparse_type in (sparse.csc_array, sparse.csc_matrix)
    ]
    wide = sparse.csc_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    whole = [SparseColumns(matrix).products(weights) for matrix in (*made, wide)]
    monkeypatch.setattr(module, "STORED_VALUES", 100)
    monkeypatch.setattr(module, "DENSE_VALUES", 60 * 8)
    in_blocks = [SparseColumns(matrix, n_jobs=2).products(weights) for matrix in (*made, wide)]
    for a, b in zip(whole, in_blocks, strict=True):
        np.testing.assert_allclose(a, expected, atol=1e-10)
        assert a.tobytes() == b.tobytes()  # the split into blocks and the threads change no bit
    chosen = np.arange(0, 23, 2)
    for columns in (DenseColumns(X), DenseColumns(X, n_jobs=2), SparseColumns(made[0], n_jobs=2)):
        pairs = columns.correlated(chosen, 0.5)
        assert (np.diff(pairs.column) >= 0).all()
        assert len(pairs.column) == len(SparseColumns(made[0]).correlated(chosen, 0.5).column)


def test_values_are_not_changed(columns_of, table):
    before = table.copy()
    columns = columns_of(table)
    columns.products(np.ones((60, 1)))
    columns.correlated(np.arange(4), 0.5)
    assert (table == before).all()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda a: (a[0], a[1] + 60, a[2]), "a row of the columns is out of range"),
        (lambda a: (a[0], a[1] - 60, a[2]), "a row of the columns is out of range"),
        (lambda a: (a[0][::-1].copy(), a[1], a[2]), "the starts of the columns do not rise"),
        (lambda a: (a[0], a[1][:-1].copy(), a[2]), "differ in length"),
        (lambda a: (a[0] + 1000, a[1], a[2]), "the starts of the columns do not rise"),
    ],
)
def test_kernels_refuse_arrays_that_do_not_fit(table, broken, message):
    matrix = sparse.csc_array(table)
    start, row, value = broken((matrix.indptr, matrix.indices, matrix.data))
    mean, length, out = np.zeros(23), np.zeros(23), np.zeros((23, 1))
    weights, sums = np.zeros((60, 1)), np.zeros(1)
    chosen = (np.zeros(61, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    calls = (
        lambda: _native.sparse_column_moments(start, row, value, 60, 0, 23, mean, length),
        lambda: _native.sparse_column_products(start, row, value, 60, 0, 23, mean, length, weights, sums, out),
        lambda: _native.sparse_correlated(start, row, value, 60, 0, 23, mean, length, *chosen, 0.5),
    )
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
    good = (matrix.indptr, matrix.indices, matrix.data, 60)
    with pytest.raises(ValueError, match="out of range"):
        _native.sparse_column_moments(*good, 0, 24, mean, length)
    with pytest.raises(ValueError, match="one mean and one length"):
        _native.sparse_column_moments(*good, 0, 23, mean[1:], length)
    with pytest.raises(ValueError, match="one weight a sample"):
        _native.sparse_column_products(*good, 0, 23, mean, length, weights[1:], sums, out)
    with pytest.raises(ValueError, match="one product a column"):
        _native.sparse_column_products(*good, 0, 23, mean, length, weights, sums, out[1:])
    with pytest.raises(ValueError, match="above 0"):
        _native.sparse_correlated(*good, 0, 23, mean, length, *chosen, 0.0)
