"""One column of a target that is read in parts: what is kept of it, and the classes of each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.attributes import cached_property
from bitsieve.counts.rows import sizes_of_classes
from bitsieve.table.column_summary import changes_kind, union_of_categories
from bitsieve.table.distinct import Distinct
from bitsieve.table.encoding import Encoded, lookup
from bitsieve.table.row_sample import RowSample
from bitsieve.table.table import Table
from bitsieve.table.target import Target, check_complete, count_unusable, to_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_CELLS = _ROWS = 1 << 18  # distinct values of a column; rows of the sample where there are more


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """What some rows of one column of a target hold.

    Attributes
    ----------
    n_samples, n_missing, n_infinite : int
    categories : ndarray or None
        Sorted; None for numbers and dates.
    distinct : Distinct or None
        With how many samples have each value; None where they are too many.
    sample : RowSample or None
        Of numbers; None where nobody asked for one.
    """

    n_samples: int
    n_missing: int
    n_infinite: int
    categories: NDArray[Any] | None
    distinct: Distinct | None
    sample: RowSample | None

    @classmethod
    def of_part(
        cls, values: NDArray[Any] | Encoded, rows: NDArray[np.int64] | None, weights: NDArray[np.int64] | None
    ) -> TargetColumn:
        """What a part of the rows holds; ``rows`` are their numbers in the whole table, None: no sample of them."""
        missing, infinite = count_unusable(values)
        if isinstance(values, Encoded):
            counts = None if missing else np.bincount(values.codes, weights, len(values.categories)).astype(np.int64)
            distinct = None if counts is None else Distinct(values.categories, counts[:, None])
            return cls(len(values.codes), missing, 0, values.categories, distinct, None)
        if missing or infinite:  # refused in the end, with the number of all of them
            return cls(len(values), missing, infinite, None, None, None)
        sample = None if rows is None else RowSample.of_part(Table([values], ["y"], weights=weights), rows, _ROWS)
        return cls(len(values), 0, 0, None, Distinct.of_samples(values, None, 1, weights, _CELLS), sample)

    @property
    def needs_sample(self) -> bool:
        """Whether it holds too many numbers to know them all, and no sample of them."""
        unusable = self.n_missing or self.n_infinite
        return not unusable and self.categories is None and self.distinct is None and self.sample is None

    @classmethod
    def merged(cls, parts: Sequence[TargetColumn], what: str) -> TargetColumn:
        """What all parts of the rows hold."""
        if len(parts) == 1:
            return parts[0]
        n_samples, missing, infinite = (
            sum(counts) for counts in zip(*((p.n_samples, p.n_missing, p.n_infinite) for p in parts), strict=True)
        )
        if missing or infinite:
            return cls(n_samples, missing, infinite, None, None, None)
        categories = [part.categories for part in parts if part.categories is not None]
        if 0 < len(categories) < len(parts):
            raise changes_kind(what, "numbers", "text or categories")
        samples = [part.sample for part in parts if part.sample is not None]
        tables = [part.distinct for part in parts if part.distinct is not None]
        kind = np.result_type(*(table.values.dtype for table in tables)) if tables else np.dtype(np.float64)
        return cls(
            n_samples,
            0,
            0,
            union_of_categories(categories, what) if categories else None,
            Distinct.merged(tables, kind, _CELLS) if len(tables) == len(parts) else None,
            RowSample.merged(samples) if samples else None,
        )

    def classes(self, what: str, n_bins: int | str | None) -> TargetPart:
        """The classes of all rows.

        Raises
        ------
        ValueError
            If values are missing or infinite, or there are too many classes.
        """
        check_complete(what, self.n_samples, self.n_missing, self.n_infinite)
        if self.categories is not None:
            all_codes = np.arange(len(self.categories), dtype=np.int32)
            counts = None if self.distinct is None else self.distinct.counts[:, 0]
            return TargetPart(self.categories, to_classes(Encoded(all_codes, self.categories), n_bins), counts=counts)
        if self.distinct is not None:
            values, counts = self.distinct.values, self.distinct.counts[:, 0]
            return TargetPart(values, to_classes(values, n_bins, counts), counts=counts)
        assert self.sample is not None
        column = self.sample.columns[0]
        assert column is not None
        values = column
        if isinstance(n_bins, str) or values.dtype.kind not in "iuf":
            raise ValueError(f"{what} has more than {_CELLS:,} classes: check that it is not a number of each row")
        found = to_classes(values.astype(np.float64), n_bins, self.sample.weights)
        return TargetPart(values, found, self.sample.rank_error)


@dataclass(frozen=True, eq=False)
class TargetPart:
    """The classes of one column of a target.

    Attributes
    ----------
    values : ndarray
        Distinct ones, or a sample.
    target : Target
        Its codes are those of ``values``.
    rank_error : float
        By what share of the samples the rank of an edge may be off; 0: exact.
    counts : ndarray of int64 or None
        How many of all samples have each of ``values``; None where that is not known.
    """

    values: NDArray[Any]
    target: Target
    rank_error: float = 0.0
    counts: NDArray[np.int64] | None = None

    @property
    def class_sizes(self) -> NDArray[np.int64] | None:
        """How many samples each class has; None where that is not known."""
        return None if self.counts is None else sizes_of_classes(self.target.codes, self.counts, self.target.n_classes)

    def codes(self, given: NDArray[Any] | Encoded) -> NDArray[np.int32]:
        """The classes of some rows."""
        if self.target.edges is not None:
            assert not isinstance(given, Encoded)
            return np.searchsorted(self.target.edges, given.astype(np.float64)).astype(np.int32)
        if isinstance(given, Encoded):
            return self.target.codes[lookup(given.categories, self.values)][given.codes]
        places = lookup(given, self.values)
        return places if self._is_sorted and places.min(initial=0) == 0 else self.target.codes[places]

    @cached_property
    def _is_sorted(self) -> bool:
        """Whether the place of every value is its class."""
        return bool((self.target.codes == np.arange(len(self.values))).all())
