"""Sums of entropy terms over contingency tables: the definition, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Columns = NDArray[np.intp]


class CostHints:
    """The hints of a source that says nothing of its costs; a source that knows more overrides them.

    Attributes
    ----------
    row_seconds : float
        A rough prediction of the time of one :meth:`CountSource.pair_sums` over all columns. With 0, methods count all
        candidates at once rather than ask often for a few.
    """

    row_seconds: float = 0.0

    def companions(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """``columns`` and those that are counted along with them at no extra cost."""
        return columns


class Apart(Protocol):
    """Pairs of columns that are apart: in every sample at least one of the two has its most frequent code.

    Attributes
    ----------
    kind : ndarray of int, shape (n_features,)
        Columns of one kind have the same sums: alone, and with every column from which they are apart.
    of_kind : ndarray of int, shape (n_kinds,)
        A column of every kind.
    """

    kind: Columns
    of_kind: Columns

    def met(self, pivot: int, most: int) -> tuple[Columns, Integers] | None:
        """The columns that are not apart from the pivot, and their ``S_xy``; the pivot itself may be among them.

        None where more than ``most`` codes are to be looked at.
        """

    def sums(self, pivot: int) -> Integers:
        """``S_xy`` of the pivot with a column of every kind from which it is apart; of no meaning if there is none."""
