"""What a source of counts may say about the cost of counting. No hint changes a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
