"""Entropy and information of single columns and of pairs, on a grid with an error of 1e-11.

The sums of kernels are those of native/samples/parzen.hpp.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.parzen.windows import covariances, pivot, width
from bitsieve.utils.arrays import Columns, Floats, Progress
from bitsieve.utils.lazy import cached_property

MAX_NODES = 1 << 24  # of a grid: 128 MiB; where it would be larger, kernels are summed one by one
PARTNERS_AT_ONCE = 32  # columns that are paired with one column in one native call


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
            log_volumes = np.array([_native.log2(2 * pi * h / first_scale * p) for p in pivots.tolist()])
            joint_entropy = self._log_samples + log_volumes - sums / self.n_samples
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
