"""Entropy and information of numeric columns by Gaussian kernel densities (Parzen windows), in bits.

The kernels have the covariance ``h^2 (S + ridge I)``, with S the sample covariance; the ridge keeps it regular where
columns are duplicates or constant. ``S + ridge I`` is factored as ``L L'``, L lower triangular: in coordinates
``L^-1 f`` the kernel is a product of one-dimensional ones. In the code the *loads* are the entries of a row of L left
of the diagonal, and its *pivot* is the entry on it. Densities of pairs are computed on a grid, with an error of 1e-11
(native/samples/parzen.hpp).

Three estimates of I(F;C), for features F and the class C:

    p(f) = sum_c P(c) p(f|c),   I(F;C) = mean_n log2 [p(f_n|c_n) / p(f_n)]               ("parzen")
                                I(F;C) = H(C) - mean_n H(C|f_n),  P(c|f) = P(c) p(f|c) / p(f)   ("parzen-posterior")
    I(F;C) ~ sum_i I(fi;C) - sum_{i<j} I(fi;fj) + sum_{i<j} sum_c P(c) I_c(fi;fj)        ("second-order")

N. Kwak, C.-H. Choi 2002, doi:10.1109/TPAMI.2002.1114861; B. Guo, M. S. Nixon 2009, doi:10.1109/TSMCA.2008.2007977
"""

from __future__ import annotations

import itertools
from math import log, log2, pi, sqrt
from typing import NamedTuple

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.utils.arrays import Columns, Floats, Integers, Progress
from bitsieve.utils.lazy import cached_property

BANDWIDTHS = ("scott", "log")
RIDGE = 1e-6
MAX_NODES = 1 << 24  # of a grid: 128 MiB; where it would be larger, kernels are summed one by one
PARTNERS_AT_ONCE = 32  # columns that are paired with one column in one native call
MAX_DENSITY_BYTES = 64 << 20  # of the densities of the candidates that are computed together
SAMPLES_AT_ONCE = 256  # in one native call
TO_POWERS_OF_2 = sqrt(0.5 / np.log(2.0))  # exp(-u^2 / 2) = 2^(-(TO_POWERS_OF_2 u)^2)
LOG_2_PI = log2(2 * np.pi)
FACTORS_AT_ONCE = 32  # of a product that has one logarithm: 32 factors of at most 2^16 do not overflow
COLUMNS_AT_ONCE = 8  # in one block of work of the second-order estimate


def width(bandwidth: str | float, n_points: int, dimensions: int) -> float:
    """The width h of the windows, in standard deviations; of a single point 1."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    if n_points < 2:
        return 1.0
    if bandwidth == "log":
        return 1 / log(n_points)
    return float(float(n_points) ** (-1 / (dimensions + 4)))  # Scott's rule


def covariances(rows: Floats, row: Floats) -> Floats:
    """The sample covariances of centred rows with one centred row; 0 for a single point."""
    return np.asarray(np.add.reduce(rows * row, axis=1) / max(rows.shape[1] - 1, 1))


def pivot(variance: float, explained_variance: float = 0.0) -> float:
    """A diagonal entry of L: the root of ``variance + ridge - explained variance``, which earlier columns explain."""
    return sqrt(max(variance + RIDGE - explained_variance, RIDGE))


class ParzenPairs:
    """Pairs of standardised columns, or of some samples of these, as rows: shape (n_features, n_samples)."""

    def __init__(self, values: Floats, bandwidth: str | float = "scott", n_jobs: int | None = None) -> None:
        self.values = np.ascontiguousarray(values - (np.add.reduce(values, axis=1) / values.shape[1])[:, None])
        self.n_features, self.n_samples = values.shape
        self.varies = (values != values[:, :1]).any(axis=1)
        self.n_jobs = n_jobs
        self._kernel = choose_kernel().name
        self._log_samples = _native.log2(float(self.n_samples))
        self._width_of_one = width(bandwidth, self.n_samples, 1)
        self._width_of_pair = width(bandwidth, self.n_samples, 2)
        self._variances = np.add.reduce(self.values**2, axis=1) / max(self.n_samples - 1, 1)
        self._pivots = np.array([pivot(variance) for variance in self._variances.tolist()])

    @cached_property
    def entropy(self) -> Floats:
        """H(f) of every column, in bits; may be negative. 0 of a column that does not vary."""
        out = np.zeros(self.n_features)
        nothing = np.zeros((1, self.n_samples))

        def fill(j: int) -> None:
            scale = 1 / (self._width_of_one * self._pivots[j])
            sums = self._sums(self.values[j], nothing, scale, np.zeros(1), np.zeros(1))
            out[j] = self._log_samples + _native.log2(sqrt(2 * pi) / scale) - sums[0] / self.n_samples

        run_blocks(fill, np.flatnonzero(self.varies).tolist(), self.n_jobs)
        return out

    def information(self, i: int, others: Columns) -> Floats:
        """I(fi;fj) of a column with others, in bits; 0 where one does not vary. (j, i) gives the bits of (i, j)."""
        out = np.zeros(len(others))
        if not self.varies[i]:
            return out
        # The first of a pair is the one of the lower index, so that a pair has one value.
        for index in np.flatnonzero((others < i) & self.varies[others]):
            out[index] = self._information_of_pairs(int(others[index]), np.array([i]))[0]
        above = np.flatnonzero((others >= i) & self.varies[others])
        out[above] = self._information_of_pairs(i, others[above])
        return out

    def _information_of_pairs(self, first: int, others: Columns) -> Floats:
        """``I(fi;fj) = H(fi) + H(fj) - H(fi,fj)`` of pairs with the same first column i, all of which vary."""
        information = np.empty(len(others))
        entropy = self.entropy
        h = self._width_of_pair
        first_pivot = float(self._pivots[first])
        first_scale = 1 / (h * first_pivot)
        for start in range(0, len(others), PARTNERS_AT_ONCE):
            batch = others[start : start + PARTNERS_AT_ONCE]
            values = self.values[batch]
            loads = covariances(values, self.values[first]) / first_pivot
            pivots = np.empty(len(batch))
            explained_variances = loads**2
            for index, variance in enumerate(self._variances[batch].tolist()):
                pivots[index] = pivot(variance, float(explained_variances[index]))
            sums = self._sums(self.values[first], values, first_scale, loads / first_pivot, 1 / (h * pivots))
            log_heights = np.array([_native.log2(2 * pi * h / first_scale * p) for p in pivots.tolist()])
            joint_entropy = self._log_samples + log_heights - sums / self.n_samples
            information[start : start + PARTNERS_AT_ONCE] = entropy[first] + entropy[batch] - joint_entropy
        return information

    def _sums(self, first: Floats, others: Floats, first_scale: float, slope: Floats, scale: Floats) -> Floats:
        """For each other column, the sum over all samples of log2 of the sum of the kernels of all points.

        The coordinates of a point (x, y) of the first and another column are ``first_scale x`` and
        ``scale (y - slope x)``.
        """
        out = np.empty(len(others))
        _native.grid_log_sums(self._kernel, first, others, first_scale, slope, scale, MAX_NODES, out)
        return out

    def relevance_row(self, i: int, others: Columns) -> Floats:
        """W of a column with others: :func:`relative_information`, 0 with itself."""
        row = relative_information(self.information(i, others), self.entropy[others] + self.entropy[i])
        row[others == i] = 0.0
        return row

    def relevance_matrix(self, progress: Progress = None) -> Floats:
        """W of all pairs, 0 on the diagonal."""
        out = np.zeros((self.n_features, self.n_features))

        def fill(i: int) -> None:
            out[i, i + 1 :] = self.relevance_row(i, np.arange(i + 1, self.n_features))
            out[i + 1 :, i] = out[i, i + 1 :]

        _ = self.entropy  # computed and cached here, so that threads do not compute it twice
        run_blocks(fill, list(range(self.n_features - 1)), self.n_jobs, progress)
        return out


def relative_information(information: Floats, entropies: Floats) -> Floats:
    """``W = 2 I / (Hi + Hj)``, clipped to 0 .. 1; where Hi + Hj is not positive, 1 if I > 0, else 0."""
    ratio = np.divide(2 * information, entropies, out=np.ones_like(information), where=entropies > 0)
    return np.where(information > 0, np.clip(ratio, 0.0, 1.0), 0.0)


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
        heights = np.empty((len(self._classes), len(candidates)))
        dimensions = len(self._classes[0].pivots) + 1
        blocks = []
        for c, factor in enumerate(self._classes):
            h = width(self.bandwidth, factor.n_points, dimensions)
            extension = factor.extend(self.values[candidates])
            scale = TO_POWERS_OF_2 / h
            shared = scale * factor.coordinates
            new_coordinates = scale * extension.coordinates
            height = -_native.log2(float(factor.n_points)) - dimensions * (LOG_2_PI / 2 + _native.log2(h))
            height -= sum(_native.log2(diagonal) for diagonal in factor.pivots)
            heights[c] = [height - _native.log2(diagonal) for diagonal in extension.pivots.tolist()]
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
        return np.array([self._mean(logs[:, q] + heights[:, q, None]) for q in range(len(candidates))])

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


def mean_log2(values: Floats) -> float:
    """The mean of log2 of numbers from 1 to 2^16, by logarithms of products."""
    products = np.multiply.reduceat(values, np.arange(0, len(values), FACTORS_AT_ONCE))
    return float(sum(map(_native.log2, products.tolist())) / len(values))


class SecondOrderInformation:
    """The second-order approximation for S + f, with the parameters of :class:`JointInformation`."""

    def __init__(
        self, values: Floats, class_sizes: Integers, bandwidth: str | float = "scott", n_jobs: int | None = None
    ) -> None:
        offsets = np.concatenate([[0], np.cumsum(class_sizes)]).tolist()
        self._n_jobs = n_jobs
        self._single = JointInformation(values, class_sizes, bandwidth, n_jobs)  # S stays empty
        self._pairs = ParzenPairs(values, bandwidth, n_jobs)
        self._pairs_in_class = [ParzenPairs(values[:, a:b], bandwidth, n_jobs) for a, b in itertools.pairwise(offsets)]
        self._class_shares = [size / values.shape[1] for size in class_sizes.tolist()]
        self._scores = np.full(len(values), np.nan)  # nan before the first computation
        self._n_included = np.zeros(len(values), np.intp)  # how many of the chosen features the score includes
        self._chosen: list[int] = []
        self._chosen_information = 0.0  # I(S;C)

    def add(self, feature: int) -> None:
        self._chosen_information = float(self.information(np.array([feature]))[0])
        self._chosen.append(feature)

    def information(self, candidates: Columns) -> Floats:
        new = candidates[np.isnan(self._scores[candidates])]
        if len(new):
            self._scores[new] = self._single.information(new)
        for pairs in (self._pairs, *self._pairs_in_class):
            _ = pairs.entropy  # computed and cached here, so that threads do not compute it twice

        def update(features: Columns) -> None:
            for index, chosen_feature in enumerate(self._chosen):
                lacking = features[self._n_included[features] <= index]
                if len(lacking):
                    self._scores[lacking] += self._interaction(lacking, chosen_feature)
            self._n_included[features] = len(self._chosen)

        batches = [candidates[a : a + COLUMNS_AT_ONCE] for a in range(0, len(candidates), COLUMNS_AT_ONCE)]
        run_blocks(update, batches, self._n_jobs)
        return self._chosen_information + self._scores[candidates]

    def _interaction(self, features: Columns, chosen: int) -> Floats:
        """The part of the scores of features f that a chosen feature s makes: ``- I(f;s) + sum_c P(c) I_c(f;s)``."""
        out = -self._pairs.information(chosen, features)
        for share, pairs in zip(self._class_shares, self._pairs_in_class, strict=True):
            out += share * pairs.information(chosen, features)
        return out
