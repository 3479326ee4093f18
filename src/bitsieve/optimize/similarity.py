"""Symmetric similarities of n things, 0 with themselves: as a matrix, or row by row as they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Similarity(Protocol):
    """What dominant sets are found in."""

    @property
    def n(self) -> int:
        """How many things there are."""
        ...

    def row(self, i: int) -> NDArray[np.floating]:
        """The similarity of one to all, shape (n,); its own entry is 0."""
        ...

    def sums(self) -> Floats:
        """The sum of every row."""
        ...


class SimilarityMatrix:
    """A symmetric matrix in memory, of any float type; its diagonal must be 0."""

    def __init__(self, matrix: NDArray[np.floating]) -> None:
        self.matrix = matrix

    @property
    def n(self) -> int:
        """How many things there are."""
        return len(self.matrix)

    def row(self, i: int) -> NDArray[np.floating]:
        """Row i, a view."""
        return self.matrix[i]

    def sums(self) -> Floats:
        """The sum of every row."""
        return np.add.reduce(self.matrix, axis=1, dtype=np.float64)


class SimilarityRows:
    """Rows made when they are asked for; as many as the memory given holds are kept, those used last.

    Parameters
    ----------
    make : callable
        ``make(first, last)`` gives these rows as a new array, its last index being the columns.
    n : int
    memory : int
        Bytes for rows that are kept; one is kept at least.
    at_once : int
        Rows are made in blocks that begin at its multiples, so that their bits do not depend on which are asked for.
    progress : callable, optional
        Called as ``progress(rows summed, n)`` by :meth:`sums`.
    """

    def __init__(
        self,
        make: Callable[[int, int], Floats],
        n: int,
        memory: int,
        at_once: int = 1,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self._make, self._n, self._at_once, self._progress = make, n, at_once, progress
        self._room = max(1, memory // (8 * n))
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    @property
    def n(self) -> int:
        """How many things there are."""
        return self._n

    def row(self, i: int) -> Floats:
        """Row i."""
        if i in self._kept:
            self._kept.move_to_end(i)
            return self._kept[i]
        first = i - i % self._at_once
        block = self._make(first, min(first + self._at_once, self._n))
        self._keep(i, block[i - first].copy())
        return self._kept[i]

    def sums(self) -> Floats:
        """The sum of every row: each is made once."""
        out = np.empty(self._n)
        for first in range(0, self._n, self._at_once):
            last = min(first + self._at_once, self._n)
            for i, row in enumerate(self._make(first, last), first):
                out[i] = np.add.reduce(row)
                self._keep(i, row.copy())
            if self._progress is not None:
                self._progress(last, self._n)
        return out

    def _keep(self, i: int, row: Floats) -> None:
        if len(self._kept) >= self._room:
            self._kept.popitem(last=False)
        self._kept[i] = row


def among(similarity: Similarity, members: NDArray[np.intp]) -> Floats:
    """The rows and columns of some members, shape (m, m)."""
    out = np.empty((len(members), len(members)))
    for place, member in enumerate(members.tolist()):
        out[place] = similarity.row(member)[members]
    return out
