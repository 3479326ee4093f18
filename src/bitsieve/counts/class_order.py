"""The samples class by class: in which order, and how many there are of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def class_order(
    classes: NDArray[np.integer], weights: Integers | None, n_classes: int
) -> tuple[NDArray[np.uint32], Integers]:
    """The rows class by class, each as often as its weight says; and how many samples each class has."""
    order, sizes = _native.class_order(np.ascontiguousarray(classes, np.int32), n_classes)
    if weights is None:
        return order, sizes
    return np.repeat(order, weights[order]), sizes_of_classes(classes, weights, n_classes)


def sizes_of_classes(classes: NDArray[np.integer], weights: Integers | None, n_classes: int) -> Integers:
    """How many samples each class has."""
    # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)
