"""Contingency tables of packed features with every cell, counted by the native engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.contingency import ContingencyTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve import _native

    Integers = NDArray[np.int64]


def dense_cells(
    packed: _native.Packed,
    pivot: int | None,
    columns: NDArray[np.intp],
    n_first: int,
    n_codes: Integers,
    n_classes: int,
) -> Integers:
    """The cells of the tables of the pivot (None: no pivot) with each of ``columns``, one table after the other.

    Parameters
    ----------
    packed : _native.Packed
    pivot : int or None
    columns : ndarray of int, shape (k,)
    n_first : int
        Codes of the pivot that the tables have a row for.
    n_codes : ndarray of int64, shape (k,)
        The same of each column.
    n_classes : int
        1 pools the classes.

    Returns
    -------
    ndarray of int64
    """
    out = np.zeros(int(n_codes.sum()) * n_first * n_classes, np.int64)
    place = -1 if pivot is None else pivot
    packed.pair_tables(place, n_first, np.ascontiguousarray(columns, np.int64), n_codes, n_classes, out)
    return out


def tables_of(cells: Integers, n_first: int, n_codes: Integers, n_classes: int) -> list[ContingencyTable]:
    """The tables of :func:`dense_cells`."""
    ends = np.cumsum(n_codes) * n_first * n_classes
    shapes = [(n_first, codes, n_classes) for codes in n_codes.tolist()]
    return [ContingencyTable(shape, of) for shape, of in zip(shapes, np.split(cells, ends[:-1]), strict=False)]
