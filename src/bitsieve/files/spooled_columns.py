"""Sparse columns in a spool: what scipy's CSC is in memory, whose row numbers are widened where there are very many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SpooledColumns:
    """Compressed sparse columns of numbers that are mapped from files.

    Attributes
    ----------
    shape : tuple of int
    indptr : ndarray of int64, shape (n_columns + 1,)
        Where the values of every column begin; the last one is where they all end. In memory.
    indices : ndarray of int32
        The rows of the values, ascending within a column.
    data : ndarray of float64
        The values, none of them 0.
    room : callable
        ``room(size, dtype)`` gives an array for as many values, mapped from a file too.
    """

    shape: tuple[int, int]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    room: Callable[..., NDArray[Any]]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        return self.data.dtype

    def __getitem__(self, wanted: tuple[slice, Sequence[int]]) -> Any:
        """Some columns, of all rows, in memory as CSR."""
        places = np.asarray(wanted[1], np.intp)
        pieces = [slice(*self.indptr[[j, j + 1]].tolist()) for j in places.tolist()]
        start = np.cumsum([0, *(piece.stop - piece.start for piece in pieces)])
        arrays = (np.concatenate([of[:0], *(of[piece] for piece in pieces)]) for of in (self.data, self.indices))
        return csc_matrix((*arrays, start), shape=(self.shape[0], len(places))).tocsr()

    def columns(self, places: Sequence[int] | NDArray[np.intp]) -> SpooledColumns:
        """Some columns in a given order, in the spool again."""
        wanted = np.asarray(places, np.intp)
        start = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[wanted])])
        row, value = (self.room(int(start[-1]), of.dtype.type) for of in (self.indices, self.data))
        breaks = np.flatnonzero(np.diff(wanted) != 1) + 1
        for run in np.split(np.arange(len(wanted)), breaks):
            if len(run):
                to = slice(*start[[run[0], run[-1] + 1]].tolist())
                of = slice(*self.indptr[[wanted[run[0]], wanted[run[-1]] + 1]].tolist())
                row[to], value[to] = self.indices[of], self.data[of]
        return SpooledColumns((self.shape[0], len(wanted)), start, row, value, self.room)

    def blanked(self, places: Sequence[int]) -> SpooledColumns:
        """The same with zeros in some columns."""
        kept = np.setdiff1d(np.arange(self.shape[1]), places)
        some = self.columns(kept)
        lengths = np.diff(self.indptr)
        lengths[list(places)] = 0
        start = np.concatenate([[0], np.cumsum(lengths)])
        return SpooledColumns(self.shape, start, some.indices, some.data, self.room)
