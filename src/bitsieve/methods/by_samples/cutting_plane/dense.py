"""Dense tables as vectors of unit length about their mean, a block of columns at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.blocks import run_blocks
from bitsieve.methods.by_samples.cutting_plane.columns import Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]
    Block = tuple[int, int]

BLOCK_VALUES = 1 << 19  # 4 MiB of doubles: what stays in a cache between the passes over a block


class DenseColumns:
    """A table of numbers, float32 or float64, in any layout; the values are only read.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Finite.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, values: NDArray[np.floating], n_jobs: int | None = None) -> None:
        self.values = values
        self.n_jobs = n_jobs
        self.n_samples, self.n_features = values.shape
        self.mean, self.length = np.zeros(self.n_features), np.zeros(self.n_features)

        def measure(block: Block) -> None:
            place = slice(*block)
            self.mean[place], self.length[place] = _moments(values[:, place].astype(np.float64))

        run_blocks(measure, self._blocks(self.n_features), n_jobs)
        self.varies = self.length > 0

    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        out = np.empty((self.n_features, weights.shape[1]))

        def multiply(block: Block) -> None:
            place = slice(*block)
            out[place] = self._vectors(place).T @ weights

        run_blocks(multiply, self._blocks(self.n_features), self.n_jobs)
        return out

    def part(self, columns: Integers) -> DensePart:
        """Some columns in memory."""
        return DensePart(self._vectors(columns))

    def correlated(self, columns: Integers, least: float, among: Integers | None = None) -> Pairs:
        """Pairs of a column and a place in ``columns`` correlated by ``least`` or more."""
        chosen = self._vectors(columns)
        looked_at = np.arange(self.n_features) if among is None else among
        blocks = self._blocks(len(looked_at))
        found: dict[Block, Pairs] = {}

        def look(block: Block) -> None:
            own = looked_at[slice(*block)]
            correlation = self._vectors(slice(*block) if among is None else own).T @ chosen
            column, place = np.nonzero(np.abs(correlation) >= least)
            found[block] = Pairs(own[column], place, correlation[column, place])

        run_blocks(look, blocks, self.n_jobs)
        parts = [found[block] for block in blocks]
        return Pairs(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _vectors(self, columns: slice | Integers) -> Floats:
        vectors = self.values[:, columns].astype(np.float64)
        vectors -= self.mean[columns]
        length = self.length[columns]
        vectors /= np.where(length > 0, length, np.inf)
        return vectors

    def _blocks(self, n_columns: int) -> list[Block]:
        width = max(8, BLOCK_VALUES // self.n_samples)
        return [(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]


class DensePart:
    """Some vectors in memory."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        self.n_columns = vectors.shape[1]

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights."""
        return self.vectors @ weights

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples."""
        return self.vectors.T @ weights

    def scatter(self, samples: NDArray[np.bool_]) -> Floats:
        """The products of the vectors with each other over some samples."""
        rows = self.vectors[samples]
        return rows.T @ rows


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Means and lengths about them of columns; numbers of any size, without overflow. ``values`` is overwritten."""
    low, high = values.min(axis=0), values.max(axis=0)
    _, exponents = np.frexp(np.maximum(-low, high))
    np.ldexp(values, -exponents, out=values)
    mean = np.add.reduce(values, axis=0) / len(values)
    values -= mean
    rest = np.add.reduce(values, axis=0) / len(values)  # what rounding left of it
    length = np.sqrt(np.maximum(np.einsum("ij,ij->j", values, values) - len(values) * rest**2, 0.0))
    return np.ldexp(mean + rest, exponents), np.where(low < high, np.ldexp(length, exponents), 0.0)
