"""Pairs by Parzen windows: the closed form of Gaussians, the plain definition, and every kernel alike."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve import _native
from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE
from bitsieve.methods.by_samples.parzen import pairs as module
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs, relative_information
from bitsieve.methods.by_samples.parzen.windows import RIDGE, width
from bitsieve.methods.by_samples.rows import standardize

KERNELS = _native.kernel_names()
# The trapezoidal rule is right to 6e-12 of a kernel a dimension, and a window leaves out 3e-12 of one kernel a point.
GRID = 1e-9


def density(points, queries, h):
    """mean_i N(x - x_i; 0, h^2 (S + ridge)) straight from the formula."""
    n, d = points.shape
    spread = (np.atleast_2d(np.cov(points.T)) if n > 1 else 0) + RIDGE * np.eye(d)
    apart = queries[:, None] - points
    exponents = np.einsum("qpi,ij,qpj->qp", apart, np.linalg.inv(spread), apart) / (2 * h * h)
    return np.exp(-exponents).mean(axis=1) / ((2 * np.pi) ** (d / 2) * h**d * np.sqrt(np.linalg.det(spread)))


def entropy(values, bandwidth="scott"):
    columns = np.atleast_2d(values).T
    return -np.log2(density(columns, columns, width(bandwidth, len(columns), columns.shape[1]))).mean()


def uneven_columns(n=150, seed=0):
    """Plain, dependent, heavy-tailed, with one far outlier, rounded."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 5))
    X[:, 1] += X[:, 0]
    X[:, 2] = random.standard_t(1, n)
    X[0, 3] = 50
    X[:, 4] = X[:, 4].round()
    return standardize(X)


@pytest.mark.parametrize("bandwidth", ["scott", "log", 0.4])
def test_definition(bandwidth):
    values = uneven_columns()
    pairs = ParzenPairs(values, bandwidth)
    own = [entropy(column, bandwidth) for column in values]
    assert pairs.entropy == pytest.approx(own, abs=GRID)
    for i in range(5):
        expected = [own[i] + own[j] - entropy(values[[i, j]], bandwidth) for j in range(5) if j != i]
        others = np.setdiff1d(np.arange(5), i)
        assert pairs.information(i, others) == pytest.approx(expected, abs=GRID)


@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_correlated_gaussians(rho):
    """I = -log2(1 - rho^2) / 2. Windows of width h add h^2 to each variance, whose effect is worked out beside it."""
    n = 4000
    random = np.random.default_rng(0)
    x = random.standard_normal(n)
    y = rho * x + np.sqrt(1 - rho**2) * random.standard_normal(n)
    found = float(ParzenPairs(standardize(np.column_stack([x, y]))).information(0, np.array([1]))[0])
    # Full-covariance windows keep the correlation; what remains is the estimate's own error, some hundredths of a bit.
    assert found == pytest.approx(-np.log2(1 - rho**2) / 2, abs=0.05)


def test_independent_gaussians_have_little():
    random = np.random.default_rng(1)
    assert abs(ParzenPairs(standardize(random.standard_normal((4000, 2)))).information(0, np.array([1]))[0]) < 0.05


@pytest.mark.parametrize("kernel", KERNELS)
def test_same_bits_on_any_instruction_set_and_threads(kernel, monkeypatch):
    values = uneven_columns(203)
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "portable")
    plain = ParzenPairs(values).relevance_matrix()
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
    assert ParzenPairs(values, n_jobs=3).relevance_matrix().tobytes() == plain.tobytes()


def test_rows_are_those_of_the_matrix():
    pairs = ParzenPairs(uneven_columns())
    matrix = pairs.relevance_matrix()
    for i in range(5):
        assert pairs.relevance_row(i, np.arange(5)).tobytes() == matrix[i].tobytes()


def test_kernels_one_by_one_where_the_grid_would_be_too_wide(monkeypatch):
    values = uneven_columns()
    on_grid = ParzenPairs(values).information(0, np.arange(1, 5))
    monkeypatch.setattr(module, "MAX_NODES", 0)
    assert ParzenPairs(values).information(0, np.arange(1, 5)) == pytest.approx(on_grid, abs=GRID)


def test_relevance():
    information = np.array([0.5, -0.1, 3.0, 0.2, 0.0])
    entropies = np.array([2.0, 2.0, 2.0, -1.0, 0.0])
    assert relative_information(information, entropies).tolist() == [0.5, 0.0, 1.0, 1.0, 0.0]


def test_duplicates_and_constants():
    random = np.random.default_rng(0)
    x = random.standard_normal(100)
    pairs = ParzenPairs(standardize(np.column_stack([x, 3 * x + 1, np.full(100, 0.1), -x])))
    assert pairs.relevance_matrix().tolist() == [[0, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]]
    assert pairs.entropy[2] == 0


def test_any_unit():
    """Columns are standardised: units that are powers of two change no bit, offsets little."""
    X = np.random.default_rng(0).standard_normal((80, 3))
    plain = ParzenPairs(standardize(X)).relevance_matrix()
    assert ParzenPairs(standardize(X * [2.0**600, 2.0**-600, 4.0])).relevance_matrix().tobytes() == plain.tobytes()
    # An offset of a million costs 20 of 52 bits of every value.
    assert ParzenPairs(standardize(X + 1e6)).relevance_matrix() == pytest.approx(plain, abs=1e-7)
