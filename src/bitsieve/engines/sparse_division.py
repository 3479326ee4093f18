"""Some rows of a table in parts, and all others in one more part that need not be visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Division(NamedTuple):
    """Some rows, each with the label of its part and class; all others are the rest.

    Labels are numbered by part, then by class.
    """

    row: NDArray[np.int32]
    label: NDArray[np.int32]
    part_of: NDArray[np.int32]
    class_of: NDArray[np.int32]

    @classmethod
    def of(cls, row: NDArray[np.int32], part: NDArray[np.integer], classes: NDArray[np.integer]) -> Division:
        """The division of rows by their parts and classes, both given a row."""
        n_classes = int(classes.max(initial=0)) + 1
        found, label = np.unique(part.astype(np.int64) * n_classes + classes, return_inverse=True)
        _, part_of = np.unique(found // n_classes, return_inverse=True)
        return cls(row, *(of.reshape(-1).astype(np.int32) for of in (label, part_of, found % n_classes)))
