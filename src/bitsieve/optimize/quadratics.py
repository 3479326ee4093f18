"""Quadratic forms ``scale * x'Hx`` that a solver asks for products and for blocks, never for all of H."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

GATHERED = 256  # rows copied at once for a product with a vector of many zeros
FEW = 3  # entries that are not 0 are few if they are less than one in so many: then their rows alone are read


class Quadratic(Protocol):
    """A symmetric positive semidefinite matrix of n rows.

    Attributes
    ----------
    diagonal : ndarray of shape (n,)
    """

    diagonal: Floats

    def times(self, x: Floats) -> Floats:
        """The matrix times x; entries of x that are 0 cost less."""
        ...

    def block(self, support: Indices) -> Floats:
        """A new array of the rows and columns ``support`` of the matrix."""
        ...


class DenseQuadratic:
    """``scale * matrix`` with ``scale * diagonal`` in place of its diagonal; the matrix is only read.

    Parameters
    ----------
    matrix : ndarray of shape (n, n), float64
        Symmetric.
    diagonal : ndarray of shape (n,), optional
        In place of that of the matrix.
    scale : float
    """

    def __init__(self, matrix: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        entries = np.diagonal(matrix)
        self.matrix = matrix
        self.scale = scale
        self.diagonal = scale * (entries if diagonal is None else diagonal)
        self._added = self.diagonal - scale * entries

    def times(self, x: Floats) -> Floats:
        """The matrix times x."""
        support = np.flatnonzero(x)
        if FEW * len(support) > len(x):
            return self.scale * (self.matrix @ x) + self._added * x
        product = np.zeros(len(x))
        for first in range(0, len(support), GATHERED):
            rows = support[first : first + GATHERED]
            product += x[rows] @ self.matrix[rows]
        return self.scale * product + self._added * x

    def block(self, support: Indices) -> Floats:
        """The rows and columns ``support`` of the matrix."""
        block = self.matrix[np.ix_(support, support)]
        block *= self.scale
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block


class FactorQuadratic:
    """``scale * factor @ factor.T`` with ``scale * diagonal`` in place of its diagonal, never formed.

    Parameters
    ----------
    factor : ndarray of shape (n, p)
    diagonal : ndarray of shape (n,), optional
        In place of that of the product; nowhere below it, lest the form be indefinite.
    scale : float
    """

    def __init__(self, factor: Floats, diagonal: Floats | None = None, scale: float = 1.0) -> None:
        entries = np.einsum("ij,ij->i", factor, factor)
        self.factor = factor
        self.scale = scale
        self.diagonal = scale * (entries if diagonal is None else diagonal)
        self._added = self.diagonal - scale * entries

    def times(self, x: Floats) -> Floats:
        """The matrix times x."""
        return self.scale * (self.factor @ (self.factor.T @ x)) + self._added * x

    def block(self, support: Indices) -> Floats:
        """The rows and columns ``support`` of the matrix."""
        rows = self.factor[support]
        block = self.scale * (rows @ rows.T)
        block[np.diag_indices_from(block)] = self.diagonal[support]
        return block
