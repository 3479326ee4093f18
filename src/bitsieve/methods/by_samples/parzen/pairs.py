"""Entropies of columns and mutual information of pairs of them by Parzen windows.

    p(x)       = mean_i N(x - x_i; 0, h^2 (S + ridge I))
    H(f)       = -mean_n log2 p(f_n)             every sample is also a point (resubstitution)
    I(fi;fj)   = H(fi) + H(fj) - H(fi,fj)        one dimension's width for H(f), two dimensions' for H(fi,fj)

S is the sample covariance (n - 1) of the points used. The ridge, 1e-6, keeps duplicate columns, columns that do not
vary within a class, and fewer points than dimensions from a singular covariance. Kernels are spread over a grid that is
right to 1e-11 (native/parzen.hpp), in place of n^2 of them.

N. Kwak, C.-H. Choi, "Input feature selection by mutual information based on Parzen window", IEEE Transactions on
Pattern Analysis and Machine Intelligence 24(12), 2002. doi:10.1109/TPAMI.2002.1114861
"""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.common.arrays import Columns, Floats, Progress
from bitsieve.common.lazy import cached_property
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks

BANDWIDTHS = ("scott", "log")
RIDGE = 1e-6
MOST_NODES = 1 << 24  # of a grid: 128 MiB; wider ones are summed kernel by kernel
CHUNK = 32  # columns beside one, in one native call


def width(bandwidth: str | float, n_points: int, dimensions: int) -> float:
    """The width h of the windows, in standard deviations; of a single point 1."""
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    if n_points < 2:
        return 1.0
    return 1 / log(n_points) if bandwidth == "log" else float(float(n_points) ** (-1 / (dimensions + 4)))


def centred(values: Floats) -> Floats:
    """Rows less their means."""
    return np.asarray(values - (np.add.reduce(values, axis=1) / values.shape[1])[:, None])


def covariances(rows: Floats, row: Floats) -> Floats:
    """Sample covariances of centred rows with one centred row; 0 of a single point."""
    return np.asarray(np.add.reduce(rows * row, axis=1) / max(rows.shape[1] - 1, 1))


def pivot(variance: float, explained: float = 0.0) -> float:
    """The diagonal of the triangular factor: the root of a variance and the ridge, less what others explain of it."""
    return sqrt(max(variance + RIDGE - explained, RIDGE))


class ParzenPairs:
    """Pairs of standardised columns, or of some samples of these, as rows: shape (n_features, n_samples)."""

    def __init__(self, values: Floats, bandwidth: str | float = "scott", n_jobs: int | None = None) -> None:
        self.values = np.ascontiguousarray(centred(values))
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
            for place in np.flatnonzero((others < i) & self.varies[others]):
                out[place] = self._beginning_with(int(others[place]), np.array([i]))[0]
            above = np.flatnonzero((others >= i) & self.varies[others])
            out[above] = self._beginning_with(i, others[above])
        return out

    def _beginning_with(self, i: int, others: Columns) -> Floats:
        out, entropy, first = np.empty(len(others)), self.entropy, float(self._pivots[i])
        for start in range(0, len(others), CHUNK):
            some = others[start : start + CHUNK]
            values = self.values[some]
            loads = covariances(values, self.values[i]) / first
            pivots = np.array(
                [pivot(*pair) for pair in zip(self._variances[some].tolist(), (loads**2).tolist(), strict=True)]
            )
            unit = 1 / (self._beside * first)
            sums = self._sums(self.values[i], values, unit, loads / first, 1 / (self._beside * pivots))
            heights = np.array([_native.log2(2 * pi * self._beside / unit * own) for own in pivots.tolist()])
            joint = self._log_samples + heights - sums / self.n_samples
            out[start : start + CHUNK] = entropy[i] + entropy[some] - joint
        return out

    def _sums(self, first: Floats, others: Floats, unit: float, slope: Floats, scale: Floats) -> Floats:
        out = np.empty(len(others))
        _native.grid_log_sums(self._kernel, first, others, unit, slope, scale, MOST_NODES, out)
        return out

    def relevance_row(self, i: int, others: Columns) -> Floats:
        """W of a column with others: :func:`relative_information`, 0 with itself."""
        found = relative_information(self.information(i, others), self.entropy[others] + self.entropy[i])
        found[others == i] = 0.0
        return found

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
