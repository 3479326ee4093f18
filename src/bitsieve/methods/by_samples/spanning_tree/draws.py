"""The random part of the estimator: which samples stay as they are, and which are permuted within their class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Samples = NDArray[np.int64]


@dataclass(frozen=True)
class Draw:
    """Two halves of the samples, the second permuted.

    Attributes
    ----------
    original : ndarray of int, shape (n,)
        The samples that are left as they are.
    permuted : ndarray of int, shape (n,)
        The others, without the odd one out; they give the first of the two features.
    partner : ndarray of int, shape (n,)
        The sample of the same class that gives the second feature instead: ``permuted``, shuffled within each class. A
        sample without another one of its class among ``permuted`` is its own partner.
    """

    original: Samples
    permuted: Samples
    partner: Samples

    @classmethod
    def of(cls, classes: NDArray[np.integer], random: np.random.RandomState | np.random.Generator) -> Draw:
        """A draw at random; the halves need not have the same number of samples of a class."""
        half = len(classes) // 2
        order = random.permutation(len(classes)).astype(np.int64)
        permuted = order[half : 2 * half]
        own = classes[permuted]
        partner = np.empty_like(permuted)
        partner[np.argsort(own, kind="stable")] = permuted[np.lexsort((random.random(half), own))]
        return cls(order[:half], permuted, partner)
