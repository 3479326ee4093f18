"""The samples class by class: in which order, and how many there are of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.checks import MAX_CODES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


def class_order(classes: NDArray[np.integer], weights: Integers | None) -> NDArray[np.uint32]:
    """The rows class by class, each as often as its weight says."""
    # 16 bits: numpy's radix sort.
    small = classes.astype(np.uint16) if int(classes.max(initial=0)) < MAX_CODES else classes
    order = np.argsort(small, kind="stable").astype(np.uint32)
    return order if weights is None else np.repeat(order, weights[order])


def sizes_of_classes(classes: NDArray[np.integer], weights: Integers | None, n_classes: int) -> Integers:
    """How many samples each class has."""
    # Sums of weights are at most 2**31: the floats that bincount makes of them are exact.
    return np.bincount(classes, weights, minlength=n_classes).astype(np.int64)
