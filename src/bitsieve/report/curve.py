"""The figure of how much the first features of a ranking tell together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.report.display import Display
from bitsieve.report.style import BLUE, GREY, INK
from bitsieve.selection.curve import Curve, information_curve, ranked_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bitsieve.selection.evidence import Evidence

FEW = 40  # features up to which each has its dot


class CurveDisplay(Display):
    """The information I(X1, ..., Xk; C) of the first k features together, against k, in bits.

    A shaded step from the joint information of the first k - 1 features up to what feature k would add by chance: a
    point within it adds no more than its values would in another order. The number that was selected is marked.

    Parameters
    ----------
    curve : Curve
        Columns in order of choice, their joint information, and what chance would add.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = bitsieve.CurveDisplay.from_selection(bitsieve.select(X, y, n_features_to_select=2))
    >>> display.curve.joint.round(2).tolist(), round(display.curve.class_entropy, 2)
    ([1.38, 1.43, 1.47, 1.48], 1.58)
    """

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    @classmethod
    def of(cls, selector: Any, evidence: Evidence) -> Self:
        """The curve of the selected features, and of those that come next where the method ranks more.

        Parameters
        ----------
        selector : selector
        evidence : Evidence

        Returns
        -------
        CurveDisplay
        """
        order = ranked_on(selector, evidence.counted)
        return cls(information_curve(evidence.information, order, len(evidence.selected)))

    def _height(self) -> float:
        return 3.2

    def _draw(self, ax: Axes) -> None:
        """The curve."""
        from matplotlib.ticker import MaxNLocator

        curve = self.curve
        numbers = np.arange(1, len(curve.joint) + 1)
        before = np.r_[0.0, curve.joint[:-1]]
        ax.bar(numbers, curve.chance - before, bottom=before, width=0.8, color=GREY, alpha=0.5, label="by chance")
        dots: dict[str, Any] = {"marker": "o", "markersize": 4} if len(numbers) <= FEW else {}
        ax.plot(numbers, curve.joint, color=BLUE, lw=1.6, label="joint information", **dots)
        k = curve.n_selected
        ax.plot([k], [curve.joint[k - 1]], "o", ms=9, color=BLUE, mec=INK, mew=1.3, label=f"selected: {k:,}", zorder=5)
        ax.axhline(curve.class_entropy, color=INK, lw=1.2, ls=(0, (4, 3)), label="H(C)")
        ax.set_ylim(0, 1.06 * curve.class_entropy)
        ax.set_xlim(0.4, len(numbers) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.grid(axis="y")
        ax.set_xlabel("number of features")
        ax.set_ylabel("information (bits)")
        ax.figure.legend(loc="outside upper left", ncols=4, handlelength=1.4, columnspacing=1.2)
