"""The figure of a ranking: what each selected feature tells, new, told already, and only together with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.report.display import Display, selected_names
from bitsieve.report.style import BLUE, GREEN, GREY, INK, ORANGE, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from bitsieve.selection.evidence import Chance, Contribution, Evidence

MOST_BARS = 40


class RankingDisplay(Display):
    """What every selected feature tells about the target, as bars in bits beside H(C).

    The bar of a feature is its relevance I(X;C), of which a part may be told by one selected before it (redundancy),
    and then what it tells in addition together with one of those (complementarity). Its end is at most H(C).

    Parameters
    ----------
    names : sequence of str, length k
        In order of choice.
    contributions : Contribution
        Arrays of shape (k,), in bits.
    class_entropy : float
        H(C), in bits.
    chance : Chance, optional
        How relevant the best of all columns looks after the classes are shuffled, drawn as a band.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = bitsieve.RankingDisplay.from_selection(bitsieve.select(X, y, n_features_to_select=2))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['petal width (cm)', 'petal length (cm)']
    """

    def __init__(
        self, names: Sequence[str], contributions: Contribution, class_entropy: float, chance: Chance | None = None
    ) -> None:
        self.names, self.contributions = list(names), contributions
        self.class_entropy, self.chance = class_entropy, chance

    @classmethod
    def of(cls, selector: Any, evidence: Evidence) -> Self:
        """The contributions of the selected features.

        Parameters
        ----------
        selector : selector
        evidence : Evidence

        Returns
        -------
        RankingDisplay
        """
        entropy = evidence.information.class_entropy
        return cls(selected_names(evidence), evidence.contributions, entropy, evidence.chance)

    def _height(self) -> float:
        return 1.3 + 0.27 * min(len(self.names), MOST_BARS)

    def _draw(self, ax: Axes) -> None:
        """The bars of the first forty features."""
        k = min(len(self.names), MOST_BARS)
        relevance, redundancy, _, complementarity, _ = (np.asarray(part)[:k] for part in self.contributions)
        places = np.arange(k)
        bars: dict[str, Any] = {"height": 0.68}
        new = relevance - redundancy
        ax.barh(places, new, color=BLUE, label="new", **bars)
        ax.barh(places, redundancy, left=new, color=ORANGE, label="told already", **bars)
        ax.barh(places, complementarity, left=relevance, color=GREEN, label="only together", **bars)
        ax.axvline(self.class_entropy, color=INK, lw=1.2, ls=(0, (4, 3)), label="H(C)")
        if self.chance is not None and self.chance.best_high > 0:
            ax.axvspan(self.chance.best_low, self.chance.best_high, color=GREY, alpha=0.45, lw=0, label="by chance")
        ax.set_yticks(places, [shortened(name) for name in self.names[:k]])
        ax.set_ylim(k - 0.4, -0.6)
        ax.set_xlim(0, 1.04 * max(self.class_entropy, float(np.max(relevance + complementarity))))
        ax.grid(axis="x")
        ax.set_xlabel("information about the target (bits)")
        ax.figure.legend(loc="outside upper left", ncols=5, handlelength=1.2, columnspacing=1.2)
