"""The running likelihoods of variational information maximisation: log2 p(c) q(x_S|c) of every sample and class.

Samples are sorted by class and stand in blocks of eight, a lane each: arrays of shape (n_blocks, n_classes, 8), as the
native sums want them. Everything is kept as logarithms: nothing underflows, however many features are chosen.
"""

from __future__ import annotations

from math import fsum, log
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve import _native
from bitsieve.common.greedy import choose_greedily
from bitsieve.common.ties import TIE, pick
from bitsieve.counts.kernels import choose_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


LANES = 8
LEAST_LOG_WEIGHT = -70.0  # a class below counts as 0 relative to the greatest of its sample (native/variational.hpp)


class Weighted(NamedTuple):
    """What a step needs of the samples: the first arguments of the native sums but for the kernel."""

    n_samples: int
    n_classes: int
    weights: NDArray[np.float64] | NDArray[np.float32]
    log_weights: NDArray[np.float64]
    start: NDArray[np.int32]
    active: NDArray[np.int32]


class Posterior:
    """Likelihoods of the chosen features within each class, times the class's share.

    Parameters
    ----------
    class_sizes : ndarray of int64
        Samples of each class, in the order in which the samples are sorted; none is 0.
    """

    def __init__(self, class_sizes: NDArray[np.int64]) -> None:
        self.class_sizes = class_sizes
        self.n_classes = len(class_sizes)
        self.n_samples = int(class_sizes.sum())
        self.n_blocks = -(-self.n_samples // LANES)
        self.kernel = choose_kernel().name
        self._log_shares = np.array([_native.log2(float(size)) for size in class_sizes]) - _native.log2(self.n_samples)
        self.entropy = -fsum((self._log_shares * class_sizes).tolist()) / self.n_samples
        classes = np.repeat(np.arange(self.n_classes), class_sizes)
        samples = np.arange(self.n_samples)
        self._true_class = (samples // LANES, classes, samples % LANES)
        self._beyond = (-1, slice(None), slice(self.n_samples - (self.n_blocks - 1) * LANES, None))  # the last sample
        self.restart()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of arrays by block, class and lane."""
        return self.n_blocks, self.n_classes, LANES

    def restart(self) -> None:
        """Forget the chosen features."""
        self._log = np.broadcast_to(self._log_shares[:, None], self.shape).copy()
        self._weigh()

    def multiply(self, log_likelihoods: NDArray[np.float64]) -> None:
        """Take one more feature in: log2 of its likelihoods, by block, class and lane."""
        self._log += log_likelihoods
        self._weigh()

    def true_class(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of every sample in its own class, of ``values`` by block, class and lane."""
        return values[self._true_class]

    def bounds(self, true_class: NDArray[np.float64], mixed: NDArray[np.float64]) -> NDArray[np.float64]:
        """The bound, in bits, with the chosen features and each candidate.

        Parameters
        ----------
        true_class : ndarray
            The true-class log-likelihood of each candidate: sum_n log2 of the likelihood in the sample's own class.
        mixed : ndarray
            Of each, sum_n log2 of its likelihoods mixed over the classes by the weights.
        """
        return self._bound + (true_class - mixed) / self.n_samples

    @property
    def float32(self) -> Weighted:
        """The weights in float32."""
        return self.weighted._replace(weights=self.weighted.weights.astype(np.float32))

    def _weigh(self) -> None:
        self._log[self._beyond] = 0
        greatest = self._log.max(axis=1, keepdims=True)
        log_weights = self._log - greatest
        weights = _native.exp2(self.kernel, log_weights.reshape(-1)).reshape(self.shape)
        weights[log_weights < LEAST_LOG_WEIGHT] = 0
        weights[self._beyond] = 0
        blocks, active = np.nonzero(weights.reshape(-1, LANES).sum(axis=1).reshape(self.shape[:2]))
        start = np.zeros(self.n_blocks + 1, np.int32)
        start[1:] = np.cumsum(np.bincount(blocks, minlength=self.n_blocks))
        self.weighted = Weighted(
            self.n_samples,
            self.n_classes,
            weights.reshape(-1),
            log_weights.reshape(-1),
            start,
            active.astype(np.int32),
        )
        self._bound = self.entropy + fsum(self.true_class(log_weights).tolist()) / self.n_samples


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
