"""Columns as vectors of unit length about their mean, ``f = (x - mean) / length``: products with weights of the samples
and correlations, of a dense or a sparse table, which is never copied nor made dense as a whole.

A column that holds a single value has length 0 and counts as the zero vector. The correlation of two others is the
product of their vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]


class Pairs(NamedTuple):
    """Pairs of correlated columns: ``column`` of the table, ``chosen`` a place among some chosen columns."""

    column: Integers
    chosen: Integers
    correlation: Floats


class Part(Protocol):
    """Some columns of a table in memory: s vectors of n samples."""

    n_columns: int

    def times(self, weights: Floats) -> Floats:
        """The sum of the vectors by weights of shape (s, tasks): shape (n, tasks)."""
        ...

    def against(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (s, tasks)."""
        ...

    def scatter(self, samples: NDArray[np.bool_]) -> Floats:
        """The products of the vectors with each other over some samples, shape (s, s)."""
        ...


class Columns(Protocol):
    """A table as vectors."""

    n_samples: int
    n_features: int
    varies: NDArray[np.bool_]
    mean: Floats
    length: Floats

    def products(self, weights: Floats) -> Floats:
        """The products with weights of the samples, shape (n, tasks): shape (n_features, tasks)."""
        ...

    def part(self, columns: Integers) -> Part:
        """Some columns in memory."""
        ...

    def correlated(self, columns: Integers, least: float, among: Integers | None = None) -> Pairs:
        """Pairs of a column (of the table, or of those ``among`` which to look) and a place in ``columns``.

        Those with a correlation of at least ``least`` in absolute value, a column with itself included.
        """
        ...
