"""Sums of pairs reduced to one number a feature: the least over the features chosen so far, for lazy searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bitsieve import _native
from bitsieve.common.ties import TIE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.counts.packed import PackedSource
    from bitsieve.counts.terms import Terms


class Minima(Protocol):
    """For every feature i the least ``S_isc - S_is + offset_s`` over the features s that were added.

    A source computes only those that may be the largest.
    """

    def add(self, feature: int, offset: int) -> None:
        """One more s."""

    def largest(self, candidates: NDArray[np.bool_]) -> tuple[int, int]:
        """The candidate of the largest minimum, by the one tie rule, and that minimum."""


class PackedMinima:
    """The same in native code, for features that are all kept as bit planes.

    Parameters
    ----------
    source : PackedSource
    terms : Terms
    start : ndarray of int64, shape (n_features,)
        Bounds of the minima from above.
    """

    def __init__(self, source: PackedSource, terms: Terms, start: NDArray[np.int64]) -> None:
        self.source = source
        self.native = _native.Minima(source.packed, terms.table, terms.shift, start, terms.per_bit, TIE)

    def add(self, feature: int, offset: int) -> None:
        """One more s."""
        self.native.add(feature, offset)

    def largest(self, candidates: NDArray[np.bool_]) -> tuple[int, int]:
        """The candidate of the largest minimum, by the one tie rule, and that minimum."""
        reached: list[int] = []
        groups = self.source.layout.all_groups
        self.source.run_groups(
            lambda block: reached.append(self.native.largest(candidates, int(block[0]), int(block[-1]) + 1)),
            self.source.layout.seconds(1, groups),
            groups,
        )
        return self.native.first_at(candidates, max(reached))
