"""The figures of a selection, in scikit-learn's manner: made from what was selected, then drawn."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.explain.evidence import Chance, Contribution, Curve, Evidence, evidence_of, information_curve, ranked_on
from bitsieve.plots.figures import BLUE, GREEN, GREY, INK, ORANGE, WIDTH, Axes, Figure, drawing, shortened
from bitsieve.selectors.base import ColumnSelector
from bitsieve.utils.arrays import Floats
from bitsieve.utils.docstrings import described_fully

MAX_SHOWN = 40  # bars of the ranking, rows of the heat map, leaves of the dendrogram, dots on the curve
WRITTEN = 12  # features up to which every cell of it has its number
MAX_PANELS, ACROSS = 12, 3  # of the figure of the target, and side by side in it
MAX_POINTS, MAX_CUTS, MAX_TICKS = 300, 30, 6  # rows, cuts and labels of a panel
DRAWN = {"ax_ : matplotlib Axes": "What was drawn into.", "figure_ : matplotlib Figure": "That it is part of."}


class Display(ABC):
    """Base of the displays; ``ax`` is where to draw, by default a new figure, and what was drawn is in ``ax_``."""

    ax_: Axes
    figure_: Figure
    height: float  # of a new figure, in inches

    def __init_subclass__(cls) -> None:
        cls.__doc__ = described_fully(cls.__doc__ or "", inspect.signature(cls).parameters, {}, DRAWN)

    @classmethod
    def from_selection(cls, selection: Any, *, ax: Axes | None = None) -> Self:
        """Draw what :func:`bitsieve.select` found.

        Parameters
        ----------
        selection : Selection
        ax : matplotlib Axes, optional

        Returns
        -------
        display
        """
        return cls.of(selection.selector, selection.evidence).plot(ax=ax)

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
            What it was fitted on, or other rows of the same columns.
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
        """The display of a fitted selector and the counts behind what it selected, not drawn yet."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        display
        """
        with drawing(ax, (WIDTH, self.height)) as self.ax_:
            self._draw(self.ax_)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]  # or the part of one that was given
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw it into ``ax``."""


def selected_names(evidence: Evidence) -> list[str]:
    """The names of the selected features, in order of choice."""
    return [str(evidence.table.names[int(j)]) for j in np.asarray(evidence.selected)]


class RankingDisplay(Display):
    """The information of every selected feature about the target, as bars in bits beside H(C).

    The bar of a feature is its relevance I(X;C), of which a part may be redundant with one selected before it, and then
    its synergy with one of those (complementarity). Its end is at most H(C).

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
        self.height = 1.3 + 0.27 * min(len(self.names), MAX_SHOWN)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The contributions of the selected features."""
        entropy = evidence.information.class_entropy
        return cls(selected_names(evidence), evidence.contributions, entropy, evidence.chance)

    def _draw(self, ax: Axes) -> None:
        k = min(len(self.names), MAX_SHOWN)
        relevance, redundancy, _, complementarity, _ = (np.asarray(part)[:k] for part in self.contributions)
        places = np.arange(k)
        bars: dict[str, Any] = {"height": 0.68}
        new = relevance - redundancy
        ax.barh(places, new, color=BLUE, label="new", **bars)
        ax.barh(places, redundancy, left=new, color=ORANGE, label="redundant", **bars)
        ax.barh(places, complementarity, left=relevance, color=GREEN, label="synergy", **bars)
        ax.axvline(self.class_entropy, color=INK, lw=1.2, ls=(0, (4, 3)), label="H(C)")
        if self.chance is not None and self.chance.best_high > 0:
            ax.axvspan(self.chance.best_low, self.chance.best_high, color=GREY, alpha=0.45, lw=0, label="by chance")
        ax.set_yticks(places, [shortened(name) for name in self.names[:k]])
        ax.set_ylim(k - 0.4, -0.6)
        ax.set_xlim(0, 1.04 * max(self.class_entropy, float(np.max(relevance + complementarity))))
        ax.grid(axis="x")
        ax.set_xlabel("information about the target (bits)")
        ax.figure.legend(loc="outside upper left", ncols=5, handlelength=1.2, columnspacing=1.2)


class RedundancyDisplay(Display):
    """The information I(Xi;Xj) that every two selected features share, as a heat map in bits.

    Parameters
    ----------
    names : sequence of str, length k
        In order of choice.
    shared : ndarray of shape (k, k)
        I(Xi;Xj) in bits; the diagonal is not drawn.

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
        self.names, self.shared = list(names), np.asarray(shared)
        self.height = 1.6 + 0.24 * min(max(len(self.names), 5), MAX_SHOWN)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The information that the selected features share."""
        shared = evidence.information.matrix("redundancy", columns=evidence.selected)
        return cls(selected_names(evidence), shared)

    def _draw(self, ax: Axes) -> None:
        k = min(len(self.names), MAX_SHOWN)
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
        self.names, self.distances, self.ranks = list(names), np.asarray(distances), list(ranks)
        self.height = 1.1 + 0.24 * max(len(self.names), 4)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The distances of the selected columns and of the most relevant others."""
        information, selected = evidence.counted.information, np.asarray(evidence.selected)
        others = np.argsort(-information.relevance, kind="stable")
        others = others[information.varies[others] & ~np.isin(others, selected)]
        columns = np.concatenate([selected, others])[: max(MAX_SHOWN, len(selected))][:MAX_SHOWN]
        entropy = information.entropy[columns]
        shared = information.matrix("redundancy", columns=columns)
        both = np.maximum(entropy[:, None] + entropy, np.finfo(float).tiny)  # two constants share nothing
        ranks = [*range(1, min(len(selected), len(columns)) + 1), *[0] * (len(columns) - len(selected))]
        return cls([str(evidence.table.names[j]) for j in columns], 1 - 2 * shared / both, ranks)

    def _draw(self, ax: Axes) -> None:
        from scipy.cluster.hierarchy import dendrogram, linkage

        n, leaves = len(self.names), [0]
        if n > 1:
            above = np.clip(self.distances[np.triu_indices(n, 1)], 0.0, None)
            tree = dendrogram(linkage(above, "average"), no_plot=True)
            leaves = tree["leaves"]
            for places, heights in zip(tree["icoord"], tree["dcoord"], strict=True):
                ax.plot(heights, (np.array(places) - 5) / 10, color=BLUE, lw=1.4)
        names = [f"{self.ranks[j]}: " * (self.ranks[j] > 0) + shortened(self.names[j]) for j in leaves]
        ax.set_yticks(np.arange(n), names)
        for tick, j in zip(ax.yaxis.get_major_ticks(), leaves, strict=True):
            tick.label1.set_fontweight("bold" if self.ranks[j] else "normal")
        ax.set_ylim(-0.6, n - 0.4)
        ax.set_xlim(-0.01, 1.01)  # joins at 0 and at 1 are seen, too
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("distance: 0 each determines the other, 1 independent")


class CurveDisplay(Display):
    """The information I(X1, ..., Xk; C) of the first k features together, against k, in bits.

    A shaded step from the joint information of the first k - 1 features up to what feature k would add by chance: a
    point within it adds no more than its values would in another order. The number that was selected is marked.

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
    ([1.38, 1.43, 1.47, 1.48], 1.58)
    """

    height = 3.2

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The curve of the selected features, and of those that come next where the method ranks more."""
        order = ranked_on(selector, evidence.counted)
        return cls(information_curve(evidence.counted.information, order, len(evidence.selected)))

    def _draw(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        curve = self.curve
        numbers = np.arange(1, len(curve.joint) + 1)
        before = np.r_[0.0, curve.joint[:-1]]
        ax.bar(numbers, curve.chance - before, bottom=before, width=0.8, color=GREY, alpha=0.5, label="by chance")
        dots: dict[str, Any] = {"marker": "o", "markersize": 4} if len(numbers) <= MAX_SHOWN else {}
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


class Panel(NamedTuple):
    """The rows of one feature: values, quantity, bins (``side``: where values on edges go), names of categories."""

    name: str
    x: Floats
    y: Floats
    edges: Floats
    ticks: list[str]
    side: Literal["left", "right"] = "left"

    @classmethod
    def of(cls, evidence: Evidence, column: int) -> Panel:
        """The rows that have a value in a column; categories are drawn at 0, 1, 2, ..."""
        table = evidence.table.required_rows()
        binner = evidence.binner
        name, y, ticks = str(table.names[column]), cast(Floats, table.target.values), []
        if table.is_numeric(column):
            x = table.numeric(column)
        else:
            coded = table.categorical(column)
            x, ticks = np.where(coded.codes < 0, np.nan, coded.codes), [str(label) for label in coded.categories]
        values = np.arange(len(ticks)) if ticks else binner.categories_[column]  # of which each is a bin
        edges = binner.bin_edges_[column] if values is None else (values[1:] + values[:-1]) / 2
        there = ~np.isnan(x)
        return cls(name, x[there], y[there], np.asarray(edges, np.float64), ticks, getattr(binner, "side", "left"))

    @property
    def medians(self) -> Floats:
        """The median of the quantity in each bin; nan in an empty one."""
        bins = np.searchsorted(self.edges, self.x, self.side)
        inside = [self.y[bins == place] for place in range(len(self.edges) + 1)]
        return np.array([np.median(values) if len(values) else np.nan for values in inside])


def draw_panel(ax: Axes, panel: Panel) -> None:
    """Draw at most 300 rows, evenly over the table, the cuts, and the median of each bin."""
    rows = np.unique(np.linspace(0, len(panel.x) - 1, min(len(panel.x), MAX_POINTS)).astype(np.intp))
    ax.plot(panel.x[rows], panel.y[rows], ".", ms=3, color=GREY, mew=0)
    for edge in panel.edges if not panel.ticks and len(panel.edges) <= MAX_CUTS else ():
        ax.axvline(edge, color=INK, lw=0.7, ls=(0, (3, 3)))
    low, high = ax.get_xlim()
    ends = np.clip(np.r_[low, panel.edges, high], low, high)
    ax.hlines(panel.medians, ends[:-1], ends[1:], color=BLUE, lw=2, zorder=5)
    ax.set_xlim(low, high)
    if panel.ticks:
        places = np.unique(np.linspace(0, len(panel.ticks) - 1, min(len(panel.ticks), MAX_TICKS)).astype(np.intp))
        ax.set_xticks(places, [shortened(panel.ticks[place]) for place in places])


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
        self.target, self.panels = target, list(panels)
        self.height = 0.2 + 2.1 * -(-min(len(self.panels), MAX_PANELS) // ACROSS)

    @classmethod
    def of(cls, selector: ColumnSelector, evidence: Evidence) -> Self:
        """The panels of the selected features."""
        target = evidence.table.target
        if not target.is_quantity:
            what = "is no quantity whose rows are in memory, so there are no values to draw: give another kind"
            raise UserError(code="no-figure", message=f"target {target.name!r} {what}")
        return cls(target.name, [Panel.of(evidence, int(j)) for j in np.asarray(evidence.selected)])

    def _draw(self, ax: Axes) -> None:
        shown = self.panels[:MAX_PANELS]
        down = -(-len(shown) // ACROSS)
        ax.set_axis_off()
        for place, panel in enumerate(shown):
            row, across = divmod(place, ACROSS)
            inset = ax.inset_axes((across / ACROSS + 0.06, 1 - (row + 0.82) / down, 0.9 / ACROSS - 0.06, 0.64 / down))
            inset.set_title(f"{place + 1}: {shortened(panel.name)}", fontsize=9)
            if not across:
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
