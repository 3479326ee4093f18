"""From the vectors of the semidefinite relaxation back to a subset: random directions, the best of many.

After M. X. Goemans, D. P. Williamson, "Improved approximation algorithms for maximum cut and satisfiability problems
using semidefinite programming", Journal of the ACM 42, 1995. doi:10.1145/227683.227684
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.common.ties import pick, top
from bitsieve.methods.by_counts.pairwise.certificate import subset_objective

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Draw = Callable[[int], Floats]


class Rounded(NamedTuple):
    """The subset of the best direction, every feature's cosine with it, and ``x'Qx`` of every direction's subset."""

    members: NDArray[np.intp]
    cosines: Floats
    objectives: Floats


def sphere_cosines(factor: Floats, draw: Draw) -> Floats:
    """Cosines of the rows 1 .. n of ``Y = VV'`` with a random direction of n + 1 entries: the paper's words."""
    return _row_cosines(factor, draw(len(factor)))[1:]


def aligned_cosines(factor: Floats, draw: Draw) -> Floats:
    """The same with the direction turned round where row 0, which stands for y = 1, lies behind it."""
    cosines = _row_cosines(factor, draw(len(factor)))
    return (-cosines if cosines[0] < 0 else cosines)[1:]


def factor_cosines(factor: Floats, draw: Draw) -> Floats:
    """Cosines of the rows of V itself, as Goemans and Williamson do, on the side of row 0."""
    direction = draw(factor.shape[1])
    cosines = factor @ direction / np.sqrt(direction @ direction)
    return (-cosines if cosines[0] < 0 else cosines)[1:]


ROUNDINGS: dict[str, Callable[[Floats, Draw], Floats]] = {
    "sphere": sphere_cosines,
    "align": aligned_cosines,
    "factor": factor_cosines,
}


def round_factor(matrix: Floats, factor: Floats, k: int, rounding: str, n_roundings: int, draw: Draw) -> Rounded:
    """The k features with the largest cosines, for the direction whose subset has the largest x'Qx.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
    factor : ndarray of shape (n + 1, r)
        Unit rows, row 0 standing for y = 1.
    k : int
    rounding : str
        A name of ``ROUNDINGS``.
    n_roundings : int
        Directions.
    draw : callable
        ``draw(size)`` is a vector of independent standard normal numbers.

    Notes
    -----
    Cost: O(n r + k^2) a direction.
    """
    tried = [ROUNDINGS[rounding](factor, draw) for _ in range(n_roundings)]
    subsets = [top(cosines, k) for cosines in tried]
    objectives = np.array([subset_objective(matrix[np.ix_(members, members)]) for members in subsets])
    best = pick(objectives)
    return Rounded(subsets[best], tried[best], objectives)


def _row_cosines(factor: Floats, direction: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", factor @ (factor.T @ factor), factor))  # of the rows of Y
    return factor @ (factor.T @ direction) / (lengths * np.sqrt(direction @ direction))
