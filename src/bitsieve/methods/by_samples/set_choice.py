"""The choice of features from sets of them, one set after another, by the information of all that are chosen.

Within a set the feature f with the greatest I(S + f;C) is taken, S being all that was chosen so far, in this set and
those before; ties (1e-10) go to the lowest column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve.common.ties import TIE, pick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


class SetInformation(Protocol):
    """The information of S and one more feature, S being empty at first."""

    def information(self, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
        """I(S + f;C) of every candidate f, in bits."""
        ...

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        ...


class SetChoice(NamedTuple):
    """Columns in order of choice, and what each added to I(S;C)."""

    order: NDArray[np.intp]
    gains: NDArray[np.float64]


def choose_from_sets(
    sets: Sequence[NDArray[np.intp]],
    scores: SetInformation,
    k: int,
    *,
    until_negative: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> SetChoice:
    """Choose k features, or all of the sets where they hold fewer.

    Parameters
    ----------
    sets : sequence of ndarray of int
        Each ascending.
    scores : SetInformation
    k : int
    until_negative : bool
        Whether to end before the first feature that lowers the information; one is always chosen.
    progress : callable, optional
        Called as ``progress(chosen so far, k)``.
    """
    order: list[int] = []
    gains: list[float] = []
    reached = 0.0
    for members in sets:
        left = members
        while len(left) and len(order) < k:
            found = scores.information(left)
            place = pick(found)
            gain = float(found[place]) - reached
            if until_negative and order and gain < -TIE:
                return SetChoice(np.array(order, np.intp), np.array(gains))
            order.append(int(left[place]))
            gains.append(gain)
            reached = float(found[place])
            scores.add(order[-1])
            left = np.delete(left, place)
            if progress is not None:
                progress(len(order), k)
    return SetChoice(np.array(order, np.intp), np.array(gains))
