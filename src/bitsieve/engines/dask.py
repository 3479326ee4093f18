"""Dask data frames and arrays, and files read by the workers of a Dask cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np

from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.original import OriginalData, not_read_again
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, places_with_samples
from bitsieve.engines.partitioned_dataset import PartitionReader
from bitsieve.engines.registry import is_dask
from bitsieve.engines.stream import ROWS_READ_AGAIN, read_again
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
    """Objects on workers, a tuple of Delayed or small values a portion; without a ``client`` threads do the work."""

    def __init__(self, members: Sequence[tuple[Any, ...]], client: Client | None = None) -> None:
        self.members, self.client = list(members), client

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        dask = _dask()
        results, level = self._tasks(task, work), 0
        name = f"bitsieve-add-{uuid4().hex}"
        one = dask.delayed(merge, pure=False)
        while len(results) > 1:
            groups = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
            results = [one(group, dask_key_name=f"{name}-{level}-{place}") for place, group in enumerate(groups)]
            level += 1
        (result,) = results
        try:
            if self.client is None:
                (found,) = dask.compute(result, scheduler="threads")
            else:
                found = self.client.compute(result).result()
        except KeyError as error:  # of pandas, in a task that takes columns from a part
            raise UserError(
                code="columns-differ",
                message=f"a part of the data lacks a column ({one_line(error.args[0])})",
                advice="every part must have the same columns",
            ) from None
        whole: Result = found
        return whole

    def map(self, task: str, work: Callable[..., Any]) -> DaskPartitions:
        dask = _dask()
        made = self._tasks(task, work)
        kept = dask.persist(*made, scheduler="threads") if self.client is None else self.client.persist(made)
        return DaskPartitions([(each,) for each in kept], self.client)

    def beside(self, other: DaskPartitions) -> DaskPartitions:
        pairs = zip(self.members, other.members, strict=True)
        return DaskPartitions([mine + theirs for mine, theirs in pairs], self.client)

    def with_samples(self) -> DaskPartitions:
        kept = [self.members[place] for place in places_with_samples(self.total("facts", has_samples, in_order))]
        if self.client is not None:  # those of one worker next to each other
            from distributed import futures_of

            keys = [futures_of(member[0])[0].key for member in kept]
            places = self.client.who_has()
            workers = [min(places.get(key, ()), default="") for key in keys]
            kept = [kept[i] for i in sorted(range(len(kept)), key=workers.__getitem__)]
        return DaskPartitions(kept, self.client)

    def numbered(self, n_rows: Sequence[int]) -> DaskPartitions:
        starts = accumulate(n_rows, initial=0)
        kept = [(start, *objects) for start, objects, n in zip(starts, self.members, n_rows, strict=False) if n]
        return DaskPartitions(kept, self.client)

    def _tasks(self, task: str, work: Callable[..., Any]) -> list[Delayed]:
        dask = _dask()
        name, one = f"bitsieve-{task}-{uuid4().hex}", dask.delayed(work, pure=False)
        return [one(*objects, dask_key_name=f"{name}-{place}") for place, objects in enumerate(self.members)]


def _dask() -> Any:
    """The library, which is optional, and much of which has no types."""
    import dask

    return dask


def current_client() -> Client | None:
    """The client of the cluster that this process or task works with; None where there is none."""
    try:
        from distributed import get_client
    except ImportError:  # dask alone: the threads of this process do the work
        return None
    try:
        return get_client()
    except ValueError:
        return None


def _check_workers(client: Client) -> None:
    """Refuse a worker that cannot load bitsieve, for whose tasks one would wait without end."""
    from bitsieve import __version__

    found = client.run(eval, "__import__('bitsieve').__version__", on_error="return")
    for worker, answer in sorted(found.items()):
        if answer != __version__:
            why = f"it has bitsieve {answer}" if isinstance(answer, str) else one_line(answer)
            raise UserError(
                code="worker-without-bitsieve",
                message=f"worker {worker} cannot load bitsieve {__version__} ({why})",
                advice="install it on all workers",
            )


class DaskPartitionsSource(ClusterSource):
    """Data whose parts are Dask's; a subclass says what these are."""

    client: Client | None  # None: there is no cluster

    @abstractmethod
    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """Every part of the rows, still to be read; of some columns at least, None: of all."""

    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> DaskPartitions:
        if self.client is not None:
            _check_workers(self.client)
        parts = self._parts(labels)
        lengths: list[int] | None = None
        beside: list[list[Any]] = []
        for what, values in (("target", y), ("weights", weights)):
            if values is not None and not is_dask(values) and lengths is None:
                lengths = DaskPartitions([(part,) for part in parts], self.client).total(
                    "rows", PartitionReader().n_rows, in_order
                )
            beside.append([None] * len(parts) if values is None else _cut(values, len(parts), lengths, what))
        return DaskPartitions(list(zip(parts, *beside, strict=True)), self.client)


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
        self.data, self.client = data, current_client() if client is None else client
        self.labels, self.n_columns = list(getattr(data, "columns", ())), data.shape[1]

    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """The partitions of a data frame; the blocks of rows of an array, with all columns."""
        if self.labels:
            return list((self.data if labels is None else self.data[labels]).to_delayed())
        return list(self.data.rechunk({1: -1}).to_delayed()[:, 0])

    def _original(self, roles: Roles) -> OriginalData:
        data, features = self.data, roles.features

        def take(indices: Columns) -> Any:
            return data[[features[j] for j in indices]] if features else data[:, indices]

        def with_target(names: Sequence[str]) -> Any:
            label_of = {str(label): label for label in features}
            return data[[*(label_of[name] for name in names), *roles.others]].compute()

        return OriginalData(take, with_target, roles.weight_name, features or None)


def _cut(values: Any, n_parts: int, lengths: list[int] | None, what: str) -> list[Any]:
    """Values that are given beside the features, cut at the same rows."""
    if is_dask(values):
        if len(values.shape) == 2 and not hasattr(values, "columns"):
            values = values.rechunk({1: -1})
        parts = np.asarray(values.to_delayed(), object).reshape(-1).tolist()
        if len(parts) != n_parts:
            raise UserError(
                code="partitions-differ",
                message=f"the {what} has {len(parts):,} parts and the features {n_parts:,}",
                advice="cut both at the same rows",
            )
        return parts
    assert lengths is not None
    known = values if hasattr(values, "iloc") else as_array(values)
    if len(known) != sum(lengths):
        raise UserError(
            code="lengths-differ",
            message=f"the {what} has {len(known):,} values but the data has {sum(lengths):,} rows",
            advice="they must be as many",
        )
    ends = list(accumulate(lengths, initial=0))
    rows = known.iloc if hasattr(known, "iloc") else known
    return [rows[first:last] for first, last in pairwise(ends)]


class FilesOnCluster(DaskPartitionsSource):
    """Files read by workers under one path: row groups of Parquet, ranges of lines of text, whole Arrow files."""

    def __init__(self, path: str | PathLike[str], client: Client | None, header: bool | None = None) -> None:
        self.client, self.batches = client, open_columns(Path(path).absolute(), header=header)
        self.labels, self.n_columns = list(self.batches.names), len(self.batches.names)
        self.pieces = self.batches.checked_partitions()

    def _parts(self, labels: list[Any] | None) -> list[Any]:
        dask = _dask()
        columns, name = self.labels if labels is None else labels, f"bitsieve-read-{uuid4().hex}"
        return [
            dask.delayed(_read, pure=False)(piece, columns, dask_key_name=f"{name}-{place}")
            for place, piece in enumerate(self.pieces)
        ]

    def _original(self, roles: Roles) -> OriginalData:
        return OriginalData(not_read_again, partial(read_again, self.batches, roles.others), roles.weight_name)


def open_dask(data: Any, client: Client | None = None, header: bool | None = None) -> DaskPartitionsSource:
    """A Dask collection, or a file or a folder of files by its path, as what is read in parts."""
    if isinstance(data, (str, PathLike)):
        return FilesOnCluster(data, current_client() if client is None else client, header)
    return DaskSource(data, client)


def _read(part: CheckedPartition, columns: Sequence[str]) -> pa.Table:
    """Some columns of a part of a file."""
    import pyarrow as pa

    return pa.concat_tables(part.batches(columns, ROWS_READ_AGAIN))
