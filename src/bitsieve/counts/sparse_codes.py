"""Columns of codes of which most samples share one: only the codes of the others are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.lazy import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of columns, of which each has a common code that is not listed.

    Attributes
    ----------
    n_rows : int
    start : ndarray of int64, shape (n_features + 1,)
        Where the listed codes of every column begin; the last one is where they all end.
    row : ndarray of int32
        The rows of the listed codes, ascending within a column.
    code : ndarray of uint16
    common : ndarray of uint16, shape (n_features,)
        The code of all rows that a column does not list; of no meaning where it lists all.
    room : callable
        ``room(size, dtype)`` gives an array as large as those of the listed codes; by default in memory.
    """

    n_rows: int
    start: NDArray[np.int64]
    row: NDArray[np.int32]
    code: NDArray[np.uint16]
    common: NDArray[np.uint16]
    room: Callable[..., NDArray[Any]] = np.empty

    @classmethod
    def of_table(cls, codes: NDArray[np.integer]) -> SparseCodes:
        """The codes of a table of shape (n_rows, n_features), the most frequent one of every column left out."""
        common = np.array([np.bincount(column).argmax() for column in codes.T])
        column, row = np.nonzero(common[:, None] != codes.T)
        start = np.searchsorted(column, np.arange(codes.shape[1] + 1)).astype(np.int64)
        return cls(
            len(codes), start, row.astype(np.int32), codes[row, column].astype(np.uint16), common.astype(np.uint16)
        )

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.common)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many codes every column lists."""
        return np.diff(self.start)

    def column(self, feature: int) -> NDArray[np.uint16]:
        """The code of every row."""
        listed = slice(self.start[feature], self.start[feature + 1])
        codes = np.full(self.n_rows, self.common[feature])
        codes[self.row[listed]] = self.code[listed]
        return codes

    def arities(self) -> NDArray[np.int32]:
        """One more than the largest code of every column."""
        lengths = self.lengths
        largest = np.where(lengths < self.n_rows, self.common, 0).astype(np.int32)
        some = lengths > 0
        if len(self.code):
            found = np.maximum.reduceat(self.code, self.start[:-1][some])
            largest[some] = np.maximum(largest[some], found)
        return largest + np.int32(1)
