"""Partitions on the workers of a Dask cluster, or on the threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from bitsieve.diagnostics import UserError
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, partitions_with_samples
from bitsieve.utils.messages import one_line

if TYPE_CHECKING:
    from dask.delayed import Delayed
    from distributed import Client


Result = TypeVar("Result")

Objects = tuple[object, ...]  # of one partition: Delayed objects, or small values

FAN_IN = 8  # the number of results that one task merges


class DaskPartitions(DataPartitions):
    """Objects on the workers of a Dask cluster; without a ``client`` on the threads of this process."""

    def __init__(self, objects_by_partition: Sequence[Objects], client: Client | None = None) -> None:
        self.objects_by_partition = list(objects_by_partition)
        self.client = client

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        dask = dask_library()
        results = self._tasks(task, work)
        name = f"bitsieve-add-{uuid4().hex}"
        merge_task = dask.delayed(merge, pure=False)
        level = 0
        while len(results) > 1:
            groups = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
            results = [merge_task(group, dask_key_name=f"{name}-{level}-{i}") for i, group in enumerate(groups)]
            level += 1
        (result,) = results
        try:
            total: Result = self._computed(result)
        except KeyError as error:  # raised by pandas, where a task selects columns of a partition
            raise UserError(
                code="columns-differ",
                message=f"a part of the data lacks a column ({one_line(error.args[0])})",
                advice="every part must have the same columns",
            ) from None
        return total

    def map(self, task: str, work: Callable[..., object]) -> DaskPartitions:
        results = self._persisted(self._tasks(task, work))
        return DaskPartitions([(result,) for result in results], self.client)

    def zipped(self, other: DaskPartitions) -> DaskPartitions:
        pairs = zip(self.objects_by_partition, other.objects_by_partition, strict=True)
        return DaskPartitions([first + second for first, second in pairs], self.client)

    def with_samples(self) -> DaskPartitions:
        """The packed partitions that have samples; those of one worker lie next to each other."""
        indices = partitions_with_samples(self.total("facts", has_samples, in_order))
        results = [self.objects_by_partition[i] for i in indices]
        if self.client is not None:
            results = _sorted_by_worker(results, self.client)
        return DaskPartitions(results, self.client)

    def numbered(self, n_rows: Sequence[int]) -> DaskPartitions:
        numbered: list[Objects] = []
        first_row = 0
        for objects, n in zip(self.objects_by_partition, n_rows, strict=True):
            if n:
                numbered.append((first_row, *objects))
            first_row += n
        return DaskPartitions(numbered, self.client)

    def _tasks(self, task: str, work: Callable[..., object]) -> list[Delayed]:
        name = f"bitsieve-{task}-{uuid4().hex}"
        delayed_work = dask_library().delayed(work, pure=False)
        tasks = []
        for i, objects in enumerate(self.objects_by_partition):
            tasks.append(delayed_work(*objects, dask_key_name=f"{name}-{i}"))
        return tasks

    def _persisted(self, tasks: list[Delayed]) -> Sequence[Delayed]:
        if self.client is not None:
            persisted: Sequence[Delayed] = self.client.persist(tasks)
            return persisted
        in_threads: Sequence[Delayed] = dask_library().persist(*tasks, scheduler="threads")
        return in_threads

    def _computed(self, result: Delayed) -> Any:
        if self.client is not None:
            return self.client.compute(result).result()
        (value,) = dask_library().compute(result, scheduler="threads")
        return value


def _sorted_by_worker(results: list[Objects], client: Client) -> list[Objects]:
    """The partitions in the order of the workers that hold them, so that few results travel to be merged."""
    from distributed import futures_of

    workers_of_key = client.who_has()

    def first_worker(objects: Objects) -> str:
        (future, *_) = futures_of(objects[0])
        return str(min(workers_of_key.get(future.key, ()), default=""))

    return sorted(results, key=first_worker)


def dask_library() -> Any:
    """The library, which is optional, and much of which has no types."""
    import dask

    return dask
