"""The partitions of a Spark data frame: what the executors keep of each, and how their results are merged."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from operator import itemgetter
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import finalize

from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, partitions_with_samples
from bitsieve.engines.recipe import PERSISTED_OBJECT, Recipe, recipe_by_partition

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame as SparkFrame
    from pyspark.sql import SparkSession

Result = TypeVar("Result")
NumberedObjects = Iterator[tuple[int, object]]  # the number of each partition, and an object of it

FAN_IN = 32  # the number of results that one task, or this process, merges
_SCHEMA = "partition int, object binary"


class PersistedFrame:
    """A data frame whose partitions the executors keep as long as this object lives, or as they did before."""

    def __init__(self, frame: SparkFrame) -> None:
        from pyspark import StorageLevel

        self.frame = frame
        if frame.storageLevel == StorageLevel.NONE:
            frame.persist()
            finalize(self, _release, frame).atexit = False


def _release(frame: SparkFrame) -> None:
    # A thread has its own connection to Spark. This one may be in the middle of a call when garbage is collected.
    Thread(target=_unpersist, args=(frame,), daemon=True).start()


def _unpersist(frame: SparkFrame) -> None:
    with suppress(Exception):  # Spark has several kinds of errors for a session that has ended
        frame.unpersist()


@dataclass(frozen=True)
class SparkPartitions(DataPartitions):
    """The objects of every partition, which the executors make anew, by a recipe, for every request."""

    max_pair_cells: ClassVar[int] = 1 << 22  # in every request the packed columns are handed to a Python process
    persisted: PersistedFrame
    frame: SparkFrame  # the columns of the persisted frame that are read
    #: Yields the number of each partition in some record batches, and the object from which the recipe starts.
    read: Callable[[Iterable[pa.RecordBatch]], NumberedObjects]
    numbers: Sequence[int]  # the numbers of the partitions
    recipe: Recipe = PERSISTED_OBJECT

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        from pyspark.sql.functions import expr

        results = self._results(work)
        n_results = len(self.numbers)
        merge_groups = partial(_merged_groups, merge=merge, fan_in=FAN_IN)
        while n_results > FAN_IN:
            n_results = ceil(n_results / FAN_IN)
            group_of_row = expr(f"partition div {FAN_IN}")
            results = results.repartition(n_results, group_of_row).mapInArrow(merge_groups, _SCHEMA)
        with named_jobs(self.frame.sparkSession, task):
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
        flags = packed.total("pack", has_samples, in_order)
        return replace(packed, numbers=partitions_with_samples(flags))

    def numbered(self, n_rows: Sequence[int]) -> SparkPartitions:
        first_rows: dict[int, int] = {}  # by the number of the partition
        first_row = 0
        for number, n in zip(self.numbers, n_rows, strict=True):
            if n:
                first_rows[number] = first_row
            first_row += n
        look_up_first_row = recipe_by_partition(first_rows.__getitem__)
        return replace(self, numbers=list(first_rows), recipe=look_up_first_row.zipped(self.recipe))

    def _results(self, work: Callable[..., object]) -> SparkFrame:
        """A data frame of what ``work`` returns for every partition, numbered in their order."""
        index_of = {number: index for index, number in enumerate(self.numbers)}
        run = partial(_run_work, read=self.read, index_of=index_of, recipe=self.recipe, work=work)
        return self.frame.mapInArrow(run, _SCHEMA)


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
def named_jobs(session: SparkSession, task: str) -> Iterator[None]:
    """Name the jobs that begin inside the block on the pages of Spark."""
    context = session.sparkContext
    key = "spark.job.description"
    earlier_name = context.getLocalProperty(key)
    context.setLocalProperty(key, f"bitsieve-{task}")
    try:
        yield
    finally:
        context.setLocalProperty(key, earlier_name)
