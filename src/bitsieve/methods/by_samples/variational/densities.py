"""The bounds of mixed candidates: numbers by Gaussian kernel densities within each class, categories by frequencies.

p(x|c)       = mean_j k(x, x_j)                              k a Gaussian, or whether codes are equal
p(x|x_s,c)   = sum_j k(x, x_j) k(x_s, x_sj) / sum_j k(x_s, x_sj)      j the samples of class c
"""

from __future__ import annotations

from math import log2, pi, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.variational.bounds import LANES, Bound
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers

STATE_BYTES = 4 << 30
EQUAL = 2.0**100  # the scale at which the kernel of different codes is 0 relative to that of equal ones
NOTHING = -1e30  # log2 of such a sum


class DensityTable:
    """Columns of numbers (``numeric``) and of codes, shape (n_features, n_samples), samples sorted by class."""

    def __init__(
        self, values: Floats, numeric: Flags, class_sizes: Integers, bandwidth: str | float, n_jobs: int | None
    ) -> None:
        self.values = np.ascontiguousarray(values)
        self.numeric = numeric
        self.n_features, self.n_samples = values.shape
        self.varies = (values != values[:, :1]).any(axis=1)
        self.ends = np.concatenate([[0], np.cumsum(class_sizes)])
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.deviations = np.ones((self.n_features, len(class_sizes)))  # 0 where a number does not vary in a class
        for j in np.flatnonzero(numeric & self.varies):
            for c, of_class in enumerate(np.split(values[j], self.ends[1:-1])):
                self.deviations[j, c] = of_class.std(ddof=1) if (of_class != of_class[0]).any() else 0.0

    def scale(self, j: int, c: int, dimensions: int) -> float:
        """The factor s of column j in class c that makes 2^(-(s u)^2) its kernel at distance u."""
        if not self.numeric[j]:
            return EQUAL
        return sqrt(1 / (2 * float(np.log(2)))) / self._width(j, c, dimensions)

    def log_height(self, j: int, c: int, dimensions: int) -> float:
        """log2 of the kernel of column j at distance 0."""
        return -log2(self._width(j, c, dimensions) * sqrt(2 * pi)) if self.numeric[j] else 0.0

    def _width(self, j: int, c: int, dimensions: int) -> float:
        power = -1 / (dimensions + 4)
        if isinstance(self.bandwidth, str):
            factor: float = float(self.ends[c + 1] - self.ends[c]) ** power
            if self.bandwidth == "silverman":
                factor *= (4 / (dimensions + 2)) ** -power
        else:
            factor = self.bandwidth
        return factor * float(self.deviations[j, c])

    def log_sums(self, kernel: str, c: int, i: int, other: int, dimensions: int) -> Floats:
        """log2 sum_j k(x_i, x_ij) k(x_o, x_oj) over the points of class c, of every sample; ``other`` = -1: i alone."""
        out = np.empty(self.n_samples)
        partner = None if other < 0 else self.values[other]
        scale = 0.0 if other < 0 else self.scale(other, c, dimensions)
        first = int(self.ends[c])
        last = int(self.ends[c + 1])
        _native.kernel_sums(kernel, self.values[i], self.scale(i, c, dimensions), partner, scale, first, last, out)
        out[out < NOTHING] = -np.inf
        return out


class DensityBound(Bound):
    """Bounds of mixed columns, naive or pairwise."""

    def __init__(self, table: DensityTable, *, pairwise: bool) -> None:
        super().__init__(table.varies, np.diff(table.ends))
        self.table = table
        self.pairwise = pairwise
        row = int(np.prod(self.posterior.shape))
        needed = 8 * row * self.n_features * (1 + pairwise)
        if needed > STATE_BYTES:
            raise UserError(
                code="not-enough-memory",
                message=(
                    f"the densities of {self.n_features:,} features of {table.n_samples:,} samples in "
                    f"{self.posterior.n_classes:,} classes need {needed / 2**30:.1f} GiB, more than "
                    f"{STATE_BYTES / 2**30:g} GiB"
                ),
                advice="bin the columns ({binning}), or give fewer",
                fix={"binning": "mdl"},
            )
        self._alone = np.zeros((self.n_features, row))
        self._given = np.zeros((self.n_features if pairwise else 0, row))
        self._chosen: list[int] = []
        run_blocks(self._fill_alone, np.flatnonzero(self.varies).tolist(), table.n_jobs)

    def alone(self) -> Floats:
        return self.values(np.arange(self.n_features))

    def values(self, candidates: Columns) -> Floats:
        posterior = self.posterior
        (state, exponent) = self._state()
        true_class = np.empty(self.n_features)
        mixed = np.empty(self.n_features)

        def mix(feature: int) -> None:
            true_class[feature] = posterior.true_class(state[feature].reshape(posterior.shape)).sum() * exponent
            part = mixed[feature : feature + 1]
            _native.state_sums(posterior.kernel, *posterior.weighted, exponent, state[feature], part)

        run_blocks(mix, candidates.tolist(), self.table.n_jobs)
        return posterior.bounds(true_class[candidates], mixed[candidates])

    def add(self, feature: int) -> None:
        state, exponent = self._state()
        self.posterior.multiply(state[feature].reshape(self.posterior.shape) * exponent)
        self._chosen.append(feature)
        if self.pairwise and self.varies[feature]:
            margins = self._margins(feature)
            left = np.setdiff1d(np.flatnonzero(self.varies), self._chosen)
            run_blocks(lambda other: self._add_given(int(other), feature, margins), left.tolist(), self.table.n_jobs)

    def restart(self) -> None:
        super().restart()
        self._given[:] = 0
        self._chosen = []

    def _state(self) -> tuple[Floats, float]:
        """The logarithms of a candidate's likelihoods given S, up to an exponent, and that exponent."""
        if self.pairwise and self._chosen:
            return self._given, 1 / len(self._chosen)
        return self._alone, 1.0

    def _fill_alone(self, j: int) -> None:
        table = self.table
        dimensions = int(self.table.numeric[j])
        for c, points in enumerate(np.diff(table.ends).tolist()):
            logs = table.log_sums(self.posterior.kernel, c, j, -1, dimensions)
            self._put(self._alone, j, c, logs + (table.log_height(j, c, dimensions) - log2(points)))

    def _margins(self, chosen: int) -> dict[int, list[Floats]]:
        """Of the chosen feature, the sums of its kernels in each class, by the dimensions of the joint estimate."""
        table = self.table
        classes = range(self.posterior.n_classes)
        of_chosen = int(table.numeric[chosen])
        return {
            dimensions: [table.log_sums(self.posterior.kernel, c, chosen, -1, dimensions) for c in classes]
            for dimensions in (of_chosen, of_chosen + 1)
        }

    def _add_given(self, j: int, chosen: int, margins: dict[int, list[Floats]]) -> None:
        table = self.table
        dimensions = int(table.numeric[j]) + int(table.numeric[chosen])
        for c in range(self.posterior.n_classes):
            margin = margins[dimensions][c]
            logs = table.log_sums(self.posterior.kernel, c, j, chosen, dimensions)
            seen = np.isfinite(margin)
            logs[seen] += table.log_height(j, c, dimensions) - margin[seen]
            logs[~seen] = 0  # the likelihood of S is 0 in this class already
            self._put(self._given, j, c, logs)

    def _put(self, state: Floats, j: int, c: int, logs: Floats) -> None:
        """Add a number a sample to the state of a feature."""
        padded = np.zeros(self.posterior.n_blocks * LANES)
        padded[: len(logs)] = logs
        state[j].reshape(self.posterior.shape)[:, c] += padded.reshape(-1, LANES)
