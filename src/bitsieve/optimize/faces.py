"""The step to the minimum of a quadratic over a face of the simplex, taken as a whole plane: weights may turn negative.

A face is the set of weights that are not 0. On it ``d`` minimises ``d'Hd / 2 + g'd`` with ``sum d = 0``: by Cholesky
where that is cheap, by conjugate gradients where the face is large, which need no copy of its Hessian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.optimize.quadratics import Quadratic

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

LARGE_FACE = 1500  # weights from which products with H are cheaper than a Cholesky factor of it
RIDGE = 1e-11  # of the mean diagonal: makes a singular face solvable; a few steps make up for it
LEAST_DIAGONAL = 1e-12  # of the largest entry: what conjugate gradients take a 0 for
REDUCTION = 1e-3  # of the residual in one run of conjugate gradients; more is mostly lost to a change of the face
MAX_PRODUCTS = 300
MAX_OUTSIDE = 5  # of them while the step leads out of the simplex: then the face is not the right one yet


def face_step(quadratic: Quadratic, weights: Floats, gradient: Floats, tolerance: float) -> Floats:
    """The step d of those s weights that are not 0; zeros where there is none.

    Parameters
    ----------
    quadratic : Quadratic
    weights, gradient : ndarray of shape (n,)
    tolerance : float
        Of the gap: how far the gradients of the face may end up from each other.

    Notes
    -----
    Cost: s^3 / 3 up to 1,500 weights; beyond, at most 300 products with H, mostly some twenty.
    """
    support = np.flatnonzero(weights)
    if len(support) <= LARGE_FACE:
        step = by_cholesky(quadratic, support, gradient)
    else:
        step = by_conjugate_gradients(quadratic, support, gradient, weights[support], tolerance)
    return step if np.isfinite(step).all() else np.zeros(len(support))


def by_cholesky(quadratic: Quadratic, support: Indices, gradient: Floats) -> Floats:
    """The step by a Cholesky factor: one solve for the gradient, one for the vector of ones that keeps the sum."""

    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    block = quadratic.block(support)
    block[np.diag_indices_from(block)] += RIDGE * float(quadratic.diagonal[support].mean())
    try:
        factor = cho_factor(block, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.zeros(len(support))
    centred = gradient[support] - gradient[support].mean()
    solved = cho_solve(factor, np.column_stack([-centred, np.ones(len(support))]), check_finite=False)
    return solved[:, 0] - solved[:, 1] * (solved[:, 0].sum() / solved[:, 1].sum())


def by_conjugate_gradients(
    quadratic: Quadratic, support: Indices, gradient: Floats, weights: Floats, tolerance: float
) -> Floats:
    """The step by conjugate gradients, preconditioned by the diagonal, directions of sum 0, from ``weights`` on."""
    diagonal = quadratic.diagonal[support]
    if not diagonal.max() > 0:  # nothing is quadratic
        return np.zeros(len(support))
    weight = 1 / np.maximum(diagonal, LEAST_DIAGONAL * diagonal.max())
    total = float(weight.sum())

    def preconditioned(vector: Floats) -> Floats:
        scaled = weight * vector
        return scaled - weight * (scaled.sum() / total)

    residual = gradient[support].mean() - gradient[support]
    enough = max(0.2 * tolerance, REDUCTION * float(np.ptp(residual)))
    step = np.zeros(len(support))
    turned = preconditioned(residual)
    direction = turned
    length = float(residual @ turned)
    full = np.zeros(len(gradient))
    for n_products in range(MAX_PRODUCTS):
        if np.ptp(residual) <= enough or (n_products >= MAX_OUTSIDE and (weights + step).min() < 0):
            break
        full[support] = direction
        product = quadratic.times(full)[support]
        product -= product.mean()
        curvature = float(direction @ product)
        if curvature <= 0:  # rounding, in a direction that changes nothing
            break
        step += (length / curvature) * direction
        residual -= (length / curvature) * product
        turned = preconditioned(residual)
        before, length = length, float(residual @ turned)
        direction = turned + (length / before) * direction
    return step
