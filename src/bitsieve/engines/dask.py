"""Dask data frames and arrays, and files read by the workers of a Dask cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np

from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.read import n_rows
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, partitions_with_samples
from bitsieve.engines.registry import is_dask
from bitsieve.engines.stream import ROWS_READ_AGAIN, read_columns
from bitsieve.io.column_file import CheckedPartition
from bitsieve.io.read import open_columns
from bitsieve.utils.arrays import Columns
from bitsieve.utils.messages import one_line

if TYPE_CHECKING:
    import pyarrow as pa
    from dask.delayed import Delayed
    from distributed import Client


Result = TypeVar("Result")

FAN_IN = 8  # results that one task merges


class DaskPartitions(DataPartitions):
    """Objects on the workers of a Dask cluster, or on the threads of this process where there is no ``client``.

    A member is the tuple of the objects of one partition: Delayed objects or small values.
    """

    def __init__(self, members: Sequence[tuple[Any, ...]], client: Client | None = None) -> None:
        self.members = list(members)
        self.client = client

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        dask = _dask()
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

    def map(self, task: str, work: Callable[..., Any]) -> DaskPartitions:
        tasks = self._tasks(task, work)
        members = [(delayed,) for delayed in self._persisted(tasks)]
        return DaskPartitions(members, self.client)

    def zipped(self, other: DaskPartitions) -> DaskPartitions:
        pairs = zip(self.members, other.members, strict=True)
        return DaskPartitions([first + second for first, second in pairs], self.client)

    def with_samples(self) -> DaskPartitions:
        """The packed partitions that have samples; those of one worker lie next to each other."""
        indices = partitions_with_samples(self.total("facts", has_samples, in_order))
        members = [self.members[i] for i in indices]
        if self.client is not None:
            members = _sorted_by_worker(members, self.client)
        return DaskPartitions(members, self.client)

    def numbered(self, n_rows: Sequence[int]) -> DaskPartitions:
        first_rows = accumulate(n_rows, initial=0)
        numbered = zip(first_rows, self.members, n_rows, strict=False)  # ``first_rows`` also has the end
        return DaskPartitions([(first, *objects) for first, objects, n in numbered if n], self.client)

    def _tasks(self, task: str, work: Callable[..., Any]) -> list[Delayed]:
        name = f"bitsieve-{task}-{uuid4().hex}"
        delayed_work = _dask().delayed(work, pure=False)
        return [delayed_work(*objects, dask_key_name=f"{name}-{i}") for i, objects in enumerate(self.members)]

    def _persisted(self, tasks: list[Delayed]) -> Sequence[Delayed]:
        if self.client is not None:
            persisted: Sequence[Delayed] = self.client.persist(tasks)
            return persisted
        in_threads: Sequence[Delayed] = _dask().persist(*tasks, scheduler="threads")
        return in_threads

    def _computed(self, result: Delayed) -> Any:
        if self.client is not None:
            return self.client.compute(result).result()
        (value,) = _dask().compute(result, scheduler="threads")
        return value


def _sorted_by_worker(members: list[tuple[Any, ...]], client: Client) -> list[tuple[Any, ...]]:
    """The partitions in the order of the workers that hold them, so that few results travel to be merged."""
    from distributed import futures_of

    keys = [futures_of(member[0])[0].key for member in members]
    workers_of_keys = client.who_has()
    workers = [min(workers_of_keys.get(key, ()), default="") for key in keys]
    order = sorted(range(len(members)), key=workers.__getitem__)
    return [members[i] for i in order]


def _dask() -> Any:
    """The library, which is optional, and much of which has no types."""
    import dask

    return dask


def current_client() -> Client | None:
    """The Dask client of this process or task; None where there is none."""
    try:
        from distributed import get_client
    except ImportError:  # dask alone: the threads of this process do the work
        return None
    try:
        return get_client()
    except ValueError:
        return None


def _check_workers(client: Client) -> None:
    """Refuse a worker that cannot load this version of bitsieve: its tasks would never end."""
    from bitsieve import __version__

    answers = client.run(eval, "__import__('bitsieve').__version__", on_error="return")
    for worker, answer in sorted(answers.items()):
        if answer != __version__:
            reason = f"it has bitsieve {answer}" if isinstance(answer, str) else one_line(answer)
            raise UserError(
                code="worker-without-bitsieve",
                message=f"worker {worker} cannot load bitsieve {__version__} ({reason})",
                advice="install it on all workers",
            )


def _is_in_memory(values: Any) -> bool:
    return values is not None and not is_dask(values)


class DaskPartitionsSource(ClusterSource):
    """Data whose partitions are Delayed objects of Dask; a subclass makes these."""

    client: Client | None  # None: there is no cluster

    @abstractmethod
    def delayed_partitions(self, columns: list[Any] | None) -> list[Any]:
        """Delayed objects, one for each partition, that read at least these columns (None: all columns)."""

    def open_partitions(self, columns: list[Any] | None, y: Any, weights: Any) -> DaskPartitions:
        if self.client is not None:
            _check_workers(self.client)
        partitions = self.delayed_partitions(columns)
        lengths: list[int] = []
        if _is_in_memory(y) or _is_in_memory(weights):
            rows = DaskPartitions([(partition,) for partition in partitions], self.client)
            lengths = rows.total("rows", _length, in_order)
        targets = _divide(y, len(partitions), lengths, "target")
        weights_of_partitions = _divide(weights, len(partitions), lengths, "weights")
        return DaskPartitions(list(zip(partitions, targets, weights_of_partitions, strict=True)), self.client)


class DaskSource(DaskPartitionsSource):
    """A Dask data frame or array, to be given to ``select`` or to the ``fit`` of a selector in place of a table.

    Its partitions are binned and packed on the workers of the cluster and stay there; for every request of a method the
    workers count the tables of their partitions, and these integers are added in a tree. The result is that of the same
    rows in memory, to the last bit, for any partitions and any number of workers. Without a cluster the threads of this
    process do the work. Costs a pass over the target and two over the columns, to find bins and to pack; the workers
    need memory for the packed columns, ``(codes - 1) / 8`` bytes per row and column.

    Parameters
    ----------
    data : dask.dataframe.DataFrame or dask.array.Array of shape (n_samples, n_features)
    client : distributed.Client, optional
        Of the cluster; by default the client of this process, if there is one.

    Attributes
    ----------
    data : dask collection
        As given.
    client : distributed.Client or None
        None: there is no cluster.

    Raises
    ------
    ValueError
        If the data is neither a Dask data frame nor a Dask array of two dimensions.

    Examples
    --------
    >>> import bitsieve, dask.dataframe, pandas
    >>> table = pandas.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "class": ["no", "no", "yes", "yes"]})
    >>> source = bitsieve.DaskSource(dask.dataframe.from_pandas(table, npartitions=2))
    >>> bitsieve.select(source, "class", n_features_to_select=1, binning="none").features
    ['b']
    """

    def __init__(self, data: Any, client: Client | None = None) -> None:
        if not is_dask(data) or len(data.shape) != 2:
            raise UserError(
                code="data-type-not-read",
                message=f"data is {type(data).__name__}",
                advice="give a Dask data frame, or a Dask array with two dimensions",
            )
        self.data = data
        self.client = current_client() if client is None else client
        self.labels = list(getattr(data, "columns", ()))
        self.n_columns = data.shape[1]

    def delayed_partitions(self, columns: list[Any] | None) -> list[Any]:
        """The partitions of a data frame; the blocks of rows of an array, with all columns."""
        if not self.labels:
            return list(self.data.rechunk({1: -1}).to_delayed()[:, 0])
        frame = self.data if columns is None else self.data[columns]
        return list(frame.to_delayed())

    def take(self, roles: Roles, names: Sequence[str]) -> Any:
        label_of_name = {str(label): label for label in roles.features}
        labels = [label_of_name[name] for name in names]
        return self.data[[*labels, *roles.others]].compute()

    def original_reader(self, roles: Roles) -> Callable[[Columns], Any]:
        def take_original(indices: Columns) -> Any:
            if not roles.features:
                return self.data[:, indices]
            return self.data[[roles.features[j] for j in indices]]

        return take_original


def _length(columns: Any) -> list[int]:
    """The number of rows of a partition, in a list of one, to be joined with those of other partitions."""
    return [n_rows(columns)]


def _divide(values: Any, n_partitions: int, lengths: list[int], what: str) -> list[Any]:
    """The values of each partition: the target or the weights, which are not columns of the data.

    ``lengths`` are the rows of the partitions of the features; those of a Dask collection are not needed. Without
    values there is None for each partition.
    """
    if values is None:
        return [None] * n_partitions
    if is_dask(values):
        return _delayed_blocks(values, n_partitions, what)
    is_pandas = hasattr(values, "iloc")
    array: Any = values if is_pandas else as_array(values)
    if len(array) != sum(lengths):
        raise UserError(
            code="lengths-differ",
            message=f"the {what} has {len(array):,} values but the data has {sum(lengths):,} rows",
            advice="they must be as many",
        )
    rows = array.iloc if is_pandas else array
    offsets = accumulate(lengths, initial=0)
    return [rows[first:end] for first, end in pairwise(offsets)]


def _delayed_blocks(values: Any, n_partitions: int, what: str) -> list[Any]:
    """The partitions of a Dask collection, which must be as many as those of the features."""
    if len(values.shape) == 2 and not hasattr(values, "columns"):
        values = values.rechunk({1: -1})
    blocks = np.asarray(values.to_delayed(), object).reshape(-1).tolist()
    if len(blocks) != n_partitions:
        raise UserError(
            code="partitions-differ",
            message=f"the {what} has {len(blocks):,} parts and the features {n_partitions:,}",
            advice="cut both at the same rows",
        )
    return blocks


class FilesOnCluster(DaskPartitionsSource):
    """Files read by workers under one path: row groups of Parquet, ranges of lines of text, whole Arrow files."""

    def __init__(self, path: str | PathLike[str], client: Client | None, header: bool | None = None) -> None:
        self.client = client
        self.file = open_columns(Path(path).absolute(), header=header)
        self.labels = list(self.file.names)
        self.n_columns = len(self.labels)
        self.partitions = self.file.checked_partitions()

    def delayed_partitions(self, columns: list[Any] | None) -> list[Any]:
        columns = self.labels if columns is None else columns
        name = f"bitsieve-read-{uuid4().hex}"
        delayed_read = _dask().delayed(_read, pure=False)
        return [
            delayed_read(partition, columns, dask_key_name=f"{name}-{i}") for i, partition in enumerate(self.partitions)
        ]

    def take(self, roles: Roles, names: Sequence[str]) -> Any:
        return read_columns(self.file, [*names, *roles.others])


def open_dask(data: Any, client: Client | None = None, header: bool | None = None) -> DaskPartitionsSource:
    """Open a Dask collection, or a file or a folder of files by its path."""
    if isinstance(data, (str, PathLike)):
        return FilesOnCluster(data, current_client() if client is None else client, header)
    return DaskSource(data, client)


def _read(partition: CheckedPartition, columns: Sequence[str]) -> pa.Table:
    """Read columns of a partition of a file."""
    import pyarrow as pa

    return pa.concat_tables(partition.batches(columns, ROWS_READ_AGAIN))
