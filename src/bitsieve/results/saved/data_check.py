"""New data compared with the data that was selected from, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import Diagnostic
from bitsieve.results.saved.column_changes import ColumnChanges
from bitsieve.results.saved.schema import SavedColumn
from bitsieve.utils.terminal_text import aligned, finite, number
from bitsieve.utils.types import JsonObject

MIN_SHIFT = 0.02  # bits; about where the population stability index is 0.1
MAX_WITHOUT_CODE = 0.01  # the share of rows; with more a column has moved
LEVEL = 0.01  # of the test that both data sets have one distribution, all columns together


@dataclass(frozen=True, kw_only=True)
class ColumnCheck:
    """A selected column of new data beside the data that was selected from; shares are of all rows."""

    column: str
    shift_bits: float  # Jensen-Shannon divergence of the codes; NaN where no counts were kept
    p: float  # of a likelihood-ratio test that the codes have one distribution; NaN where no counts were kept
    missing_before: float  # NaN where no counts were kept
    missing_now: float  # with text that cannot be read
    new_categories: float  # the share of categories that were not there before
    without_code: float  # of all values that the saved cuts do not have, for whatever reason
    outside_range: float  # of numbers below the smallest or above the largest one before; NaN where these are not known
    kind_before: str
    kind_now: str
    moved: bool


@dataclass(frozen=True)
class DataCheck:
    """New data compared with the data of a selection.

    A column has moved if its kind changed, if more than one value in a hundred has no code, or if the distribution of
    its codes is another one: the Jensen-Shannon divergence is ``MIN_SHIFT`` or more, and a likelihood-ratio test finds
    a difference at ``LEVEL``, divided by the number of columns.

    Attributes
    ----------
    n_rows : int
        Rows of the new data.
    columns : tuple of ColumnCheck
        The selected columns, best first.
    diagnostics : tuple of Diagnostic
        What became of values that cannot be read or have no code.
    """

    n_rows: int
    columns: tuple[ColumnCheck, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def moved(self) -> list[str]:
        """The names of the columns that have moved."""
        return [column.column for column in self.columns if column.moved]

    def to_dict(self) -> JsonObject:
        """The check as plain Python values that ``json.dumps`` takes; a value that is no number is None."""
        return {
            "n_rows": self.n_rows,
            "moved": self.moved,
            "columns": [
                {name: finite(value) if isinstance(value, float) else value for name, value in asdict(column).items()}
                for column in self.columns
            ],
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def __str__(self) -> str:
        header = [
            "column",
            "shift (bits)",
            "missing before",
            "missing now",
            "new categories",
            "without code",
            "outside range",
            "moved",
        ]
        rows = [
            [
                column.column,
                number(column.shift_bits),
                _percent(column.missing_before),
                _percent(column.missing_now),
                _percent(column.new_categories),
                _percent(column.without_code),
                _percent(column.outside_range),
                "moved" if column.moved else "",
            ]
            for column in self.columns
        ]
        table = aligned(header, rows, right=[False, True, True, True, True, True, True, False])
        n_moved = len(self.moved)
        summary = f"{n_moved:,} of {len(self.columns):,} selected columns moved, in {self.n_rows:,} rows"
        return f"{table}\n\n{summary}"


def check_of_changes(columns: Sequence[SavedColumn], changes: Sequence[ColumnChanges]) -> DataCheck:
    """The check of the columns that follows from the changes in all rows."""
    checks = [_check_column(column, change, len(columns)) for column, change in zip(columns, changes, strict=True)]
    return DataCheck(
        n_rows=changes[0].n_rows,
        columns=tuple(checks),
        diagnostics=tuple(chain.from_iterable(change.diagnostics for change in changes)),
    )


def _check_column(column: SavedColumn, changes: ColumnChanges, n_columns: int) -> ColumnCheck:
    shift_bits = float("nan")
    p = float("nan")
    missing_before = float("nan")
    if column.counts is not None:
        saved_counts = np.zeros(len(changes.code_counts), np.int64)
        sizes = np.array(column.counts, np.int64).sum(axis=1)
        saved_counts[: len(sizes)] = sizes
        shift_bits = jensen_shannon_bits(saved_counts, changes.code_counts)
        p = _p_of_one_distribution(saved_counts, changes.code_counts)
        missing_code = column.cut.missing_code
        missing_before = 0.0 if missing_code is None else float(saved_counts[missing_code] / saved_counts.sum())
    without_code = float(changes.code_counts[-1] / changes.n_rows)
    has_other_distribution = shift_bits >= MIN_SHIFT and p <= LEVEL / n_columns
    return ColumnCheck(
        column=column.name,
        shift_bits=shift_bits,
        p=p,
        missing_before=missing_before,
        missing_now=(changes.n_missing + changes.n_unread) / changes.n_rows,
        new_categories=changes.n_unseen / changes.n_rows,
        without_code=without_code,
        outside_range=float("nan") if column.smallest is None else changes.n_outside / changes.n_rows,
        kind_before=changes.kind_before,
        kind_now=changes.kind_now,
        moved=bool(
            changes.kind_now != changes.kind_before or without_code > MAX_WITHOUT_CODE or has_other_distribution
        ),
    )


def jensen_shannon_bits(before: NDArray[np.int64], now: NDArray[np.int64]) -> float:
    """The Jensen-Shannon divergence of two distributions in bits, from 0 (equal) to 1 (nothing in common)."""
    p = before / before.sum()
    q = now / now.sum()
    mean = (p + q) / 2
    return max(0.0, (_relative_entropy(p, mean) + _relative_entropy(q, mean)) / 2)


def _relative_entropy(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """The sum of p log2(p / q) over p > 0."""
    is_positive = p > 0
    return float((p[is_positive] * np.log2(p[is_positive] / q[is_positive])).sum())


def _p_of_one_distribution(before: NDArray[np.int64], now: NDArray[np.int64]) -> float:
    """The p of the likelihood-ratio test (G test): 2 N ln 2 I(code; data set) is chi-square with codes - 1."""
    from scipy.special import chdtrc

    both = before + now
    n_codes = int((both > 0).sum())
    if n_codes < 2:
        return 1.0
    pooled = both / both.sum()
    n_before = int(before.sum())
    n_now = int(now.sum())
    total = n_before * _relative_entropy(before / n_before, pooled) + n_now * _relative_entropy(now / n_now, pooled)
    return float(chdtrc(n_codes - 1, 2 * np.log(2) * max(0.0, total)))


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.1f} %"
