"""The dominant eigenvector of a symmetric non-negative matrix, the same bits on every machine: without BLAS.

Lanczos from the vector of ones, fully reorthogonalised, holds one direction of every eigenspace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Floats, Matrix

BUFFER = 1 << 17  # products held at once, 1 MiB: the second-level cache


class Eigenpair(NamedTuple):
    """The dominant eigenvalue, its unit eigenvector, and how many matrix products were needed."""

    value: float
    vector: Floats
    n_products: int


def dominant_eigenvector(matrix: Matrix, *, tolerance: float = 1e-13, max_products: int = 1000) -> Eigenpair:
    """The dominant eigenpair, its vector >= 0, of a symmetric matrix of entries >= 0, rounding below 0 aside."""
    n = len(matrix)
    start = np.full(n, 1 / np.sqrt(n))
    pair = lanczos(lambda vector: multiply(matrix, vector), start, tolerance, max_products)
    return pair._replace(vector=np.abs(pair.vector))


def lanczos(
    product_with: Callable[[Floats], Floats], start: Floats, tolerance: float = 1e-13, max_products: int = 1000
) -> Eigenpair:
    """The largest eigenpair of a symmetric operator in the Krylov space of a unit vector, its sign arbitrary.

    ``product_with(v)`` is a fresh array; the tolerance is that of the residual, relative to the eigenvalue.
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
        if length * abs(weights[-1]) <= tolerance * scale or length <= 1e-15 * scale or len(basis) == limit:
            break
        off_diagonal.append(length)
        basis.append(product / length)
    total = np.zeros(len(start))
    for weight, vector in zip(weights, basis, strict=True):
        total += weight * vector
    return Eigenpair(value, total / np.sqrt(dot(total, total)), len(diagonal))


def multiply(matrix: Matrix, vector: Floats) -> Floats:
    """``matrix @ vector``, summed in numpy's fixed pairwise order."""
    rows, columns = matrix.shape
    out = np.empty(rows)
    step = max(1, BUFFER // max(columns, 1))
    buffer = np.empty((min(step, rows), columns))
    for first in range(0, rows, step):
        part = matrix[first : first + step]
        products = np.multiply(part, vector, out=buffer[: len(part)])
        np.add.reduce(products, axis=1, out=out[first : first + step])
    return out


def dot(a: Floats, b: Floats) -> float:
    """Inner product, summed in numpy's fixed pairwise order."""
    return float(np.add.reduce(a * b))


def largest_eigenvalue(diagonal: list[float], off_diagonal: list[float]) -> float:
    """The largest eigenvalue of a symmetric tridiagonal matrix, by bisection to the last bit."""
    around = [0.0, *map(abs, off_diagonal), 0.0]
    radius = [around[i] + around[i + 1] for i in range(len(diagonal))]
    low = max(diagonal)  # an eigenvalue is at least every diagonal entry
    high = max(d + r for d, r in zip(diagonal, radius, strict=True))
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        if _all_below(diagonal, off_diagonal, middle):
            high = middle
        else:
            low = middle


def _all_below(diagonal: list[float], off_diagonal: list[float], bound: float) -> bool:
    """Whether all eigenvalues are below the bound: then all pivots of ``T - bound`` are negative (Sturm)."""
    pivot = diagonal[0] - bound
    for d, b in zip(diagonal[1:], off_diagonal, strict=True):
        if pivot >= 0:
            return False
        pivot = d - bound - b * b / pivot
    return pivot < 0


def tridiagonal_eigenvector(diagonal: list[float], off_diagonal: list[float], value: float) -> list[float]:
    """Unit eigenvector of the largest eigenvalue, by inverse iteration: ``shift - T`` is definite, no pivoting."""
    n = len(diagonal)
    shift = value + max(4 * np.finfo(float).eps * abs(value), np.finfo(float).tiny)  # 1 / tiny does not overflow
    vector = [1.0] * n
    for _ in range(4):
        pivots = [shift - diagonal[0]]
        right = [vector[0]]
        for i in range(1, n):
            factor = -off_diagonal[i - 1] / (pivots[-1] or np.finfo(float).tiny)
            pivots.append(shift - diagonal[i] + factor * off_diagonal[i - 1])
            right.append(vector[i] - factor * right[-1])
        solution = [0.0] * n
        for i in range(n - 1, -1, -1):
            above = off_diagonal[i] * solution[i + 1] if i + 1 < n else 0.0
            solution[i] = (right[i] + above) / (pivots[i] or np.finfo(float).tiny)
        largest = max(map(abs, solution))
        scaled = [s / largest for s in solution]
        length = sum(s * s for s in scaled) ** 0.5
        vector = [s / length for s in scaled]
    return vector
