"""The figure of a global method: every feature's weight by its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bitsieve.common.parameters import check_integer
from bitsieve.report.figures import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHOSEN, LEFT = "#0072B2", "#8A8A8A"  # told apart in grey and by most colour-blind readers
SIZE = 4.6, 3.0  # inches: a column and a half of a paper
FEW = 60  # ranks of which each has its dot
LONG = 300  # ranks from which their axis is logarithmic: the selected part would be a sliver
MOST_NAMED = 50
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.9,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def plot_weights(selector: Any, *, ax: Axes | None = None, n_names: int = 5) -> Axes:
    """Draw the weight of every feature by its rank, the selected ones marked.

    Parameters
    ----------
    selector : estimator
        Fitted, of a method that weighs all features at once, such as :class:`bitsieve.SpecCMI`.
    ax : matplotlib Axes, optional
        To draw into; by default a new figure, ``ax.figure``, which needs no display.
    n_names : int, default=5
        How many of the first features are named.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig("weights.pdf")`` saves it.

    Raises
    ------
    ValueError
        The selector has no weights, or matplotlib is not installed (``pip install 'bitsieve[report]'``).

    Examples
    --------
    >>> from bitsieve import SpecCMI, plot_weights
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_weights(SpecCMI(2).fit(X, y), n_names=1)
    >>> ax.get_xlabel(), [text.get_text().strip() for text in ax.texts]
    ('rank', ['petal width (cm)'])
    """
    require_matplotlib()
    check_is_fitted(selector)
    if not hasattr(selector, "weights_"):
        raise ValueError(
            f"{type(selector).__name__} chooses without weights: give a fitted global method, such as SpecCMI"
        )
    check_integer("n_names", n_names, 0, MOST_NAMED)
    import matplotlib
    from matplotlib.figure import Figure

    order = np.argsort(selector.ranking_, kind="stable")
    weights = np.asarray(selector.weights_)[order]
    with matplotlib.rc_context(STYLE):
        if ax is None:
            ax = Figure(figsize=SIZE, dpi=150, layout="constrained").add_subplot()
        _draw(ax, weights, len(selector.selected_), _caption(selector))
        _name(ax, weights, _names(selector, order[: min(n_names, len(order))]))
    return ax


def _draw(ax: Axes, weights: np.ndarray, k: int, caption: str) -> None:
    n = len(weights)
    ranks = np.arange(1, n + 1)
    dots: dict[str, Any] = {"marker": "o", "markersize": 3.5}
    ax.fill_between(ranks[:k], weights[:k], color=CHOSEN, alpha=0.15, linewidth=0)
    ax.plot(ranks[:k], weights[:k], color=CHOSEN, linewidth=1.6, label=caption, **dots)
    if k < n:
        few = dots if n <= FEW else {}
        ax.plot(ranks[k:], weights[k:], color=LEFT, linewidth=1.2, label=f"{n - k:,} others", **few)
    ax.axvline(k + 0.5, color=CHOSEN, linewidth=0.8, linestyle=(0, (3, 3)))
    ax.set_xlim(0.5, n + 0.5)
    middle = weights[n // 2]
    if n > LONG:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlim(1 / 1.1, 1.1 * n)
        middle = weights[int(n**0.5)]
    ax.set_ylim(bottom=min(0.0, 1.05 * float(weights.min())))
    ax.set_xlabel("rank")
    ax.set_ylabel("weight (no unit)")
    ax.legend(loc="lower right" if 2 * middle > weights.max() else "upper right")  # where the curve is not


def _caption(selector: Any) -> str:
    """The selected part in words; its objective in bits where the method has one."""
    objective = getattr(selector, "objective_", None)
    told = f", x'Qx = {objective:.4g} bits" if objective is not None else ""
    return f"{len(selector.selected_):,} selected{told}"


def _names(selector: Any, columns: np.ndarray) -> list[str]:
    known = getattr(selector, "feature_names_in_", None)
    return [f"x{j}" if known is None else str(known[j]) for j in columns]


def _name(ax: Axes, weights: np.ndarray, names: list[str]) -> None:
    for place, name in enumerate(names):
        ax.annotate(
            f" {name}",
            (place + 1, weights[place]),
            xytext=(3, 4),
            textcoords="offset points",
            fontsize=7,
            rotation=50,
            rotation_mode="anchor",
            annotation_clip=False,
        )
