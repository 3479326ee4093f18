"""Which column would replace a selected one best, and what the replacement would lose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitsieve.explain.contribution import conditional_on
from bitsieve.information.protocol import Information
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import pick
from bitsieve.utils.progress import phase


class Substitute(NamedTuple):
    """The best substitute X' of a selected column X, beside other selected columns T."""

    column: int  # X'
    price: float  # I(X;C|T) - I(X';C|T), in bits
    given: tuple[int, ...]  # T


class _Gains(NamedTuple):
    """The information that columns add to the columns T, in bits."""

    best_candidate: int
    best_gain: float
    selected: Floats  # shape (k,): of the selected columns


def best_substitutes(
    information: Information, selected: Columns, candidates: Columns, only: int | None = None
) -> list[Substitute | None]:
    """The best substitute among the candidates of every selected column, or of ``only`` one of them.

    There is None for each if there are no candidates.
    """
    replaced = selected.tolist() if only is None else [only]
    if not len(candidates):
        return [None] * len(replaced)
    gains_by_condition: dict[tuple[int, ...], _Gains] = {}
    substitutes: list[Substitute | None] = []
    report_progress = phase("finding substitutes")
    for i, column in enumerate(replaced):
        report_progress(i, len(replaced))
        other_selected = [int(j) for j in selected if j != column]
        conditional, condition = conditional_on(information, other_selected)
        if condition not in gains_by_condition:
            gains_of_candidates = conditional.conditional_relevance(candidates)
            best = pick(gains_of_candidates)
            gains_by_condition[condition] = _Gains(
                best_candidate=int(candidates[best]),
                best_gain=float(gains_of_candidates[best]),
                selected=conditional.conditional_relevance(selected),
            )
        gains = gains_by_condition[condition]
        position = int(np.flatnonzero(selected == column)[0])
        price = float(gains.selected[position]) - gains.best_gain
        substitutes.append(Substitute(column=gains.best_candidate, price=price, given=condition))
    return substitutes
