"""The figure of the information that selected features share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.report.display import Display, selected_names
from bitsieve.report.style import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from bitsieve.selection.evidence import Evidence

MOST_SHOWN = 40
WRITTEN = 12  # features up to which every cell has its number


class RedundancyDisplay(Display):
    """The information I(Xi;Xj) that every two selected features share, as a heat map in bits.

    Parameters
    ----------
    names : sequence of str, length k
        In order of choice.
    shared : ndarray of shape (k, k)
        I(Xi;Xj) in bits; the diagonal is not drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = bitsieve.ForwardSelector(2).fit(X, y)
    >>> display = bitsieve.RedundancyDisplay.from_estimator(selector, X, y)
    >>> round(float(display.shared[0, 1]), 2)
    1.35
    """

    def __init__(self, names: Sequence[str], shared: NDArray[np.floating]) -> None:
        self.names, self.shared = list(names), np.asarray(shared)

    @classmethod
    def of(cls, selector: Any, evidence: Evidence) -> Self:
        """The information that the selected features share.

        Parameters
        ----------
        selector : selector
        evidence : Evidence

        Returns
        -------
        RedundancyDisplay
        """
        shared = evidence.information.mutual_information_matrix(columns=evidence.selected)
        return cls(selected_names(evidence), shared)

    def _height(self) -> float:
        return 1.6 + 0.24 * min(max(len(self.names), 5), MOST_SHOWN)

    def _draw(self, ax: Axes) -> None:
        """The heat map of the first forty features."""
        k = min(len(self.names), MOST_SHOWN)
        shown = np.ma.masked_array(self.shared[:k, :k], np.eye(k, dtype=bool))
        most = max(float(shown.max()) if k > 1 else 0.0, 1e-3)
        # Cells as shapes: an image would be a picture within the picture.
        mesh = ax.pcolormesh(shown, cmap="cividis", vmin=0.0, vmax=most, edgecolors="none")
        names = [shortened(name) for name in self.names[:k]]
        ax.set_yticks(np.arange(k) + 0.5, names)
        ax.set_xticks(np.arange(k) + 0.5, [str(rank) for rank in range(1, k + 1)])
        ax.set_xlabel("rank")
        ax.set_ylim(k, 0)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.figure.colorbar(mesh, ax=ax, label="shared information (bits)").outline.set_visible(False)
        for i, j in np.ndindex(k, k) if k <= WRITTEN else ():
            if i != j:
                colour = "#ffffff" if shown[i, j] < 0.55 * most else "#101010"
                ax.text(j + 0.5, i + 0.5, f"{shown[i, j]:.2f}", ha="center", va="center", fontsize=7, color=colour)
