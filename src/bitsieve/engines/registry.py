"""The engines by name: one line for each engine. No other file names the library of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeGuard, TypeVar

from bitsieve.dataset.data_kinds import gives_batches, is_frame, is_lazy, is_path
from bitsieve.dataset.dataset import COUNTS, Dataset
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError
from bitsieve.io.read import database_kind
from bitsieve.options import ReadOptions
from bitsieve.utils.messages import nearest_in
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    from bitsieve.dataset.take_columns import WantedColumns

Result = TypeVar("Result")


class DataInParts(Protocol):
    """Data that is read in parts."""

    def total(
        self,
        wanted: WantedColumns,
        work: Callable[[TableLike], Result],
        merge: Callable[[Sequence[Result]], Result],
        diagnostics: list[Diagnostic],
    ) -> Result | None:
        """Call ``work`` with some columns of every part of the rows, where it lies, and merge the results.

        What is noticed in the data is appended to ``diagnostics``. None if there are no rows.
        """
        raise UserError(
            code="rows-not-in-memory",
            message=f"the rows of a {type(self).__name__} are not read part by part",
            advice="give the table itself, or a StreamSource of its rows",
        )

    @property
    def target_in_file(self) -> str | None:
        """The target that a file format holds beside the columns: "y", the labels of libsvm. None for other data."""
        return None

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
            Its rows are read in parts; but a libsvm file gives a dataset in memory, its columns mapped from files.

        Raises
        ------
        ValueError
            If the data cannot be read, a column is not there, or the target or the weights have another length than
            the columns.
        """


class SourceOptions(NamedTuple):
    """How a source reads its data. An option that is None is left to the source; each engine takes some of them."""

    memory: int | str | None = None  # bytes that the work may take
    spool: str | PathLike[str] | None = None  # the folder in which packed rows are cached
    header: bool | None = None  # whether the first line of a text file has the names
    client: object = None  # of a Dask cluster

    def chosen(self) -> dict[str, object]:
        """The options that are not None, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class EngineEntry(NamedTuple):
    """The line of an engine: which data it takes, and what opens it."""

    name: str  # as in ``select(..., engine=name)``
    takes: Callable[[object], bool]  # ``takes(data)``: whether data is of this engine if none is named
    source: str = ""  # the module and the class that opens such data; empty: the rows are read into memory
    options: tuple[str, ...] = ()  # the fields of `SourceOptions` that it takes

    def open(self, data: object, options: SourceOptions | None = None) -> DataInParts | None:
        """Open data; None where its rows are read into memory. Refuse options that would have no effect."""
        source_options = SourceOptions() if options is None else options
        self.check_options(data, source_options)
        if is_source(data):
            return data
        if not self.source:
            return None
        module_name, _, class_name = self.source.rpartition(".")
        source_class: Callable[..., DataInParts] = getattr(import_module(module_name), class_name)
        return source_class(data, **source_options.chosen())

    def check_options(self, data: object, options: SourceOptions) -> None:
        """Refuse an option that is not None and would have no effect."""
        for name, value in options.chosen().items():
            if not self._has_effect(name, data):
                raise ParameterError(name, value, self._advice_without_effect(name, data))

    def _has_effect(self, option: str, data: object) -> bool:
        if option == "header" and not is_path(data):
            return False
        return option in self.options

    def _advice_without_effect(self, option: str, data: object) -> str:
        if is_source(data):
            return advice_for_source(data)
        if option == "header":
            return "leave it out, as only a text file has a header"
        name_of_data = "files" if is_path(data) else type(data).__name__
        return f"leave it out, as engine {self.name!r} does not read {name_of_data} in batches of this process"


def advice_for_source(source: object) -> str:
    """The advice for an option given with a source: the source got its options when it was made."""
    return f"leave it out, or give a path or a table in place of {type(source).__name__}"


def is_dask(data: object) -> bool:
    """Whether data is a Dask data frame, series or array. Dask is not imported to find out."""
    library = type(data).__module__.partition(".")[0]
    return library == "dask" and hasattr(data, "to_delayed") and hasattr(data, "shape")


def is_spark(data: object) -> bool:
    """Whether data is a Spark data frame. Spark is not imported to find out."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def is_source(data: object) -> TypeGuard[DataInParts]:
    """Whether data is a source that a user has made, such as a :class:`bitsieve.StreamSource`."""
    return hasattr(type(data), "read_in_parts")


def is_stream(data: object) -> bool:
    """Whether data gives batches of rows, and is neither a frame in memory nor a lazy frame, which are read at once."""
    return gives_batches(data) and not is_frame(data) and not is_lazy(data)


def _never(data: object) -> bool:
    return False


def _always(data: object) -> bool:
    return True


# The first engine that takes the data is chosen where none is named.
ENGINES = (
    EngineEntry("dask", is_dask, "bitsieve.engines.dask.open_dask", ("client", "header")),
    EngineEntry("spark", is_spark, "bitsieve.engines.spark.SparkSource"),
    EngineEntry("database", _never, "bitsieve.engines.in_database.DatabaseSource"),
    EngineEntry("stream", is_stream, "bitsieve.engines.stream.StreamSource", ("memory", "spool", "header")),
    EngineEntry("local", _always, options=("header",)),
)
_OPEN_SOURCE = EngineEntry("source", is_source)


def engine_named(name: str) -> EngineEntry:
    """The engine of a name; ParameterError if there is none."""
    for engine in ENGINES:
        if engine.name == name:
            return engine
    names = [engine.name for engine in ENGINES]
    raise ParameterError(
        "engine",
        name,
        advice=f"give one of {', '.join(map(repr, names))}",
        problem="is not known",
        code="unknown-name",
        fix=nearest_in("engine", name, names),
    )


def choose_engine(
    data: object, name: str | None = None, memory: int | str | None = None, spool: str | PathLike[str] | None = None
) -> EngineEntry:
    """The engine called ``name``; without a name the one that the data, a limit of memory or a spool calls for."""
    if is_source(data):
        if name is not None:
            raise ParameterError("engine", name, advice_for_source(data))
        return _OPEN_SOURCE
    if name is not None:
        return engine_named(name)
    if _is_read_in_batches(data, has_memory_limit=memory is not None, has_spool=spool is not None):
        return engine_named("stream")
    return next(engine for engine in ENGINES if engine.takes(data))


def _is_read_in_batches(data: object, *, has_memory_limit: bool, has_spool: bool) -> bool:
    """Whether rows that could be read into memory at once are read in batches."""
    if is_path(data):
        is_folder = isinstance(data, (str, PathLike)) and Path(data).is_dir()
        return is_folder or has_memory_limit or has_spool
    if not gives_batches(data):
        return False
    return has_spool or (has_memory_limit and is_lazy(data))


def can_be_counted_in_place(data: object) -> bool:
    """Whether the rows can be counted where they are: those of a lazy frame or of a database file."""
    if is_path(data):
        return database_kind(data) is not None
    return is_lazy(data) and not is_dask(data) and not is_spark(data)


def is_counted_in_place(data: object) -> bool:
    """Whether the rows are counted where they are unless the user says otherwise: there are very many of them."""
    if not can_be_counted_in_place(data):
        return False
    in_database = import_module("bitsieve.engines.in_database")
    return bool(in_database.has_too_many_values(data))


def data_in_parts(data: object, required_capabilities: Set[str] = frozenset()) -> DataInParts | None:
    """The data of ``fit``, opened to be read in parts; None for rows in memory. A path is always read in parts."""
    engine_name = None
    if required_capabilities <= COUNTS and is_counted_in_place(data):
        engine_name = "database"
    elif is_path(data):
        engine_name = "stream"
    return choose_engine(data, engine_name).open(data)


def refuse_survival(survival: object) -> None:
    """Refuse a time to an event for rows that are read in parts."""
    if survival is not None:
        raise UserError(
            code="rows-not-in-memory",
            message="a time to an event needs all rows in memory",
            advice="give a table in memory, without {memory}, {spool} and {engine}",
        )


def refuse_groups(groups: object) -> None:
    """Refuse groups of samples for rows that are read in parts."""
    if groups is not None:
        raise UserError(
            code="rows-not-in-memory",
            message="groups need all rows in memory",
            advice="give a table in memory, without {memory}, {spool} and {engine}, or leave out {groups}",
        )


def refuse_sampling_weights(options: ReadOptions) -> None:
    """Refuse the weights of a survey for rows that are read in parts: the scale depends on all of them."""
    if options.has_sampling_weights:
        raise ParameterError(
            "weight_kind",
            options.weight_kind,
            "give the table in memory (without {engine}, {memory}, {spool} and {push_down}), or frequency weights",
            "needs the weights of all rows at once, and here the rows are read in parts",
            code="rows-not-in-memory",
        )
