"""Figures of fitted selectors: weights, stability, clusters; and of how many columns to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bitsieve.diagnostics import UserError
from bitsieve.plots.figures import BLUE, COLOURS, GREY, Axes, drawing
from bitsieve.results.how_many import HowMany
from bitsieve.utils.arrays import Columns
from bitsieve.utils.parameters import check_integer

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

SIZE = (4.6, 3.0)  # inches: a column and a half of a paper
MAX_DOTS = 60  # ranks up to which each has its dot
MAX_LINEAR = 300  # ranks up to which their axis is linear; beyond, the selected part would be a sliver
MAX_NAMES = 50  # that a caller may ask for
MAX_MATRIX_NAMES = 40  # features of a matrix up to which each has its name


def plot_weights(selector: BaseEstimator, *, ax: Axes | None = None, n_names: int = 5) -> Axes:
    """Draw the weight of every feature by its rank, the selected ones marked.

    Parameters
    ----------
    selector : estimator
        Fitted, of a method that weighs all features at once, such as :class:`bitsieve.SpecCMI`.
    ax : matplotlib Axes, optional
        To draw into; by default a new figure, ``ax.figure``, which a notebook shows.
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
    check_is_fitted(selector)
    if not hasattr(selector, "weights_"):
        raise UserError(
            code="no-figure",
            message=f"{type(selector).__name__} chooses without weights",
            advice="give a fitted global method, such as SpecCMI",
        )
    check_integer("n_names", n_names, 0, MAX_NAMES)
    order = np.argsort(selector.ranking_, kind="stable")
    weights = np.asarray(selector.weights_)[order]
    k = len(selector.selected_)
    label = f"{k:,} selected"
    objective = getattr(selector, "objective_", None)
    if objective is not None:
        label += f", x'Qx = {objective:.4g} bits"
    with drawing(ax, SIZE) as ax:
        _draw_weights(ax, weights, k, label)
        _annotate(ax, weights, _names(selector, order[:n_names]), offset=4, rotation=50)
    return ax


def _names(selector: BaseEstimator, columns: Columns) -> list[str]:
    """The names of columns; x0, x1, ... where a selector has none, and so no ``feature_names_in_`` by convention."""
    if not hasattr(selector, "feature_names_in_"):
        return [f"x{j}" for j in columns]
    return [str(selector.feature_names_in_[j]) for j in columns]


def _draw_weights(ax: Axes, weights: np.ndarray, k: int, label: str) -> None:
    """Draw the weights by rank, the first ``k`` of them with ``label``."""
    n = len(weights)
    ranks = np.arange(1, n + 1)
    ax.fill_between(ranks[:k], weights[:k], color=BLUE, alpha=0.15, linewidth=0)
    ax.plot(ranks[:k], weights[:k], color=BLUE, linewidth=1.6, label=label, marker="o", markersize=3.5)
    if k < n:
        marker = "o" if n <= MAX_DOTS else None
        others = f"{n - k:,} others"
        ax.plot(ranks[k:], weights[k:], color=GREY, linewidth=1.2, label=others, marker=marker, markersize=3.5)
    ax.axvline(k + 0.5, color=BLUE, linewidth=0.8, linestyle=(0, (3, 3)))
    ax.set_xlim(0.5, n + 0.5)
    if n > MAX_LINEAR:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlim(1 / 1.1, 1.1 * n)
    ax.set_ylim(bottom=min(0.0, 1.05 * float(weights.min())))
    ax.set_xlabel("rank")
    ax.set_ylabel("weight (no unit)")
    ax.legend()


def _annotate(ax: Axes, heights: np.ndarray, names: list[str], offset: int, rotation: float = 0) -> None:
    """Write the names beside the first points of a curve."""
    for i, name in enumerate(names):
        ax.annotate(
            f" {name}",
            (i + 1, heights[i]),
            xytext=(3, offset),
            textcoords="offset points",
            fontsize=7,
            rotation=rotation,
            rotation_mode="anchor",
            annotation_clip=False,
        )


def plot_stability(selector: BaseEstimator, *, ax: Axes | None = None, n_names: int = 5) -> Axes:
    """Draw the share of fits in which every column was chosen, by rank, and the threshold.

    Parameters
    ----------
    selector : StabilitySelector
        Fitted.
    ax, n_names
        As for :func:`plot_weights`.

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
    check_is_fitted(selector)
    if not hasattr(selector, "frequencies_"):
        raise UserError(
            code="no-figure",
            message=f"{type(selector).__name__} has no frequencies",
            advice="give a fitted StabilitySelector",
        )
    check_integer("n_names", n_names, 0, MAX_NAMES)
    order = np.argsort(-selector.frequencies_, kind="stable")
    shares = selector.frequencies_[order]
    k = len(selector.selected_)
    ranks = np.arange(1, len(shares) + 1)
    label = f"{k:,} selected, at most {selector.expected_false_:.2g} false expected if noise is alike"
    with drawing(ax, SIZE) as ax:
        ax.plot(ranks[:k], shares[:k], color=BLUE, marker="o", markersize=3.5, linestyle="none", label=label)
        ax.plot(ranks[k:], shares[k:], color=GREY, marker="o", markersize=2.5, linestyle="none")
        ax.axhline(selector.threshold_, color=BLUE, linewidth=0.8, linestyle=(0, (3, 3)))
        _annotate(ax, shares, _names(selector, order[:n_names]), offset=2)
        if len(shares) > MAX_LINEAR:
            ax.set_xscale("log")
        ax.set_ylim(-0.03, 1.08)
        ax.set_xlabel("rank")
        ax.set_ylabel("share of halves")
        ax.legend(loc="upper right")
    return ax


def plot_similarity(clusters: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the similarities of all features, those of a cluster side by side, each cluster framed.

    Clusters come in the order in which they were found, the members of each by falling weight.

    Parameters
    ----------
    clusters : DominantSetClusters
        Fitted, with ``similarity_matrix_``.
    ax
        As for :func:`plot_weights`.

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
    check_is_fitted(clusters)
    matrix = getattr(clusters, "similarity_matrix_", None)
    if matrix is None:
        raise UserError(
            code="no-figure",
            message=f"{type(clusters).__name__} kept no matrix of similarities",
            advice="give a fitted DominantSetClusters with memory=None",
        )
    from matplotlib.patches import Rectangle

    weights = clusters.weights_
    order = np.concatenate([group[np.argsort(-weights[group], kind="stable")] for group in clusters.groups_])
    with drawing(ax, (4.6, 4.0)) as ax:
        image = ax.imshow(matrix[np.ix_(order, order)], cmap="cividis", vmin=0.0, interpolation="nearest")
        ax.figure.colorbar(image, ax=ax, label="similarity (no unit)")
        first = 0
        for group in clusters.groups_:
            size = len(group)
            if size > 1:
                corner = (first - 0.5, first - 0.5)
                ax.add_patch(Rectangle(corner, size, size, fill=False, edgecolor="#D55E00", linewidth=1.2))
            first += size
        if len(order) <= MAX_MATRIX_NAMES:
            names = _names(clusters, order)
            ax.set_xticks(range(len(order)), names, rotation=90, fontsize=7)
            ax.set_yticks(range(len(order)), names, fontsize=7)
        else:
            ax.set_xlabel("features, by cluster")
            ax.set_ylabel("features, by cluster")
    return ax


def plot_how_many(found: HowMany, *, ax: Axes | None = None) -> Axes:
    """Draw the information that each choice adds, the band of chance around it, and the number that each rule takes.

    Parameters
    ----------
    found : HowMany
        Of :func:`bitsieve.how_many`.
    ax
        As for :func:`plot_weights`.

    Returns
    -------
    matplotlib Axes
        ``ax.figure.savefig("how_many.pdf")`` saves it.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = bitsieve.plot_how_many(bitsieve.how_many(X, y, n_pairs=5))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('columns', 'bits added')
    """
    band = found.band
    numbers = np.arange(1, len(band.bits) + 1)
    with drawing(ax, (6.6, 3.0)) as ax:
        from matplotlib.ticker import MaxNLocator

        label_of_band = "best by chance (90 %)"
        ax.fill_between(numbers, band.low, band.high, color=GREY, alpha=0.35, linewidth=0, label=label_of_band)
        ax.plot(numbers, band.bits, color=BLUE, linewidth=1.4, marker="o", markersize=3.5, label="chosen")
        for i, answer in enumerate(found.answers):
            if answer.n_features is None:
                continue
            label = f"{answer.rule}: {answer.n_features:,}"
            x = answer.n_features + 0.5 + 0.006 * i * len(numbers)  # lines of equal numbers stand side by side
            ax.axvline(x, color=COLOURS[1 + i], linewidth=1.0, linestyle=(0, (3, 2)), label=label)
        ax.set_ylim(bottom=0)
        ax.set_xlabel("columns")
        ax.set_ylabel(f"{found.unit} added")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.figure.legend(loc="outside right upper", fontsize=7)
    return ax
