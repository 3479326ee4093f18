"""Correlation redundancy matching: the best ranked columns of which no two are correlated.

Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions", ICML
2012, algorithm 2. doi:10.48550/arXiv.1206.6477
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.ties import TIE, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.cutting_plane.columns import Columns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]

AHEAD = 4  # columns that are ranked at once, in multiples of those wanted
SMALLEST = 32  # columns looked at together, at least
NONE = np.empty(0, np.intp)


def leading(scores: Floats, count: int) -> Integers:
    """The first ``count`` columns by falling score, of equal ones the lowest; those of score 0 are left out.

    Cost: O(n) for n columns beside the sorting of those ``count``.
    """
    count = min(count, int(np.count_nonzero(scores > TIE)))
    if count == 0:
        return NONE
    level = np.partition(scores, len(scores) - count)[len(scores) - count]
    near = np.flatnonzero(scores >= max(level - TIE, TIE))
    return near[rank(scores[near])][:count]


def match(columns: Columns, scores: Floats, budget: int, least: float | None, represented: Integers = NONE) -> Integers:
    """The best ranked columns, up to ``budget``, each correlated by less than ``least`` with all those before it.

    That is the greedy reading of the algorithm: the next support is the best ranked column that is in the group of no
    support before it.

    Parameters
    ----------
    columns : Columns
    scores : ndarray of shape (n_features,)
        Not negative; columns that score 0 are never taken.
    budget : int
    least : float or None
        None takes the best ranked ones as they are.
    represented : ndarray of int
        Columns whose groups are taken: what is correlated with one of them is left out, they themselves are not.

    Returns
    -------
    ndarray of int
        In order of choice.

    Notes
    -----
    Cost: correlations of the chosen ones with the columns that rank near them, some multiple of ``budget``; the rest of
    the table is not looked at.
    """
    if least is None:
        return leading(scores, budget)
    chosen: list[int] = []
    ranked = leading(scores, AHEAD * budget)
    seen = 0
    while len(chosen) < budget:
        if seen == len(ranked):
            ranked = leading(scores, 2 * seen)
            if seen == len(ranked):
                break
        chunk = ranked[seen : seen + max(2 * budget, seen, SMALLEST)]
        chosen += _uncorrelated(columns, np.union1d(chosen, represented).astype(np.intp), chunk, least)
        seen += len(chunk)
    return np.array(chosen[:budget], np.intp)


def _uncorrelated(columns: Columns, taken: Integers, chunk: Integers, least: float) -> list[int]:
    """Those of the next columns, in their order, correlated neither with one taken nor with one before them."""
    pairs = columns.correlated(np.concatenate([taken, chunk]), least, among=chunk)
    place = {column: i for i, column in enumerate(chunk.tolist())}
    partners: list[list[int]] = [[] for _ in chunk]
    blocked = np.zeros(len(chunk), bool)
    for column, other in zip(pairs.column.tolist(), pairs.chosen.tolist(), strict=True):
        if other >= len(taken):
            partners[other - len(taken)].append(place[column])
        elif column != taken[other]:
            blocked[place[column]] = True
    free: list[int] = []
    for i, column in enumerate(chunk.tolist()):
        if not blocked[i]:
            free.append(column)
            blocked[partners[i]] = True
    return free
