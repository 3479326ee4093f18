"""Forward selection by the variational lower bound of I(X_S;C).

    I(X_S;C) >= mean_n log2 [ q(x_S|c_n) / sum_c p(c) q(x_S|c) ]

with q(x_S|c) a product, in the order of choice, of what :mod:`bitsieve.by_samples.variational.codes` or
:mod:`bitsieve.by_samples.variational.densities` puts for q(x_f|x_S,c). Each step adds the feature with the greatest
bound.

S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve.common.ties import TIE, pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PLATEAUS = ("continue", "restart", "stop")
RESTART_GAIN = 0.01 / log(2)  # bits: 0.01 nats
STOP_GAIN = TIE


class Bound(Protocol):
    """The bounds of all candidates beside a growing set S."""

    n_features: int
    varies: NDArray[np.bool_]

    def alone(self) -> NDArray[np.float64]:
        """The bound of every feature by itself, in bits."""
        ...

    def best(self, candidates: NDArray[np.intp]) -> tuple[int, float]:
        """The one of the candidates, ascending columns, to add to S, and the bound with it; S is not empty."""
        ...

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        ...

    def restart(self) -> None:
        """Empty S."""
        ...


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
    open_ = np.ones(bound.n_features, bool)
    varying = bound.varies.copy()
    selected: list[int] = []
    scores: list[float] = []
    restarts: list[int] = []
    empty = True
    while len(selected) < n_features_to_select:
        candidates = np.flatnonzero(varying if varying.any() else open_)
        chosen, value = _best_alone(alone, candidates) if empty else bound.best(candidates)
        if not empty and on_plateau == "stop" and value - scores[-1] <= STOP_GAIN:
            break
        if not empty and on_plateau == "restart" and value - scores[-1] < RESTART_GAIN:
            bound.restart()
            restarts.append(len(selected))
            chosen, value = _best_alone(alone, candidates)
        selected.append(chosen)
        scores.append(value)
        open_[chosen] = varying[chosen] = empty = False
        if len(selected) < n_features_to_select:
            bound.add(chosen)
        if progress is not None:
            progress(len(selected), n_features_to_select)
    return Chosen(np.array(selected, np.intp), np.array(scores), np.array(restarts, np.intp), alone)


def _best_alone(alone: NDArray[np.float64], candidates: NDArray[np.intp]) -> tuple[int, float]:
    chosen = int(candidates[pick(alone[candidates])])
    return chosen, float(alone[chosen])
