"""Spark data frames, whose partitions are counted by the executors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from operator import itemgetter
from os import PathLike
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar
from weakref import finalize

from bitsieve.dataset.columns import check_labels
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, partitions_with_samples
from bitsieve.engines.registry import is_spark
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

Result = TypeVar("Result")
Step = tuple[Callable[..., object], tuple[int, ...]]  # a function, and the numbers of the values that it takes
NumberedObjects = Iterator[tuple[int, object]]  # the number of each partition, and an object of it

FAN_IN = 32  # results that one task merges, or this process
_SCHEMA = "partition int, object binary"


class Recipe(NamedTuple):
    """A chain of steps, maybe hundreds, that turns a persisted object into the objects of a partition.

    The values of a recipe are numbered: value 0 is the number of the partition, value 1 is the object that the
    executors persist, and value ``i + 2`` is the result of step i.
    """

    steps: tuple[Step, ...] = ()
    results: tuple[int, ...] = (1,)  # the numbers of the values that are returned

    def __call__(self, partition: int, persisted: object) -> list[object]:
        """Run the steps, and return the results for one partition."""
        last_use: dict[int, int] = {}  # by value: the last step that takes it
        for step, (_, arguments) in enumerate(self.steps):
            for argument in arguments:
                last_use[argument] = step
        values: list[object] = [partition, persisted]
        for step, (work, arguments) in enumerate(self.steps):
            values.append(work(*[values[argument] for argument in arguments]))
            for argument in arguments:
                if last_use[argument] == step and argument not in self.results:
                    values[argument] = None  # release it: it is as large as the partition
        return [values[result] for result in self.results]

    def then(self, work: Callable[..., object]) -> Recipe:
        """Add a step that calls ``work`` with the results."""
        value_of_step = len(self.steps) + 2
        return Recipe((*self.steps, (work, self.results)), (value_of_step,))

    def zipped(self, other: Recipe) -> Recipe:
        """The recipe that returns the results of both. The steps of the other one come after these."""
        shift = len(self.steps)

        def renumbered(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(value if value < 2 else value + shift for value in values)

        other_steps = [(work, renumbered(arguments)) for work, arguments in other.steps]
        return Recipe((*self.steps, *other_steps), (*self.results, *renumbered(other.results)))


class PersistedFrame:
    """A data frame whose partitions the executors keep as long as this object lives, or as they did before."""

    def __init__(self, frame: SparkFrame) -> None:
        from pyspark import StorageLevel

        self.frame = frame
        if frame.storageLevel == StorageLevel.NONE:
            frame.persist()
            finalize(self, _release, frame).atexit = False


_PERSISTED_OBJECT = Recipe()


@dataclass(frozen=True)
class SparkPartitions(DataPartitions):
    """The objects of every partition, which the executors make anew, by a recipe, for every request."""

    max_pair_cells: ClassVar[int] = 1 << 22  # in every request the packed columns are handed to a Python process
    persisted: PersistedFrame
    frame: SparkFrame  # the columns of the persisted frame that are read
    #: Yields the number of each partition in some record batches, and the object from which the recipe starts.
    read: Callable[[Iterable[pa.RecordBatch]], NumberedObjects]
    numbers: Sequence[int]  # the numbers of the partitions
    recipe: Recipe = _PERSISTED_OBJECT

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        from pyspark.sql.functions import expr

        results = self._results(work)
        n_results = len(self.numbers)
        while n_results > FAN_IN:
            n_results = ceil(n_results / FAN_IN)
            groups = results.repartition(n_results, expr(f"partition div {FAN_IN}"))
            results = groups.mapInArrow(partial(_merged_groups, merge=merge, fan_in=FAN_IN), _SCHEMA)
        with _named(self.frame.sparkSession, task):
            table = results.toArrow()
        total = _merge(_objects(table.to_batches()), merge)
        if isinstance(total, ValueError):  # raised by a task: a mistake in the data, without the executor's traceback
            raise total
        return total

    def map(self, task: str, work: Callable[..., object]) -> SparkPartitions:
        return replace(self, recipe=self.recipe.then(work))

    def zipped(self, other: SparkPartitions) -> SparkPartitions:
        return replace(self, recipe=self.recipe.zipped(other.recipe))

    def with_samples(self) -> SparkPartitions:
        """The partitions that have any samples, persisted by the executors that made them."""
        persisted = PersistedFrame(self._results(_unchanged))
        packed = SparkPartitions(persisted, persisted.frame, _objects, range(len(self.numbers)))
        return replace(packed, numbers=partitions_with_samples(packed.total("pack", has_samples, in_order)))

    def numbered(self, n_rows: Sequence[int]) -> SparkPartitions:
        first_row_of: dict[int, int] = {}  # by partition
        first_row = 0
        for number, n in zip(self.numbers, n_rows, strict=True):
            if n:
                first_row_of[number] = first_row
            first_row += n
        look_up_first_row = Recipe(steps=((first_row_of.__getitem__, (0,)),), results=(2,))
        return replace(self, numbers=list(first_row_of), recipe=look_up_first_row.zipped(self.recipe))

    def _results(self, work: Callable[..., object]) -> SparkFrame:
        """A data frame of what ``work`` returns for every partition, numbered in their order."""
        index_of = {number: index for index, number in enumerate(self.numbers)}
        run = partial(_run_work, read=self.read, index_of=index_of, recipe=self.recipe, work=work)
        return self.frame.mapInArrow(run, _SCHEMA)


def _number_of_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for number, _ in read_rows(batches, None):
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32())], ["partition"])


def read_rows(batches: Iterable[pa.RecordBatch], names: Sequence[Hashable] | None) -> NumberedObjects:
    """Yield the number of a partition and its rows as a table with renamed columns; nothing if it has no rows."""
    import pyarrow as pa
    from pyspark import TaskContext

    filled = [batch for batch in batches if batch.num_rows]
    if filled:
        context: Any = TaskContext.get()
        table = pa.Table.from_batches(filled)
        yield context.partitionId(), table if names is None else table.rename_columns(list(names))


def _objects(batches: Iterable[pa.RecordBatch]) -> NumberedObjects:
    """The numbers and the objects of rows that :func:`_row` has made."""
    for batch in batches:
        for number, pickled in zip(batch["partition"].to_pylist(), batch["object"], strict=True):
            yield number, pickle.loads(pickled.as_buffer())


def _run_work(
    batches: Iterable[pa.RecordBatch],
    read: Callable[[Iterable[pa.RecordBatch]], NumberedObjects],
    index_of: Mapping[int, int],
    recipe: Recipe,
    work: Callable[..., object],
) -> Iterator[pa.RecordBatch]:
    for number, persisted in read(batches):
        if number in index_of:
            yield _row(index_of[number], _result_or_error(work, recipe, number, persisted))


def _result_or_error(work: Callable[..., object], recipe: Recipe, number: int, persisted: object) -> object:
    """What ``work`` returns; the ValueError where it, or a step before it, refuses the data."""
    if isinstance(persisted, ValueError):
        return persisted
    try:
        return work(*recipe(number, persisted))
    except ValueError as error:
        return error


def _merged_groups(
    batches: Iterable[pa.RecordBatch], merge: Callable[[Sequence[Result]], Result], fan_in: int
) -> Iterator[pa.RecordBatch]:
    """Merge the results of ``fan_in`` neighbouring partitions each."""
    groups: dict[int, list[tuple[int, Any]]] = {}
    for number, result in _objects(batches):
        groups.setdefault(number // fan_in, []).append((number, result))
    for group, numbered_results in groups.items():
        merged = _merge(numbered_results, merge)
        yield _row(group, merged)


def _merge(
    numbered_results: Iterable[tuple[int, Any]], merge: Callable[[Sequence[Result]], Result]
) -> Result | ValueError:
    """Merge results in the order of their numbers; the first error where there are any."""
    results: list[Result] = []
    for _, result in sorted(numbered_results, key=itemgetter(0)):
        if isinstance(result, ValueError):
            return result
        results.append(result)
    return merge(results)


def _row(number: int, result: object) -> pa.RecordBatch:
    import pyarrow as pa

    pickled = pa.array([pickle.dumps(result, pickle.HIGHEST_PROTOCOL)], pa.binary())
    return pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), pickled], ["partition", "object"])


def _unchanged(value: object) -> object:
    return value


@contextmanager
def _named(session: SparkSession, task: str) -> Iterator[None]:
    """Name the jobs that begin inside the block on the pages of Spark."""
    context = session.sparkContext
    key = "spark.job.description"
    before = context.getLocalProperty(key)
    context.setLocalProperty(key, f"bitsieve-{task}")
    try:
        yield
    finally:
        context.setLocalProperty(key, before)


def _release(frame: SparkFrame) -> None:
    # A thread has its own connection to Spark. This one may be in the middle of a call when garbage is collected.
    Thread(target=_unpersist, args=(frame,), daemon=True).start()


def _unpersist(frame: SparkFrame) -> None:
    with suppress(Exception):  # Spark has several kinds of errors for a session that has ended
        frame.unpersist()


class SparkSource(ClusterSource):
    """A Spark data frame, to be given to ``select`` or to the ``fit`` of a selector in place of a table.

    Its partitions are binned and packed by the executors, which keep what they packed; for every request of a method
    they count the tables of their partitions, and these integers are added. The result is that of the same rows in
    memory (``data.toArrow()``), to the last bit, for any partitions. A data frame that is not kept yet (``persist``)
    is kept as long as this object or what is counted from it is in use. Costs a pass over the target and two over the
    columns, to find bins and to pack; the executors need room for the packed columns, ``(codes - 1) / 8`` bytes per row
    and column.

    The rows of a Spark data frame have no order, so target and weights are columns of it.

    Parameters
    ----------
    data : pyspark.sql.DataFrame of shape (n_samples, n_features)

    Attributes
    ----------
    data : pyspark.sql.DataFrame
        As given.

    Raises
    ------
    ValueError
        If the data is no Spark data frame, or several of its columns have one name.

    Examples
    --------
    >>> import bitsieve, pyarrow
    >>> from pyspark.sql import SparkSession
    >>> table = pyarrow.table({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "class": ["no", "no", "yes", "yes"]})
    >>> rows = SparkSession.builder.getOrCreate().createDataFrame(table)
    >>> bitsieve.select(bitsieve.SparkSource(rows), "class", n_features_to_select=1, binning="none").features
    ['b']
    """

    install_advice = ", and name its Python in PYSPARK_PYTHON"

    def __init__(self, data: TableLike) -> None:
        if not is_spark(data):
            kind = repr(str(data)) if isinstance(data, (str, PathLike)) else type(data).__name__
            raise UserError(
                code="data-type-not-read",
                message=f"data is {kind}",
                advice="give a Spark data frame",
            )
        self.data = data
        self.labels = list(data.columns)
        self.n_columns = len(data.columns)
        check_labels(self.labels)

    @cached_property
    def _persisted(self) -> PersistedFrame:
        return PersistedFrame(self.data)

    @cached_property
    def _rows(self) -> SparkFrame:
        """The rows, every column named by its index: in a name Spark would take some signs for its own."""
        return self._persisted.frame.toDF(*[_name_of(j) for j in range(self.n_columns)])

    @cached_property
    def _numbers(self) -> list[int]:
        """The numbers of the partitions that have rows."""
        with _named(self._rows.sparkSession, "rows"):
            first_column = self._rows.select(_name_of(0))
            table = first_column.mapInArrow(_number_of_partition, "partition int").toArrow()
        return sorted(table["partition"].to_pylist())

    def open_partitions(self, columns: list[Hashable] | None, y: object, weights: object) -> SparkPartitions:
        for what, values in (("target", y), ("weights", weights)):
            if values is not None:
                raise UserError(
                    code="column-needed",
                    message=f"the {what} cannot be given by values, as the rows of a Spark data frame have no order",
                    advice="name a column of it",
                )
        names = self.labels if columns is None else columns
        frame = self._rows.select([_name_of(self.labels.index(name)) for name in names])
        return SparkPartitions(self._persisted, frame, partial(read_rows, names=names), self._numbers)

    def take(self, roles: Roles, names: Sequence[str]) -> pa.Table:
        return self.data.select([_quoted(name) for name in (*names, *roles.others)]).toArrow()

    def original_reader(self, roles: Roles) -> Callable[[Columns], TableLike]:
        def take_original(indices: Columns) -> TableLike:
            return self.data.select([_quoted(roles.features[j]) for j in indices])

        return take_original


def _name_of(j: int) -> str:
    return f"c{j}"


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
