"""Which columns a support feature stands for: its affiliated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.methods.by_samples.cutting_plane.columns import Columns, Pairs

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]


class Groups(NamedTuple):
    """For every support feature its affiliated columns, by falling correlation, and their correlations with it."""

    members: list[Integers]
    correlations: list[Floats]


def affiliate(columns: Columns, support: Integers, cuts: Sequence[Integers], least: float) -> Groups:
    """The columns correlated with a support feature, each in the group of one support feature a cut.

    Within a cut a column goes to the first support feature, in order of choice, with which it is correlated; over the
    cuts the groups of a support feature are united.

    Parameters
    ----------
    columns : Columns
    support : ndarray of int
    cuts : sequence of ndarray of int
        Support features in the order in which a cut chose them.
    least : float
        Correlation in absolute value from which a column is affiliated.

    Notes
    -----
    Cost: the correlations of all support features with all columns, in one pass over the table.
    """
    pairs = columns.correlated(support, least)
    taken = np.zeros(len(pairs.column), bool)
    for cut in cuts:
        taken |= _first_in(cut, support, pairs, columns.n_features)
    kept = np.flatnonzero(taken)
    strength = np.round(np.abs(pairs.correlation[kept]), 10)
    kept = kept[np.lexsort((pairs.column[kept], -strength, pairs.chosen[kept]))]
    edges = np.searchsorted(pairs.chosen[kept], np.arange(1, len(support)))
    return Groups(np.split(pairs.column[kept], edges), np.split(pairs.correlation[kept], edges))


def _first_in(cut: Integers, support: Integers, pairs: Pairs, n_features: int) -> NDArray[np.bool_]:
    """Which pairs put a column, that is none of the cut, into the group of its first support feature in the cut."""
    turn = np.full(n_features, len(cut), np.intp)
    turn[cut] = np.arange(len(cut))
    turns = turn[support][pairs.chosen]
    open_to = np.flatnonzero((turns < len(cut)) & (turn[pairs.column] == len(cut)))
    order = open_to[np.lexsort((turns[open_to], pairs.column[open_to]))]
    first = np.ones(len(order), bool)
    first[1:] = pairs.column[order][1:] != pairs.column[order][:-1]
    result = np.zeros(len(turns), bool)
    result[order[first]] = True
    return result
