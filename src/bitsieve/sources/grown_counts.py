"""Saved counts of parts of the rows that do not hold the same values and classes."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.sources.saved_counts import check_cells, n_cells
from bitsieve.table.column_summary import changes_kind, union_of_categories
from bitsieve.table.encoding import lookup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bitsieve.sources.saved_counts import SavedCounts

    Integers = NDArray[np.int64]


def added(first: SavedCounts, second: SavedCounts) -> SavedCounts:
    """The counts of both parts of the rows, of columns that are codes as they are.

    Parameters
    ----------
    first, second : SavedCounts
        Of the same columns, by a :class:`~bitsieve.binning.CategoricalBinner` each.

    Raises
    ------
    ValueError
        If a column or the target is of one kind in one part and of another in the other, or the tables have more cells
        than can be kept.
    """
    known: list[Any] = [
        _union(one, other, name)
        for name, one, other in zip(first.names, first.binner.categories_, second.binner.categories_, strict=True)
    ]
    labels = _union(first.target.labels, second.target.labels, "the target")
    return _grown(first, known, labels) + _grown(second, known, labels)


def _union(one: Any, other: Any, name: str) -> NDArray[Any]:
    """The sorted values of both parts."""
    if len(one) and len(other) and (one.dtype.kind in "iuf") != (other.dtype.kind in "iuf"):
        raise changes_kind(name, "numbers", "text or categories")
    return union_of_categories([values for values in (one, other) if len(values)] or [one], name)


def _grown(counts: SavedCounts, known: list[Any], labels: NDArray[Any]) -> SavedCounts:
    """The same counts in tables with a place for every value and class that is known."""
    before: Any = counts.binner.categories_
    binner: Any = copy(counts.binner)
    with_missing = counts.binner.missing == "bin"
    binner.categories_ = known
    binner.n_bins_ = np.array([len(values) + with_missing for values in known], np.int64)
    arities = binner.n_bins_.astype(np.int32)
    places = [
        np.append(lookup(old, new), len(new))[: len(old) + with_missing]  # that of missing values is the last
        for old, new in zip(before, known, strict=True)
    ]
    classes = lookup(counts.target.labels, labels)
    sizes = np.zeros(len(labels), np.int64)
    sizes[classes] = counts.class_sizes
    total = n_cells(arities, len(labels))
    check_cells(total, len(known))
    cells = counts.cells
    if total != len(cells):
        cells = np.zeros(total, np.int64)
        old = _tables(counts.cells, counts.arities, len(counts.class_sizes))
        new = _tables(cells, arities, len(labels))
        for (i, j, some), (_, _, all_of) in zip(old, new, strict=True):
            all_of[np.ix_(places[i], places[j], classes)] = some
    target = replace(counts.target, labels=labels)
    return replace(counts, target=target, binner=binner, arities=arities, class_sizes=sizes, cells=cells)


def _tables(cells: Integers, arities: NDArray[np.int32], n_classes: int) -> Iterator[tuple[int, int, Integers]]:
    """Every pair of columns and its table, a view."""
    end = 0
    for i in range(len(arities)):
        for j in range(i, len(arities)):
            shape = int(arities[i]), int(arities[j]), n_classes
            first, end = end, end + int(np.prod(shape))
            yield i, j, cells[first:end].reshape(shape)
