"""Dominant sets: the supports of local maxima of x'Wx on the simplex, taken off one after another.

In a dominant set every member is more similar to the others of the set than what is outside: it is what a maximal
clique is where edges have weights. ``f(u) = u'Wu / 2`` at the maximum u is the set's cohesiveness.

M. Pavan, M. Pelillo, "Dominant sets and pairwise clustering", IEEE Transactions on Pattern Analysis and Machine
Intelligence 29(1), 2007. doi:10.1109/TPAMI.2007.250608
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve.common.ties import rank
from bitsieve.optimize.infection import infection_immunization
from bitsieve.optimize.replicator import replicator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.optimize.similarity import Similarity

    Floats = NDArray[np.float64]
    Dynamics = Callable[[Similarity, NDArray[np.intp], Floats], Floats]

DYNAMICS: dict[str, Dynamics] = {"infection": infection_immunization, "replicator": replicator}
NONE_LEFT = 1e-12  # a sum of similarities that is rounding, as a share of the first sums


class DominantSet(NamedTuple):
    """A set, its weights u (positive, of sum 1), and its cohesiveness u'Wu / 2; 0 for a single one."""

    members: NDArray[np.intp]
    weights: Floats
    cohesiveness: float


def dominant_sets(
    similarity: Similarity,
    find: Dynamics = infection_immunization,
    progress: Callable[[int, int], object] | None = None,
) -> list[DominantSet]:
    """Take off dominant sets until every thing is in one; what is similar to nothing left is a set of its own.

    Parameters
    ----------
    similarity : Similarity
        Symmetric, not negative, 0 on the diagonal.
    find : callable
        One of ``DYNAMICS``.
    progress : callable, optional
        Called as ``progress(in a set so far, all)``.

    Returns
    -------
    list of DominantSet
        By falling cohesiveness; equal ones (1e-10) in the order in which they were taken off. Members ascend.

    Notes
    -----
    Cost: of a set, the dynamics' own; the rows of its members once more.
    """
    left, sums = np.arange(similarity.n), similarity.sums()
    least = NONE_LEFT * max(float(sums.max(initial=0.0)), 1e-300)
    found: list[DominantSet] = []
    while len(left) and float(sums.max()) > least:
        weights = find(similarity, left, sums)
        places = np.flatnonzero(weights)
        members, own = left[places], weights[places]
        kept = np.ones(len(left), bool)
        kept[places] = False
        mean, removed = 0.0, np.zeros(len(left))
        for member, weight in zip(members.tolist(), own.tolist(), strict=True):
            row = similarity.row(member)[left]
            removed += row
            mean += weight * float(np.add.reduce(row[places] * own))
        found.append(DominantSet(members, own, mean / 2))
        left, sums = left[kept], (sums - removed)[kept]
        if progress is not None:
            progress(similarity.n - len(left), similarity.n)
    found += [DominantSet(np.array([i], np.intp), np.ones(1), 0.0) for i in left.tolist()]
    return [found[place] for place in rank(np.array([each.cohesiveness for each in found]))]
