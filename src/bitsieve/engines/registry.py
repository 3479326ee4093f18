"""The engines by name: where the rows of data are worked on. A line an engine; no other file names a library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw

from bitsieve.common.messages import ParameterError
from bitsieve.data.table import Table


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
    ) -> Table:
        """Look at the target, and divide the columns into features, target and weights."""


@dataclass(frozen=True)
class Engine:
    """Where the rows of data are worked on.

    Attributes
    ----------
    name : str
        As in ``select(..., engine=name)``.
    takes : callable
        ``takes(data)``: whether data is of this engine if none is named.
    source : str
        The module and the class that opens such data; empty: the rows are read into memory.
    """

    name: str
    takes: Callable[[Any], bool]
    source: str = ""

    def open(self, data: Any, **options: Any) -> DataInParts:
        """The data as what is read in parts."""
        module, _, name = self.source.rpartition(".")
        source: DataInParts = getattr(import_module(module), name)(data, **options)
        return source


def is_dask(data: Any) -> bool:
    """Whether something is a Dask data frame, series or array, found out without an import of Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "to_delayed") and hasattr(data, "shape")


def is_spark(data: Any) -> bool:
    """Whether something is a Spark data frame, found out without an import of Spark."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def gives_batches(data: Any) -> bool:
    """Whether something is read in batches: it speaks the Arrow stream protocol, or is of a kind that gives batches."""
    kind = type(data)
    at_once = hasattr(kind, "__arrow_c_array__")  # one batch, in memory
    return not at_once and any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_batches", "scanner"))


def is_lazy(data: Any) -> bool:
    """Whether something is a lazy frame, such as a DuckDB relation."""
    return isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def is_stream(data: Any) -> bool:
    """Whether something gives batches and is no data frame, which is read at once unless it is said otherwise."""
    return gives_batches(data) and not nw.dependencies.is_into_dataframe(data) and not is_lazy(data)


ENGINES = (
    Engine("dask", is_dask, "bitsieve.engines.dask.DaskSource"),
    Engine("spark", is_spark, "bitsieve.engines.spark.SparkSource"),
    Engine("stream", is_stream, "bitsieve.engines.stream.StreamSource"),
    Engine("local", lambda data: True),
)


def engine_named(name: str) -> Engine:
    """The engine of a name.

    Raises
    ------
    ValueError
        If there is none.
    """
    for engine in ENGINES:
        if engine.name == name:
            return engine
    raise ParameterError("engine", name, f"give one of {', '.join(repr(one.name) for one in ENGINES)}", "is not known")


def reads_in_batches(data: Any, memory: int | str | None, spool: str | PathLike[str] | None) -> bool:
    """Whether ``select`` reads data in batches: a file only if it is told to, or if the file is a folder."""
    if isinstance(data, (str, PathLike)):
        return memory is not None or spool is not None or Path(data).is_dir()
    return is_stream(data) or (gives_batches(data) and (spool is not None or (memory is not None and is_lazy(data))))


def open_data(
    data: Any,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    engine: str | None = None,
    header: bool | None = None,
) -> DataInParts | None:
    """The data of ``select`` as what is read in parts; None for what is read into memory."""
    opened: DataInParts
    if hasattr(type(data), "read_in_parts"):
        for name, value in (("engine", engine), ("header", header)):
            if value is not None:
                given = type(data).__name__
                raise ParameterError(name, value, f"leave it out, or give a path or a table in place of {given}")
        opened = data
        return opened
    if engine is None and reads_in_batches(data, memory, spool):
        engine = "stream"
    chosen = next(one for one in ENGINES if one.takes(data)) if engine is None else engine_named(engine)
    if not chosen.source:
        return None
    if chosen.name != "stream":
        return chosen.open(data)
    stream: Any = chosen.open(data, memory=memory, spool=spool)
    stream.header = header
    opened = stream
    return opened


def data_in_parts(data: Any) -> DataInParts | None:
    """The data of ``fit`` as what is read in parts, where it is of such a kind; a path is; None for rows in memory."""
    return open_data(data, engine="stream" if isinstance(data, (str, PathLike)) else None)
