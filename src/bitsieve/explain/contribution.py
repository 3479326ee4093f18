"""The information of a column about the class: its relevance, and how that changes beside other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import TIE


class Contribution(NamedTuple):
    """The information of a column about the class C beside other columns Xs, in bits.

    Redundancy and synergy are 0, with column -1, if no other column has any.
    """

    relevance: float  # I(X;C)
    redundancy: float  # max_s [I(X;C) - I(X;C|Xs)]
    redundant_with: int  # the column s of that maximum
    complementarity: float  # the synergy, max_s [I(X;C|Xs) - I(X;C)]
    complementary_with: int  # the column s of that maximum


class Contributions(NamedTuple):
    """The contributions of several columns: every field of :class:`Contribution` as an array of shape (k,)."""

    relevance: Floats
    redundancy: Floats
    redundant_with: Columns
    complementarity: Floats
    complementary_with: Columns

    @classmethod
    def stack(cls, contributions: Sequence[Contribution]) -> Contributions:
        return cls(
            relevance=np.array([contribution.relevance for contribution in contributions]),
            redundancy=np.array([contribution.redundancy for contribution in contributions]),
            redundant_with=np.array([contribution.redundant_with for contribution in contributions]),
            complementarity=np.array([contribution.complementarity for contribution in contributions]),
            complementary_with=np.array([contribution.complementary_with for contribution in contributions]),
        )


def contribution_of(column: int, others: Columns, information: Information) -> Contribution:
    """The relevance of a column, and its largest redundancy and synergy with one of the other columns."""
    relevance = float(information.relevance[column])
    if not len(others):
        return Contribution(
            relevance=relevance, redundancy=0.0, redundant_with=-1, complementarity=0.0, complementary_with=-1
        )
    # I(X;C|Xs) = I(X,Xs;C) - I(Xs;C)
    conditional_relevance = information.pair(column, others).joint_relevance - information.relevance[others]
    # Corrected for chance, I(X;C|Xs) may be below 0: no more than the relevance is redundant.
    redundancies = np.minimum(relevance - conditional_relevance, max(relevance, 0.0))
    most_redundant = int(np.argmax(redundancies))
    most_synergic = int(np.argmin(redundancies))
    redundancy = float(redundancies[most_redundant])
    synergy = float(-redundancies[most_synergic])
    has_redundancy = redundancy > TIE
    has_synergy = synergy > TIE
    return Contribution(
        relevance=relevance,
        redundancy=redundancy if has_redundancy else 0.0,
        redundant_with=int(others[most_redundant]) if has_redundancy else -1,
        complementarity=synergy if has_synergy else 0.0,
        complementary_with=int(others[most_synergic]) if has_synergy else -1,
    )


def conditional_on(information: Information, columns: Sequence[int]) -> tuple[ConditionalInformation, tuple[int, ...]]:
    """Condition information on the first of ``columns``, as many as leave enough samples for their combinations.

    Enough are five samples of each combination on average, or twenty events where the target is a time to an event.
    Returns the conditional information, and the columns that it is conditional on.
    """
    conditional = information.conditional()
    conditioned_on: list[int] = []
    for column in columns:
        refined = conditional.refine(int(column))
        if not refined.is_supported:
            break
        conditional = refined
        conditioned_on.append(int(column))
    return conditional, tuple(conditioned_on)
