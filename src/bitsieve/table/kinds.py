"""Lazy frames and record batches: read as a frame or table with rows, and columns taken from them in their own kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
from narwhals import dependencies as known

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_rows(data: Any) -> Any:
    """A lazy frame collected, a record batch as a pyarrow table, anything else as it is.

    Raises
    ------
    ValueError
        The frame is of Dask or Spark, whose rows may not fit into memory.
    """
    if not keeps_columns_only(data):
        return data
    if _is_record_batch(data):
        import pyarrow as pa

        return pa.Table.from_batches([data])
    if known.is_dask_dataframe(data):
        raise ValueError("the data is a lazy frame of Dask: compute() it first, if its rows fit into memory")
    if known.is_pyspark_dataframe(data):
        raise ValueError("the data is a data frame of Spark: toArrow() it first, if its rows fit into memory")
    return nw.from_native(data).lazy().collect().to_native()


def keeps_columns_only(data: Any) -> bool:
    """Whether the data is a lazy frame or a record batch, from which columns are taken by name."""
    lazy = (
        known.is_polars_lazyframe,
        known.is_duckdb_relation,
        known.is_dask_dataframe,
        known.is_ibis_table,
        known.is_pyspark_dataframe,
    )
    return _is_record_batch(data) or any(is_of(data) for is_of in lazy)


def take_columns(data: Any, names: Sequence[str]) -> Any:
    """Columns of a lazy frame or a record batch, in its own kind."""
    if _is_record_batch(data):
        return data.select(list(names))
    return nw.from_native(data).lazy().select(list(names)).to_native()


def _is_record_batch(data: Any) -> bool:
    return type(data).__name__ == "RecordBatch" and type(data).__module__.partition(".")[0] == "pyarrow"
