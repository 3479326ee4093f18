"""Tests of whether a symmetric matrix A has no negative eigenvalue, so that x'Ax is convex, and how negative it is.

``is_convex`` answers yes or no. ``smallest_eigenvalue`` gives the number: adding its size to the diagonal makes the
matrix convex. Small matrices are factored (Cholesky) or diagonalised (LAPACK); large ones are probed at random first.

Random probes (J. D. Dixon, SIAM J. Numer. Anal. 20(4), 1983, doi:10.1137/0720053). Let T be a polynomial with
``|T| <= 1`` on the positive eigenvalues and ``|T| >= g`` on the negative ones, and w a vector of standard normal
numbers. If A has a negative eigenvalue with unit eigenvector u, then

    |T(A) w| >= g |u'w|,   and   P(|u'w| <= d) <= 0.8 d

because u'w is a standard normal number. A short T(A) w is therefore unlikely, with probability ``0.8 |T(A) w| / g`` at
most. Several independent probes multiply these probabilities.
"""

from __future__ import annotations

import numpy as np

from bitsieve.optimize.eigen import lanczos
from bitsieve.utils.arrays import Floats
from bitsieve.utils.libraries import threadpool_limits
from bitsieve.utils.memory import square_matrix

MAX_LAPACK_ROWS = 2000  # LAPACK finds all eigenvalues of a matrix of this many rows in about a second
MIN_PROBED_ROWS = 4000  # random probes are faster than a Cholesky factor from this many rows on
SLACK = 1e-8  # eigenvalues above -SLACK count as 0: on the simplex they change x'Ax by 1e-8 at most

N_PROBES = 16
KRYLOV_STEPS = 4  # block products with which the largest eigenvalues are estimated
N_DEFLATED = 24  # largest eigenvalues that are reduced before the matrix is probed
INTERVAL_MARGIN = 1.6  # the interval ends at this multiple of the largest estimated eigenvalue that is not reduced
INTERVAL_RATIO = 64.0  # end of the interval divided by its beginning
MAX_DEGREE = 64  # of the Chebyshev polynomial
MAX_ERROR = 1e-12  # probability that a negative eigenvalue is overlooked
MAX_GROWTH = 30.0  # a mean growth of the probes beyond this shows eigenvalues outside the interval


def is_convex(matrix: Floats, ridge: float = 0.0) -> bool:
    """Whether all eigenvalues of ``matrix + ridge I`` are above -1e-8.

    Cost: n^3 / 3 operations and a copy of the matrix; for 4,000 rows or more often some 64 products of 16 vectors with
    the matrix, without a copy.
    """
    if len(matrix) >= MIN_PROBED_ROWS and shows_no_negative_eigenvalue(matrix, ridge):
        return True
    return is_positive_definite(matrix, ridge + SLACK)


def matrices_for_proof(n: int) -> int:
    """The number of matrices of n rows to reserve memory for while :func:`is_convex` runs, its argument included."""
    return 1 if n >= MIN_PROBED_ROWS else 2


def is_positive_definite(matrix: Floats, ridge: float) -> bool:
    """Whether ``matrix + ridge I`` has a Cholesky factor. Cost: n^3 / 3 operations and a copy of the matrix."""
    from scipy.linalg import LinAlgError, cholesky

    copy = square_matrix(len(matrix), np.float64)
    copy[:] = matrix
    copy[np.diag_indices_from(copy)] += ridge
    with threadpool_limits(1, "blas"):
        try:
            cholesky(copy.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
    return True


def smallest_eigenvalue(matrix: Floats) -> float:
    """The smallest eigenvalue of a symmetric matrix that is not convex, or a lower bound very near it.

    Above 2,000 rows Lanczos estimates it. The estimate less its residual is a lower bound if no other eigenvalue is
    smaller, which a Cholesky factor proves; where it does not, LAPACK computes the eigenvalue.
    """
    from scipy.linalg import eigvalsh

    if len(matrix) > MAX_LAPACK_ROWS:
        value, vector = smallest_eigenpair(matrix, 1e-10, 400)
        with threadpool_limits(1, "blas"):
            residual = matrix @ vector - value * vector
            bound = value - float(np.sqrt(residual @ residual))
        # Random probes cannot prove this: the shifted matrix has an eigenvalue near 0.
        if is_positive_definite(matrix, SLACK - bound):
            return bound
    with threadpool_limits(1, "blas"):
        return float(eigvalsh(matrix, check_finite=False)[0])


def smallest_eigenpair(matrix: Floats, accuracy: float, max_products: int) -> tuple[float, Floats]:
    """The smallest eigenvalue and its unit eigenvector, by Lanczos; the value is never below the true one.

    Lanczos finds the largest eigenvalue of ``shift I - matrix``. It stops at a residual of ``accuracy``, or after
    ``max_products`` products with the matrix.
    """
    start = np.random.default_rng(0).standard_normal(len(matrix))
    shift = 1.0 + float(np.abs(matrix.diagonal()).max())  # so that the largest eigenvalue is at least 1
    with threadpool_limits(1, "blas"):
        pair = lanczos(lambda v: shift * v - matrix @ v, start / np.sqrt(start @ start), accuracy / shift, max_products)
    return shift - pair.value, pair.vector


def shows_no_negative_eigenvalue(matrix: Floats, ridge: float = 0.0) -> bool:
    """Whether random probes show that ``matrix + ridge I`` has no negative eigenvalue; False: they do not decide."""
    random = np.random.default_rng(0)
    with threadpool_limits(1, "blas"):
        eigenvalues, eigenvectors = _largest_eigenpairs(matrix, random)
        end = INTERVAL_MARGIN * (float(eigenvalues[-N_DEFLATED - 1]) + ridge)
        if end <= 0:
            return False
        begin = end / INTERVAL_RATIO

        # K = A + ridge I - V D V' with D >= 0 reduces the largest eigenvalues to the middle of the interval.
        # K <= A + ridge I: if K has no negative eigenvalue, neither has A + ridge I.
        deflated_vectors = eigenvectors[-N_DEFLATED:]
        excess = np.maximum(eigenvalues[-N_DEFLATED:] + ridge - end / 2, 0)

        def times_mapped(rows: Floats) -> Floats:
            """``rows M`` with ``M = (2 K - (begin + end) I) / (end - begin)``, which maps begin to -1 and end to 1."""
            deflation = (rows @ deflated_vectors.T) * excess @ deflated_vectors  # rows V D V'
            product = rows @ matrix + ridge * rows - deflation  # rows K
            return (2 * product - (begin + end) * rows) / (end - begin)

        # M is below -(end + begin) / (end - begin) on negative eigenvalues of K, where the Chebyshev polynomial of
        # degree m has the size g = cosh(m arccosh((end + begin) / (end - begin))) at least.
        growth_rate = float(np.arccosh((end + begin) / (end - begin)))
        previous = random.standard_normal((N_PROBES, len(matrix)))  # T_0(M) w, a row for each probe w
        current = times_mapped(previous)  # T_1(M) w
        for degree in range(1, MAX_DEGREE + 1):
            lengths = np.sqrt(np.einsum("ij,ij->i", current, current))
            error_of_probes = np.minimum(1.0, 0.8 * lengths / np.cosh(degree * growth_rate))
            if float(np.prod(error_of_probes)) <= MAX_ERROR:
                return True
            if lengths.mean() > MAX_GROWTH * np.sqrt(len(matrix)):
                return False
            following = 2 * times_mapped(current) - previous  # T_(m+1)(x) = 2 x T_m(x) - T_(m-1)(x)
            previous = current
            current = following
    return False


def _largest_eigenpairs(matrix: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Ascending estimates of eigenvalues, and their orthonormal eigenvectors as rows; the largest are accurate.

    They are the eigenpairs of the matrix projected on the Krylov space of a few random vectors (Rayleigh, Ritz).
    """
    basis = np.empty((0, len(matrix)))
    products = np.empty((0, len(matrix)))
    block = random.standard_normal((N_PROBES, len(matrix)))
    for _ in range(KRYLOV_STEPS):
        for _repetition in range(2):  # rounding leaves something of the basis in the block after the first
            block = block - (block @ basis.T) @ basis
        block = np.linalg.qr(block.T)[0].T
        product = block @ matrix
        basis = np.vstack([basis, block])
        products = np.vstack([products, product])
        block = product
    projected = basis @ products.T
    eigenvalues, rotation = np.linalg.eigh((projected + projected.T) / 2)
    return eigenvalues, rotation.T @ basis
