"""The figure of clusters of features: their similarities, reordered so that each cluster is a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bitsieve.report.figures import require_matplotlib
from bitsieve.report.weights import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 4.6, 4.0  # inches
NAMED = 40  # features up to which each has its name


def plot_similarity(clusters: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the similarities of all features, those of a cluster side by side, each cluster framed.

    Clusters come by falling cohesiveness, the members of each by falling weight.

    Parameters
    ----------
    clusters : DominantSetClusters
        Fitted, with ``similarity_matrix_``.
    ax : matplotlib Axes, optional
        To draw into; by default a new figure, ``ax.figure``, which needs no display.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig("clusters.pdf")`` saves it.

    Raises
    ------
    ValueError
        The similarities were not kept, or matplotlib is not installed (``pip install 'bitsieve[report]'``).

    Examples
    --------
    >>> from bitsieve import DominantSetClusters, plot_similarity
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot_similarity(DominantSetClusters(similarity="rho").fit(X))
    >>> [label.get_text() for label in ax.get_yticklabels()][-1]
    'sepal width (cm)'
    """
    require_matplotlib()
    check_is_fitted(clusters)
    matrix = getattr(clusters, "similarity_matrix_", None)
    if matrix is None:
        raise ValueError(
            f"{type(clusters).__name__} kept no matrix of similarities: give a fitted DominantSetClusters with "
            "memory=None"
        )
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    weights = clusters.weights_
    order = np.concatenate([group[np.argsort(-weights[group], kind="stable")] for group in clusters.groups_])
    with matplotlib.rc_context(STYLE):
        if ax is None:
            ax = Figure(figsize=SIZE, dpi=150, layout="constrained").add_subplot()
        image = ax.imshow(matrix[np.ix_(order, order)], cmap="cividis", vmin=0.0, interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="similarity (no unit)")
        begin = 0
        for group in clusters.groups_:
            size = len(group)
            if size > 1:
                place = (begin - 0.5, begin - 0.5)
                ax.add_patch(Rectangle(place, size, size, fill=False, edgecolor="#D55E00", linewidth=1.2))
            begin += size
        if len(order) <= NAMED:
            known = getattr(clusters, "feature_names_in_", None)
            names = [f"x{j}" if known is None else str(known[j]) for j in order]
            ax.set_xticks(range(len(order)), names, rotation=90, fontsize=7)
            ax.set_yticks(range(len(order)), names, fontsize=7)
        else:
            ax.set_xlabel("features, by cluster")
            ax.set_ylabel("features, by cluster")
    return ax
