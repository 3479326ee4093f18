"""For every selected column the one that would replace it best, and what that costs in bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.ties import pick
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.selection.evidence import conditional_on

Columns = NDArray[np.intp]


class Substitute(NamedTuple):
    """The best substitute of a selected column.

    ``price`` is ``I(X;C|T) - I(X';C|T)`` in bits, T the other selected columns, those chosen first, as far as there are
    samples for. It is below 0 where the substitute tells more than what it would replace.
    """

    column: int
    price: float
    given: tuple[int, ...]


def best_substitutes(
    information: PlugInInformation, selected: Columns, candidates: Columns, only: int | None = None
) -> list[Substitute | None]:
    """The best of the candidates in the place of every selected column; None where there are no candidates.

    Parameters
    ----------
    information : PlugInInformation
    selected : ndarray of int, shape (k,)
    candidates : ndarray of int
        Columns that were not selected.
    only : int, optional
        One of the selected columns; by default all are replaced in turn.

    Notes
    -----
    Cost: a pass over the candidates for each of the first columns, as many as T has, and one for all others together.
    """
    replaced = selected.tolist() if only is None else [only]
    if not len(candidates):
        return [None] * len(replaced)
    seen: dict[tuple[int, ...], tuple[int, float, NDArray[np.float64]]] = {}
    found: list[Substitute | None] = []
    for column in replaced:
        given, used = conditional_on(information, [int(j) for j in selected if j != column])
        if used not in seen:
            added = given.conditional_relevance(candidates)
            best = pick(added)
            seen[used] = int(candidates[best]), float(added[best]), given.conditional_relevance(selected)
        substitute, gain, of_selected = seen[used]
        lost = float(of_selected[selected.tolist().index(column)])
        found.append(Substitute(substitute, lost - gain, used))
    return found
