"""Information of pairs of columns that are apart, known for all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bitsieve.counts.apart import Apart
    from bitsieve.information.from_sums import SumInformation, SumPair

    Columns = NDArray[np.intp]


class ApartPairs:
    """What the columns that are apart from a pivot share with it: the same for all of one kind.

    Parameters
    ----------
    information : SumInformation
    sums : Apart

    Attributes
    ----------
    kind, of_kind : ndarray of int
        As :class:`~bitsieve.counts.apart.Apart` has them.
    """

    def __init__(self, information: SumInformation, sums: Apart) -> None:
        self.information, self.sums, self.kind, self.of_kind = information, sums, sums.kind, sums.of_kind

    def met(self, pivot: int, most: int) -> tuple[Columns, SumPair] | None:
        """The columns that are not apart from the pivot, and it with them; None if this is more than ``most`` codes."""
        found = self.sums.met(pivot, most)
        return None if found is None else (found[0], self.information.pair_of_sums(pivot, *found))

    def by_kind(self, pivot: int) -> SumPair:
        """The pivot with a column of every kind, as if it were apart from it."""
        return self.information.pair_of_sums(pivot, self.of_kind, self.sums.sums(pivot))
