"""The strongest pairs or triples of columns that a search found, as a table, a data frame, a document and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

from bitsieve.dataset.data_kinds import frame_of
from bitsieve.diagnostics import Diagnostic
from bitsieve.plots.figures import BLUE, INK, Axes, drawing, shortened
from bitsieve.utils import html
from bitsieve.utils.arrays import Floats
from bitsieve.utils.messages import aligned, displayed, finite, number, printable

MOST_DRAWN = 20  # tuples of a figure
SHOWN = 20  # rows of the printed table


@dataclass(frozen=True, eq=False)
class Interactions:
    """The strongest pairs or triples of columns, and the strongest that each column is in.

    Attributes
    ----------
    order : int
        Columns of a tuple.
    statistic : str
    tuples : list of tuple of label
        Strongest first.
    values : ndarray of shape (n_tuples,)
        The statistic of each, in bits.
    p : ndarray of shape (n_tuples,) or None
        Adjusted for all tuples there are; None without shuffles.
    columns : list of label
        Every column that is in a tuple, the one with the strongest first.
    best : ndarray of shape (n_columns,)
        The statistic of its strongest tuple, in bits; by "gain" what that column adds to the others of the tuple.
    best_tuples : list of tuple of label
    columns_p : ndarray of shape (n_columns,) or None
        Adjusted for all columns (step-down).
    false_discovery : ndarray of shape (n_columns,) or None
        The least false discovery rate of a list of the first columns with this one.
    n_shuffles : int
    n_samples : int
    target_name : str
    diagnostics : list of Diagnostic
    library : str
        That the frames are of.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]] * 8, [0, 1, 1, 0] * 8
    >>> found = bitsieve.interactions(X, y, top=1)
    >>> found.tuples, found.values.tolist(), found.p.tolist()
    ([('x0', 'x1')], [1.0], [0.01])
    """

    order: int
    statistic: str
    tuples: list[tuple[Any, ...]]
    values: Floats
    p: Floats | None
    columns: list[Any]
    best: Floats
    best_tuples: list[tuple[Any, ...]]
    columns_p: Floats | None
    false_discovery: Floats | None
    n_shuffles: int
    n_samples: int
    target_name: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    library: str = field(default="pandas", repr=False)

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        header = ("rank", "columns", f"{self.statistic} (bits)", *(("p",) if self.p is not None else ()))
        rows = []
        for rank, members in enumerate(self.tuples[:SHOWN]):
            chance = () if self.p is None else (f"{self.p[rank]:.2g}",)
            rows.append((str(rank + 1), ", ".join(map(str, members)), number(self.values[rank]), *chance))
        return header, rows

    def table_text(self) -> str:
        """The first tuples as an aligned table.

        Returns
        -------
        str
        """
        header, rows = self._table()
        more = [f"... and {len(self.tuples) - SHOWN:,} more"] if len(self.tuples) > SHOWN else []
        return "\n".join([aligned(header, rows, right=(True, False, True, True)[: len(header)]), *more])

    def __str__(self) -> str:
        notes = [f"note: {printable(note)}" for note in displayed(self.notes)]
        return "\n".join([self.table_text(), *([""] if notes else []), *notes])

    def _repr_html_(self) -> str:
        return html.display(html.table(*self._table(), text_columns=(1,)), html.notes(self.notes))

    def to_frame(self, library: str | None = None) -> Any:
        """The tuples as a data frame: rank, column_1, column_2 and so on, value and p (where there were shuffles).

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default that of the data, else pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
        """
        members = {f"column_{m + 1}": [members[m] for members in self.tuples] for m in range(self.order)}
        chance = {} if self.p is None else {"p": self.p}
        ranks = np.arange(1, len(self.tuples) + 1)
        return frame_of({"rank": ranks, **members, "value": self.values, **chance}, library or self.library)

    def to_column_frame(self, library: str | None = None) -> Any:
        """The columns as a data frame: column, value, the others of its strongest tuple, p and false discovery rate.

        Parameters
        ----------
        library : str, optional
            As for :meth:`to_frame`.

        Returns
        -------
        dataframe
        """
        pairs = zip(self.columns, self.best_tuples, strict=True)
        others = [", ".join(str(label) for label in members if label != column) for column, members in pairs]
        chance = {"p": self.columns_p, "false_discovery": self.false_discovery}
        chance = {name: values for name, values in chance.items() if values is not None}
        return frame_of({"column": self.columns, "value": self.best, "with": others, **chance}, library or self.library)

    def to_dict(self) -> dict[str, Any]:
        """What was found as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve interactions --json`` prints, less the seconds and the version.
        """
        facts = ("order", "statistic", "n_shuffles", "n_samples", "target_name")
        of_tuples = [*map(_plain, self.tuples)], _numbers(self.values), _numbers(self.p)
        chance = _numbers(self.columns_p), _numbers(self.false_discovery)
        of_columns = _plain(self.columns), _numbers(self.best), [*map(_plain, self.best_tuples)], *chance
        return {
            **{name: getattr(self, name) for name in facts},
            "tuples": _records(("columns", "bits", "p"), of_tuples),
            "columns": _records(("name", "bits", "best", "p", "false_discovery"), of_columns),
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the strongest tuples as a network: its points are columns, its lines join those of a tuple.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            To draw into; by default a new figure, which a notebook shows.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            matplotlib is not installed (``pip install 'bitsieve[report]'``).
        """
        with drawing(ax, (5.0, 5.0)) as axes:
            drawn = self.tuples[:MOST_DRAWN]
            points = list(dict.fromkeys(label for members in drawn for label in members))
            angles = np.linspace(0, 2 * np.pi, len(points), endpoint=False)
            at = dict(zip(points, np.column_stack([np.cos(angles), np.sin(angles)]), strict=True))
            strongest = max(self.values.max(initial=0.0), np.finfo(float).tiny)
            for members, value in reversed(list(zip(drawn, self.values, strict=False))):
                share = float(np.clip(value / strongest, 0.05, 1.0))
                corners = np.array([at[label] for label in (*members, members[0])])
                axes.plot(*corners.T, color=BLUE, lw=0.5 + 3 * share, alpha=0.15 + 0.85 * share, zorder=1)
            for label, (x, y) in at.items():
                axes.plot([x], [y], "o", color=INK, markersize=5, zorder=2)
                side: dict[str, Any] = {"ha": "left" if x > 0.01 else "right", "va": "center"}
                axes.annotate(
                    shortened(str(label)), (x, y), (6 if x > 0.01 else -6, 0), textcoords="offset points", **side
                )
            axes.set(xlim=(-1.6, 1.6), ylim=(-1.2, 1.2), title=f"{self.statistic}, at most {number(strongest)} bits")
            axes.set_axis_off()
        return axes


def _plain(labels: Sequence[Any]) -> list[Any]:
    return [label if isinstance(label, (str, int)) else str(label) for label in labels]


def _numbers(values: Floats | None) -> list[float | None]:
    return [] if values is None else [finite(value) for value in values]


def _records(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """A row as what it has by name; None for what is not known of any row."""
    return [dict(zip(names, row, strict=True)) for row in zip_longest(*columns)]
