"""Entropy and information of numeric columns by Gaussian Parzen windows of covariance ``h^2 (S + ridge I)``, in bits.

S is the sample covariance of the points used; every sample is also a point. Kernels of pairs are spread over a grid
that is right to 1e-11 (native/parzen.hpp). The ridge keeps duplicates and constants from a singular covariance.

    p(f) = sum_c P(c) p(f|c),   I(F;C) = mean_n log2 [p(f_n|c_n) / p(f_n)]               ("parzen")
                                I(F;C) = H(C) - mean_n H(C|f_n),  P(c|f) = P(c) p(f|c) / p(f)   ("parzen-posterior")
    I(F;C) ~ sum_i I(fi;C) - sum_{i<j} I(fi;fj) + sum_{i<j} sum_c P(c) I_c(fi;fj)        ("second-order")

N. Kwak, C.-H. Choi 2002, doi:10.1109/TPAMI.2002.1114861; B. Guo, M. S. Nixon 2009, doi:10.1109/TSMCA.2008.2007977
"""

from __future__ import annotations

import itertools
from math import log, log2, pi, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.utils.arrays import Columns, Floats, Integers, Progress
from bitsieve.utils.lazy import cached_property

BANDWIDTHS = ("scott", "log")
RIDGE = 1e-6
MOST_NODES = 1 << 24  # of a grid: 128 MiB; wider ones are summed kernel by kernel
CHUNK = 32  # columns beside one, in one native call
PART_BYTES = 64 << 20
QUERIES = 256  # samples in one native call
TO_POWERS_OF_2 = sqrt(0.5 / np.log(2.0))  # exp(-u^2 / 2) = 2^(-(TO_POWERS_OF_2 u)^2)
LOG_2_PI = log2(2 * np.pi)
PRODUCT = 32  # factors of at most 2^16 in one logarithm
COLUMNS = 8  # in one block of work of the second order


def width(bandwidth: str | float, n_points: int, dimensions: int) -> float:
    """The width h of the windows, in standard deviations; of a single point 1."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    if n_points < 2:
        return 1.0
    return 1 / log(n_points) if bandwidth == "log" else float(float(n_points) ** (-1 / (dimensions + 4)))


def covariances(rows: Floats, row: Floats) -> Floats:
    """Sample covariances of centred rows with one centred row; 0 of a single point."""
    return np.asarray(np.add.reduce(rows * row, axis=1) / max(rows.shape[1] - 1, 1))


def pivot(variance: float, explained: float = 0.0) -> float:
    """The diagonal of the triangular factor: the root of a variance and the ridge, less what others explain of it."""
    return sqrt(max(variance + RIDGE - explained, RIDGE))


class ParzenPairs:
    """Pairs of standardised columns, or of some samples of these, as rows: shape (n_features, n_samples)."""

    def __init__(self, values: Floats, bandwidth: str | float = "scott", n_jobs: int | None = None) -> None:
        self.values = np.ascontiguousarray(values - (np.add.reduce(values, axis=1) / values.shape[1])[:, None])
        self.n_features, self.n_samples = values.shape
        self.varies = (values != values[:, :1]).any(axis=1)
        self.n_jobs = n_jobs
        self._kernel = choose_kernel().name
        self._log_samples = _native.log2(float(self.n_samples))
        self._alone, self._beside = (width(bandwidth, self.n_samples, d) for d in (1, 2))
        squares = np.add.reduce(self.values**2, axis=1) / max(self.n_samples - 1, 1)
        self._pivots = np.array([pivot(variance) for variance in squares.tolist()])
        self._variances = squares

    @cached_property
    def entropy(self) -> Floats:
        """H(f) of every column, in bits; may be negative. 0 of a column that does not vary."""
        out = np.zeros(self.n_features)
        nothing = np.zeros((1, self.n_samples))

        def fill(j: int) -> None:
            unit = 1 / (self._alone * self._pivots[j])
            sums = self._sums(self.values[j], nothing, unit, np.zeros(1), np.zeros(1))
            out[j] = self._log_samples + _native.log2(sqrt(2 * pi) / unit) - sums[0] / self.n_samples

        run_blocks(fill, np.flatnonzero(self.varies).tolist(), self.n_jobs)
        return out

    def information(self, i: int, others: Columns) -> Floats:
        """I(fi;fj) of a column with others, in bits; 0 where one does not vary. (j, i) gives the bits of (i, j)."""
        out = np.zeros(len(others))
        if self.varies[i]:
            # The first of a pair is the one of the lower index, so that a pair has one value.
            for index in np.flatnonzero((others < i) & self.varies[others]):
                out[index] = self._beginning_with(int(others[index]), np.array([i]))[0]
            above = np.flatnonzero((others >= i) & self.varies[others])
            out[above] = self._beginning_with(i, others[above])
        return out

    def _beginning_with(self, i: int, others: Columns) -> Floats:
        out = np.empty(len(others))
        entropy = self.entropy
        first = float(self._pivots[i])
        for start in range(0, len(others), CHUNK):
            batch = others[start : start + CHUNK]
            values = self.values[batch]
            loads = covariances(values, self.values[i]) / first
            pivots = np.array(
                [pivot(*pair) for pair in zip(self._variances[batch].tolist(), (loads**2).tolist(), strict=True)]
            )
            unit = 1 / (self._beside * first)
            sums = self._sums(self.values[i], values, unit, loads / first, 1 / (self._beside * pivots))
            heights = np.array(
                [_native.log2(2 * pi * self._beside / unit * pivot_value) for pivot_value in pivots.tolist()]
            )
            joint = self._log_samples + heights - sums / self.n_samples
            out[start : start + CHUNK] = entropy[i] + entropy[batch] - joint
        return out

    def _sums(self, first: Floats, others: Floats, unit: float, slope: Floats, scale: Floats) -> Floats:
        out = np.empty(len(others))
        _native.grid_log_sums(self._kernel, first, others, unit, slope, scale, MOST_NODES, out)
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

        _ = self.entropy  # once, before the threads begin
        run_blocks(fill, list(range(self.n_features - 1)), self.n_jobs, progress)
        return out


def relative_information(information: Floats, entropies: Floats) -> Floats:
    """``W = 2 I / (Hi + Hj)``, clipped to 0 .. 1; where the entropies sum to no more than 0, 1 if I > 0, else 0."""
    ratio = np.divide(2 * information, entropies, out=np.ones_like(information), where=entropies > 0)
    return np.where(information > 0, np.clip(ratio, 0.0, 1.0), 0.0)


class _ClassFactor:
    """The factored covariance of one class, and all samples in the coordinates it makes."""

    def __init__(self, first: int, last: int, n_samples: int) -> None:
        self.first = first
        self.last = last
        self.n_points = last - first
        self.loads: list[Floats] = []  # the rows of L left of the diagonal
        self.pivots: list[float] = []
        self.coordinates = np.empty((0, n_samples))
        self.rows = np.empty((0, self.n_points))  # the chosen features of its own samples, centred

    def add(self, values: Floats) -> None:
        """Take in one more feature, given as one row."""
        loads, pivots, coordinate = self.extend(values)
        self.loads.append(loads[:, 0])
        self.pivots.append(float(pivots[0]))
        self.coordinates = np.vstack([self.coordinates, coordinate])
        self.rows = np.vstack([self.rows, self._centred(values)])

    def extend(self, values: Floats) -> tuple[Floats, Floats, Floats]:
        """Loads, pivots and the new coordinate of each of some features beside the chosen ones."""
        centred = self._centred(values)
        loads = np.empty((len(self.pivots), len(values)))
        explained = np.zeros(len(values))
        rest = values
        for k, (before, diagonal) in enumerate(zip(self.loads, self.pivots, strict=True)):
            explained_part = np.add.reduce(before[:, None] * loads[:k], axis=0)
            loads[k] = (covariances(centred, self.rows[k]) - explained_part) / diagonal
            explained += loads[k] ** 2
            rest = rest - loads[k][:, None] * self.coordinates[k]
        variances = np.add.reduce(centred**2, axis=1) / max(self.n_points - 1, 1)
        pivots = np.sqrt(np.maximum(variances + RIDGE - explained, RIDGE))
        return loads, pivots, rest / pivots[:, None]

    def _centred(self, values: Floats) -> Floats:
        values_of_class = values[:, self.first : self.last]
        return np.asarray(values_of_class - (np.add.reduce(values_of_class, axis=1) / self.n_points)[:, None])


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
        part = max(1, PART_BYTES // (8 * len(self._classes) * self.n_samples))
        parts = [self._some(candidates[a : a + part]) for a in range(0, len(candidates), part)]
        return np.concatenate([np.empty(0), *parts])

    def _some(self, candidates: Columns) -> Floats:
        """The information of so many candidates as are looked at together."""
        logs = np.empty((len(self._classes), len(candidates), self.n_samples))
        heights = np.empty((len(self._classes), len(candidates)))
        dimensions = len(self._classes[0].pivots) + 1
        blocks = []
        for c, factor in enumerate(self._classes):
            h = width(self.bandwidth, factor.n_points, dimensions)
            _, pivots, new_coordinates = factor.extend(self.values[candidates])
            scale = TO_POWERS_OF_2 / h
            shared = scale * factor.coordinates
            new_coordinates = scale * new_coordinates
            height = -_native.log2(float(factor.n_points)) - dimensions * (LOG_2_PI / 2 + _native.log2(h))
            height -= sum(_native.log2(diagonal) for diagonal in factor.pivots)
            heights[c] = [height - _native.log2(diagonal) for diagonal in pivots.tolist()]
            blocks += [(c, shared, new_coordinates, start) for start in range(0, self.n_samples, QUERIES)]

        def fill(block: tuple[int, Floats, Floats, int]) -> None:
            c, shared, new_coordinates, start = block
            stop = min(start + QUERIES, self.n_samples)
            factor = self._classes[c]
            _native.joint_log_sums(
                self._kernel, shared, new_coordinates, factor.first, factor.last, start, stop, logs[c]
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
            explained = np.add.reduce(shares * np.maximum(joint, -1e300), axis=0) / mixed
            return float(entropy - log_mixed + np.add.reduce(explained) / self.n_samples)
        own_class_logs = joint[self._codes, np.arange(self.n_samples)]
        return float(entropy + np.add.reduce(own_class_logs) / self.n_samples - log_mixed)


def mean_log2(values: Floats) -> float:
    """The mean of log2 of numbers from 1 to 2^16, by logarithms of products."""
    products = np.multiply.reduceat(values, np.arange(0, len(values), PRODUCT))
    return float(sum(map(_native.log2, products.tolist())) / len(values))


class SecondOrderInformation:
    """The second-order approximation for S + f, with the parameters of :class:`JointInformation`."""

    def __init__(
        self, values: Floats, class_sizes: Integers, bandwidth: str | float = "scott", n_jobs: int | None = None
    ) -> None:
        offsets = np.concatenate([[0], np.cumsum(class_sizes)]).tolist()
        self._n_jobs = n_jobs
        self._alone = JointInformation(values, class_sizes, bandwidth, n_jobs)
        self._pairs = ParzenPairs(values, bandwidth, n_jobs)
        self._within = [
            (size / values.shape[1], ParzenPairs(values[:, a:b], bandwidth, n_jobs))
            for a, b, size in zip(offsets[:-1], offsets[1:], class_sizes.tolist(), strict=True)
        ]
        self._scores = np.full(len(values), np.nan)  # nan: not looked at yet
        self._counted = np.zeros(len(values), np.intp)  # how many of the chosen are in the score
        self._chosen: list[int] = []
        self._reached = 0.0

    def add(self, feature: int) -> None:
        self._reached = float(self.information(np.array([feature]))[0])
        self._chosen.append(feature)

    def information(self, candidates: Columns) -> Floats:
        new = candidates[np.isnan(self._scores[candidates])]
        if len(new):
            self._scores[new] = self._alone.information(new)
        for pairs in (self._pairs, *(pairs for _, pairs in self._within)):
            _ = pairs.entropy  # once, before the threads begin

        def bring_up(features_due: Columns) -> None:
            for index, chosen_feature in enumerate(self._chosen):
                behind = features_due[self._counted[features_due] <= index]
                if len(behind):
                    self._scores[behind] += self._added(behind, chosen_feature)
            self._counted[features_due] = len(self._chosen)

        run_blocks(bring_up, [candidates[a : a + COLUMNS] for a in range(0, len(candidates), COLUMNS)], self._n_jobs)
        return self._reached + self._scores[candidates]

    def _added(self, features: Columns, other: int) -> Floats:
        """What a chosen feature adds to the score of others: - I(f;s) + sum_c P(c) I_c(f;s)."""
        out = -self._pairs.information(other, features)
        for share, pairs in self._within:
            out += share * pairs.information(other, features)
        return out
