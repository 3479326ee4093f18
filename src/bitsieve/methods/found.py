"""What a method returns: columns in order, their scores, and fitted attributes that only this method has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Found:
    """What a method returns, from which the base class sets the fitted attributes.

    ``order``: columns, best first: all of them, or those that were selected, and the others share the next rank.
    ``scores``: of the selected columns, which are the first in ``order``. ``ranks``: the ranks of the columns in
    ``order``; None: 1, 2, 3, ... ``extras``: the fitted attributes that this method alone has. ``unconverged``: how far
    an iteration stopped from its end, in a sentence; empty where it did not.
    """

    order: NDArray[np.intp]
    scores: NDArray[np.float64]
    ranks: NDArray[np.intp] | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    unconverged: str = ""

    @property
    def selected(self) -> NDArray[np.intp]:
        """The selected columns, best first."""
        return self.order[: len(self.scores)]

    def with_last(self, blank: Sequence[int], n_features: int) -> Found:
        """The same with the columns ``blank`` behind all others, among columns that do not vary, too.

        A method takes columns that do not vary by their places, when no other is left; those in ``blank`` were left out
        of the table, so that the next such column has their place.
        """
        if not set(blank).intersection(self.order.tolist()):
            return self
        gone = np.isin(np.arange(n_features), list(blank))
        listed = np.isin(np.arange(n_features), self.order)
        order = [self.order[~gone[self.order]], np.flatnonzero(~listed & ~gone), self.order[gone[self.order]]]
        return replace(self, order=np.concatenate(order)[: len(self.order)])

    def ranking(self, n_features: int) -> NDArray[np.intp]:
        """The rank of every column."""
        ranks = np.arange(1, len(self.order) + 1) if self.ranks is None else self.ranks
        ranking = np.full(n_features, ranks.max(initial=0) + 1, np.intp)
        ranking[self.order] = ranks
        return ranking


def constants_last(order: NDArray[np.intp], varies: NDArray[np.bool_]) -> NDArray[np.intp]:
    """An order of columns with all columns that do not vary at its end, by index."""
    return np.concatenate([order[varies[order]], np.flatnonzero(~varies)])


def rank_all(
    order: NDArray[np.intp], varies: NDArray[np.bool_], values: NDArray[np.float64], k: int, **extras: Any
) -> Found:
    """A rank of its own for every column, those that do not vary last; the first k are selected.

    ``order``: the columns that vary, best first. ``varies`` (n_features,). ``values`` (n_features,): the score of every
    column; only those of selected columns are looked at. ``**extras``: the fitted attributes that this method alone
    has.
    """
    order = constants_last(order, varies)
    return Found(order, values[order[:k]], extras=extras)
