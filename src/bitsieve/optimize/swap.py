"""Improve a subset of k by swaps: ``max x'Qx`` over 0/1 vectors with k ones, one out and one in at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.arrays import Columns, Flags, Floats, Progress
from bitsieve.common.choice import TIE, pick


def improve_by_swaps(
    row: Callable[[int], NDArray[np.floating]],
    diagonal: Floats,
    members: Columns,
    *,
    max_swaps: int = 10_000,
    progress: Progress = None,
) -> Columns:
    """Make the best swap of a member for another while one raises ``x'Qx``; the end is optimal among single swaps.

    With ``r = Qx``, j in for i gains ``Q_jj + 2 (r_j - Q_ij) - (2 r_i - Q_ii)``; ties (1e-10) go to the first.
    """
    chosen = np.array(members, np.intp)
    rows = [row(int(i)) for i in chosen]
    inside = np.zeros(len(diagonal), bool)
    inside[chosen] = True
    sums = np.zeros(len(diagonal))
    for values in rows:
        sums += values
    for n_swaps in range(1, max_swaps + 1):
        if inside.all():
            break
        found = _best_swap(rows, diagonal, chosen, sums, inside)
        if found is None:
            break
        place, incoming = found
        sums -= rows[place]
        inside[chosen[place]] = False
        chosen[place], rows[place] = incoming, row(incoming)
        sums += rows[place]
        inside[incoming] = True
        if progress is not None:
            progress(n_swaps, max_swaps)
    return chosen


def _best_swap(
    rows: list[NDArray[np.floating]], diagonal: Floats, chosen: Columns, sums: Floats, inside: Flags
) -> tuple[int, int] | None:
    """Place and newcomer of the best swap; None if none gains."""
    comes = np.where(inside, -np.inf, diagonal + 2 * sums)
    goes = 2 * sums[chosen] - diagonal[chosen]
    gains = np.array([(comes - 2 * values).max() for values in rows]) - goes
    if gains.max() <= TIE:
        return None
    place = pick(gains)
    return place, pick(comes - 2 * rows[place])
