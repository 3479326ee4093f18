"""SPECCMI: the global objective of pairwise conditional information, relaxed to an eigenvector.

Vinh, Chan, Romano, Bailey, "Effective global approaches for mutual information based feature selection", KDD 2014,
eq. 17-19 and section 3.4. doi:10.1145/2623330.2623611
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.common.progress import phase
from bitsieve.common.ties import rank
from bitsieve.optimize.eigen import dot, lanczos, multiply
from bitsieve.optimize.nystrom import extended_weights, nystrom_factor, nystrom_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.methods.by_counts.pairwise.matrices import FullMatrix


class SpectralRanking(NamedTuple):
    """Weights of the columns, their places best first, and the dominant eigenvalue in bits.

    ``shift`` is what was added to the diagonal of the landmarks (0 but for Nystrom's variant of the paper).
    """

    weights: NDArray[np.float64]
    order: NDArray[np.intp]
    eigenvalue: float
    shift: float = 0.0


def rank_by_spectrum(matrix: FullMatrix) -> SpectralRanking:
    """Rank by the dominant eigenvector of a matrix, whole or in tiles: weights >= 0, ties to the lowest column.

    Leave constant columns out of the matrix: such a column would get the weight that the relevance of the others lends
    it (``I(Xj;C) / 2`` in every entry) and could outrank informative features.
    """
    phase("ranking")
    n = len(matrix.diagonal)
    pair = lanczos(matrix.multiply, np.full(n, 1 / np.sqrt(n)))
    weights = np.abs(pair.vector)
    return SpectralRanking(weights, rank(weights), pair.value)


def rank_by_landmarks(
    rows: NDArray[np.floating], landmarks: NDArray[np.intp], variant: str | None = None
) -> SpectralRanking:
    """Rank by Nystrom's approximation of the dominant eigenvector from some rows of Q.

    Parameters
    ----------
    rows : ndarray of shape (p, n)
    landmarks : ndarray of shape (p,)
        The places of the rows in Q.
    variant : {"extension", "paper"}, optional
        "extension" (the default) carries the eigenvector of the landmarks' square matrix on to the others in one step;
        "paper" takes the top eigenvector of the approximated matrix, whose weights may be negative.

    Notes
    -----
    The eigenvalue is estimated from the rows, ``w'(Qv)_L / w'w`` with ``w = v_L``: exact for the exact vector.
    Cost: O(n p) and a dozen products p x p, or for the paper's variant O(n p^2).
    """
    phase("ranking")
    known = np.asarray(rows, np.float64)
    if variant == "paper":
        factor = nystrom_factor(known, landmarks)
        weights, shift = nystrom_weights(factor.matrix), factor.shift
    else:
        weights, shift = extended_weights(known, landmarks), 0.0
    of_landmarks = weights[landmarks]
    length = dot(of_landmarks, of_landmarks)
    value = dot(of_landmarks, multiply(known, weights)) / length if length > 0 else 0.0
    return SpectralRanking(weights, rank(weights), value, shift)
