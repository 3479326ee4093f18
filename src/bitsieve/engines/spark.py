"""Spark data frames, whose partitions are counted by the executors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import itemgetter
from os import PathLike
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import finalize

from bitsieve.dataset.columns import check_labels
from bitsieve.dataset.original import OriginalData
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, places_with_samples
from bitsieve.engines.registry import is_spark
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property

if TYPE_CHECKING:
    import pyarrow as pa
Result = TypeVar("Result")
Numbered = Iterator[tuple[int, Any]]


FAN_IN = 32  # results that one task merges, or this process
_SCHEMA = "place int, object binary"


class Recipe(NamedTuple):
    """What is made of a portion, of values 0 (its number) and 1 (what is kept), by a chain of steps, maybe hundreds."""

    steps: tuple[tuple[Callable[..., Any], tuple[int, ...]], ...] = ()
    results: tuple[int, ...] = (1,)

    def __call__(self, place: int, kept: Any) -> list[Any]:
        values, last = [place, kept], {i: step for step, (_, of) in enumerate(self.steps) for i in of}
        for step, (work, of) in enumerate(self.steps):
            values.append(work(*(values[i] for i in of)))
            for i in of:
                if last[i] == step and i not in self.results:
                    values[i] = None  # as large as the portion, and not needed again
        return [values[i] for i in self.results]

    def then(self, work: Callable[..., Any]) -> Recipe:
        """What ``work`` makes of the results."""
        return Recipe((*self.steps, (work, self.results)), (len(self.steps) + 2,))

    def beside(self, other: Recipe) -> Recipe:
        """The results of both."""

        def moved(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(i if i < 2 else i + len(self.steps) for i in values)

        steps = [(work, moved(of)) for work, of in other.steps]
        return Recipe((*self.steps, *steps), (*self.results, *moved(other.results)))


class PersistedFrame:
    """A data frame whose partitions the executors keep: until this object is gone, or as long as they did before."""

    def __init__(self, frame: Any) -> None:
        from pyspark import StorageLevel

        self.frame = frame
        if frame.storageLevel == StorageLevel.NONE:
            frame.persist()
            finalize(self, _release, frame).atexit = False


_ITSELF = Recipe()


@dataclass(frozen=True)
class SparkPartitions(DataPartitions):
    """Objects that are made, anew for every request, of what the executors keep; a tuple of them for every portion."""

    kept: PersistedFrame
    frame: Any  # what is read of it
    # the number of every portion in the record batches of a partition, and what is kept of it
    read: Callable[[Iterable[pa.RecordBatch]], Numbered]
    places: Sequence[int]  # the numbers of the portions
    recipe: Recipe = _ITSELF

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        from pyspark.sql.functions import expr

        results, n = self._each(work), len(self.places)
        while n > FAN_IN:
            n = -(-n // FAN_IN)
            together = results.repartition(n, expr(f"place div {FAN_IN}"))
            results = together.mapInArrow(partial(_merged, merge=merge, fan_in=FAN_IN), _SCHEMA)
        with _named(self.frame.sparkSession, task):
            found = results.toArrow()
        whole = _merge(sorted(_objects(found.to_batches()), key=itemgetter(0)), merge)
        if isinstance(whole, ValueError):  # a mistake in the data that a task found, without the trace of the executor
            raise whole
        result: Result = whole
        return result

    def map(self, task: str, work: Callable[..., Any]) -> SparkPartitions:
        return self._with(self.places, self.recipe.then(work))

    def beside(self, other: SparkPartitions) -> SparkPartitions:
        return self._with(self.places, self.recipe.beside(other.recipe))

    def with_samples(self) -> SparkPartitions:
        """The portions that have any samples, kept by the executors that made them."""
        kept = PersistedFrame(self._each(_itself))
        made = SparkPartitions(kept, kept.frame, _objects, range(len(self.places)))
        return made._with(places_with_samples(made.total("pack", has_samples, in_order)), made.recipe)

    def numbered(self, n_rows: Sequence[int]) -> SparkPartitions:
        starts = accumulate(n_rows, initial=0)
        some = {place: start for place, start, n in zip(self.places, starts, n_rows, strict=False) if n}
        number = Recipe(((some.__getitem__, (0,)),), (2,))
        return self._with(list(some), number.beside(self.recipe))

    def _with(self, places: Sequence[int], recipe: Recipe) -> SparkPartitions:
        return SparkPartitions(self.kept, self.frame, self.read, places, recipe)

    def _each(self, work: Callable[..., Any]) -> Any:
        """A data frame of what ``work`` returns for every portion, numbered in their order."""
        order = {place: number for number, place in enumerate(self.places)}
        answer = partial(_answered, read=self.read, order=order, recipe=self.recipe, work=work)
        return self.frame.mapInArrow(answer, _SCHEMA)


def _own_number(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for place, _ in rows_of(batches, None):
        yield pa.RecordBatch.from_arrays([pa.array([place], pa.int32())], ["place"])


def rows_of(batches: Iterable[pa.RecordBatch], names: Sequence[str] | None) -> Numbered:
    """The number of a partition that has rows, and these as a table, its columns named (None: as they are)."""
    import pyarrow as pa
    from pyspark import TaskContext

    some = [batch for batch in batches if batch.num_rows]
    if some:
        context: Any = TaskContext.get()
        table = pa.Table.from_batches(some)
        yield context.partitionId(), table if names is None else table.rename_columns(list(names))


def _objects(batches: Iterable[pa.RecordBatch]) -> Numbered:
    for batch in batches:
        for place, held in zip(batch["place"].to_pylist(), batch["object"], strict=True):
            yield place, pickle.loads(held.as_buffer())


def _answered(
    batches: Iterable[pa.RecordBatch],
    read: Callable[[Iterable[pa.RecordBatch]], Numbered],
    order: Mapping[int, int],
    recipe: Recipe,
    work: Callable[..., Any],
) -> Iterator[pa.RecordBatch]:
    for place, kept in read(batches):
        if place in order:
            yield _row(order[place], _worked(work, recipe, place, kept))


def _worked(work: Callable[..., Any], recipe: Recipe, place: int, kept: Any) -> Any:
    """What ``work`` returns, or the mistake that it, or the step before it, found in the data."""
    if isinstance(kept, ValueError):
        return kept
    try:
        return work(*recipe(place, kept))
    except ValueError as error:
        return error


def _merged(
    batches: Iterable[pa.RecordBatch], merge: Callable[[Sequence[Any]], Any], fan_in: int
) -> Iterator[pa.RecordBatch]:
    groups: dict[int, list[tuple[int, Any]]] = {}
    for place, result in _objects(batches):
        groups.setdefault(place // fan_in, []).append((place, result))
    for group, several in groups.items():
        yield _row(group, _merge(sorted(several, key=itemgetter(0)), merge))


def _merge(several: Sequence[tuple[int, Any]], merge: Callable[[Sequence[Any]], Any]) -> Any:
    failed = [result for _, result in several if isinstance(result, ValueError)]
    return failed[0] if failed else merge([result for _, result in several])


def _row(place: int, result: Any) -> pa.RecordBatch:
    import pyarrow as pa

    held = pa.array([pickle.dumps(result, pickle.HIGHEST_PROTOCOL)], pa.binary())
    return pa.RecordBatch.from_arrays([pa.array([place], pa.int32()), held], ["place", "object"])


def _itself(value: Any) -> Any:
    return value


@contextmanager
def _named(session: Any, task: str) -> Iterator[None]:
    """The jobs that begin within the block have the name of the task on Spark's pages."""
    context, key = session.sparkContext, "spark.job.description"
    before = context.getLocalProperty(key)
    context.setLocalProperty(key, f"bitsieve-{task}")
    try:
        yield
    finally:
        context.setLocalProperty(key, before)


def _release(frame: Any) -> None:
    # On a thread, which has a connection to Spark of its own: garbage may be collected in the middle of a call.
    Thread(target=_forget, args=(frame,), daemon=True).start()


def _forget(frame: Any) -> None:
    with suppress(Exception):  # of whatever kind Spark has for a session that ended before
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

    to_install = ", and name its Python in PYSPARK_PYTHON"

    def __init__(self, data: Any) -> None:
        if not is_spark(data):
            given = repr(str(data)) if isinstance(data, (str, PathLike)) else type(data).__name__
            raise UserError(
                code="data-type-not-read",
                message=f"data is {given}",
                advice="give a Spark data frame",
            )
        self.data, self.labels, self.n_columns = data, list(data.columns), len(data.columns)
        check_labels(self.labels)

    @cached_property
    def _kept(self) -> PersistedFrame:
        return PersistedFrame(self.data)

    @cached_property
    def _rows(self) -> Any:
        """The rows, every column named by its place: in a name Spark would take some signs for its own."""
        return self._kept.frame.toDF(*map(_name_of, range(self.n_columns)))

    @cached_property
    def _places(self) -> list[int]:
        """The numbers of the partitions that have rows."""
        with _named(self._rows.sparkSession, "rows"):
            return sorted(self._rows.mapInArrow(_own_number, "place int").toArrow()["place"].to_pylist())

    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> SparkPartitions:
        for what, values in (("target", y), ("weights", weights)):
            if values is not None:
                raise UserError(
                    code="column-needed",
                    message=f"the {what} cannot be given by values, as the rows of a Spark data frame have no order",
                    advice="name a column of it",
                )
        names = self.labels if labels is None else labels
        frame = self._rows.select([_name_of(self.labels.index(name)) for name in names])
        return SparkPartitions(self._kept, frame, partial(rows_of, names=names), self._places)

    def _original(self, roles: Roles) -> OriginalData:
        data, features = self.data, roles.features

        def take(indices: Columns) -> Any:
            return data.select([_quoted(features[j]) for j in indices])

        def with_target(names: Sequence[str]) -> pa.Table:
            return data.select([_quoted(name) for name in (*names, *roles.others)]).toArrow()

        return OriginalData(take, with_target, roles.weight_name, features)


def _name_of(place: int) -> str:
    return f"c{place}"


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
