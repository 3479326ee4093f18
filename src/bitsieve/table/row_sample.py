"""A sample of the rows of a table that is read in parts: the same rows however the table is cut into parts."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.table.table import Table

_CERTAINTY = 0.99


@dataclass(frozen=True, eq=False)
class RowSample:
    """The rows with the smallest keys, where a key is a random number that belongs to the number of the row.

    Attributes
    ----------
    size : int
        Most rows that are kept; all of them where there are no more.
    rows : ndarray of int64
        The numbers of the rows that are kept, ascending.
    n_rows : int
        Rows of which they are the sample.
    columns : list of ndarray or None
        The numbers of every numeric column in these rows; None for categories.
    classes : ndarray of int or None
        The classes of these rows.
    weights : ndarray of int64 or None
        Their frequency weights.
    """

    size: int
    rows: NDArray[np.int64]
    n_rows: int
    columns: list[NDArray[Any] | None]
    classes: NDArray[Any] | None
    weights: NDArray[np.int64] | None

    @classmethod
    def of_part(
        cls, table: Table, row_numbers: NDArray[np.int64], size: int, known: RowSample | None = None
    ) -> RowSample:
        """The sample of a part of the rows, which have these numbers in the whole table.

        Of rows that can not be in the sample of the whole, since that of other parts is ``known``, none is kept.
        """
        if known is not None and len(known.rows) == size:
            hopeful = np.flatnonzero(row_keys(row_numbers) < row_keys(known.rows).max())
            kept = hopeful[smallest(row_numbers[hopeful], size)]
        else:
            kept = smallest(row_numbers, size)
        return cls(
            size,
            row_numbers[kept],
            len(row_numbers),
            [np.asarray(table.values(j))[kept] if table.is_numeric(j) else None for j in range(table.n_features)],
            None if table.y is None else table.y.codes[kept],
            None if table.weights is None else table.weights[kept],
        )

    @classmethod
    def merged(cls, parts: Sequence[RowSample]) -> RowSample:
        """The sample of all parts of the rows together, in any order."""
        if len(parts) == 1:
            return parts[0]
        rows = np.concatenate([part.rows for part in parts])
        order = np.argsort(rows, kind="stable")
        order = order[smallest(rows[order], parts[0].size)]

        def together(arrays: list[Any], missing: Any) -> Any:
            """The chosen rows of an array of which some parts may have nothing but a value for what is missing."""
            if all(array is None for array in arrays):
                return None
            filled = [
                np.full(len(part.rows), missing) if array is None else array
                for part, array in zip(parts, arrays, strict=True)
            ]
            return np.concatenate(filled)[order]

        return cls(
            parts[0].size,
            rows[order],
            sum(part.n_rows for part in parts),
            [together(list(of_column), np.nan) for of_column in zip(*(part.columns for part in parts), strict=True)],
            together([part.classes for part in parts], 0),
            together([part.weights for part in parts], 1),
        )

    @property
    def rank_error(self) -> float:
        """By what share of the samples the rank of a cut may be off, all cuts of a column at once, in 99 of 100 cases.

        ``sqrt(ln(2 / 0.01) / (2 size))``, by Dvoretzky, Kiefer, Wolfowitz and Massart; 0 where all rows are kept.
        """
        return 0.0 if self.n_rows <= self.size else sqrt(log(2 / (1 - _CERTAINTY)) / (2 * self.size))


def smallest(rows: NDArray[np.int64], size: int) -> NDArray[np.intp]:
    """The places of the rows with the ``size`` smallest keys, ascending."""
    if len(rows) <= size:
        return np.arange(len(rows))
    return np.sort(np.argpartition(row_keys(rows), size)[:size])


def row_keys(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A random 64-bit number for every row number, different for each: the mixer of SplitMix64."""
    keys = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
