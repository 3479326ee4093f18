"""Parts of the rows of a table, read where they are: their target, what a binner must know of them, their codes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.binning.summary import Summary, summarize
from bitsieve.counts.packed import PackedSource
from bitsieve.table.encoding import as_array
from bitsieve.table.read_xy import read_xy
from bitsieve.table.target_parts import TargetSummary
from bitsieve.table.weights import read_weights, without_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.binning.coding import Coding
    from bitsieve.table.table import Table
    from bitsieve.table.target_parts import TargetCoding


@dataclass(frozen=True)
class PartReader:
    """How a part of the rows is read: the same for all parts, and small enough to be sent to each.

    Attributes
    ----------
    features : sequence of label, or None
        The columns of a part that are features; None: all are, and target and weights come beside it.
    target : label or list of label, or None
        The columns of a part that are the target; None: the target comes beside it.
    weight : label or None
        The column of frequency weights.
    drop_missing : bool
        Whether rows without a target are left out, as if their weight were 0.
    """

    features: Sequence[Hashable] | None = None
    target: Any = None
    weight: Hashable | None = None
    drop_missing: bool = False

    def split(self, part: Any, y: Any = None, weights: Any = None) -> tuple[Any, Any, Any]:
        """The features, the target and the frequency weights of a part."""
        features = part if self.features is None else columns_of(part, list(self.features))
        return features, *self._beside(part, y, weights)

    def n_rows(self, part: Any, y: Any = None, weights: Any = None) -> list[int]:
        """How many rows of the part count: all, or those whose weight is not 0. In a list, as parts have an order."""
        y, weights = self._beside(part, y, weights)
        if y is not None and len(y) != len(part):
            raise ValueError(
                f"a part of the features has {len(part):,} rows and that of the target {len(y):,}: "
                "cut both at the same rows"
            )
        kept = _kept(weights, len(part))
        return [len(part) if kept is None else int(kept.sum())]

    def summarize_target(self, first_row: int, *objects: Any, sampled: bool = True) -> TargetSummary:
        """What the part holds of the target."""
        y, weights = self._target(*objects)
        return TargetSummary.of_part(y, first_row=first_row, weights=weights, sampled=sampled)

    def combinations(self, first_row: int, *objects: Any, target: TargetCoding) -> NDArray[np.int64]:
        """The combinations of classes of a target of several columns that occur in the part."""
        return np.unique(target.combinations_of(self._target(*objects)[0]))

    def read(self, first_row: int, *objects: Any, target: TargetCoding) -> Table:
        """The part as a table, its classes those of all rows."""
        X, _, weights = self.split(*objects)
        y, _ = self._target(*objects)
        return replace(read_xy(X, None, weights), y=replace(target.target, codes=target.codes(y)))

    def summarize(self, first_row: int, *objects: Any, target: TargetCoding, binner: Binner) -> Summary:
        """What the binner must know of the part."""
        return summarize(self.read(first_row, *objects, target=target), binner, first_row=first_row)

    def pack(self, first_row: int, *objects: Any, target: TargetCoding, coding: Coding) -> PackedSource:
        """The codes of the part, packed for counting."""
        table = self.read(first_row, *objects, target=target)
        classes = table.target
        return PackedSource(coding.codes(table), classes.codes, n_classes=classes.n_classes, weights=table.weights)

    def _beside(self, part: Any, y: Any = None, weights: Any = None) -> tuple[Any, Any]:
        """The target and the frequency weights of a part."""
        if self.target is not None:
            y = columns_of(part, self.target)
        if self.weight is not None:
            weights = part[self.weight]
        if self.drop_missing and y is not None and len(y):
            missing = without_value(y)
            if missing.any():
                weights = np.where(missing, 0, 1 if weights is None else np.asarray(weights))
        return y, weights

    def _target(self, *objects: Any) -> tuple[Any, NDArray[np.int64] | None]:
        """The target and the frequency weights of the rows that count."""
        y, weights = self._beside(*objects)
        if y is None:
            y = np.zeros(len(objects[0]), np.int8)  # nobody asks for classes
        kept = _kept(weights, len(y))
        given = read_weights(weights, len(y))
        if kept is None or given is None:
            return y, given
        rows = np.flatnonzero(kept)
        if hasattr(y, "combine_chunks"):  # Arrow
            return y.take(rows), given[kept]
        return (y.iloc if hasattr(y, "iloc") else as_array(y))[rows], given[kept]


def columns_of(part: Any, labels: Any) -> Any:
    """A column of a part of a table, or several where ``labels`` is a list."""
    return part.select(labels) if isinstance(labels, list) and hasattr(part, "column_names") else part[labels]


def _kept(weights: Any, n_rows: int) -> NDArray[np.bool_] | None:
    """Which rows count; None: all. A part all of whose weights are 0 has none, while a table must have some."""
    if weights is None:
        return None
    if not n_rows:
        return np.zeros(0, bool)
    given = np.asarray(weights)
    if given.dtype.kind in "biuf" and len(given) == n_rows and not given.any():
        return np.zeros(n_rows, bool)
    known = read_weights(given, n_rows)
    return None if known is None else known > 0
