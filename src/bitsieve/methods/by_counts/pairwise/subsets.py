"""Subsets of k features with a large x'Qx: improvement by swaps, and upper bounds for all subsets.

x is 1 for the features of the subset and 0 for all others.

The bounds are those of Vinh et al. 2014, eq. 17-19.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Columns, Flags, Floats, Matrix, Progress
from bitsieve.utils.choice import TIE, pick

ROUNDING = 1e-7  # of sums of up to 10^8 numbers, and of the solvers that give a bound, relative


class Certificate(NamedTuple):
    """The objective of a subset, and how good any other subset can be."""

    objective: float
    upper_bound: float  # no subset of as many features has a larger objective
    gap: float  # (upper_bound - objective) / upper_bound; 0: the subset is optimal

    def attributes(self) -> dict[str, float]:
        """As fitted attributes."""
        return {f"{name}_": value for name, value in self._asdict().items()}


def certify(objective: float, bounds: Iterable[float]) -> Certificate:
    """The certificate of a subset by the smallest of several bounds.

    A bound below the objective is rounding, and is raised to it; if it is far below, ArithmeticError is raised.
    """
    smallest_bound = min(bounds)
    if smallest_bound < objective - ROUNDING * max(1.0, abs(objective)):
        raise ArithmeticError(
            f"the bound {smallest_bound!r} on the objective of every subset is below that of one, {objective!r}"
        )
    bound = max(smallest_bound, objective)
    return Certificate(objective, bound, (bound - objective) / bound if bound > 0 else 0.0)


def subset_objective(among: Matrix) -> float:
    """``x'Qx``: the sum of the rows and columns of Q of the subset, in numpy's fixed order."""
    return float(np.add.reduce(np.asarray(among, np.float64).reshape(-1)))


def row_bound(matrix: Matrix, k: int) -> float:
    """The sum of the k best shares in x'Qx: Q_ii and the k - 1 largest other entries of row i."""
    return row_bound_by_rows(matrix.__getitem__, matrix.diagonal().astype(np.float64), largest_others(matrix), k)


def row_bound_by_rows(row: Callable[[int], Matrix], diagonal: Floats, largest_other: Floats, k: int) -> float:
    """:func:`row_bound` of a matrix whose rows are computed on demand, only those that may be among the k best."""
    limit = diagonal + (k - 1) * largest_other if k > 1 else diagonal  # an upper bound of each share
    order = np.argsort(-limit, kind="stable")
    best = np.full(k, -np.inf)
    for first in range(0, len(order), k):
        batch = order[first : first + k]
        if limit[batch[0]] <= best[0]:
            break
        shares = [diagonal[i] + _sum_of_largest(np.delete(row(int(i)), i), k - 1) for i in batch]
        best = np.sort(np.concatenate([best, shares]))[-k:]
    return float(np.add.reduce(best))


def largest_others(matrix: Matrix) -> Floats:
    """The largest entry off the diagonal of every row; -inf if there is none."""
    maxima = (max(row[:i].max(initial=-np.inf), row[i + 1 :].max(initial=-np.inf)) for i, row in enumerate(matrix))
    return np.fromiter(maxima, np.float64, len(matrix))


def _sum_of_largest(values: Matrix, k: int) -> float:
    if k >= len(values):
        return float(np.add.reduce(values, dtype=np.float64))
    largest = np.partition(values, len(values) - k)[len(values) - k :] if k else values[:0]
    return float(np.add.reduce(np.sort(largest), dtype=np.float64))


def marginal_bound(relevance: Floats, class_entropy: float, k: int) -> float:
    """A bound that needs no pairs, by ``Q_ij <= H(C) - (I(Xi;C) + I(Xj;C)) / 2``, as ``I(Xi,Xj;C) <= H(C)``."""
    if k == 1:
        return float(relevance.max())
    return k * (k - 1) * class_entropy - (k - 2) * float(np.add.reduce(np.sort(relevance)[:k]))


def improve_by_swaps(
    row: Callable[[int], Matrix],
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
        swap = _best_swap(rows, diagonal, chosen, sums, inside)
        if swap is None:
            break
        index, incoming = swap
        sums -= rows[index]
        inside[chosen[index]] = False
        chosen[index] = incoming
        rows[index] = row(incoming)
        sums += rows[index]
        inside[incoming] = True
        if progress is not None:
            progress(n_swaps, max_swaps)
    return chosen


def _best_swap(
    rows: list[Matrix], diagonal: Floats, chosen: Columns, sums: Floats, inside: Flags
) -> tuple[int, int] | None:
    """The best swap: the index in ``chosen`` of the member to replace, and the new member; None if no swap gains."""
    gain_of_adding = np.where(inside, -np.inf, diagonal + 2 * sums)
    loss_of_removing = 2 * sums[chosen] - diagonal[chosen]
    gains = np.array([(gain_of_adding - 2 * row).max() for row in rows]) - loss_of_removing
    if gains.max() <= TIE:
        return None
    index = pick(gains)
    return index, pick(gain_of_adding - 2 * rows[index])
