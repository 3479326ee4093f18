"""The result of a search for drift: a table, a data frame, a dictionary and a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitsieve.plots.figures import BLUE, GREY, INK, ORANGE, RULE, Axes, drawing, shortened
from bitsieve.results.equality import equal_fields
from bitsieve.utils import html
from bitsieve.utils.arrays import Flags, Floats, Integers
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.terminal_text import aligned, finite, number
from bitsieve.utils.types import DataFrame, JsonObject, Label

MAX_DRAWN = 20  # columns in a figure
MAX_PRINTED = 20  # rows of the printed table


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnTest:
    """A quantity of every column in bits, corrected for chance, and the p of its test, adjusted for all columns."""

    bits: Floats
    p: Floats  # by Benjamini and Hochberg

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnTest) and equal_fields(self, other)

    def __hash__(self) -> int:
        return hash((ColumnTest, len(self.bits)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Drift:
    """How far each column moves from period to period; the columns that move most come first.

    Attributes
    ----------
    columns : list of label
    periods : list of label, length n_periods
    period_sizes : ndarray of int, shape (n_periods,)
        Rows of each period; with weights, the sum of their weights.
    n_samples : int
        Rows of the data; those of weight 0 are left out.
    reference : label
        The period that the population stability index compares with.
    shift : ColumnTest
        I(X;T): how much the distribution of each column X differs between the periods T.
    shift_within_classes : ColumnTest or None
        I(X;T|Y): the same among rows of one class; a new mix of the classes does not count. None without a target.
    relation : ColumnTest or None
        I(Y;T|X): how much the classes of rows with the same value of the column differ between the periods. A column
        without any relation to the target has that of the target itself, ``shift_of_target``.
    relevance : ndarray of shape (n_columns, n_periods) or None
        I(X;Y) in the rows of each period alone, corrected for chance.
    shift_of_target : float or None
        I(Y;T): how much the mix of the classes differs between the periods, corrected for chance.
    psi : ndarray of shape (n_columns, n_periods)
        The population stability index of each period beside the reference, in nats.
    max_drift : float
    level : float
        A column drifts if its shift, within classes if there is a target, is above ``max_drift`` bits with a p of at
        most ``level``.
    target_name : str or None
    n_groups : int or None
        How many groups of rows were shuffled whole; None without groups.
    diagnostics : Diagnostics
        What was noticed in the data.
    library : str
        The library of frames that the data came in.

    Examples
    --------
    >>> import bitsieve
    >>> X, month = [[0, 1], [0, 0], [1, 1], [1, 0]] * 25, [1, 1, 2, 2] * 25
    >>> result = bitsieve.drift(X, month, binning="none")
    >>> result.columns, result.drifting
    (['x0', 'x1'], ['x0'])
    >>> result.shift.bits.round(2).tolist()
    [0.99, -0.01]
    """

    columns: list[Label]
    periods: list[Label]
    period_sizes: Integers
    n_samples: int
    reference: Label
    shift: ColumnTest
    shift_within_classes: ColumnTest | None
    relation: ColumnTest | None
    relevance: Floats | None
    shift_of_target: float | None
    psi: Floats
    max_drift: float
    level: float
    target_name: str | None
    n_groups: int | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    library: str = field(default="pandas", repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Drift) and equal_fields(self, other)

    def __hash__(self) -> int:
        return hash((Drift, len(self.columns), len(self.periods), self.target_name))

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    @property
    def drifting(self) -> list[Label]:
        """The columns that drift."""
        return [column for column, drifts in zip(self.columns, self._drifts.tolist(), strict=True) if drifts]

    @property
    def _deciding(self) -> ColumnTest:
        """The shift that decides whether a column drifts, and in which order the columns stand."""
        return self.shift if self.shift_within_classes is None else self.shift_within_classes

    @property
    def _drifts(self) -> Flags:
        drifts: Flags = (self._deciding.bits > self.max_drift) & (self._deciding.p <= self.level)
        return drifts

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The columns as a data frame, a row a column.

        Its columns are column, shift, p and drifts; with a target shift_within_classes and p_within_classes, relation
        and p_relation, and the lowest and the highest relevance of a period; and psi, the largest of all periods.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
        """
        columns: dict[str, Any] = {"column": self.columns, "shift": self.shift.bits, "p": self.shift.p}
        if self.shift_within_classes is not None:
            columns["shift_within_classes"] = self.shift_within_classes.bits
            columns["p_within_classes"] = self.shift_within_classes.p
        columns["psi"] = self.psi.max(axis=1)
        if self.relevance is not None:
            columns["lowest_relevance"] = self.relevance.min(axis=1)
            columns["highest_relevance"] = self.relevance.max(axis=1)
        if self.relation is not None:
            columns["relation"] = self.relation.bits
            columns["p_relation"] = self.relation.p
        columns["drifts"] = self._drifts
        return frame_of(columns, check_library(library))

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows of the printed table."""
        header = ["column", "shift (bits)", "p"]
        if self.shift_within_classes is not None:
            header += ["within classes", "p"]
        header.append("psi")
        if self.relevance is not None:
            header.append("relevance")
        if self.relation is not None:
            header += ["relation", "p"]
        header.append("")
        return header, [self._row(i) for i in range(min(len(self.columns), MAX_PRINTED))]

    def _row(self, i: int) -> list[str]:
        row = [str(self.columns[i]), number(self.shift.bits[i]), f"{self.shift.p[i]:.2g}"]
        if self.shift_within_classes is not None:
            row += [number(self.shift_within_classes.bits[i]), f"{self.shift_within_classes.p[i]:.2g}"]
        row.append(number(self.psi[i].max()))
        if self.relevance is not None:
            row.append(f"{number(self.relevance[i].min())} to {number(self.relevance[i].max())}")
        if self.relation is not None:
            row += [number(self.relation.bits[i]), f"{self.relation.p[i]:.2g}"]
        row.append("drifts" if self._drifts[i] else "")
        return row

    def table_text(self) -> str:
        """The columns as an aligned table, the first ones if there are many.

        Returns
        -------
        str
        """
        header, rows = self._table()
        is_right = [name not in ("column", "") for name in header]
        lines = [aligned(header, rows, right=is_right)]
        n_more = len(self.columns) - MAX_PRINTED
        if n_more > 0:
            lines.append(f"... and {n_more:,} more")
        what = "shift" if self.shift_within_classes is None else "shift within classes"
        total_weight = int(self.period_sizes.sum())
        weight = "" if total_weight == self.n_samples else f" of weight {total_weight:,}"
        lines += [
            "",
            f"{len(self.drifting):,} of {len(self.columns):,} columns drift: {what} above {self.max_drift:g} bits, "
            f"p at most {self.level:g}",
            f"{self.n_samples:,} rows{weight} in {len(self.periods):,} periods; psi beside {str(self.reference)!r}",
        ]
        if self.n_groups is not None:
            lines.append(f"{self.n_groups:,} groups of rows: p by shuffles of whole groups")
        if self.shift_of_target is not None:
            lines.append(f"{self.target_name!r} itself: {number(self.shift_of_target)} bits between the periods")
        return "\n".join(lines)

    def __str__(self) -> str:
        lines = [self.table_text()]
        if self.diagnostics:
            lines += ["", *self.diagnostics.printed()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html.display(html.table(*self._table(), text_columns=(0,)), self.diagnostics.html())

    def to_dict(self) -> JsonObject:
        """The result as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve drift --json`` prints, less the seconds and the version.
        """
        return {
            "target": self.target_name,
            "n_samples": self.n_samples,
            "periods": [
                {"name": str(name), "n_rows": int(size)}
                for name, size in zip(self.periods, self.period_sizes, strict=True)
            ],
            "n_groups": self.n_groups,
            "reference": str(self.reference),
            "max_drift": self.max_drift,
            "level": self.level,
            "shift_of_target": None if self.shift_of_target is None else finite(self.shift_of_target),
            "columns": [self._column_to_dict(i) for i in range(len(self.columns))],
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def _column_to_dict(self, i: int) -> JsonObject:
        column: JsonObject = {
            "name": str(self.columns[i]),
            "drifts": bool(self._drifts[i]),
            "shift": _test_to_dict(self.shift, i),
        }
        if self.shift_within_classes is not None:
            column["shift_within_classes"] = _test_to_dict(self.shift_within_classes, i)
        if self.relation is not None:
            column["relation"] = _test_to_dict(self.relation, i)
        if self.relevance is not None:
            column["relevance"] = [finite(bits) for bits in self.relevance[i]]
        column["psi"] = [finite(psi) for psi in self.psi[i]]
        return column

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the shift of the columns that move most, and the limit above which they drift.

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
        n_drawn = min(len(self.columns), MAX_DRAWN)
        heights = np.arange(n_drawn)
        drifts = self._drifts[:n_drawn]
        with drawing(ax, (6.6, 1.2 + 0.3 * n_drawn)) as axes:
            colours = [ORANGE if column_drifts else BLUE for column_drifts in drifts.tolist()]
            axes.barh(heights, np.maximum(self._deciding.bits[:n_drawn], 0), color=colours, height=0.6)
            if self.shift_within_classes is not None:
                axes.plot(np.maximum(self.shift.bits[:n_drawn], 0), heights, "o", color=INK, label="shift of all rows")
                axes.legend(loc="lower right")
            axes.axvline(self.max_drift, color=GREY, linestyle="--")
            axes.set_yticks(heights, [shortened(str(column)) for column in self.columns[:n_drawn]])
            axes.invert_yaxis()
            axes.grid(axis="x", color=RULE)
            within = "" if self.shift_within_classes is None else " within classes"
            axes.set_xlabel(f"shift{within} between {len(self.periods):,} periods, bits")
        return axes


def _test_to_dict(test: ColumnTest, i: int) -> dict[str, float | None]:
    return {"bits": finite(test.bits[i]), "p": finite(test.p[i])}
