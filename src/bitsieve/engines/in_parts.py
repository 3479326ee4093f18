"""Tables whose rows are not in memory: they are read in parts, and known by what the parts add up to."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import narwhals as nw
import numpy as np

from bitsieve.common.progress import phase
from bitsieve.counts.packed import PackedSource
from bitsieve.data.binning.coding import fit_on_summary
from bitsieve.data.binning.mdl import CutsInParts
from bitsieve.data.encoding import as_array
from bitsieve.data.read import read_xy
from bitsieve.data.summary import Summary, summarize
from bitsieve.data.table import FEW_ROWS, NamedColumns
from bitsieve.data.target_summary import TargetSummary
from bitsieve.data.weights import read_weights, without_value

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from bitsieve.counts.source import CountSource
    from bitsieve.data.binning.base import Binner
    from bitsieve.data.binning.coding import Coding
    from bitsieve.data.sparse import SpooledTable
    from bitsieve.data.table import Table
    from bitsieve.data.target import Target
    from bitsieve.data.target_summary import TargetCoding


class DataInParts(Protocol):
    """Data that is read in parts."""

    def read_in_parts(
        self,
        target: Any = None,
        sample_weight: Any = None,
        *,
        target_name: str = "y",
        target_bins: int | str | None = None,
        drop_missing: bool = False,
    ) -> TableInParts | SpooledTable:
        """Look at the target, and divide the columns into features, target and weights."""


class GivenInParts(Protocol):
    """The data as it was given."""

    weight: str | None
    labels: Sequence[Any] | None = None

    def take(self, indices: NDArray[np.intp]) -> Any:
        """Some features, in the kind that was given."""

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features, the target and the weights, for writing to a file."""


class TableInParts(NamedColumns):
    """A table whose rows are read in parts.

    Attributes
    ----------
    n_samples : int
        Rows; those of weight 0 are left out.
    target : Target
        The classes of all rows; its ``codes`` are none of anything.
    given : GivenInParts
    known : Summary or None
        What was found in all rows, once they were counted.
    coding : Coding or None
        How they were coded.
    target_rank_error : float
        By what share of the samples the rank of an edge of the target may be off; 0: exact.
    few_are_codes : bool
        Whether whole numbers of few values are codes; in an array, only if all columns are such.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"tables", "partition", "joined"})
    n_samples: int
    target: Target
    given: GivenInParts
    known: Summary | None = None
    coding: Coding | None = None
    target_rank_error: float = 0.0
    few_are_codes: bool = False

    @abstractmethod
    def summary(self, binner: Binner) -> Summary:
        """What a binner must know of all rows: one pass."""

    @abstractmethod
    def source(self, coding: Coding) -> CountSource:
        """The counts of the columns as they are coded: one pass."""

    def count(self, binner: Binner) -> tuple[Coding, CountSource]:
        """Fit a copy of the binner on all rows, and code them by it."""
        phase("reading")
        self.known = self._with_codes(self.summary(binner))
        self.coding = coding = fit_on_summary(binner, self.known)
        phase("counting")
        source = self.source(coding)
        source.search = search_in_parts(coding, source)
        return coding, source

    def _with_codes(self, known: Summary) -> Summary:
        few = known.few_valued() if self.few_are_codes else []
        return known if self.feature_names is None and len(few) < self.n_features else known.with_categories(few)

    def varies(self, j: int) -> bool:
        """Whether column ``j`` holds different values; known once it was counted."""
        assert self.known is not None  # asked for after the columns were counted
        column = self.known.columns[j]
        if column.categories is not None:
            return len(column.categories) + (column.n_missing > 0) > 1
        return column.low is not None and (column.low < column.high or column.n_missing > 0)

    def counts_rows(self, j: int) -> bool:
        """Whether column ``j`` only counts the rows; known once it was counted, of the rows of its sample."""
        sample = None if self.known is None else self.known.sample
        if sample is None or len(sample.rows) < FEW_ROWS:
            return False
        values = sample.columns[j]
        if values is None or values.dtype.kind not in "iu":
            return False
        numbers, rows = values.astype(np.int64) - int(values[0]), sample.rows - sample.rows[0]
        return bool((numbers == rows).all() or (numbers == -rows).all())


def search_in_parts(coding: Coding, source: CountSource) -> CutsInParts | None:
    """What looked at the classes of a table in parts; None if nothing did."""
    if coding.binner.sees != "classes":
        return None
    return CutsInParts(coding.binner, source.n_samples, source.n_classes)


def gives_batches(data: Any) -> bool:
    """Whether something is read in batches: it speaks the Arrow stream protocol, or is of a kind that gives batches."""
    kind = type(data)
    at_once = hasattr(kind, "__arrow_c_array__")  # one batch, in memory
    return not at_once and any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_batches", "scanner"))


def is_frame(data: Any) -> bool:
    """Whether something is a data frame, or a lazy one, which is read at once unless it is said otherwise."""
    eager = nw.dependencies.is_into_dataframe(data)
    return eager or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def is_dask(data: Any) -> bool:
    """Whether something is a Dask data frame, series or array, told without an import of Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "to_delayed") and hasattr(data, "shape")


def is_spark(data: Any) -> bool:
    """Whether something is a Spark data frame, told without an import of Spark."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


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
