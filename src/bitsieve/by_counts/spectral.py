"""SPECCMI: the global objective of pairwise conditional information, relaxed to an eigenvector.

Vinh, Chan, Romano, Bailey, "Effective global approaches for mutual information based feature selection", KDD 2014,
eq. 17-19. doi:10.1145/2623330.2623611
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.by_counts.pick import rank
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.progress import phase

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from bitsieve.information.pairwise import PairwiseInformation


class SpectralRanking(NamedTuple):
    """Weights of the columns (unit norm), their places best first, and the dominant eigenvalue in bits."""

    weights: NDArray[np.float64]
    order: NDArray[np.intp]
    eigenvalue: float


def spectral_ranking(
    information: PairwiseInformation,
    columns: NDArray[np.intp] | None = None,
    dtype: DTypeLike = np.float64,
) -> SpectralRanking:
    """Rank features by the dominant eigenvector of Q.

    ``Q_ii = I(Xi;C)`` and ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``; weights >= 0, ties to the lowest column.

    Parameters
    ----------
    information : PairwiseInformation
    columns : ndarray of int, optional
        The columns to rank, by default all. Leave out constant ones: such a column would get the weight that the
        relevance of the others lends it (``I(Xj;C) / 2`` in every entry) and could outrank informative features.
    dtype : float64 or float32
        Of Q; float32 halves the memory and rounds every entry to seven digits.

    Notes
    -----
    Cost: one conditional matrix, O(n^2 d) samples read as bits, and O(n^2) a matrix product. Memory: n^2 numbers.
    """
    matrix = information.conditional_mutual_information_matrix(dtype, columns, phase("counting pairs"), symmetric=True)
    phase("ranking")
    pair = dominant_eigenvector(matrix)
    return SpectralRanking(pair.vector, rank(pair.vector), pair.value)
