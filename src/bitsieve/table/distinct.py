"""The distinct numbers of a column with how many samples of each class have them: those of parts of the rows add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve import _native
from bitsieve.table.encoding import DENSE_SPAN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TRIED_FIRST = 1 << 16  # rows by which a column of nothing but different numbers is told


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct numbers and their counts.

    Attributes
    ----------
    values : ndarray
        Ascending, none of them missing.
    counts : ndarray of int64, shape (n_values, n_classes)
        How many samples of each class have each value.
    """

    values: NDArray[Any]
    counts: NDArray[np.int64]

    @classmethod
    def of_samples(
        cls,
        values: NDArray[Any],
        classes: NDArray[Any] | None,
        n_classes: int,
        weights: NDArray[np.int64] | None,
        most: int,
    ) -> Distinct | None:
        """Count the values of some samples.

        Parameters
        ----------
        values : ndarray of numbers, shape (n_samples,)
            None of them missing.
        classes : ndarray of int, shape (n_samples,), or None
            None: all of one class.
        n_classes : int
        weights : ndarray of int64, shape (n_samples,), or None
            Frequency weights.
        most : int
            The most cells of ``counts``.

        Returns
        -------
        Distinct or None
            None where there are more cells.
        """
        if not len(values):
            return cls(values, np.zeros((0, n_classes), np.int64))
        if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < DENSE_SPAN:
            low, high = values.min(), int(values.max())
            place = (values - low).astype(np.int64) if values.dtype == np.uint64 else values.astype(np.int64) - int(low)
            counts = _count(place, high - int(low) + 1, classes, n_classes, weights)
            present = np.flatnonzero(counts.any(axis=1))
            found = cls(present.astype(values.dtype) + low, counts[present])  # wraps, and back
            return found if found.counts.size <= most else None
        if len(np.unique(values[:_TRIED_FIRST])) * n_classes > most:
            return None
        known = np.unique(values)
        if len(known) * n_classes > most:
            return None
        return cls(known, _count(np.searchsorted(known, values), len(known), classes, n_classes, weights))

    @classmethod
    def of_codes(cls, values: NDArray[Any], low: Any, high: Any, most: int) -> Distinct | None:
        """The distinct ones of some whole numbers from ``low`` to ``high``, each counted once: nobody asks how often.

        None where there are more than ``most``.
        """
        found, _ = _native.distinct([values], np.array([low]), np.array([high]))
        if not len(found):  # they are too far apart to be looked up
            found = np.unique(values)
        found = found.astype(values.dtype, copy=False)
        return cls(found, np.ones((len(found), 1), np.int64)) if len(found) <= most else None

    @classmethod
    def merged(cls, parts: Sequence[Distinct], kind: np.dtype[Any], most: int) -> Distinct | None:
        """The distinct numbers of all parts of the rows in one type; None where there are more than ``most`` cells."""
        if len(parts) == 1 and parts[0].values.dtype == kind:
            return parts[0]
        given = [part.values.astype(kind) for part in parts]  # numbers that lose digits may meet
        values, n_classes = np.unique(np.concatenate(given)), parts[0].counts.shape[1]
        if len(values) * n_classes > most:
            return None
        counts = np.zeros((len(values), n_classes), np.int64)
        for numbers, part in zip(given, parts, strict=True):
            np.add.at(counts, np.searchsorted(values, numbers), part.counts)
        return cls(values, counts)


def _count(
    place: NDArray[Any], n_places: int, classes: NDArray[Any] | None, n_classes: int, weights: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """How many samples of each class have each place."""
    cells = place if classes is None else place * n_classes + classes
    # Weights sum to 2**31 at most: the floats that bincount makes of them are exact.
    return np.bincount(cells, weights, n_places * n_classes).astype(np.int64).reshape(n_places, n_classes)
