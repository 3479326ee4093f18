"""The second-order approximation of multidimensional interaction information, by Parzen windows.

    I(F;C) ~ sum_i I(fi;C) - sum_{i<j} I(fi;fj) + sum_{i<j} sum_c P(c) I_c(fi;fj)

It sees no interaction of three features or more with the class that no two of them have.

B. Guo, M. S. Nixon, "Gait feature subset selection by mutual information", IEEE Transactions on Systems, Man and
Cybernetics A 39(1), 2009. doi:10.1109/TSMCA.2008.2007977
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.counts.blocks import run_blocks
from bitsieve.methods.by_samples.parzen.joint import JointInformation
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Columns = NDArray[np.intp]

COLUMNS = 8  # in one block of work


class SecondOrderInformation:
    """The approximation for S + f, of candidates f beside a set S of chosen features that grows.

    Parameters are those of :class:`bitsieve.methods.by_samples.parzen.joint.JointInformation`. Cost: with m features chosen, a
    candidate takes 2 pairs with each once, and n^2 kernels once.
    """

    def __init__(
        self,
        values: Floats,
        class_sizes: NDArray[np.int64],
        bandwidth: str | float = "scott",
        n_jobs: int | None = None,
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
        """Put a feature into S."""
        self._reached = float(self.information(np.array([feature]))[0])
        self._chosen.append(feature)

    def information(self, candidates: Columns) -> Floats:
        """The approximation for S + f of every candidate f, in bits."""
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
