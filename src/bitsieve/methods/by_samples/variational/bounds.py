"""Forward selection by the variational lower bound of I(X_S;C), for any model q of the likelihoods.

I(X_S;C) >= mean_n log2 [ q(x_S|c_n) / sum_c p(c) q(x_S|c) ]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import fsum, log, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.methods.method import MethodResult
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers, Progress
from bitsieve.utils.choice import TIE, choose_greedily, pick
from bitsieve.utils.memory import check_room

PLATEAUS = ("continue", "restart", "stop")
RESTART_GAIN = 0.01 / log(2)  # bits: 0.01 nats
STOP_GAIN = TIE
LANES = 8  # samples in a block
MIN_LOG_WEIGHT = -70.0  # log2 relative to the likeliest class of the sample; less counts as 0 (native/variational.hpp)


class SampleWeights(NamedTuple):
    """The current weights of the samples, in the order of the arguments of the native sums.

    Weights are relative to the likeliest class of each sample. A class is active in a block if any of the samples of
    the block has weight in it.
    """

    n_samples: int
    n_classes: int
    weights: Floats | NDArray[np.float32]  # by block, class and lane
    log_weights: Floats  # log2 of these, in the same order
    start: NDArray[np.int32]  # active[start[b] : start[b + 1]] are the active classes of block b
    active: NDArray[np.int32]  # ascending in each block


class Posterior:
    """log2 of p(c) q(x_S|c) for every sample and class; logarithms do not underflow.

    Samples are sorted by class, and arranged in blocks of eight: arrays have the shape (n_blocks, n_classes, 8).
    """

    def __init__(self, class_sizes: Integers) -> None:
        self.class_sizes = class_sizes
        self.n_classes = len(class_sizes)
        self.n_samples = int(class_sizes.sum())
        self.n_blocks = -(-self.n_samples // LANES)
        check_room(
            48 * prod(self.shape),  # logarithms, weights and their logarithms, for a moment twice
            f"the likelihoods of {self.n_samples:,} samples in {self.n_classes:,} classes take",
            "give fewer samples, or a target of fewer classes",
        )
        self.kernel = choose_kernel().name
        self._log_shares = np.array([_native.log2(float(size)) for size in class_sizes]) - _native.log2(self.n_samples)
        self.entropy = -fsum((self._log_shares * class_sizes).tolist()) / self.n_samples
        classes = np.repeat(np.arange(self.n_classes), class_sizes)
        samples = np.arange(self.n_samples)
        self._true_class = (samples // LANES, classes, samples % LANES)
        n_in_last_block = self.n_samples - (self.n_blocks - 1) * LANES
        self._padding = np.s_[-1, :, n_in_last_block:]  # the lanes behind the last sample
        self.restart()

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of arrays by block, class and lane."""
        return self.n_blocks, self.n_classes, LANES

    def restart(self) -> None:
        """Empty S, so that q(x_S|c) = 1."""
        self.n_chosen = 0
        self._log = np.broadcast_to(self._log_shares[:, None], self.shape).copy()
        self._update_weights()

    def multiply(self, log_likelihoods: Floats) -> None:
        """Add a feature to S: log2 of its likelihoods by block, class and lane."""
        self.n_chosen += 1
        self._log += log_likelihoods
        self._update_weights()

    def true_class(self, values: Floats) -> Floats:
        """The value of every sample in its own class, from values by block, class and lane."""
        return values[self._true_class]

    def bounds(self, true_class: Floats, mixed: Floats) -> Floats:
        """The bound of S with each candidate, in bits, from the two sums over the samples of the candidate."""
        return self.bound + (true_class - mixed) / self.n_samples

    def weighted_float32(self) -> SampleWeights:
        """The current weights in float32, and their logarithms in float64."""
        return self.weighted._replace(weights=self.weighted.weights.astype(np.float32))

    def _update_weights(self) -> None:
        self._log[self._padding] = 0
        log_weights = self._log - self._log.max(axis=1, keepdims=True)
        weights = _native.exp2(self.kernel, log_weights.reshape(-1)).reshape(self.shape)
        weights[log_weights < MIN_LOG_WEIGHT] = 0
        weights[self._padding] = 0
        blocks, active = np.nonzero(weights.any(axis=2))
        start = np.zeros(self.n_blocks + 1, np.int32)
        start[1:] = np.cumsum(np.bincount(blocks, minlength=self.n_blocks))
        self.weighted = SampleWeights(
            n_samples=self.n_samples,
            n_classes=self.n_classes,
            weights=weights.reshape(-1),
            log_weights=log_weights.reshape(-1),
            start=start,
            active=active.astype(np.int32),
        )
        self.bound = self.entropy + fsum(self.true_class(log_weights).tolist()) / self.n_samples


class Bound(ABC):
    """The bounds of all candidates, together with a set S of chosen features that grows."""

    def __init__(self, varies: Flags, class_sizes: Integers) -> None:
        self.varies = varies
        self.n_features = len(varies)
        self.posterior = Posterior(class_sizes)

    @abstractmethod
    def single_bounds(self) -> Floats:
        """The bound of every feature by itself, in bits; S must be empty."""

    @abstractmethod
    def values(self, candidates: Columns) -> Floats:
        """The bound of S with each candidate, in bits."""

    def best(self, candidates: Columns) -> tuple[int, float]:
        """The candidate with the largest bound, and that bound; ``candidates`` are ascending, and S is not empty."""
        values = self.values(candidates)
        index = pick(values)
        return int(candidates[index]), float(values[index])

    @abstractmethod
    def add(self, feature: int) -> None:
        """Add a feature to S."""

    def restart(self) -> None:
        """Empty S."""
        self.posterior.restart()


def variational_select(
    bound: Bound, n_features_to_select: int, on_plateau: str = "continue", progress: Progress = None
) -> MethodResult:
    """Choose features one at a time by the largest bound; S must be empty at first.

    Where the bound no longer grows, "continue" goes on, "stop" ends the selection, and "restart" empties S and goes on:
    the features chosen so far stay selected, but no longer count.
    """
    single_bounds = np.where(bound.varies, bound.single_bounds(), 0.0)
    scores = _BoundScores(bound, single_bounds, restarts_on_plateau=on_plateau == "restart")
    choice = choose_greedily(
        single_bounds,
        scores,
        n_features_to_select,
        bound.varies,
        monitor=_PlateauMonitor() if on_plateau == "stop" else None,
        progress=progress,
    )
    attributes = {"restarts_": np.array(scores.restarts, np.intp), "alone_": single_bounds}
    return MethodResult(choice.order, choice.scores, extras=attributes)


class _BoundScores:
    """The bounds as scores of the greedy search. ``restarts_on_plateau``: S is emptied where they no longer grow."""

    def __init__(self, bound: Bound, single_bounds: Floats, *, restarts_on_plateau: bool) -> None:
        self.bound = bound
        self.single_bounds = single_bounds
        self.restarts_on_plateau = restarts_on_plateau
        self.restarts: list[int] = []  # the numbers of features chosen before each restart
        self.n_chosen = 0
        self.bound_of_chosen = -np.inf

    def add(self, feature: int) -> None:
        self.bound.add(feature)
        if self.n_chosen == 0:
            self.bound_of_chosen = float(self.single_bounds[feature])
        self.n_chosen += 1

    def best(self, candidates: Flags) -> tuple[int, float]:
        feature, value = self.bound.best(np.flatnonzero(candidates))
        if self.restarts_on_plateau and value - self.bound_of_chosen < RESTART_GAIN:
            self.bound.restart()
            self.restarts.append(self.n_chosen)
            feature = pick(np.where(candidates, self.single_bounds, -np.inf))
            value = float(self.single_bounds[feature])
        self.bound_of_chosen = value
        return feature, value

    def runner_up(self, candidates: Flags, chosen: int) -> None:
        """None: the bounds of the others are not kept."""


class _PlateauMonitor:
    """Ends the search where the best bound no longer grows."""

    def __init__(self) -> None:
        self.bound_of_chosen = -np.inf

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        if score - self.bound_of_chosen <= STOP_GAIN:
            return True
        self.bound_of_chosen = score
        return False

    def others(self, candidates: Flags) -> Flags:
        """None: the bounds of all others are smaller."""
        return np.zeros_like(candidates)

    def ends_at_constants(self) -> bool:
        """A constant column is tried like any other, as the bound does not grow with it."""
        return False
