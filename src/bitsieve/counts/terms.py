"""Entropy terms in fixed point: ``T[c] = round(c * log2(c) * 2**shift)``.

Every entropy is ``log2 N - sum(T over cells) / (N * 2**shift)``: an integer sum, free of order, so equal tables
give equal bits on every machine. The definition in plain Python is :func:`bitsieve.counts.reference.term`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bitsieve import _native
from bitsieve.counts import Integers

TABLE_LIMIT = 1 << 17  # 1 MiB: cells beyond it are so few that their terms are computed afresh
MAX_SAMPLES = 1 << 31


@dataclass(frozen=True)
class Terms:
    """The terms of tables of ``n_samples`` samples.

    ``table`` holds ``T[0], T[1], ...`` as far as it reaches; kernels compute the terms beyond. What ``T[1]`` holds, 0
    by the formula, they add to those: an estimator may price every cell that is not empty.
    """

    n_samples: int
    shift: int  # the largest with ``N log2(N) 2**shift < 2**62``
    table: Integers

    def sum(self, counts: Integers) -> int:
        """Sum of the terms of all cells of ``counts`` (contiguous int64, any shape)."""
        return _native.sum_terms(counts.reshape(-1), self.table, self.shift)

    @property
    def per_bit(self) -> float:
        """The sum of terms that amounts to one bit: ``N * 2**shift``, exact in float64."""
        return self.n_samples * 2.0**self.shift


@lru_cache(maxsize=8)
def entropy_terms(n_samples: int, limit: int = TABLE_LIMIT) -> Terms:
    """The :class:`Terms` of ``n_samples``, with a table of at most ``limit`` entries (kept for the next call)."""
    table = _native.term_table(n_samples, min(n_samples + 1, limit))
    table.flags.writeable = False
    return Terms(n_samples, _native.term_shift(n_samples), table)
