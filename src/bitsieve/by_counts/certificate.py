"""How far a subset of k features can be from the best one: its objective x'Qx beside bounds on every subset's.

``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, x the 0/1 vector of the subset; all in bits. A bound holds
for every subset of k, so the best subset lies between the objective and the bound.

Vinh, Chan, Romano, Bailey, "Effective global approaches for mutual information based feature selection", KDD 2014,
eq. 17-19. doi:10.1145/2623330.2623611
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Certificate(NamedTuple):
    """Objective of a subset, the least upper bound known, and ``gap = (bound - objective) / bound`` (0: optimal)."""

    objective: float
    upper_bound: float
    gap: float


def certify(objective: float, bounds: Iterable[float]) -> Certificate:
    """The objective beside the least of the bounds.

    A bound that rounding put below the objective is raised to it; the gap of a bound of 0 is 0.
    """
    bound = max(min(bounds), objective)
    return Certificate(objective, bound, (bound - objective) / bound if bound > 0 else 0.0)


def subset_objective(among: NDArray[np.floating]) -> float:
    """``x'Qx``: the sum of the rows and columns of Q of the subset, in numpy's fixed order."""
    return float(np.add.reduce(np.asarray(among, np.float64).reshape(-1)))


def spectral_bound(eigenvalue: float, k: int) -> float:
    """``k`` times the largest eigenvalue: x has the squared length k."""
    return k * eigenvalue


def row_bound(matrix: NDArray[np.floating], k: int) -> float:
    """The sum of the k best ``b_i``, b_i = Q_ii and the k - 1 largest other entries of row i.

    A member's share in the objective is its diagonal entry and k - 1 others of its row. For k much smaller than n it
    is far below the spectral bound, which grows with n.

    Notes
    -----
    Cost: O(n^2) comparisons; rows that cannot be among the k best are not sorted.
    """
    n = len(matrix)
    diagonal = np.array(np.diagonal(matrix), np.float64)
    if k == 1:
        return float(diagonal.max())
    most = np.array([_largest_other(matrix, i) for i in range(n)])
    limit = diagonal + (k - 1) * np.maximum(most, 0.0)  # of b_i
    best = np.full(k, -np.inf)
    order = np.argsort(-limit, kind="stable")
    for first in range(0, n, k):
        some = order[first : first + k]
        if limit[some[0]] <= best[0]:
            break
        shares = [diagonal[i] + _sum_of_largest(np.delete(matrix[i], i), k - 1) for i in some]
        best = np.sort(np.concatenate([best, shares]))[-k:]
    return float(np.add.reduce(best))


def _largest_other(matrix: NDArray[np.floating], i: int) -> float:
    row = matrix[i]
    return float(max(row[:i].max(initial=-np.inf), row[i + 1 :].max(initial=-np.inf)))


def _sum_of_largest(values: NDArray[np.floating], k: int) -> float:
    if k >= len(values):
        return float(np.add.reduce(values, dtype=np.float64))
    largest = np.partition(values, len(values) - k)[len(values) - k :]
    return float(np.add.reduce(np.sort(largest), dtype=np.float64))


def marginal_bound(relevance: Floats, class_entropy: float, k: int) -> float:
    """A bound that needs no pairs: ``k (k - 1) H(C)`` less ``k - 2`` times the k smallest relevances.

    ``I(Xi,Xj;C) <= H(C)`` makes ``Q_ij <= H(C) - (I(Xi;C) + I(Xj;C)) / 2``. Only where Q is not counted in full: it is
    loose as soon as two features together do not determine the class.
    """
    if k == 1:
        return float(relevance.max())
    return k * (k - 1) * class_entropy - (k - 2) * float(np.add.reduce(np.sort(relevance)[:k]))
