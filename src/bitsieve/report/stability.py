"""The figure of stability selection: how often every column was chosen, and the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bitsieve.common.parameters import check_integer
from bitsieve.report.figures import require_matplotlib
from bitsieve.report.weights import CHOSEN, LEFT, LONG, MOST_NAMED, SIZE, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_stability(selector: Any, *, ax: Axes | None = None, n_names: int = 5) -> Axes:
    """Draw the share of fits in which every column was chosen, by rank, and the threshold.

    Parameters
    ----------
    selector : StabilitySelector
        Fitted.
    ax : matplotlib Axes, optional
        To draw into; by default a new figure, ``ax.figure``, which needs no display.
    n_names : int, default=5
        How many of the most frequent columns are named.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig("stability.pdf")`` saves it.

    Raises
    ------
    ValueError
        The selector has no frequencies, or matplotlib is not installed (``pip install 'bitsieve[report]'``).

    Examples
    --------
    >>> from bitsieve import ForwardSelector, StabilitySelector, plot_stability
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelector(ForwardSelector(1), n_pairs=5, threshold=0.6).fit(X, y)
    >>> ax = plot_stability(stable, n_names=1)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('rank', 'share of halves')
    """
    require_matplotlib()
    check_is_fitted(selector)
    if not hasattr(selector, "frequencies_"):
        raise ValueError(f"{type(selector).__name__} has no frequencies: give a fitted StabilitySelector")
    check_integer("n_names", n_names, 0, MOST_NAMED)
    import matplotlib
    from matplotlib.figure import Figure

    order = np.argsort(-selector.frequencies_, kind="stable")
    shares, k = selector.frequencies_[order], len(selector.selected_)
    ranks = np.arange(1, len(shares) + 1)
    names = getattr(selector, "feature_names_in_", None)
    with matplotlib.rc_context(STYLE):
        if ax is None:
            ax = Figure(figsize=SIZE, dpi=150, layout="constrained").add_subplot()
        bound = f"{k:,} kept, at most {selector.expected_false_:.2g} false expected"
        ax.plot(ranks[:k], shares[:k], color=CHOSEN, marker="o", markersize=3.5, linestyle="none", label=bound)
        ax.plot(ranks[k:], shares[k:], color=LEFT, marker="o", markersize=2.5, linestyle="none")
        ax.axhline(selector.threshold_, color=CHOSEN, linewidth=0.8, linestyle=(0, (3, 3)))
        for place, column in enumerate(order[:n_names].tolist()):
            name = f"x{column}" if names is None else str(names[column])
            ax.annotate(f" {name}", (place + 1, shares[place]), xytext=(3, 2), textcoords="offset points", fontsize=7)
        if len(shares) > LONG:
            ax.set_xscale("log")
        ax.set_ylim(-0.03, 1.08)
        ax.set_xlabel("rank")
        ax.set_ylabel("share of halves")
        ax.legend(loc="upper right")
    return ax
