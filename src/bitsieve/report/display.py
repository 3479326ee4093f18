"""What the figures of a selection share, in scikit-learn's manner: made from what was selected, and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitsieve.report.style import new_axes, styled
from bitsieve.selection.evidence import evidence_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bitsieve.selection.evidence import Evidence


class Display:
    """Base of the displays; a subclass says what it takes from a selection, and draws it."""

    ax_: Axes
    figure_: Any

    @classmethod
    def from_selection(cls, selection: Any, *, ax: Axes | None = None) -> Self:
        """Draw what :func:`bitsieve.select` found.

        Parameters
        ----------
        selection : Selection
        ax : matplotlib Axes, optional
            To draw into; by default a new figure, which needs no display.

        Returns
        -------
        display
        """
        return cls.of(selection.selector, selection.evidence).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Axes | None = None
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
            To draw into; by default a new figure, which needs no display.

        Returns
        -------
        display
        """
        return cls.of(estimator, evidence_of(estimator, X, y, sample_weight)).plot(ax=ax)

    @classmethod
    def of(cls, selector: Any, evidence: Evidence) -> Self:
        """The display of a fitted selector and the counts behind what it selected, not drawn yet.

        Parameters
        ----------
        selector : selector
        evidence : Evidence

        Returns
        -------
        display
        """
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            To draw into; by default a new figure, which needs no display.

        Returns
        -------
        display
        """
        with styled():
            self.ax_ = new_axes(self._height()) if ax is None else ax
            self._draw(self.ax_)
        self.figure_ = self.ax_.figure
        return self

    def _height(self) -> float:
        """Of a new figure, in inches."""
        raise NotImplementedError

    def _draw(self, ax: Axes) -> None:
        """Draw it into ``ax``."""
        raise NotImplementedError


def selected_names(evidence: Evidence) -> list[str]:
    """The names of the selected features, in order of choice."""
    return [str(evidence.table.names[int(j)]) for j in np.asarray(evidence.selected)]
