"""The result of a search for interactions: a table, a data frame, a dictionary and a figure of the strongest tuples."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from bitsieve.plots.figures import BLUE, INK, Axes, drawing, shortened
from bitsieve.results.equality import equal_fields
from bitsieve.utils import html
from bitsieve.utils.arrays import Floats
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.terminal_text import aligned, finite, number
from bitsieve.utils.types import DataFrame, JsonObject, Label

MAX_DRAWN = 20  # tuples in a figure
MAX_PRINTED = 20  # rows of the printed table


@dataclass(frozen=True, eq=False)
class Interactions:
    """The strongest pairs or triples of columns, and the strongest one that contains each column.

    Attributes
    ----------
    order : int
        Number of columns in a tuple.
    statistic : str
        Name of the statistic.
    tuples : list of tuple of label
        Strongest first.
    values : ndarray of shape (n_tuples,)
        The statistic of each, in bits.
    p : ndarray of shape (n_tuples,) or None
        p values, adjusted for all tuples of the table; None without shuffles.
    columns : list of label
        Every column that is in a tuple, the one in the strongest tuple first.
    best : ndarray of shape (n_columns,)
        The statistic of the strongest tuple of each column, in bits; for "gain" what the column adds to the others.
    best_tuples : list of tuple of label
        The strongest tuple of each column.
    columns_p : ndarray of shape (n_columns,) or None
        p values, adjusted for all columns (step-down); None without shuffles.
    false_discovery : ndarray of shape (n_columns,) or None
        The smallest false discovery rate at which each column is in the list; None without shuffles.
    n_shuffles : int
    n_samples : int
    target_name : str
    diagnostics : Diagnostics
    library : str
        The library of frames that the data came in.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]] * 8, [0, 1, 1, 0] * 8
    >>> strongest = bitsieve.interactions(X, y, top=1)
    >>> strongest.tuples, strongest.values.tolist(), strongest.p.tolist()
    ([('x0', 'x1')], [1.0], [0.01])
    """

    order: int
    statistic: str
    tuples: list[tuple[Any, ...]]
    values: Floats
    p: Floats | None
    columns: list[Label]
    best: Floats
    best_tuples: list[tuple[Any, ...]]
    columns_p: Floats | None
    false_discovery: Floats | None
    n_shuffles: int
    n_samples: int
    target_name: str
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    library: str = field(default="pandas", repr=False, compare=False)

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interactions) and equal_fields(self, other)

    def __hash__(self) -> int:
        return hash((Interactions, self.order, self.statistic, self.target_name, len(self.tuples)))

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows of the printed table."""
        header = ["rank", "columns", f"{self.statistic} (bits)"]
        if self.p is not None:
            header.append("p")
        rows = []
        for i, members in enumerate(self.tuples[:MAX_PRINTED]):
            row = [str(i + 1), ", ".join(str(label) for label in members), number(self.values[i])]
            if self.p is not None:
                row.append(f"{self.p[i]:.2g}")
            rows.append(row)
        return header, rows

    def table_text(self) -> str:
        """The first tuples as an aligned table.

        Returns
        -------
        str
        """
        header, rows = self._table()
        table = aligned(header, rows, right=[name != "columns" for name in header])
        n_more = len(self.tuples) - MAX_PRINTED
        return f"{table}\n... and {n_more:,} more" if n_more > 0 else table

    def __str__(self) -> str:
        lines = [self.table_text()]
        if self.diagnostics:
            lines += ["", *self.diagnostics.printed()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html.display(html.table(*self._table(), text_columns=(1,)), self.diagnostics.html())

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The tuples as a data frame: rank, column_1, column_2 and so on, value and p (if there were shuffles).

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
        """
        columns: dict[str, Any] = {"rank": np.arange(1, len(self.tuples) + 1)}
        for m in range(self.order):
            columns[f"column_{m + 1}"] = [members[m] for members in self.tuples]
        columns["value"] = self.values
        if self.p is not None:
            columns["p"] = self.p
        return frame_of(columns, check_library(library))

    def to_column_frame(self, library: str | None = None) -> DataFrame:
        """The columns as a data frame: column, value, the others of its strongest tuple, p and false discovery rate.

        Parameters
        ----------
        library : str, optional
            As for :meth:`to_frame`.

        Returns
        -------
        dataframe
        """
        others_of_tuple = []
        for column, members in zip(self.columns, self.best_tuples, strict=True):
            others_of_tuple.append(", ".join(str(label) for label in members if label != column))
        columns: dict[str, Any] = {"column": self.columns, "value": self.best, "with": others_of_tuple}
        if self.columns_p is not None:
            columns["p"] = self.columns_p
        if self.false_discovery is not None:
            columns["false_discovery"] = self.false_discovery
        return frame_of(columns, check_library(library))

    def to_dict(self) -> JsonObject:
        """The tuples and the columns as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve interactions --json`` prints, less the seconds and the version.
        """
        return {
            "order": self.order,
            "statistic": self.statistic,
            "n_shuffles": self.n_shuffles,
            "n_samples": self.n_samples,
            "target_name": self.target_name,
            "tuples": [self._tuple_to_dict(i) for i in range(len(self.tuples))],
            "columns": [self._column_to_dict(i) for i in range(len(self.columns))],
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def _tuple_to_dict(self, i: int) -> JsonObject:
        return {
            "columns": [_plain(label) for label in self.tuples[i]],
            "bits": finite(self.values[i]),
            "p": None if self.p is None else finite(self.p[i]),
        }

    def _column_to_dict(self, i: int) -> JsonObject:
        return {
            "name": _plain(self.columns[i]),
            "bits": finite(self.best[i]),
            "best": [_plain(label) for label in self.best_tuples[i]],
            "p": None if self.columns_p is None else finite(self.columns_p[i]),
            "false_discovery": None if self.false_discovery is None else finite(self.false_discovery[i]),
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
        drawn_tuples = self.tuples[:MAX_DRAWN]
        drawn_columns = list(dict.fromkeys(chain.from_iterable(drawn_tuples)))
        angles = np.linspace(0, 2 * np.pi, len(drawn_columns), endpoint=False)
        positions = dict(zip(drawn_columns, np.column_stack([np.cos(angles), np.sin(angles)]), strict=True))
        largest = max(self.values.max(initial=0.0), np.finfo(float).tiny)
        with drawing(ax, (5.0, 5.0)) as axes:
            for i in reversed(range(len(drawn_tuples))):  # the strongest last, on top of the others
                members = drawn_tuples[i]
                strength = float(np.clip(self.values[i] / largest, 0.05, 1.0))
                corners = np.array([positions[label] for label in (*members, members[0])])
                width = 0.5 + 3 * strength
                opacity = 0.15 + 0.85 * strength
                axes.plot(corners[:, 0], corners[:, 1], color=BLUE, lw=width, alpha=opacity, zorder=1)
            for label, (x, y) in positions.items():
                axes.plot([x], [y], "o", color=INK, markersize=5, zorder=2)
                _write_beside(axes, shortened(str(label)), x, y)
            axes.set(xlim=(-1.6, 1.6), ylim=(-1.2, 1.2), title=f"{self.statistic}, at most {number(largest)} bits")
            axes.set_axis_off()
        return axes


def _write_beside(axes: Axes, text: str, x: float, y: float) -> None:
    """Write the name of a point of the circle on its outer side."""
    if x > 0.01:
        axes.annotate(text, (x, y), (6, 0), textcoords="offset points", ha="left", va="center")
    else:
        axes.annotate(text, (x, y), (-6, 0), textcoords="offset points", ha="right", va="center")


def _plain(label: Any) -> str | int:
    """A label as JSON can hold it."""
    return label if isinstance(label, (str, int)) else str(label)
