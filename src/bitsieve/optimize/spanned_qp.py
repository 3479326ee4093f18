"""The minimum of a convex quadratic over the part of the simplex that a few eigenvectors span.

``min scale x'Hx / 2 - f'x`` with ``x = U y``, x >= 0 and sum x = 1, for the eigenvectors U of the largest eigenvalues L
of H. With ``z = sqrt(scale L) y - c``, where ``c = (scale L)^-1/2 U'f``, it is the point z nearest to 0 under linear
constraints, which least squares without negative numbers find.

C. L. Lawson, R. J. Hanson, "Solving Least Squares Problems", 1974, chapter 23. doi:10.1137/1.9781611971217
"""

from __future__ import annotations

import numpy as np

from bitsieve.optimize.simplex_qp import SimplexSolution
from bitsieve.utils.arrays import Floats
from bitsieve.utils.libraries import threadpool_limits

MIN_SHARE = 1e-10  # of the largest eigenvalue: smaller ones are the rounding of 0
MIN_WEIGHT = 1e-12  # smaller weights are the rounding of 0


def minimize_in_span(factor: Floats, linear: Floats, n_eigenvalues: int, scale: float) -> SimplexSolution | None:
    """Minimise ``scale x'GG'x / 2 - f'x`` over the weights that the top eigenvectors of ``GG'`` span.

    Parameters
    ----------
    factor : array of shape (n, p)
        G.
    linear : array of shape (n,)
        f.
    n_eigenvalues : int
        How many of the largest eigenvalues are used; those that are 0 are left out.
    scale : float
        Above 0.

    Returns
    -------
    SimplexSolution or None
        None if the eigenvectors span no weights that are all 0 or more.
    """
    with threadpool_limits(1, "blas"):
        eigenvalues, vectors = _top_eigenpairs(factor, n_eigenvalues)
        if not len(eigenvalues):
            return None
        weights_of_z = vectors / np.sqrt(scale * eigenvalues)  # x = weights_of_z (z + c)
        centre = weights_of_z.T @ linear  # c
        sums = weights_of_z.sum(axis=0)
        if not sums.any():
            return None
        at_start = sums * ((1 - sums @ centre) / (sums @ sums))  # the z of sum x = 1 that is nearest to 0
        _, _, right_vectors = np.linalg.svd(sums[None])
        directions = right_vectors[1:].T  # directions that keep the sum, shape (r, r - 1)
        start = weights_of_z @ (at_start + centre)
        nearest = _nearest_to_zero(weights_of_z @ directions, -start - MIN_WEIGHT)
        if nearest is None:
            return None
        point, gap = nearest
        x = start + weights_of_z @ (directions @ point)
        x = np.where(x > MIN_WEIGHT, x, 0.0)
        x /= x.sum()
        gradient = scale * (factor @ (factor.T @ x)) - linear
        objective = float((gradient - linear) @ x) / 2
        return SimplexSolution(x, gradient, objective, gap, converged=True)


def _top_eigenpairs(factor: Floats, n_eigenvalues: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues of ``GG'`` that are not 0, and their eigenvectors as columns."""
    eigenvalues, vectors_of_factor = np.linalg.eigh(factor.T @ factor)
    eigenvalues = eigenvalues[::-1][:n_eigenvalues]
    vectors_of_factor = vectors_of_factor[:, ::-1][:, :n_eigenvalues]
    is_used = (eigenvalues > 0) & (eigenvalues > MIN_SHARE * eigenvalues[0])
    eigenvalues = eigenvalues[is_used]
    vectors = (factor @ vectors_of_factor[:, is_used]) / np.sqrt(eigenvalues)
    return eigenvalues, vectors


def _nearest_to_zero(matrix: Floats, bounds: Floats) -> tuple[Floats, float] | None:
    """The point w of ``matrix w >= bounds`` that is nearest to 0, and how far ``|w|^2 / 2`` is above its minimum.

    None if there is no such point. With the u >= 0 that makes ``[matrix'; bounds'] u`` nearest to (0, ..., 0, 1),
    ``w = matrix'u / (1 - bounds'u)``.
    """
    from scipy.optimize import nnls

    target = np.zeros(matrix.shape[1] + 1)
    target[-1] = 1.0
    multipliers, distance = nnls(np.vstack([matrix.T, bounds]), target)
    slack = 1 - float(bounds @ multipliers)
    if distance <= MIN_WEIGHT or slack <= 0:
        return None
    multipliers /= slack
    point = matrix.T @ multipliers
    gap = max(0.0, float(point @ point - bounds @ multipliers))
    return point, gap
