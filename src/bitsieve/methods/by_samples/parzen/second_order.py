"""I(F;C) of several features F together, approximated by pairs of features.

    I(F;C) ~ sum_i I(fi;C) - sum_{i<j} I(fi;fj) + sum_{i<j} sum_c P(c) I_c(fi;fj)        ("second-order")

B. Guo, M. S. Nixon 2009, doi:10.1109/TSMCA.2008.2007977
"""

from __future__ import annotations

import itertools

import numpy as np

from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.parzen.joint import JointInformation
from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
from bitsieve.utils.arrays import Columns, Floats, Integers

COLUMNS_AT_ONCE = 8  # in one block of work


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
