"""Subsets of k features with a large x'Qx: improvement by swaps, and upper bounds for all subsets.

x is 1 for the features of the subset and 0 for all others. The bounds are those of Vinh et al. 2014, eq. 17-19.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from bitsieve.utils.arrays import Columns, Flags, Floats, Matrix, Progress
from bitsieve.utils.choice import TIE, pick

ROUNDING = 1e-7  # relative: by it sums of up to 10^8 numbers, and bounds of the solvers, may be wrong


class Certificate(NamedTuple):
    """The objective of a subset, and how good any other subset can be."""

    objective: float
    upper_bound: float  # no subset of as many features has a larger objective
    gap: float  # (upper_bound - objective) / upper_bound; 0: the subset is optimal

    def attributes(self) -> dict[str, float]:
        """The fields as attributes of a fitted estimator."""
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
    gap = (bound - objective) / bound if bound > 0 else 0.0
    return Certificate(objective, bound, gap)


def subset_objective(submatrix: Matrix) -> float:
    """``x'Qx``: the sum of the subset's rows and columns of Q, in numpy's fixed order."""
    return float(np.add.reduce(np.asarray(submatrix, np.float64).reshape(-1)))


def row_bound(matrix: Matrix, k: int) -> float:
    """A bound of ``x'Qx``: the sum of the k largest row shares.

    The share of row i in any subset is at most Q_ii and the k - 1 largest other entries of the row.
    """
    return row_bound_by_rows(matrix.__getitem__, matrix.diagonal().astype(np.float64), largest_others(matrix), k)


def row_bound_by_rows(row: Callable[[int], Matrix], diagonal: Floats, largest_other: Floats, k: int) -> float:
    """:func:`row_bound` of a matrix whose rows are computed on demand, only those that may be among the k best."""
    share_limit = diagonal  # an upper bound of each share
    if k > 1:
        share_limit = diagonal + (k - 1) * largest_other
    order = np.argsort(-share_limit, kind="stable")
    largest_shares = np.full(k, -np.inf)  # ascending
    for first in range(0, len(order), k):
        batch = order[first : first + k]
        if share_limit[batch[0]] <= largest_shares[0]:
            break
        shares = [diagonal[i] + _sum_of_largest(np.delete(row(int(i)), i), k - 1) for i in batch]
        largest_shares = np.sort(np.concatenate([largest_shares, shares]))[-k:]
    return float(np.add.reduce(largest_shares))


def largest_others(matrix: Matrix) -> Floats:
    """The largest entry off the diagonal of every row; -inf if there is none."""
    largest = np.empty(len(matrix))
    for i, row in enumerate(matrix):
        largest[i] = max(row[:i].max(initial=-np.inf), row[i + 1 :].max(initial=-np.inf))
    return largest


def _sum_of_largest(values: Matrix, k: int) -> float:
    n_smaller = len(values) - k
    if k == 0:
        return 0.0
    if n_smaller <= 0:
        return float(np.add.reduce(values, dtype=np.float64))
    largest = np.partition(values, n_smaller)[n_smaller:]
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
    """Make the best swap of a member for another feature, again and again, until none raises ``x'Qx``.

    With ``r = Qx``, j in the place of i gains ``Q_jj + 2 (r_j - Q_ij) - (2 r_i - Q_ii)``; ties (1e-10) go to the first.
    """
    chosen = np.array(members, np.intp)
    rows = [row(int(i)) for i in chosen]
    is_member = np.zeros(len(diagonal), bool)
    is_member[chosen] = True
    row_sums = np.zeros(len(diagonal))  # r
    for member_row in rows:
        row_sums += member_row
    for n_swaps in range(1, max_swaps + 1):
        if is_member.all():
            break
        swap = _best_swap(rows, diagonal, chosen, row_sums, is_member)
        if swap is None:
            break
        index, new_member = swap
        row_sums -= rows[index]
        is_member[chosen[index]] = False
        chosen[index] = new_member
        rows[index] = row(new_member)
        row_sums += rows[index]
        is_member[new_member] = True
        if progress is not None:
            progress(n_swaps, max_swaps)
    return chosen


def _best_swap(
    rows: list[Matrix], diagonal: Floats, chosen: Columns, row_sums: Floats, is_member: Flags
) -> tuple[int, int] | None:
    """The best swap: the index in ``chosen`` of the member to replace, and the new member; None if no swap gains."""
    gain_of_adding = np.where(is_member, -np.inf, diagonal + 2 * row_sums)
    loss_of_removing = 2 * row_sums[chosen] - diagonal[chosen]
    gains = np.array([(gain_of_adding - 2 * row).max() for row in rows]) - loss_of_removing
    if gains.max() <= TIE:
        return None
    index = pick(gains)
    return index, pick(gain_of_adding - 2 * rows[index])
