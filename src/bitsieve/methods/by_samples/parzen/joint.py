"""I(F;C) of several features F together, by their densities within each class.

    p(f) = sum_c P(c) p(f|c),   I(F;C) = mean_n log2 [p(f_n|c_n) / p(f_n)]               ("parzen")
                                I(F;C) = H(C) - mean_n H(C|f_n),  P(c|f) = P(c) p(f|c) / p(f)   ("parzen-posterior")

N. Kwak, C.-H. Choi 2002, doi:10.1109/TPAMI.2002.1114861
"""

from __future__ import annotations

import itertools
from math import log2, sqrt
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.parzen.windows import RIDGE, covariances, width
from bitsieve.utils.arrays import Columns, Floats, Integers

MAX_DENSITY_BYTES = 64 << 20  # of the densities of the candidates that are computed together
SAMPLES_AT_ONCE = 256  # in one native call
TO_POWERS_OF_2 = sqrt(0.5 / np.log(2.0))  # exp(-u^2 / 2) = 2^(-(TO_POWERS_OF_2 u)^2)
LOG_2_PI = log2(2 * np.pi)
FACTORS_AT_ONCE = 32  # of a product that has one logarithm: 32 factors of at most 2^16 do not overflow


class _Extension(NamedTuple):
    """The next row of a factor L, and the next coordinates, were each of some features chosen next."""

    loads: Floats  # left of the diagonal, shape (n_chosen, n_features)
    pivots: Floats  # on the diagonal, shape (n_features,)
    coordinates: Floats  # of all samples, shape (n_features, n_samples)


class _ClassFactor:
    """The factor L of the covariance of the chosen features in one class, and all samples in its coordinates."""

    def __init__(self, first: int, last: int, n_samples: int) -> None:
        self.first = first
        self.last = last
        self.n_points = last - first
        self.loads: list[Floats] = []  # the rows of L left of the diagonal
        self.pivots: list[float] = []
        self.coordinates = np.empty((0, n_samples))
        self.rows = np.empty((0, self.n_points))  # the chosen features of the class's samples, centred

    def add(self, values: Floats) -> None:
        """Choose one more feature, given as one row of values."""
        extension = self.extend(values)
        self.loads.append(extension.loads[:, 0])
        self.pivots.append(float(extension.pivots[0]))
        self.coordinates = np.vstack([self.coordinates, extension.coordinates])
        self.rows = np.vstack([self.rows, self._centred(values)])

    def extend(self, values: Floats) -> _Extension:
        """The next row of the factor and the next coordinate of all samples, were each of some features chosen next.

        Forward substitution, with s_k the covariance with the k-th chosen feature: ``l_k = (s_k - sum_{m<k} l_m L_km) /
        L_kk``, the pivot is the root of ``s - sum_k l_k^2``, and the coordinate ``(f - sum_k l_k x_k) / pivot``.
        """
        centred = self._centred(values)
        loads = np.empty((len(self.pivots), len(values)))
        explained_variance = np.zeros(len(values))
        remainder = values
        for k, (before, diagonal) in enumerate(zip(self.loads, self.pivots, strict=True)):
            explained_part = np.add.reduce(before[:, None] * loads[:k], axis=0)
            loads[k] = (covariances(centred, self.rows[k]) - explained_part) / diagonal
            explained_variance += loads[k] ** 2
            remainder = remainder - loads[k][:, None] * self.coordinates[k]
        variances = np.add.reduce(centred**2, axis=1) / max(self.n_points - 1, 1)
        pivots = np.sqrt(np.maximum(variances + RIDGE - explained_variance, RIDGE))
        return _Extension(loads, pivots, coordinates=remainder / pivots[:, None])

    def _centred(self, values: Floats) -> Floats:
        values_of_class = values[:, self.first : self.last]
        return np.asarray(values_of_class - (np.add.reduce(values_of_class, axis=1) / self.n_points)[:, None])


class _DensityBlock(NamedTuple):
    """Samples whose density in a class is computed together."""

    class_code: int
    shared: Floats  # the coordinates of all samples by the chosen features
    new_coordinates: Floats  # by each candidate, shape (n_candidates, n_samples)
    start: int  # the first of the samples


class JointInformation:
    """I(S + f;C) of candidates f while S grows; standardised columns as rows, samples sorted by class."""

    def __init__(
        self,
        values: Floats,
        class_sizes: Integers,
        bandwidth: str | float = "scott",
        n_jobs: int | None = None,
        *,
        posterior: bool = False,
    ) -> None:
        self.values = np.ascontiguousarray(values)
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.posterior = posterior
        self.n_samples = values.shape[1]
        offsets = np.concatenate([[0], np.cumsum(class_sizes)]).tolist()
        self._classes = [_ClassFactor(a, b, self.n_samples) for a, b in itertools.pairwise(offsets)]
        self._codes = np.repeat(np.arange(len(self._classes)), class_sizes)
        self._kernel = choose_kernel().name
        self._log_shares = np.array([_native.log2(factor.n_points / self.n_samples) for factor in self._classes])

    def add(self, feature: int) -> None:
        for factor in self._classes:
            factor.add(self.values[feature : feature + 1])

    def information(self, candidates: Columns) -> Floats:
        batch_size = max(1, MAX_DENSITY_BYTES // (8 * len(self._classes) * self.n_samples))
        batches = [candidates[first : first + batch_size] for first in range(0, len(candidates), batch_size)]
        return np.concatenate([np.empty(0), *(self._information_of_batch(batch) for batch in batches)])

    def _information_of_batch(self, candidates: Columns) -> Floats:
        logs = np.empty((len(self._classes), len(candidates), self.n_samples))
        log_heights = np.empty((len(self._classes), len(candidates)))
        n_dimensions = len(self._classes[0].pivots) + 1
        blocks = []
        for c, factor in enumerate(self._classes):
            h = width(self.bandwidth, factor.n_points, n_dimensions)
            extension = factor.extend(self.values[candidates])
            log_heights[c] = _log_heights(factor, extension.pivots, h)
            scale = TO_POWERS_OF_2 / h
            shared = scale * factor.coordinates
            new_coordinates = scale * extension.coordinates
            for start in range(0, self.n_samples, SAMPLES_AT_ONCE):
                blocks.append(_DensityBlock(c, shared, new_coordinates, start))

        def fill(block: _DensityBlock) -> None:
            stop = min(block.start + SAMPLES_AT_ONCE, self.n_samples)
            factor = self._classes[block.class_code]
            _native.joint_log_sums(
                self._kernel,
                block.shared,
                block.new_coordinates,
                factor.first,
                factor.last,
                block.start,
                stop,
                logs[block.class_code],
            )

        run_blocks(fill, blocks, self.n_jobs)
        return np.array([self._mean(logs[:, q] + log_heights[:, q, None]) for q in range(len(candidates))])

    def _mean(self, log_densities: Floats) -> float:
        """I(F;C) from log2 p(f_n|c), by class and sample."""
        joint = log_densities + self._log_shares[:, None]
        joint -= joint.max(axis=0)
        shares = _native.exp2(self._kernel, joint.reshape(-1)).reshape(joint.shape)
        mixed = np.add.reduce(shares, axis=0)  # from 1 to the number of classes
        log_mixed = mean_log2(mixed)
        entropy = -float(np.add.reduce(self._log_shares[self._codes])) / self.n_samples
        if self.posterior:
            mean_logs = np.add.reduce(shares * np.maximum(joint, -1e300), axis=0) / mixed
            return float(entropy - log_mixed + np.add.reduce(mean_logs) / self.n_samples)
        own_class_logs = joint[self._codes, np.arange(self.n_samples)]
        return float(entropy + np.add.reduce(own_class_logs) / self.n_samples - log_mixed)


def _log_heights(factor: _ClassFactor, candidate_pivots: Floats, h: float) -> list[float]:
    """log2 of the height of one kernel of width h, divided by the points of the class, with each candidate."""
    n_dimensions = len(factor.pivots) + 1
    log_height = -_native.log2(float(factor.n_points)) - n_dimensions * (LOG_2_PI / 2 + _native.log2(h))
    log_height -= sum(_native.log2(diagonal) for diagonal in factor.pivots)
    return [log_height - _native.log2(diagonal) for diagonal in candidate_pivots.tolist()]


def mean_log2(values: Floats) -> float:
    """The mean of log2 of numbers from 1 to 2^16, by logarithms of products."""
    products = np.multiply.reduceat(values, np.arange(0, len(values), FACTORS_AT_ONCE))
    return float(sum(map(_native.log2, products.tolist())) / len(values))
