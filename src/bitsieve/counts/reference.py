"""The definition of correct: counts and entropy terms in plain Python and numpy, for tests and for reading.

Every other source and every kernel must return these very integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext

import numpy as np
from numpy.typing import ArrayLike

from bitsieve.counts.source import CodedSource
from bitsieve.utils.arrays import Integers


class NaiveSource(CodedSource):
    """The simplest source of counts: it gives what a source must and nothing more.

    Codes of shape (n_samples, n_features), classes, and weights (how many times each row counts) are arrays of int.
    """

    def __init__(
        self,
        codes: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        row_codes = np.asarray(codes, np.int64)
        row_classes = np.zeros(len(row_codes), np.int64) if classes is None else np.asarray(classes, np.int64)
        row_weights = 1 if weights is None else np.asarray(weights)
        self._codes = np.repeat(row_codes, row_weights, axis=0)
        self.sample_classes = np.repeat(row_classes, row_weights)
        self.n_samples, self.n_features = self._codes.shape
        self.arities = self._codes.max(axis=0).astype(np.int32) + np.int32(1)
        self.class_sizes = np.bincount(self.sample_classes, minlength=n_classes or 0)
        self.n_classes = len(self.class_sizes)
        self.n_jobs = n_jobs

    def codes(self, feature: int) -> Integers:
        return self._codes[:, feature]

    def relabelled(self, labelings: Sequence[Integers]) -> list[NaiveSource]:
        return [NaiveSource(self._codes, labels, n_jobs=self.n_jobs) for labels in labelings]


def term_shift(n_samples: int) -> int:
    """The largest s with ``N log2(N) 2**s < 2**62`` (N = 1 takes the shift of N = 2)."""
    n = max(n_samples, 2)
    with localcontext() as context:
        context.prec = 60
        size = n * Decimal(n).ln() / Decimal(2).ln()
        shift = 0
        while size * 2 ** (shift + 1) < 2**62:
            shift += 1
    return shift


def term(count: int, shift: int) -> int:
    """``round(c log2(c) 2**shift)``, by 60-digit decimal arithmetic."""
    if count < 2:
        return 0
    with localcontext() as context:
        context.prec = 60
        value = count * (Decimal(count).ln() / Decimal(2).ln()) * 2**shift
        return int(value.to_integral_value(ROUND_HALF_UP))
