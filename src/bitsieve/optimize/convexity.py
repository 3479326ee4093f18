"""Whether a quadratic is convex, and how far it is from it.

A Cholesky factorisation is the proof: it goes through if and only if all eigenvalues are positive, to its rounding. Of
large matrices random probes are asked first, which cost less. Where the factorisation fails, the smallest eigenvalue
tells what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from bitsieve.common.free_memory import square_matrix
from bitsieve.optimize.eigen import lanczos
from bitsieve.optimize.probes import shows_no_negative_eigenvalue

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SMALL = 2000  # rows up to which all eigenvalues take about a second
LARGE = 4000  # rows from which random probes are worth asking
SLACK = 1e-8  # an eigenvalue above -SLACK is taken for 0: it moves x'Hx on the simplex by 1e-8 at most


def matrices_for_proof(n: int) -> int:
    """How many matrices of n rows there are while :func:`is_convex` looks at one, its own copy included."""
    return 1 if n >= LARGE else 2


def is_convex(matrix: Floats, added: float = 0.0) -> bool:
    """Whether all eigenvalues of ``matrix + added I`` are above -1e-8.

    Notes
    -----
    Cost: at most n^3 / 3, and often little if they are not. Memory: a copy of the matrix. From 4,000 rows on random
    probes often show it before (:mod:`bitsieve.optimize.probes`), at O(n^2) and without a copy; they are wrong with a
    probability of 1e-12.
    """

    from scipy.linalg import LinAlgError, cholesky

    if len(matrix) >= LARGE and shows_no_negative_eigenvalue(matrix, added):
        return True
    copy = square_matrix(len(matrix), np.float64)
    copy[:] = matrix
    copy[np.diag_indices_from(copy)] += added + SLACK
    with threadpool_limits(1, "blas"):
        try:
            cholesky(copy.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
    return True


def smallest_eigenvalue(matrix: Floats) -> float:
    """The smallest eigenvalue of a symmetric matrix that is not positive semidefinite.

    Notes
    -----
    Up to 2,000 rows by LAPACK, n^3 4 / 3 and a copy. Beyond by Lanczos, O(n^2) a product, from a random vector, as a
    vector of ones would miss the eigenvalues of columns that are treated alike; its residual is
    subtracted from what it finds, which is then proven to be a lower bound; where that fails, LAPACK is used.
    """

    from scipy.linalg import eigvalsh

    if len(matrix) > SMALL:
        found = _by_lanczos(matrix)
        if is_convex(matrix, -found):
            return found
    with threadpool_limits(1, "blas"):
        return float(eigvalsh(matrix, check_finite=False)[0])


def _by_lanczos(matrix: Floats) -> float:
    start = np.random.default_rng(0).standard_normal(len(matrix))
    top = max(float(np.abs(row).sum()) for row in matrix)  # no eigenvalue is larger
    with threadpool_limits(1, "blas"):
        pair = lanczos(
            lambda v: top * v - matrix @ v, start / np.sqrt(start @ start), tolerance=1e-12, max_products=400
        )
        residual = matrix @ pair.vector - (top - pair.value) * pair.vector
        return top - pair.value - float(np.sqrt(residual @ residual))
