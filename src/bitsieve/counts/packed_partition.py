"""Samples in strata that agree on a growing set of columns, counted in memory by the native engine.

Strata of one sample are dropped: they tell nothing. Cost: refining and a sum read every sample that is left once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bitsieve.counts.packed import MemoryCounts

SECONDS_A_SAMPLE = 3e-9  # of one column: measured, a table of few codes


class MemoryStrata:
    """Strata of the samples of a :class:`~bitsieve.counts.packed.MemoryCounts`.

    Parameters
    ----------
    source : MemoryCounts
    order, starts : ndarray, optional
        Samples in class order, stratum by stratum, and where each stratum starts; by default one stratum of all.
    """

    def __init__(
        self,
        source: MemoryCounts,
        order: NDArray[np.uint32] | None = None,
        starts: NDArray[np.int64] | None = None,
    ) -> None:
        self.source = source
        self.order = np.arange(source.n_samples, dtype=np.uint32) if order is None else order
        self.starts = np.array([0, source.n_samples], np.int64) if starts is None else starts

    @property
    def n_kept(self) -> int:
        """Samples in strata of at least two."""
        return len(self.order)

    def refine(self, feature: int) -> MemoryStrata:
        """The strata split by one more feature."""
        return MemoryStrata(self.source, *self.source.packed.refine(self.order, self.starts, feature))

    def alone(self) -> tuple[int, int]:
        """``S_z`` and ``S_zc``: over the strata, and over strata and classes."""
        terms = self.source.terms
        return self.source.packed.strata_alone(terms.table, terms.shift, self.order, self.starts)

    def sums(self, columns: NDArray[np.intp] | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``S_xz`` and ``S_xzc`` of ``columns`` (None: all), in their order."""
        source, terms = self.source, self.source.terms
        xz, xzc = np.empty((2, source.n_features), np.int64)

        def work(units: NDArray[np.int64]) -> None:
            source.packed.stratum_sums(terms.table, terms.shift, self.order, self.starts, units, xz, xzc)

        units = source.units_of(columns)
        source.run_units(work, 8 * SECONDS_A_SAMPLE * self.n_kept * len(units), units)
        return (xz, xzc) if columns is None else (xz[columns], xzc[columns])

    def degrees_of_freedom(self, feature: int) -> int:
        """``(codes - 1) (classes - 1)`` over the codes and classes that occur in each stratum, summed."""
        return self.source.packed.degrees_of_freedom(self.order, self.starts, feature)

    def shuffled_sums(self, feature: int, seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """``S_xzc`` after each of several shuffles of the feature within the strata, one for every seed."""
        source, terms = self.source, self.source.terms
        out = np.empty(len(seeds), np.int64)

        def work(block: NDArray[np.int64]) -> None:
            first, last = int(block[0]), int(block[-1]) + 1
            source.packed.shuffled_sums(
                terms.table, terms.shift, self.order, self.starts, feature, seeds[first:last], out[first:last]
            )

        source.run_units(work, 3 * SECONDS_A_SAMPLE * self.n_kept * len(seeds), np.arange(len(seeds)))
        return out
