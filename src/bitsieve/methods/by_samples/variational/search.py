"""Forward selection by the variational lower bound of I(X_S;C).

    I(X_S;C) >= mean_n log2 [ q(x_S|c_n) / sum_c p(c) q(x_S|c) ]

with q(x_S|c) a product, in the order of choice, of what :mod:`bitsieve.methods.by_samples.variational.codes` or
:mod:`bitsieve.methods.by_samples.variational.densities` puts for q(x_f|x_S,c). Each step adds the feature with the greatest
bound.

S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve.common.greedy import choose_greedily
from bitsieve.common.ties import TIE, pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PLATEAUS = ("continue", "restart", "stop")
RESTART_GAIN = 0.01 / log(2)  # bits: 0.01 nats
STOP_GAIN = TIE


class Bound(Protocol):
    """The bounds of all candidates, given a set S of chosen features that grows."""

    n_features: int
    varies: NDArray[np.bool_]

    def alone(self) -> NDArray[np.float64]:
        """The bound of every feature by itself, in bits."""

    def best(self, candidates: NDArray[np.intp]) -> tuple[int, float]:
        """The one of the candidates, ascending columns, to add to S, and the bound with it; S is not empty."""

    def add(self, feature: int) -> None:
        """Put a feature into S."""

    def restart(self) -> None:
        """Empty S."""


class Chosen(NamedTuple):
    """Column indices in order of choice, the bound after each, and what else was seen on the way.

    ``restarts`` holds the numbers of features that were chosen when S was emptied; ``alone`` the bound of every feature
    alone, which is I(Xi;C) for codes.
    """

    selected: NDArray[np.intp]
    scores: NDArray[np.float64]
    restarts: NDArray[np.intp]
    alone: NDArray[np.float64]


def variational_select(
    bound: Bound,
    n_features_to_select: int,
    on_plateau: str = "continue",
    progress: Callable[[int, int], object] | None = None,
) -> Chosen:
    """Add the feature with the greatest bound, one at a time.

    Parameters
    ----------
    bound : Bound
        With S empty.
    n_features_to_select : int
        At least 1, at most the number of features.
    on_plateau : {"continue", "restart", "stop"}
        When the best bound grows by less than ``RESTART_GAIN``, "restart" empties S and goes on, the chosen features
        staying chosen; when it grows by no more than ``STOP_GAIN``, "stop" ends. The first feature is always taken.
    progress : callable, optional
        Called as ``progress(chosen so far, to choose)``.

    Returns
    -------
    Chosen
    """
    alone = np.where(bound.varies, bound.alone(), 0.0)
    scores = _BoundScores(bound, alone, restarting=on_plateau == "restart")
    found = choose_greedily(
        alone,
        scores,
        n_features_to_select,
        bound.varies,
        monitor=_PlateauMonitor() if on_plateau == "stop" else None,
        progress=progress,
    )
    return Chosen(found.order, found.scores, np.array(scores.restarts, np.intp), alone)


class _BoundScores:
    """The bounds as scores of the greedy search, S being emptied where they no longer grow if so wanted."""

    def __init__(self, bound: Bound, alone: NDArray[np.float64], *, restarting: bool) -> None:
        self.bound, self.alone, self.restarting = bound, alone, restarting
        self.restarts: list[int] = []
        self.n_chosen, self.reached = 0, -np.inf

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self.bound.add(feature)
        if not self.n_chosen:
            self.reached = float(self.alone[feature])
        self.n_chosen += 1

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The candidate with the greatest bound, and that bound."""
        chosen, value = self.bound.best(np.flatnonzero(candidates))
        if self.restarting and value - self.reached < RESTART_GAIN:
            self.bound.restart()
            self.restarts.append(self.n_chosen)
            chosen = pick(np.where(candidates, self.alone, -np.inf))
            value = float(self.alone[chosen])
        self.reached = value
        return chosen, value


class _PlateauMonitor:
    """Ends the search where the best bound no longer grows."""

    def __init__(self) -> None:
        self.reached = -np.inf

    def refuses(self, candidate: int, score: float, tried: NDArray[np.bool_] | None) -> bool:
        """Whether the bound with the candidate is no larger than the last."""
        if score - self.reached <= STOP_GAIN:
            return True
        self.reached = score
        return False

    def ends_at_constants(self) -> bool:
        """A constant column is tried like any other: the bound will not grow."""
        return False
