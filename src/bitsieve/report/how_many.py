"""The figure of how many columns to take: what each choice adds, the band of chance, and where the rules end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.report.figures import COLOURS, require_matplotlib
from bitsieve.report.weights import CHOSEN, LEFT, SIZE, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bitsieve.evaluate.how_many import HowMany


def plot_how_many(found: HowMany, *, ax: Axes | None = None) -> Axes:
    """Draw the information that each choice adds, the band of chance around it, and the number that each rule takes.

    Parameters
    ----------
    found : HowMany
        Of :func:`bitsieve.how_many`.
    ax : matplotlib Axes, optional
        To draw into; by default a new figure, ``ax.figure``, which needs no display.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig("how_many.pdf")`` saves it.

    Raises
    ------
    ValueError
        matplotlib is not installed (``pip install 'bitsieve[report]'``).

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = bitsieve.plot_how_many(bitsieve.how_many(X, y, n_pairs=5))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('columns', 'bits added')
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    band = found.band
    places = np.arange(1, len(band.bits) + 1)
    style: dict[Any, Any] = STYLE
    with matplotlib.rc_context(style):
        if ax is None:
            ax = Figure(figsize=SIZE, dpi=150, layout="constrained").add_subplot()
        ax.fill_between(places, band.low, band.high, color=LEFT, alpha=0.35, linewidth=0, label="best by chance (90 %)")
        ax.plot(places, band.bits, color=CHOSEN, linewidth=1.4, marker="o", markersize=3.5, label="chosen")
        for place, answer in enumerate(found.answers):
            if answer.n_features is not None:
                label = f"{answer.rule}: {answer.n_features:,}"
                at = answer.n_features + 0.5 + 0.05 * place  # equal numbers stand side by side
                ax.axvline(at, color=COLOURS[1 + place], linewidth=1.0, linestyle=(0, (3, 2)), label=label)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("columns")
        ax.set_ylabel("bits added")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(loc="upper right", fontsize=7)
    return ax
