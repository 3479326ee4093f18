"""Sparse tables whose values lie in a spool, and are never in memory all at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import csc_array

from bitsieve.common.names import NumberedNames
from bitsieve.files.spooled_columns import SpooledColumns
from bitsieve.table.sparse import DenseColumns, SparseTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class SpooledTable(SparseTable):
    """The columns of :class:`SpooledColumns`, which is what ``stored`` is; codes of them lie in the spool, too."""

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined"})

    @classmethod
    def of(cls, columns: SpooledColumns) -> SpooledTable:
        """The table without a target and weights."""
        return cls(DenseColumns(columns), NumberedNames(columns.shape[1]), stored=columns)

    @property
    def room(self) -> Callable[..., NDArray[Any]]:
        """``room(size, dtype)`` gives an array in the spool."""
        return self.stored.room

    def blanked(self, columns: Sequence[int]) -> SparseTable:
        """The table with zeros in some columns, so that they tell nothing and are chosen last."""
        return replace(self._of(self.stored.blanked(columns)), blank=tuple(columns))

    def take(self, rows: NDArray[np.intp]) -> SparseTable:
        """The table of some of the samples: their features, target and weights."""
        times, blocks = np.bincount(rows, minlength=self.n_samples), self.blocks(None)
        lengths = np.empty(self.n_features, np.int64)
        for first, last in blocks:
            start, row, _ = self._block(first, last)
            lengths[first:last] = np.diff(np.concatenate([[0], np.cumsum(times[row])])[start])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        taken_rows, taken = self.room(int(ends[-1]), np.int32), self.room(int(ends[-1]), self.value.dtype.type)
        for first, last in blocks:
            start, row, value = self._block(first, last)
            block = csc_array((value, row, start), shape=(self.n_samples, last - first)).tocsr()[rows].tocsc()
            place = slice(*ends[[first, last]].tolist())
            taken_rows[place], taken[place] = block.indices, block.data
        columns = SpooledColumns((len(rows), self.n_features), ends, taken_rows, taken, self.room)
        y, weights = self.y, self.weights
        return replace(
            self._of(columns),
            y=None if y is None else y.take(rows),
            weights=None if weights is None else weights[rows],
            given=None,
        )

    def _block(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
        """The starts, rows and values of some columns."""
        start = self.start[first : last + 1]
        some = slice(*start[[0, -1]].tolist())
        return start - start[0], self.row[some], self.value[some]
