"""Tables whose rows are not at hand: they are read in parts, wherever these lie, and known by what parts add up to."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import narwhals as nw
import numpy as np

from bitsieve.binning.coding import fit_on_summary
from bitsieve.binning.repeated import CutsInParts
from bitsieve.common.progress import phase
from bitsieve.table.named import NamedColumns
from bitsieve.table.table import FEW_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.binning.coding import Coding
    from bitsieve.binning.summary import Summary
    from bitsieve.counts.source import CountSource
    from bitsieve.table.spooled import SpooledTable
    from bitsieve.table.target import Target


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
