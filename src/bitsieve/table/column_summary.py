"""What a pass over the rows keeps of one column for the fit of a binner; that of parts of the rows merges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.table.distinct import Distinct
from bitsieve.table.encoding import lookup
from bitsieve.table.extents import MISSING, NUMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Kind = np.dtype[Any]


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What some rows of one column hold.

    Attributes
    ----------
    holds : int
        Bits of :mod:`bitsieve.table.extents`.
    kind : dtype or None
        Of the numbers; None for categories.
    low, high : number or None
        The smallest and the largest; None where there is none.
    n_missing : int
        Samples whose value is missing.
    categories : ndarray or None
        Sorted; None for numbers.
    distinct : Distinct or None
        Of numbers; None where they were too many, or nobody asked for them.
    """

    holds: int
    kind: Kind | None
    low: Any = None
    high: Any = None
    n_missing: int = 0
    categories: NDArray[Any] | None = None
    distinct: Distinct | None = None

    @property
    def is_empty(self) -> bool:
        """Whether every value is missing, so that the column may be of any kind."""
        return not self.holds & NUMBERS

    @property
    def values(self) -> NDArray[Any] | None:
        """The sorted categories or distinct numbers; None where they were too many."""
        if self.kind is None:
            return self.categories
        return None if self.distinct is None else self.distinct.values

    def adds_no_code_to(self, known: ColumnSummary) -> bool:
        """Whether the rows that ``known`` is of have the same codes with these rows as without them."""
        mine, others = self.values, known.values
        if self.kind != known.kind or self.holds | known.holds != known.holds or mine is None or others is None:
            return False
        if len(mine) == len(others):
            return bool(np.all(mine == others))
        if len(mine) > len(others) or mine.dtype != others.dtype:
            return False
        if mine.dtype.kind == "O":
            return set(mine.tolist()) <= set(others.tolist())
        return bool((lookup(mine, others) >= 0).all())

    @classmethod
    def merged(cls, parts: Sequence[ColumnSummary], name: str, most: int) -> ColumnSummary:
        """What all parts of the rows hold, in the order of the parts.

        Parameters
        ----------
        parts : sequence of ColumnSummary
        name : str
            Of the column, for messages.
        most : int
            The most cells of ``distinct``.

        Raises
        ------
        ValueError
            If some parts hold numbers and others categories.
        """
        if len(parts) == 1:
            return parts[0]
        holds = int(np.bitwise_or.reduce([part.holds for part in parts]))
        n_missing = sum(part.n_missing for part in parts)
        telling = [part for part in parts if not part.is_empty] or list(parts)
        if len({part.kind is None for part in telling}) > 1 and holds & NUMBERS:
            raise changes_kind(name, "numbers", "text or categories")
        if telling[0].kind is None:
            categories = union_of_categories([p.categories for p in telling if p.categories is not None], name)
            return cls(holds, None, n_missing=n_missing, categories=categories)
        kind = common_kind([part.kind for part in telling if part.kind is not None], missing=bool(holds & MISSING))
        known = [part for part in telling if part.low is not None]
        tables = [part.distinct for part in telling if part.distinct is not None]
        return cls(
            holds,
            kind,
            min((part.low for part in known), default=None),
            max((part.high for part in known), default=None),
            n_missing,
            distinct=Distinct.merged(tables, kind, most) if len(tables) == len(telling) else None,
        )


def common_kind(kinds: Sequence[Kind], *, missing: bool) -> Kind:
    """The type of numbers of several types in one column; whole numbers of which some are missing are float64."""
    kind = np.result_type(*kinds)
    return np.dtype(np.float64) if missing and kind.kind != "f" else kind


def union_of_categories(parts: Sequence[NDArray[Any]], name: str) -> NDArray[Any]:
    """The sorted categories of all parts of a column.

    Raises
    ------
    ValueError
        If they are of kinds that have no order among each other.
    """
    if all(len(part) == len(parts[0]) and bool(np.all(part == parts[0])) for part in parts[1:]):
        return parts[0]
    try:
        return np.unique(np.concatenate(parts))
    except TypeError:
        kinds = sorted({type(part[0]).__name__ for part in parts if len(part)})
        raise changes_kind(name, f"categories of type {kinds[0]}", f"of type {kinds[-1]}") from None


def changes_kind(name: str, before: str, after: str) -> ValueError:
    """The error for a column that is of one kind in some rows and of another in others."""
    return ValueError(
        f"column {name!r} holds {before} in some parts of the data and {after} in others: make it of one kind"
    )
