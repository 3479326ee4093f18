"""Displays of a selection, like those of scikit-learn: computed from the selection, then drawn."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import ceil
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.explain.chance import Chance
from bitsieve.explain.contribution import Contributions
from bitsieve.explain.curve import Curve, information_curve, selected_and_next
from bitsieve.explain.evidence import Evidence, evidence_of
from bitsieve.plots.figures import BLUE, GREEN, GREY, INK, ORANGE, RED, WIDTH, Axes, Figure, drawing, shortened
from bitsieve.plots.panel import Panel, draw_panel
from bitsieve.selectors.base import ColumnSelector
from bitsieve.utils.arrays import Floats
from bitsieve.utils.docstrings import described_fully
from bitsieve.utils.terminal_text import number

MAX_SHOWN = 40  # bars of the ranking, rows of the heat map, leaves of the dendrogram, dots on the curve
MAX_NUMBERED = 12  # features up to which every cell of the heat map has its number
MAX_PANELS = 12  # of the display of the target
PANELS_PER_ROW = 3
FITTED_ATTRIBUTES = {
    "ax_ : matplotlib Axes": "The axes that were drawn into.",
    "figure_ : matplotlib Figure": "The figure of these axes.",
}


class DrawnSelection(Protocol):
    """The attributes of a :class:`bitsieve.Selection` that are drawn."""

    @property
    def target(self) -> Target: ...
    @property
    def selector(self) -> Any: ...

    def required_evidence(self) -> Evidence: ...


class Display(ABC):
    """Base of the displays. ``ax`` is where to draw, by default a new figure; ``ax_`` is what was drawn into."""

    ax_: Axes
    figure_: Figure
    height: float  # of a new figure, in inches

    def __init_subclass__(cls) -> None:
        cls.__doc__ = described_fully(cls.__doc__ or "", inspect.signature(cls).parameters, {}, FITTED_ATTRIBUTES)

    @classmethod
    def from_selection(cls, selection: DrawnSelection, *, ax: Axes | None = None) -> Self:
        """Draw a selection.

        Parameters
        ----------
        selection : Selection
            Of :func:`bitsieve.select`.
        ax : matplotlib Axes, optional

        Returns
        -------
        display
        """
        if selection.target.kind == "survival":
            raise no_figures_of_times()
        return cls.of(selection.selector, selection.required_evidence()).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: ColumnSelector, X: object, y: object, *, sample_weight: object = None, ax: Axes | None = None
    ) -> Self:
        """Draw what a fitted selector selected.

        Parameters
        ----------
        estimator : selector
            Fitted.
        X : array-like or dataframe of shape (n_samples, n_features)
            The table it was fitted on, or other rows of the same columns.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        ax : matplotlib Axes, optional

        Returns
        -------
        display
        """
        return cls.of(estimator, evidence_of(estimator, X, y, sample_weight)).plot(ax=ax)

    @classmethod
    @abstractmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """Compute the display of a fitted selector from the counts behind its selection, without drawing it."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        display
        """
        with drawing(ax, (WIDTH, self.height)) as self.ax_:
            self._draw(self.ax_)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]  # or a subfigure, where ``ax`` is in one
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw the display into ``ax``."""


def no_figures_of_times() -> UserError:
    """The error for a figure of a selection whose target is a time to an event."""
    return UserError(
        code="survival-not-supported",
        message="figures are about classes or a quantity, and the target is a time to an event",
        advice="write a report, which has the curves of the first columns",
    )


def selected_names(evidence: Evidence) -> list[str]:
    """The names of the selected features, in order of choice."""
    return [str(evidence.table.names[int(j)]) for j in np.asarray(evidence.selected)]


class RankingDisplay(Display):
    """The information of every selected feature about the target, as bars in bits beside H(C).

    The bar of a feature is its relevance I(X;C), of which a part may be redundant with one selected before it, and then
    its synergy with one of those (complementarity). Its end is at most H(C). A red line is the limit of chance: the
    most relevant of all columns does not exceed it in 19 of 20 shuffles of the classes.

    Parameters
    ----------
    names : sequence of str, length k
        In order of choice.
    contributions : Contributions
        Arrays of shape (k,), in bits.
    class_entropy : float
        H(C), in bits.
    chance : Chance, optional
        How relevant the best of all columns looks after the classes are shuffled.

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
        self, names: Sequence[str], contributions: Contributions, class_entropy: float, chance: Chance | None = None
    ) -> None:
        self.names = list(names)
        self.contributions = contributions
        self.class_entropy = class_entropy
        self.chance = chance
        self.height = 1.3 + 0.27 * min(len(self.names), MAX_SHOWN)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        class_entropy = evidence.information.class_entropy
        return cls(selected_names(evidence), evidence.contributions, class_entropy, evidence.chance)

    def _draw(self, ax: Axes) -> None:
        k = min(len(self.names), MAX_SHOWN)
        relevance = np.asarray(self.contributions.relevance)[:k]
        redundancy = np.asarray(self.contributions.redundancy)[:k]
        synergy = np.asarray(self.contributions.complementarity)[:k]
        new = relevance - redundancy
        positions = np.arange(k)
        ax.barh(positions, new, height=0.68, color=BLUE, label="new")
        ax.barh(positions, redundancy, left=new, height=0.68, color=ORANGE, label="redundant")
        ax.barh(positions, synergy, left=relevance, height=0.68, color=GREEN, label="synergy")
        ax.axvline(self.class_entropy, color=INK, lw=1.2, ls=(0, (4, 3)), label="H(C)")
        if self.chance is not None:
            limit = max(self.chance.best_high, 0.0)
            ax.axvline(limit, color=RED, lw=1.4, ls=(0, (1.5, 1.5)), label=f"limit of chance: {number(limit)}")
        ax.set_yticks(positions, [shortened(name) for name in self.names[:k]])
        ax.set_ylim(k - 0.4, -0.6)
        longest_bar = float(np.max(relevance + synergy))
        right = 1.04 * max(self.class_entropy, longest_bar)
        ax.set_xlim(-0.01 * right, right)  # so that a limit of 0 is visible
        ax.grid(axis="x")
        ax.set_xlabel("information about the target (bits)")
        ax.figure.legend(loc="outside upper left", ncols=5, handlelength=1.2, columnspacing=1.2)


class RedundancyDisplay(Display):
    """The information I(Xi;Xj) that every two selected features share, as a heat map in bits ordered by clusters.

    Features that share much stand side by side (average linkage). Each has its rank before its name.

    Parameters
    ----------
    names : sequence of str, length k
        In order of choice; the first forty are drawn.
    shared : ndarray of shape (k, k)
        I(Xi;Xj) in bits, in order of choice; the diagonal is not drawn.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = bitsieve.ForwardSelector(2).fit(X, y)
    >>> display = bitsieve.RedundancyDisplay.from_estimator(selector, X, y)
    >>> round(float(display.shared[0, 1]), 2)
    1.33
    """

    def __init__(self, names: Sequence[str], shared: NDArray[np.floating]) -> None:
        self.names = list(names)
        self.shared = np.asarray(shared)
        self.height = 1.6 + 0.24 * min(max(len(self.names), 5), MAX_SHOWN)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        shared = evidence.information.matrix("redundancy", columns=evidence.selected)
        return cls(selected_names(evidence), shared)

    def _draw(self, ax: Axes) -> None:
        k = min(len(self.names), MAX_SHOWN)
        shared = self.shared[:k, :k]
        order = cluster_order(shared.max() - shared)
        cells = np.ma.masked_array(shared[np.ix_(order, order)], np.eye(k, dtype=bool))
        maximum = 1e-3  # of the colours, where nothing is shared
        if k > 1:
            maximum = max(maximum, float(cells.max()))
        # Cells are drawn as shapes, since an image would be a bitmap within the SVG.
        mesh = ax.pcolormesh(cells, cmap="cividis", vmin=0.0, vmax=maximum, edgecolors="none")
        ax.set_yticks(np.arange(k) + 0.5, [f"{i + 1}: {shortened(self.names[i])}" for i in order])
        ax.set_xticks(np.arange(k) + 0.5, [str(i + 1) for i in order])
        ax.tick_params(axis="x", labelsize=10 if k <= MAX_NUMBERED else 7)
        ax.set_xlabel("rank")
        ax.set_ylim(k, 0)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        shrink = min(1.0, MAX_NUMBERED / k)  # so that the bar of colours does not grow with the map
        bar = ax.figure.colorbar(mesh, ax=ax, label="shared information (bits)", shrink=shrink, anchor=(0.0, 1.0))
        bar.outline.set_visible(False)
        if k > MAX_NUMBERED:
            return
        for i, j in np.ndindex(k, k):
            if i == j:
                continue
            is_dark = cells[i, j] < 0.55 * maximum
            colour = "#ffffff" if is_dark else "#101010"
            ax.text(j + 0.5, i + 0.5, f"{cells[i, j]:z.2f}", ha="center", va="center", fontsize=7, color=colour)


def cluster_order(distances: Floats) -> list[int]:
    """The order of the leaves of a tree by average linkage, in which items that are near each other are neighbours."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    n = len(distances)
    if n < 2:
        return list(range(n))
    condensed = np.clip(distances[np.triu_indices(n, 1)], 0.0, None)
    order: list[int] = leaves_list(linkage(condensed, "average")).tolist()
    return order


class DendrogramDisplay(Display):
    """Which columns are alike: joined where they share information, the selected ones marked by their rank.

    Columns join at the distance ``1 - SU(Xi,Xj)``, SU the symmetric uncertainty ``2 I(Xi;Xj) / (H(Xi) + H(Xj))``, and
    groups at the mean distance of their members (average linkage). Drawn are the selected columns and the most relevant
    others, forty in all.

    Parameters
    ----------
    names : sequence of str, length n
    distances : ndarray of shape (n, n)
        Between 0, each column determines the other, and 1, independent.
    ranks : sequence of int, length n
        0 for a column that was not selected.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = bitsieve.DendrogramDisplay.from_selection(bitsieve.select(X, y, n_features_to_select=1))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][-2:]
    ['1: petal width (cm)', 'petal length (cm)']
    """

    def __init__(self, names: Sequence[str], distances: Floats, ranks: Sequence[int]) -> None:
        self.names = list(names)
        self.distances = np.asarray(distances)
        self.ranks = list(ranks)
        self.height = 1.1 + 0.24 * max(len(self.names), 4)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The distances of the selected columns and of the most relevant others."""
        information = evidence.counted_table.information
        selected = np.asarray(evidence.selected)
        most_relevant_first = np.argsort(-information.relevance, kind="stable")
        is_other = information.varies[most_relevant_first] & ~np.isin(most_relevant_first, selected)
        columns = np.concatenate([selected, most_relevant_first[is_other]])[:MAX_SHOWN]

        # SU(Xi, Xj) = 2 I(Xi;Xj) / (H(Xi) + H(Xj))
        shared = information.matrix("redundancy", columns=columns)
        entropy = information.entropy[columns]
        sum_of_entropies = np.maximum(entropy[:, None] + entropy, np.finfo(float).tiny)  # two constants share nothing
        distances = 1 - 2 * shared / sum_of_entropies

        ranks = [i + 1 if i < len(selected) else 0 for i in range(len(columns))]
        return cls([str(evidence.table.names[j]) for j in columns], distances, ranks)

    def _draw(self, ax: Axes) -> None:
        from scipy.cluster.hierarchy import dendrogram, linkage

        n = len(self.names)
        leaves = [0]
        if n > 1:
            condensed = np.clip(self.distances[np.triu_indices(n, 1)], 0.0, None)
            tree = dendrogram(linkage(condensed, "average"), no_plot=True)
            leaves = tree["leaves"]
            for leaf_positions, join_distances in zip(tree["icoord"], tree["dcoord"], strict=True):
                rows = (np.array(leaf_positions) - 5) / 10  # scipy puts the leaves at 5, 15, 25, ...
                ax.plot(join_distances, rows, color=BLUE, lw=1.4)
        ax.set_yticks(np.arange(n), [self._label(j) for j in leaves])
        for tick, j in zip(ax.yaxis.get_major_ticks(), leaves, strict=True):
            tick.label1.set_fontweight("bold" if self.ranks[j] else "normal")
        ax.set_ylim(-0.6, n - 0.4)
        ax.set_xlim(-0.01, 1.01)  # so that joins at 0 and at 1 are visible
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("distance: 0 each determines the other, 1 independent")

    def _label(self, column: int) -> str:
        """The name of a column, after its rank if it is selected."""
        name = shortened(self.names[column])
        rank = self.ranks[column]
        return f"{rank}: {name}" if rank else name


class CurveDisplay(Display):
    """The information I(X1, ..., Xk; C) of the first k features together, against k, in bits, corrected for chance.

    Each feature adds ``I(Xk;C|X1,...,Xk-1)`` less its mean over shuffles of the feature. A shaded step begins at the
    joint information of the first k - 1 features and ends at what feature k would add by chance: a point within its
    step adds no more than its values would in another order. The number of selected features is marked. The line is
    dotted where the rows are fewer than five for each combination of values: there the features may have more than is
    shown.

    Parameters
    ----------
    curve : Curve
        Columns in order of choice, their joint information, and what chance would add.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = bitsieve.CurveDisplay.from_selection(bitsieve.select(X, y, n_features_to_select=2))
    >>> display.curve.joint.round(2).tolist(), round(display.curve.class_entropy, 2)
    ([1.36, 1.39, 1.39, 1.36], 1.58)
    """

    height = 3.2

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The curve of the selected features, and of the next ones if the method ranks more."""
        order = selected_and_next(selector, evidence.counted_table)
        information = evidence.counted_table.estimated("corrected", evidence.effect)
        return cls(information_curve(information, order, len(evidence.selected)))

    def _draw(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        curve = self.curve
        numbers = np.arange(1, len(curve.joint) + 1)
        previous = np.r_[0.0, curve.joint[:-1]]
        ax.bar(numbers, curve.chance - previous, bottom=previous, width=0.8, color=GREY, alpha=0.5, label="by chance")
        marker = "o" if len(numbers) <= MAX_SHOWN else None
        ax.plot(numbers, curve.joint, color=BLUE, lw=1.2, ls=":", marker=marker, markersize=4)
        supported = slice(curve.n_supported)
        ax.plot(numbers[supported], curve.joint[supported], color=BLUE, lw=1.6, label="joint information")
        k = curve.n_selected
        ax.plot([k], [curve.joint[k - 1]], "o", ms=9, color=BLUE, mec=INK, mew=1.3, label=f"selected: {k:,}", zorder=5)
        ax.axhline(curve.class_entropy, color=INK, lw=1.2, ls=(0, (4, 3)), label="H(C)")
        ax.set_ylim(min(0.0, float(curve.joint.min())), 1.06 * curve.class_entropy)
        ax.set_xlim(0.4, len(numbers) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.grid(axis="y")
        ax.set_xlabel("number of features")
        ax.set_ylabel("information (bits)")
        ax.figure.legend(loc="outside upper left", ncols=4, handlelength=1.4, columnspacing=1.2)


class TargetDisplay(Display):
    """A target that is a quantity over each selected feature: some rows, the bins, and the median in each bin.

    Parameters
    ----------
    target : str
        The name of the quantity.
    panels : sequence of Panel, length k
        In order of choice; the first twelve are drawn, and at most 300 rows of each, evenly over the table.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Its ``child_axes`` are the panels.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> selection = bitsieve.select(X, y, method="mim", n_features_to_select=2)
    >>> display = bitsieve.TargetDisplay.from_selection(selection)
    >>> [panel.name for panel in display.panels]
    ['s5', 'bmi']
    >>> display.panels[0].medians.tolist()[-1] > display.panels[0].medians.tolist()[0]
    True
    """

    def __init__(self, target: str, panels: Sequence[Panel]) -> None:
        self.target = target
        self.panels = list(panels)
        self.height = 0.2 + 2.1 * ceil(min(len(self.panels), MAX_PANELS) / PANELS_PER_ROW)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        target = evidence.table.target
        if not target.is_quantity:
            what = "is no quantity whose rows are in memory, so there are no values to draw: give another kind"
            raise UserError(code="no-figure", message=f"target {target.name!r} {what}")
        return cls(target.name, [Panel.of(evidence, int(j)) for j in np.asarray(evidence.selected)])

    def _draw(self, ax: Axes) -> None:
        panels = self.panels[:MAX_PANELS]
        n_rows = ceil(len(panels) / PANELS_PER_ROW)
        width = 1 / PANELS_PER_ROW
        height = 1 / n_rows
        ax.set_axis_off()
        for i, panel in enumerate(panels):
            row, column = divmod(i, PANELS_PER_ROW)
            left = column * width + 0.06
            bottom = 1 - (row + 0.82) * height
            inset = ax.inset_axes((left, bottom, 0.9 * width - 0.06, 0.64 * height))
            inset.set_title(f"{i + 1}: {shortened(panel.name)}", fontsize=9)
            if column == 0:
                inset.set_ylabel(shortened(self.target), fontsize=8)
            inset.tick_params(labelsize=7)
            draw_panel(inset, panel)


DISPLAYS: dict[str, type[Display]] = {
    "ranking": RankingDisplay,
    "redundancy": RedundancyDisplay,
    "dendrogram": DendrogramDisplay,
    "curve": CurveDisplay,
    "target": TargetDisplay,
}
