"""The dominant eigenvector against LAPACK, and on the matrices that trouble simpler methods."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.optimize.eigen import dominant_eigenvector, dot, largest_eigenvalue, multiply

# The residual is at most 1e-13 of the value and the gap of these matrices at least a tenth of it, so the vector is
# right to 1e-12; LAPACK adds n roundings, as does the norm.
VECTOR = 1e-11


def random_matrix(n, seed, dtype=np.float64):
    matrix = np.random.default_rng(seed).random((n, n)) ** 3
    return ((matrix + matrix.T) / 2).astype(dtype)


def by_lapack(matrix):
    values, vectors = np.linalg.eigh(np.asarray(matrix, np.float64))
    return values[-1], np.abs(vectors[:, -1])


def check(matrix, value, vector, tolerance=VECTOR):
    pair = dominant_eigenvector(matrix)
    assert pair.vector.dtype == np.float64
    assert (pair.vector >= 0).all()
    assert abs(pair.value - value) <= tolerance * max(abs(value), 1e-300)
    assert np.abs(pair.vector - vector).max() <= tolerance
    assert 1 <= pair.n_products <= max(len(matrix), 1)
    return pair


@pytest.mark.parametrize("n", [1, 2, 3, 8, 50, 200])
@pytest.mark.parametrize("seed", range(3))
def test_random_matrices(n, seed):
    matrix = random_matrix(n, seed)
    check(matrix, *by_lapack(matrix))
    assert dominant_eigenvector(matrix).n_products <= 40  # the first eigenvalue stands apart


@pytest.mark.parametrize("n", [2, 50])
def test_single_precision(n):
    """The entries are rounded, the products are not: the answer is that of the rounded matrix."""
    matrix = random_matrix(n, 7, np.float32)
    check(matrix, *by_lapack(matrix))


def test_one_by_one():
    check(np.array([[5.0]]), 5.0, [1.0])


@pytest.mark.parametrize("scale", [1e-17, 1e-100, 1e100])
def test_scale(scale):
    matrix = random_matrix(20, 3)
    value, vector = by_lapack(matrix)
    check(matrix * scale, value * scale, vector)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_zero_matrix(n, dtype):
    """Every vector is an eigenvector: the projection of the ones is the ones."""
    check(np.zeros((n, n), dtype), 0.0, np.full(n, n**-0.5))


def test_no_more_than_rounding():
    """What independent columns leave: entries of some 2**-57, of either sign."""
    noise = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (6, 6)) * 2.0**-57
    pair = dominant_eigenvector((noise + noise.T) / 2)
    assert np.isfinite(pair.vector).all()
    assert abs(dot(pair.vector, pair.vector) - 1) <= 1e-15  # one rounding of the norm


def test_all_entries_negative_rounding():
    pair = dominant_eigenvector(np.full((3, 3), -(2.0**-57)))
    assert np.isfinite(pair.vector).all()
    assert (pair.vector >= 0).all()


def test_mildly_negative_entries():
    matrix = random_matrix(30, 5)
    matrix[matrix < 0.05] = -(2.0**-57)
    check(matrix, *by_lapack(matrix))


def test_bipartite():
    """Eigenvalues 1 and -1 of the same size: the power method from elsewhere than the ones would not settle."""
    check(np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0, [0.5**0.5, 0.5**0.5])
    sides = np.zeros((5, 5))
    sides[:2, 2:] = 1.0
    check(sides + sides.T, 6**0.5, [0.5] * 2 + [6**-0.5] * 3)


@pytest.mark.parametrize("leaves", [2, 3, 10, 99])
def test_star(leaves):
    matrix = np.zeros((leaves + 1, leaves + 1))
    matrix[0, 1:] = matrix[1:, 0] = 1.0
    check(matrix, leaves**0.5, [0.5**0.5] + [(2 * leaves) ** -0.5] * leaves)


def test_path():
    """Eigenvalues 2 cos(pi k / (n + 1)), close to each other: many products, but no more than n."""
    n = 30
    matrix = np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    vector = np.sin(np.pi * np.arange(1, n + 1) / (n + 1)) * (2 / (n + 1)) ** 0.5
    # The gap is 1.5 hundredths of the value, so the vector is right to 1e-13 / 0.015, with room for the roundings.
    check(matrix, 2 * np.cos(np.pi / (n + 1)), vector, 1e-10)


def test_diagonal():
    check(np.diag([1.0, 5.0, 2.0, 0.0]), 5.0, [0.0, 1.0, 0.0, 0.0])
    check(np.diag([2.0, 0.0, 2.0]), 2.0, [0.5**0.5, 0.0, 0.5**0.5])
    check(3.0 * np.eye(7), 3.0, np.full(7, 7**-0.5))


def test_multiple_eigenvalue_takes_the_projection_of_the_ones():
    block = random_matrix(6, 1)
    value, vector = by_lapack(block)
    twice = np.zeros((12, 12))
    twice[:6, :6] = twice[6:, 6:] = block
    check(twice, value, np.concatenate([vector, vector]) / 2**0.5)

    other = random_matrix(4, 2)
    other_value, other_vector = by_lapack(other)
    both = np.zeros((10, 10))
    both[:6, :6], both[6:, 6:] = block, other * (value / other_value)
    projection = np.concatenate([vector * vector.sum(), other_vector * other_vector.sum()])
    # Scaling splits the two values by a rounding, some 1e-16, which the projection does not notice before 1e-13.
    check(both, value, projection / np.linalg.norm(projection), 1e-9)


def test_twins_have_equal_weights():
    """Two equal rows and columns are treated alike in every sum but for its grouping: equal but for rounding."""
    matrix = random_matrix(20, 9)
    matrix[7], matrix[:, 7] = matrix[3], matrix[:, 3]
    matrix[7, 7] = matrix[3, 7] = matrix[7, 3] = matrix[3, 3]
    vector = dominant_eigenvector(matrix).vector
    assert vector[3] == vector[7]


def test_block_of_its_own_outside_the_top():
    """Columns that share nothing with the dominant block get weight 0."""
    matrix = np.zeros((8, 8))
    matrix[:5, :5] = random_matrix(5, 4) + 1.0
    matrix[5:, 5:] = 0.1
    value, vector = by_lapack(matrix[:5, :5])
    check(matrix, value, [*vector, 0.0, 0.0, 0.0])


def test_limit_of_products():
    matrix = random_matrix(60, 6)
    pair = dominant_eigenvector(matrix, max_products=3)
    assert pair.n_products == 3
    value, vector = by_lapack(matrix)
    assert value * 0.99 < pair.value <= value * (1 + 1e-15)  # a Ritz value never exceeds it, but for its rounding
    assert dot(pair.vector, vector) > 0.99


@pytest.mark.parametrize(("n", "dtype"), [(1, np.float64), (5, np.float32), (300, np.float64), (700, np.float32)])
def test_multiply(n, dtype):
    random = np.random.default_rng(n)
    matrix = random.standard_normal((n, n)).astype(dtype)
    vector = random.standard_normal(n)
    # Two ways to add n products, each within n roundings of the sum of their sizes.
    bound = 2 * n * 2.0**-53 * (np.abs(matrix.astype(np.float64)) @ np.abs(vector))
    assert (np.abs(multiply(matrix, vector) - matrix.astype(np.float64) @ vector) <= bound).all()


def test_multiply_in_several_blocks_of_rows(monkeypatch):
    matrix = random_matrix(50, 8)
    vector = np.linspace(-1, 1, 50)
    whole = multiply(matrix, vector)
    monkeypatch.setattr("bitsieve.optimize.eigen.BUFFER", 7 * 50)
    assert multiply(matrix, vector).tobytes() == whole.tobytes()
    assert multiply(matrix[:, ::-1], vector[::-1])[0] == pytest.approx(whole[0], rel=1e-12)  # another order of terms


def test_largest_eigenvalue_of_a_tridiagonal_matrix():
    random = np.random.default_rng(3)
    for n in (1, 2, 7, 40):
        diagonal, beside = random.standard_normal(n), random.standard_normal(n - 1)
        matrix = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
        got = largest_eigenvalue(diagonal.tolist(), beside.tolist())
        assert got == pytest.approx(np.linalg.eigvalsh(matrix)[-1], rel=1e-13)  # LAPACK's own rounding
