"""Whether a quadratic is convex, and how far it is from it: by a Cholesky factor, on large matrices by random probes.

A polynomial of the matrix, small on positive eigenvalues and large on negative ones, is applied to random normal
vectors w. For any unit vector u, ``|u'w| <= d`` has probability 0.8 d at most: if the probes stay short, there is no
negative eigenvalue, up to ERROR. Large eigenvalues are first taken away, ``K = A - V D V'`` with D >= 0. As K <= A, a
convex K proves that A is convex. After J. D. Dixon, SIAM J. Numer. Anal. 20(4), 1983. doi:10.1137/0720053
"""

from __future__ import annotations

import numpy as np

from bitsieve.optimize.eigen import lanczos
from bitsieve.utils.arrays import Floats
from bitsieve.utils.lazy import threadpool_limits
from bitsieve.utils.memory import square_matrix

N_PROBES = 16
KRYLOV_STEPS = 4  # products to find the large eigenvalues by
N_TAKEN_AWAY = 24  # of the large eigenvalues
MARGIN = 1.6  # times the largest that is left, as far as it is known, is the end of the interval
SPREAD = 64.0  # from the beginning of the interval to its end
ERROR = 1e-12  # probability that a negative eigenvalue is overlooked
MAX_DEGREE = 64
HOPELESS = 30.0  # growth of the probes that shows eigenvalues outside the interval
SMALL = 2000  # rows up to which all eigenvalues take about a second
LARGE = 4000  # rows from which random probes pay
SLACK = 1e-8  # an eigenvalue above -SLACK is taken for 0: it moves x'Hx on the simplex by 1e-8 at most


def shows_no_negative_eigenvalue(matrix: Floats, added: float = 0.0) -> bool:
    """Whether random probes show that ``matrix + added I`` has no negative eigenvalue; False: not known."""
    random = np.random.default_rng(0)
    with threadpool_limits(1, "blas"):
        values, vectors = _large_eigenvalues(matrix, random)
        end = MARGIN * (float(values[-N_TAKEN_AWAY - 1]) + added)
        if end <= 0:
            return False
        begin = end / SPREAD
        leading_vectors = vectors[-N_TAKEN_AWAY:]
        excess = np.maximum(values[-N_TAKEN_AWAY:] + added - end / 2, 0)

        def shifted(rows: Floats) -> Floats:
            """The rows times the matrix that takes the interval to -1 .. 1, without the large eigenvalues."""
            product = rows @ matrix + added * rows - (rows @ leading_vectors.T) * excess @ leading_vectors
            return (2 * product - (begin + end) * rows) / (end - begin)

        step = float(np.arccosh((end + begin) / (end - begin)))
        before = random.standard_normal((N_PROBES, len(matrix)))
        now = shifted(before)
        for degree in range(1, MAX_DEGREE + 1):
            lengths = np.sqrt(np.einsum("ij,ij->i", now, now))
            if float(np.prod(np.minimum(1.0, 0.8 * lengths / np.cosh(degree * step)))) <= ERROR:
                return True
            if lengths.mean() > HOPELESS * np.sqrt(len(matrix)):
                return False
            before, now = now, 2 * shifted(now) - before  # Chebyshev polynomials
    return False


def _large_eigenvalues(matrix: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Ascending estimates of eigenvalues, the largest ones good, and their orthonormal vectors as rows."""
    rows = np.empty((0, len(matrix)))
    images = np.empty((0, len(matrix)))
    block = random.standard_normal((N_PROBES, len(matrix)))
    for _ in range(KRYLOV_STEPS):
        for _again in range(2):  # once more for what rounding leaves
            block = block - (block @ rows.T) @ rows
        block = np.linalg.qr(block.T)[0].T
        image = block @ matrix
        rows = np.vstack([rows, block])
        images = np.vstack([images, image])
        block = image
    projected = rows @ images.T
    values, turn = np.linalg.eigh((projected + projected.T) / 2)
    return values, turn.T @ rows


def matrices_for_proof(n: int) -> int:
    """How many matrices of n rows there are while :func:`is_convex` looks at one, its own copy included."""
    return 1 if n >= LARGE else 2


def is_convex(matrix: Floats, added: float = 0.0) -> bool:
    """Whether all eigenvalues of ``matrix + added I`` are above -1e-8: n^3 / 3 and a copy of the matrix at most."""
    if len(matrix) >= LARGE and shows_no_negative_eigenvalue(matrix, added):
        return True
    return is_positive(matrix, added + SLACK)


def is_positive(matrix: Floats, added: float) -> bool:
    """Whether ``matrix + added I`` has a Cholesky factor: n^3 / 3, and a copy of the matrix."""
    from scipy.linalg import LinAlgError, cholesky

    copy = square_matrix(len(matrix), np.float64)
    copy[:] = matrix
    copy[np.diag_indices_from(copy)] += added
    with threadpool_limits(1, "blas"):
        try:
            cholesky(copy.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
    return True


def smallest_eigenvalue(matrix: Floats) -> float:
    """The smallest eigenvalue, or a lower bound near it, of a symmetric matrix that is not positive semidefinite."""
    from scipy.linalg import eigvalsh

    if len(matrix) > SMALL:
        value, vector = smallest_eigenpair(matrix, 1e-10, 400)
        with threadpool_limits(1, "blas"):
            residual = matrix @ vector - value * vector
            bound = value - float(np.sqrt(residual @ residual))
        if is_positive(matrix, SLACK - bound):  # no probes: at the edge they never show it
            return bound
    with threadpool_limits(1, "blas"):
        return float(eigvalsh(matrix, check_finite=False)[0])


def smallest_eigenpair(matrix: Floats, accuracy: float, most_products: int) -> tuple[float, Floats]:
    """The smallest eigenvalue by Lanczos, never below the true one, and its vector, of a residual of the accuracy."""
    start = np.random.default_rng(0).standard_normal(len(matrix))
    shift = 1.0 + float(np.abs(matrix.diagonal()).max())  # less the eigenvalue 1 at least
    with threadpool_limits(1, "blas"):
        pair = lanczos(
            lambda v: shift * v - matrix @ v, start / np.sqrt(start @ start), accuracy / shift, most_products
        )
    return shift - pair.value, pair.vector
