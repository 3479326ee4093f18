"""The dominant eigenvector of a symmetric matrix of entries >= 0, by Lanczos with full reorthogonalisation.

Sums are numpy's, in a fixed order, not those of BLAS: the eigenvector has the same bits on every machine. The Krylov
space of the vector of ones holds one direction of every eigenspace, so a multiple eigenvalue has one eigenvector too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Floats, Matrix

BUFFER = 1 << 17  # products that are held at once: 1 MiB, which the second-level cache holds


class Eigenpair(NamedTuple):
    """The dominant eigenvalue, its unit eigenvector, and how many matrix products were needed."""

    value: float
    vector: Floats
    n_products: int


def dominant_eigenvector(matrix: Matrix, *, tolerance: float = 1e-13, max_products: int = 1000) -> Eigenpair:
    """The dominant eigenpair of a symmetric matrix of entries >= 0 (rounding may make some negative).

    The eigenvector has entries >= 0 and length 1.
    """
    n = len(matrix)
    start = np.full(n, 1 / np.sqrt(n))
    pair = lanczos(lambda vector: multiply(matrix, vector), start, tolerance, max_products)
    return pair._replace(vector=np.abs(pair.vector))


def lanczos(
    product_with: Callable[[Floats], Floats], start: Floats, tolerance: float = 1e-13, max_products: int = 1000
) -> Eigenpair:
    """The largest eigenpair of a symmetric operator, in the Krylov space of a unit vector ``start``.

    ``product_with(v)`` returns the product with v as a new array. The iteration stops where the length of the residual
    is ``tolerance`` times the eigenvalue at most. The sign of the eigenvector is arbitrary.
    """
    basis = [start]
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    limit = min(len(start), max_products)
    while True:
        product = product_with(basis[-1])
        diagonal.append(dot(product, basis[-1]))
        for _ in range(2):  # twice is enough to be orthogonal to rounding
            for vector in basis:
                product -= dot(product, vector) * vector
        length = float(np.sqrt(dot(product, product)))
        value = largest_eigenvalue(diagonal, off_diagonal)
        weights = tridiagonal_eigenvector(diagonal, off_diagonal, value)
        scale = max(value, np.finfo(float).tiny)
        has_converged = length * abs(weights[-1]) <= tolerance * scale  # the residual of the Ritz vector
        is_invariant = length <= 1e-15 * scale  # the basis spans the whole Krylov space
        if has_converged or is_invariant or len(basis) == limit:
            break
        off_diagonal.append(length)
        basis.append(product / length)
    eigenvector = np.zeros(len(start))
    for weight, vector in zip(weights, basis, strict=True):
        eigenvector += weight * vector
    return Eigenpair(value, eigenvector / np.sqrt(dot(eigenvector, eigenvector)), len(diagonal))


def multiply(matrix: Matrix, vector: Floats) -> Floats:
    """``matrix @ vector``, summed in numpy's fixed pairwise order."""
    rows, columns = matrix.shape
    out = np.empty(rows)
    batch_size = max(1, BUFFER // max(columns, 1))
    buffer = np.empty((min(batch_size, rows), columns))
    for first in range(0, rows, batch_size):
        batch = matrix[first : first + batch_size]
        products = np.multiply(batch, vector, out=buffer[: len(batch)])
        np.add.reduce(products, axis=1, out=out[first : first + batch_size])
    return out


def dot(a: Floats, b: Floats) -> float:
    """Inner product, summed in numpy's fixed pairwise order."""
    return float(np.add.reduce(a * b))


def largest_eigenvalue(diagonal: list[float], off_diagonal: list[float]) -> float:
    """The largest eigenvalue of a symmetric tridiagonal matrix, by bisection to the last bit."""
    neighbours = [0.0, *map(abs, off_diagonal), 0.0]
    radii = [neighbours[i] + neighbours[i + 1] for i in range(len(diagonal))]
    low = max(diagonal)  # the largest eigenvalue is not below any diagonal entry
    high = max(d + radius for d, radius in zip(diagonal, radii, strict=True))  # Gershgorin's circles
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        if _all_below(diagonal, off_diagonal, middle):
            high = middle
        else:
            low = middle


def _all_below(diagonal: list[float], off_diagonal: list[float], bound: float) -> bool:
    """Whether all eigenvalues of T are below the bound, that is, all pivots of ``T - bound I`` are negative (Sturm)."""
    pivot = diagonal[0] - bound
    for d, b in zip(diagonal[1:], off_diagonal, strict=True):
        if pivot >= 0:
            return False
        pivot = d - bound - b * b / pivot
    return pivot < 0


def tridiagonal_eigenvector(diagonal: list[float], off_diagonal: list[float], value: float) -> list[float]:
    """The unit eigenvector of the largest eigenvalue of a symmetric tridiagonal matrix T, by inverse iteration.

    ``shift I - T`` is positive definite, so that elimination needs no pivoting.
    """
    n = len(diagonal)
    shift = value + max(4 * np.finfo(float).eps * abs(value), np.finfo(float).tiny)  # 1 / tiny does not overflow
    vector = [1.0] * n
    for _ in range(4):
        pivots = [shift - diagonal[0]]
        right_side = [vector[0]]
        for i in range(1, n):
            factor = -off_diagonal[i - 1] / (pivots[-1] or np.finfo(float).tiny)
            pivots.append(shift - diagonal[i] + factor * off_diagonal[i - 1])
            right_side.append(vector[i] - factor * right_side[-1])
        solution = [0.0] * n
        for i in range(n - 1, -1, -1):
            above = off_diagonal[i] * solution[i + 1] if i + 1 < n else 0.0
            solution[i] = (right_side[i] + above) / (pivots[i] or np.finfo(float).tiny)
        largest = max(map(abs, solution))
        scaled = [s / largest for s in solution]
        length = sum(s * s for s in scaled) ** 0.5
        vector = [s / length for s in scaled]
    return vector
