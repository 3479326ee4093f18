"""The bounds of mixed candidates: numbers by Gaussian kernel densities within each class, categories by frequencies.

With the samples j of class c, n_c of them, and the kernel k_f of column f::

    p(x_f|c)     = sum_j k_f(x_f - x_fj) / n_c
    p(x_f|x_s,c) = sum_j k_f(x_f - x_fj) k_s(x_s - x_sj) / sum_j k_s(x_s - x_sj)

    numbers     k(u) = exp(-u^2 / (2 w^2)) / (w sqrt(2 pi))     of the width w, see ``DensityTable``
    categories  k(u) = 1 if u = 0, else 0                       for the differences u of codes
"""

from __future__ import annotations

from math import log2, pi, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.counts.threads import run_blocks
from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.variational.bounds import LANES, Bound
from bitsieve.utils.arrays import Columns, Flags, Floats, Integers

MAX_LIKELIHOOD_BYTES = 4 << 30
CATEGORY_SCALE = 2.0**100  # 2^(-(CATEGORY_SCALE u)^2) is 1 for u = 0, and 0 for the other differences of codes
MIN_LOG_SUM = -1e30  # log2 of a sum of kernels; of categories that differ from all others it is smaller, and means 0
SCALE_OF_WIDTH_1 = sqrt(1 / (2 * float(np.log(2))))  # exp(-u^2 / 2) = 2^(-(SCALE_OF_WIDTH_1 u)^2)


class DensityTable:
    """Columns of numbers and of codes, with the widths of their kernels.

    The width of column f in class c is ``h s_fc``: s_fc the standard deviation of the column within the class, and h a
    number or, of n samples in D dimensions, ``n^(-1 / (D + 4))`` ("scott") or ``(4 / (D + 2) / n)^(1 / (D + 4))``
    ("silverman").

    Parameters
    ----------
    values : ndarray of float, shape (n_features, n_samples)
        The samples are sorted by class.
    numeric : ndarray of bool, shape (n_features,)
        Which columns are numbers; the others are codes.
    class_sizes : ndarray of int, shape (n_classes,)
    bandwidth : float, "scott" or "silverman"
        h.
    n_jobs : int or None
    """

    def __init__(
        self, values: Floats, numeric: Flags, class_sizes: Integers, bandwidth: str | float, n_jobs: int | None
    ) -> None:
        self.values = np.ascontiguousarray(values)
        self.numeric = numeric
        self.n_features, self.n_samples = values.shape
        self.varies = (values != values[:, :1]).any(axis=1)
        self.class_sizes = class_sizes
        self.class_offsets = np.concatenate([[0], np.cumsum(class_sizes)])
        self.bandwidth = bandwidth
        self.n_jobs = n_jobs
        self.deviations = np.ones((self.n_features, len(class_sizes)))  # 0 where a number does not vary in a class
        for feature in np.flatnonzero(numeric & self.varies):
            for c, values_of_class in enumerate(np.split(values[feature], self.class_offsets[1:-1])):
                varies_in_class = (values_of_class != values_of_class[0]).any()
                self.deviations[feature, c] = values_of_class.std(ddof=1) if varies_in_class else 0.0

    def log_kernel_at_zero(self, feature: int, c: int, n_dimensions: int) -> float:
        """``log2 k(0)`` of a feature in class c, as part of a density in so many dimensions."""
        if not self.numeric[feature]:
            return 0.0
        return -log2(self._width(feature, c, n_dimensions) * sqrt(2 * pi))

    def log_kernel_sums(self, kernel: str, feature: int, other: int | None, c: int, n_dimensions: int) -> Floats:
        """log2 of the sum of kernels at every sample, over the samples of class c.

        The kernels are those of a feature relative to its value at 0, ``k(u) / k(0)``, or where ``other`` is a feature
        the products with those of this one. ``kernel`` names the instruction set.
        """
        partner = None
        partner_scale = 0.0
        if other is not None:
            partner = self.values[other]
            partner_scale = self.scale(other, c, n_dimensions)
        first = int(self.class_offsets[c])
        last = int(self.class_offsets[c + 1])
        scale = self.scale(feature, c, n_dimensions)
        logs = np.empty(self.n_samples)
        _native.log_kernel_sums(kernel, self.values[feature], scale, partner, partner_scale, first, last, logs)
        logs[logs < MIN_LOG_SUM] = -np.inf
        return logs

    def scale(self, feature: int, c: int, n_dimensions: int) -> float:
        """The s for which the kernel of a feature in class c is ``k(u) / k(0) = 2^(-(s u)^2)``."""
        if not self.numeric[feature]:
            return CATEGORY_SCALE
        return SCALE_OF_WIDTH_1 / self._width(feature, c, n_dimensions)

    def _width(self, feature: int, c: int, n_dimensions: int) -> float:
        return self._relative_width(c, n_dimensions) * float(self.deviations[feature, c])

    def _relative_width(self, c: int, n_dimensions: int) -> float:
        """The width in standard deviations, h."""
        if not isinstance(self.bandwidth, str):
            return self.bandwidth
        power = -1 / (n_dimensions + 4)
        scott: float = float(self.class_sizes[c]) ** power
        if self.bandwidth == "scott":
            return scott
        silverman_ratio: float = (4 / (n_dimensions + 2)) ** -power
        return scott * silverman_ratio


class DensityBound(Bound):
    """Bounds of mixed columns, naive or pairwise.

    With ``pairwise`` the likelihood of a candidate f given the chosen features S is
    ``q(x_f|x_S,c) = prod_s p(x_f|x_s,c)^(1/#S)``, else ``p(x_f|c)``.
    """

    def __init__(self, table: DensityTable, *, pairwise: bool) -> None:
        super().__init__(table.varies, table.class_sizes)
        self.table = table
        self.pairwise = pairwise
        row_size = int(np.prod(self.posterior.shape))
        needed = 8 * row_size * self.n_features * (1 + pairwise)
        if needed > MAX_LIKELIHOOD_BYTES:
            raise UserError(
                code="not-enough-memory",
                message=(
                    f"the densities of {self.n_features:,} features of {table.n_samples:,} samples in "
                    f"{self.posterior.n_classes:,} classes need {needed / 2**30:.1f} GiB, more than "
                    f"{MAX_LIKELIHOOD_BYTES / 2**30:g} GiB"
                ),
                advice="bin the columns ({binning}), or give fewer",
                fix={"binning": "mdl"},
            )
        self._log_alone = np.zeros((self.n_features, row_size))  # log2 p(x_f|c), a feature a row
        self._log_given_chosen = np.zeros((self.n_features if pairwise else 0, row_size))  # sum_s log2 p(x_f|x_s,c)
        self._chosen: list[int] = []
        run_blocks(self._fill_alone, np.flatnonzero(self.varies).tolist(), table.n_jobs)

    def single_bounds(self) -> Floats:
        return self.values(np.arange(self.n_features))

    def values(self, candidates: Columns) -> Floats:
        posterior = self.posterior
        log_sums, exponent = self._log_likelihoods()
        true_class = np.empty(self.n_features)
        mixed = np.empty(self.n_features)

        def fill(feature: int) -> None:
            logs = log_sums[feature]
            true_class[feature] = posterior.true_class(logs.reshape(posterior.shape)).sum() * exponent
            mixed_of_feature = mixed[feature : feature + 1]  # a view, which is written to
            _native.state_sums(posterior.kernel, *posterior.weighted, exponent, logs, mixed_of_feature)

        run_blocks(fill, candidates.tolist(), self.table.n_jobs)
        return posterior.bounds(true_class[candidates], mixed[candidates])

    def add(self, feature: int) -> None:
        log_sums, exponent = self._log_likelihoods()
        self.posterior.multiply(log_sums[feature].reshape(self.posterior.shape) * exponent)
        self._chosen.append(feature)
        if not self.pairwise or not self.varies[feature]:
            return
        log_margins = self._log_margins(feature)
        others = np.setdiff1d(np.flatnonzero(self.varies), self._chosen)
        run_blocks(lambda other: self._add_given(int(other), feature, log_margins), others.tolist(), self.table.n_jobs)

    def restart(self) -> None:
        super().restart()
        self._log_given_chosen[:] = 0
        self._chosen = []

    def _log_likelihoods(self) -> tuple[Floats, float]:
        """Sums of logarithms, a feature a row, and the factor that makes them ``log2 q(x_f|x_S,c)``."""
        if self.pairwise and self._chosen:
            return self._log_given_chosen, 1 / len(self._chosen)
        return self._log_alone, 1.0

    def _fill_alone(self, feature: int) -> None:
        table = self.table
        n_dimensions = int(table.numeric[feature])
        for c, n_points in enumerate(table.class_sizes.tolist()):
            logs = table.log_kernel_sums(self.posterior.kernel, feature, None, c, n_dimensions)
            log_weight = table.log_kernel_at_zero(feature, c, n_dimensions) - log2(n_points)
            self._add_to_class(self._log_alone, feature, c, logs + log_weight)

    def _log_margins(self, chosen: int) -> dict[int, list[Floats]]:
        """log2 of the sums of the kernels of a chosen feature in each class, by the dimensions of the joint density."""
        table = self.table
        n_dimensions = int(table.numeric[chosen])
        log_margins = {}
        for n_joint_dimensions in (n_dimensions, n_dimensions + 1):  # with a category, with a number
            log_margins[n_joint_dimensions] = [
                table.log_kernel_sums(self.posterior.kernel, chosen, None, c, n_joint_dimensions)
                for c in range(self.posterior.n_classes)
            ]
        return log_margins

    def _add_given(self, feature: int, chosen: int, log_margins: dict[int, list[Floats]]) -> None:
        """Add ``log2 p(x_f|x_s,c)`` of a feature f given a chosen one s to the sums of f."""
        table = self.table
        n_dimensions = int(table.numeric[feature]) + int(table.numeric[chosen])
        for c in range(self.posterior.n_classes):
            log_margin = log_margins[n_dimensions][c]
            logs = table.log_kernel_sums(self.posterior.kernel, feature, chosen, c, n_dimensions)
            is_possible = np.isfinite(log_margin)
            logs[is_possible] += table.log_kernel_at_zero(feature, c, n_dimensions) - log_margin[is_possible]
            logs[~is_possible] = 0  # the likelihood of S is 0 in this class already
            self._add_to_class(self._log_given_chosen, feature, c, logs)

    def _add_to_class(self, log_sums: Floats, feature: int, c: int, logs: Floats) -> None:
        """Add a number for each sample to the sums of a feature in class c."""
        padded = np.zeros(self.posterior.n_blocks * LANES)
        padded[: len(logs)] = logs
        log_sums[feature].reshape(self.posterior.shape)[:, c] += padded.reshape(-1, LANES)
