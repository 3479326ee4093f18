"""Multidimensional interaction information I(f1..fm;C) by Parzen windows within each class, one feature after another.

    p(f) = sum_c P(c) p(f|c),   I(F;C) = mean_n log2 [p(f_n|c_n) / p(f_n)]               ("parzen")
                                I(F;C) = H(C) - mean_n H(C|f_n),  P(c|f) = P(c) p(f|c) / p(f)   ("parzen-posterior")
    I(F;C) ~ sum_i I(fi;C) - sum_{i<j} I(fi;fj) + sum_{i<j} sum_c P(c) I_c(fi;fj)        ("second-order")

The covariance of each class is factored as ``L L'`` once: a further feature adds one row to L, and one coordinate to
the samples, in which the windows are round. The distances in the coordinates before are shared by all candidates.

B. Guo, M. S. Nixon, "Gait feature subset selection by mutual information", IEEE Transactions on Systems, Man and
Cybernetics A 39(1), 2009. doi:10.1109/TSMCA.2008.2007977
"""

from __future__ import annotations

import itertools
from math import log2, sqrt

import numpy as np

from bitsieve import _native
from bitsieve.common.arrays import Columns, Floats, Integers
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.parzen.pairs import RIDGE, ParzenPairs, covariances, width

PART_BYTES = 64 << 20
QUERIES = 256  # samples in one native call
TO_POWERS_OF_2 = sqrt(0.5 / np.log(2.0))  # exp(-u^2 / 2) = 2^(-(TO_POWERS_OF_2 u)^2)
LOG_2_PI = log2(2 * np.pi)
PRODUCT = 32  # factors of at most 2^16 in one logarithm
COLUMNS = 8  # in one block of work of the second order


class _ClassFactor:
    """The factored covariance of one class, and all samples in the coordinates it makes."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.loads: list[Floats] = []  # the rows of L left of the diagonal
        self.pivots: list[float] = []

    @property
    def n_points(self) -> int:
        return self.last - self.first

    def extend(self, values: Floats, coordinates: Floats, centred_rows: Floats) -> tuple[Floats, Floats, Floats]:
        """Loads, pivots and the new coordinate of each of some features beside the chosen ones.

        ``values`` are theirs for all samples; ``coordinates`` the shared ones, ``centred_rows`` the class's own values
        of the chosen features.
        """
        own = values[:, self.first : self.last]
        own = own - (np.add.reduce(own, axis=1) / self.n_points)[:, None]
        loads = np.empty((len(self.pivots), len(values)))
        explained, rest = np.zeros(len(values)), values
        for k, (before, diagonal) in enumerate(zip(self.loads, self.pivots, strict=True)):
            known = np.add.reduce(before[:, None] * loads[:k], axis=0)
            loads[k] = (covariances(own, centred_rows[k]) - known) / diagonal
            explained += loads[k] ** 2
            rest = rest - loads[k][:, None] * coordinates[k]
        variances = np.add.reduce(own**2, axis=1) / max(self.n_points - 1, 1)
        pivots = np.sqrt(np.maximum(variances + RIDGE - explained, RIDGE))
        return loads, pivots, rest / pivots[:, None]


class JointInformation:
    """I(S + f;C) of candidates f beside a set S of chosen features that grows: "parzen", or "parzen-posterior".

    ``values`` are standardised columns, shape (n_features, n_samples), samples sorted by class; no class size is 0.
    """

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
        self.bandwidth, self.n_jobs, self.posterior = bandwidth, n_jobs, posterior
        self.n_samples = values.shape[1]
        ends = np.concatenate([[0], np.cumsum(class_sizes)]).tolist()
        self._classes = [_ClassFactor(a, b) for a, b in itertools.pairwise(ends)]
        self._coordinates = [np.empty((0, self.n_samples)) for _ in self._classes]
        self._rows = [np.empty((0, each.n_points)) for each in self._classes]
        self._codes = np.repeat(np.arange(len(self._classes)), class_sizes)
        self._kernel = choose_kernel().name
        self._log_shares = np.array([_native.log2(each.n_points / self.n_samples) for each in self._classes])

    @property
    def n_chosen(self) -> int:
        """Number of features in S."""
        return len(self._coordinates[0])

    def add(self, feature: int) -> None:
        for c, each in enumerate(self._classes):
            values = self.values[feature : feature + 1]
            loads, pivots, coordinate = each.extend(values, self._coordinates[c], self._rows[c])
            each.loads.append(loads[:, 0])
            each.pivots.append(float(pivots[0]))
            own = values[:, each.first : each.last]
            self._rows[c] = np.vstack([self._rows[c], own - np.add.reduce(own, axis=1) / each.n_points])
            self._coordinates[c] = np.vstack([self._coordinates[c], coordinate])

    def information(self, candidates: Columns) -> Floats:
        part = max(1, PART_BYTES // (8 * len(self._classes) * self.n_samples))
        parts = [self._some(candidates[a : a + part]) for a in range(0, len(candidates), part)]
        return np.concatenate([np.empty(0), *parts])

    def _some(self, candidates: Columns) -> Floats:
        """The information of so many candidates as are looked at together."""
        logs = np.empty((len(self._classes), len(candidates), self.n_samples))
        heights = np.empty((len(self._classes), len(candidates)))
        dimensions, blocks = self.n_chosen + 1, []
        for c, each in enumerate(self._classes):
            h = width(self.bandwidth, each.n_points, dimensions)
            _, pivots, own = each.extend(self.values[candidates], self._coordinates[c], self._rows[c])
            scale = TO_POWERS_OF_2 / h
            shared, own = scale * self._coordinates[c], scale * own
            height = -_native.log2(float(each.n_points)) - dimensions * (LOG_2_PI / 2 + _native.log2(h))
            height -= sum(_native.log2(diagonal) for diagonal in each.pivots)
            heights[c] = [height - _native.log2(diagonal) for diagonal in pivots.tolist()]
            blocks += [(c, shared, own, start) for start in range(0, self.n_samples, QUERIES)]

        def fill(block: tuple[int, Floats, Floats, int]) -> None:
            c, shared, own, start = block
            stop, each = min(start + QUERIES, self.n_samples), self._classes[c]
            _native.joint_log_sums(self._kernel, shared, own, each.first, each.last, start, stop, logs[c])

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
        own = joint[self._codes, np.arange(self.n_samples)]
        return float(entropy + np.add.reduce(own) / self.n_samples - log_mixed)


def mean_log2(values: Floats) -> float:
    """The mean of log2 of numbers from 1 to 2^16, by logarithms of products."""
    products = np.multiply.reduceat(values, np.arange(0, len(values), PRODUCT))
    return float(sum(map(_native.log2, products.tolist())) / len(values))


class SecondOrderInformation:
    """The second-order approximation for S + f, with the parameters of :class:`JointInformation`.

    Cost: with m features chosen, a candidate takes 2 pairs with each once, and n^2 kernels once.
    """

    def __init__(
        self, values: Floats, class_sizes: Integers, bandwidth: str | float = "scott", n_jobs: int | None = None
    ) -> None:
        ends = np.concatenate([[0], np.cumsum(class_sizes)]).tolist()
        self._n_jobs = n_jobs
        self._alone = JointInformation(values, class_sizes, bandwidth, n_jobs)
        self._pairs = ParzenPairs(values, bandwidth, n_jobs)
        self._within = [
            (size / values.shape[1], ParzenPairs(values[:, a:b], bandwidth, n_jobs))
            for a, b, size in zip(ends[:-1], ends[1:], class_sizes.tolist(), strict=True)
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

        def bring_up(some: Columns) -> None:
            for place, other in enumerate(self._chosen):
                behind = some[self._counted[some] <= place]
                if len(behind):
                    self._scores[behind] += self._added(behind, other)
            self._counted[some] = len(self._chosen)

        run_blocks(bring_up, [candidates[a : a + COLUMNS] for a in range(0, len(candidates), COLUMNS)], self._n_jobs)
        return self._reached + self._scores[candidates]

    def _added(self, features: Columns, other: int) -> Floats:
        """What a chosen feature adds to the score of others: - I(f;s) + sum_c P(c) I_c(f;s)."""
        out = -self._pairs.information(other, features)
        for share, pairs in self._within:
            out += share * pairs.information(other, features)
        return out
