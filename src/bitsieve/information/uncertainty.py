"""Symmetric uncertainty: mutual information as a share of the two entropies.

``SU(X,Y) = 2 I(X;Y) / (H(X) + H(Y))``, 0 where both entropies are 0; it lies between 0 and 1, and is 1 if each
determines the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.information.protocol import Information, PairInformation

    Floats = NDArray[np.float64]


def class_uncertainty(information: Information) -> Floats:
    """SU(Xi,C) of every feature."""
    return _share(information.relevance, information.entropy + information.class_entropy)


def pair_uncertainty(pair: PairInformation) -> Floats:
    """SU(Xi,Xs) of the features of ``pair`` with their pivot s."""
    entropy = pair.information.entropy
    return _share(pair.redundancy, pair.of(entropy) + entropy[pair.pivot])


def _share(information: Floats, entropies: Floats) -> Floats:
    return np.divide(2 * information, entropies, out=np.zeros_like(entropies), where=entropies > 0)
