"""The engines by name: one line for each engine. No other file names the library of an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from bitsieve.dataset.data_kinds import gives_batches, is_frame, is_lazy, is_path
from bitsieve.dataset.dataset import COUNTS, Dataset
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.io.read import database_kind
from bitsieve.options import ReadOptions


class DataInParts(Protocol):
    """Data that is read in parts."""

    def read_in_parts(self, options: ReadOptions) -> Dataset:
        """Look at the target, and divide the columns into features, target and weights.

        Parameters
        ----------
        options : ReadOptions
            The target and the weights are columns, or values: in memory, or a Dask collection cut at the same rows;
            "y" are the labels of a libsvm file. Without a target all rows are of one class.

        Returns
        -------
        Dataset
            In parts; of a libsvm file in memory, its values in files.

        Raises
        ------
        ValueError
            If the data cannot be read, a column is not there, or the target or the weights are not as many as the rows.
        """


@dataclass(frozen=True)
class EngineEntry:
    """The line of an engine: which data it takes, and what opens it."""

    name: str  # as in ``select(..., engine=name)``
    takes: Callable[[Any], bool]  # ``takes(data)``: whether data is of this engine if none is named
    source: str = ""  # the module and what it calls to open such data; empty: the rows are read into memory
    # what the source takes besides the data: of ``memory``, ``spool``, ``header`` and ``client``
    options: tuple[str, ...] = ()

    def open(self, data: Any, **options: Any) -> DataInParts | None:
        """Open data with the options that are not None; return None for data that is read into memory."""
        self.check_options(data, options)
        if not self.source:
            return None
        module, _, name = self.source.rpartition(".")
        chosen_options = {option: value for option, value in options.items() if value is not None}
        source: DataInParts = getattr(import_module(module), name)(data, **chosen_options)
        return source

    def check_options(self, data: Any, options: Mapping[str, Any]) -> None:
        """Refuse an option that is not None and would have no effect."""
        name_of_data = "files" if is_path(data) else type(data).__name__
        for option, value in options.items():
            if value is None or (option in self.options and (is_path(data) or option != "header")):
                continue
            if gives_parts(data):
                advice = f"leave it out, or give a path or a table in place of {name_of_data}"
            elif option == "header":
                advice = "leave it out, as only a text file has a header"
            else:
                advice = (
                    f"leave it out, as engine {self.name!r} does not read {name_of_data} in batches of this process"
                )
            raise ParameterError(option, value, advice)


def is_dask(data: Any) -> bool:
    """Whether something is a Dask data frame, series or array, found out without an import of Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "to_delayed") and hasattr(data, "shape")


def is_spark(data: Any) -> bool:
    """Whether something is a Spark data frame, found out without an import of Spark."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def gives_parts(data: Any) -> bool:
    """Whether something is a source that is read in parts as it is, such as a :class:`bitsieve.StreamSource`."""
    return hasattr(type(data), "read_in_parts")


ENGINES = (
    EngineEntry("dask", is_dask, "bitsieve.engines.dask.open_dask", ("client", "header")),
    EngineEntry("spark", is_spark, "bitsieve.engines.spark.SparkSource"),
    EngineEntry("database", lambda data: False, "bitsieve.engines.in_database.DatabaseSource"),
    EngineEntry(
        "stream",
        lambda data: gives_batches(data) and not is_frame(data) and not is_lazy(data),  # those are read at once
        "bitsieve.engines.stream.StreamSource",
        ("memory", "spool", "header"),
    ),
    EngineEntry("local", lambda data: True, options=("header",)),
)
_AS_GIVEN = EngineEntry("source", gives_parts, "bitsieve.engines.registry.as_given")


def as_given(source: DataInParts) -> DataInParts:
    """The source itself."""
    return source


def engine_named(name: str) -> EngineEntry:
    """The engine of a name; ValueError if there is none."""
    for engine in ENGINES:
        if engine.name == name:
            return engine
    raise ParameterError(
        "engine",
        name,
        f"give one of {', '.join(repr(engine.name) for engine in ENGINES)}",
        "is not known",
        code="unknown-name",
    )


def choose_engine(
    data: Any, name: str | None = None, memory: int | str | None = None, spool: str | PathLike[str] | None = None
) -> EngineEntry:
    """The engine of that name, or the one of the data and of what is asked for; ValueError if there is none."""
    if gives_parts(data):
        _AS_GIVEN.check_options(data, {"engine": name})
        return _AS_GIVEN
    if name is not None:
        return engine_named(name)
    if is_path(data):
        in_batches = (
            memory is not None or spool is not None or (isinstance(data, (str, PathLike)) and Path(data).is_dir())
        )
    else:
        in_batches = gives_batches(data) and (spool is not None or (memory is not None and is_lazy(data)))
    if in_batches:
        return engine_named("stream")
    return next(engine for engine in ENGINES if engine.takes(data))


def may_stay(data: Any) -> bool:
    """Whether rows can be counted where they are: those of a lazy frame or of a database file."""
    return database_kind(data) is not None if is_path(data) else is_lazy(data) and not is_dask(data) | is_spark(data)


def is_pushed_down(data: Any) -> bool:
    """Whether rows are counted where they are if nothing else is said: there are very many."""
    if not may_stay(data):
        return False
    return bool(import_module("bitsieve.engines.in_database").is_worth_it(data))


def data_in_parts(data: Any, needs: Set[str] = frozenset()) -> DataInParts | None:
    """The data of ``fit`` as what is read in parts, where it is of such a kind; a path is; None for rows in memory."""
    name = "database" if needs <= COUNTS and is_pushed_down(data) else "stream" if is_path(data) else None
    return choose_engine(data, name).open(data)


def refuse_groups(groups: Any) -> None:
    """Raise ValueError for groups of rows that are read in parts."""
    if groups is not None:
        raise UserError(
            code="rows-not-in-memory",
            message="groups need all rows in memory",
            advice="give a table in memory, or leave them out",
        )
