"""Dask data frames and arrays, and files read by the workers of a Dask cluster."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate, pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import narwhals as nw
import numpy as np

from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.read import n_rows
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.dask_partitions import DaskPartitions, dask_library
from bitsieve.engines.data_partitions import in_order
from bitsieve.engines.registry import is_dask
from bitsieve.engines.stream import ROWS_READ_AGAIN, read_columns
from bitsieve.io.column_file import CheckedPartition
from bitsieve.io.read import open_columns
from bitsieve.utils.arrays import Columns
from bitsieve.utils.messages import one_line
from bitsieve.utils.types import ColumnLike, TableLike

if TYPE_CHECKING:
    import pyarrow as pa
    from dask.delayed import Delayed
    from distributed import Client


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


def _is_in_memory(values: object) -> bool:
    return values is not None and not is_dask(values)


class DaskPartitionsSource(ClusterSource):
    """Data whose partitions are Delayed objects of Dask; a subclass makes these."""

    client: Client | None  # None: there is no cluster

    @abstractmethod
    def delayed_partitions(self, columns: list[Hashable] | None) -> list[Delayed]:
        """Delayed objects, one for each partition, that read at least these columns (None: all columns)."""

    def open_partitions(self, columns: list[Hashable] | None, y: object, weights: object) -> DaskPartitions:
        if self.client is not None:
            _check_workers(self.client)
        partitions = self.delayed_partitions(columns)
        lengths: list[int] = []
        if _is_in_memory(y) or _is_in_memory(weights):
            rows = DaskPartitions([(partition,) for partition in partitions], self.client)
            lengths = rows.total("rows", _length, in_order)
        targets = _by_partition(y, len(partitions), lengths, "target")
        weights_of_partitions = _by_partition(weights, len(partitions), lengths, "weights")
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

    data: TableLike  # the collections of Dask have no types

    def __init__(self, data: object, client: Client | None = None) -> None:
        n_dimensions = len(getattr(data, "shape", ()))
        if not is_dask(data) or n_dimensions != 2:
            raise UserError(
                code="data-type-not-read",
                message=f"data is {type(data).__name__}",
                advice="give a Dask data frame, or a Dask array with two dimensions",
            )
        self.data = data
        self.client = current_client() if client is None else client
        self.labels = list(getattr(data, "columns", ()))
        self.n_columns = self.data.shape[1]

    def delayed_partitions(self, columns: list[Hashable] | None) -> list[Delayed]:
        """The partitions of a data frame; the blocks of rows of an array, with all columns."""
        if not self.labels:
            return list(self.data.rechunk({1: -1}).to_delayed()[:, 0])
        frame = self.data if columns is None else self.data[columns]
        return list(frame.to_delayed())

    def take(self, roles: Roles, names: Sequence[str]) -> TableLike:
        label_of_name = {str(label): label for label in roles.features}
        labels = [label_of_name[name] for name in names]
        return self.data[[*labels, *roles.others]].compute()

    def original_reader(self, roles: Roles) -> Callable[[Columns], TableLike]:
        def take_original(indices: Columns) -> TableLike:
            if not roles.features:
                return self.data[:, indices]
            return self.data[[roles.features[j] for j in indices]]

        return take_original


def _length(columns: object) -> list[int]:
    """The number of rows of a partition, in a list of one, to be joined with those of other partitions."""
    return [n_rows(columns)]


def _by_partition(values: ColumnLike, n_partitions: int, lengths: list[int], what: str) -> list[object]:
    """Divide the target or the weights, which are no columns of the data, into the values of each partition.

    ``lengths`` are the rows of each partition of the features, which values in memory need. Without values every
    partition gets None.
    """
    if values is None:
        return [None] * n_partitions
    if is_dask(values):
        return [*_delayed_blocks(values, n_partitions, what)]
    is_pandas = nw.dependencies.is_pandas_like_dataframe(values) or nw.dependencies.is_pandas_like_series(values)
    array: Any = values if is_pandas else as_array(values)
    if len(array) != sum(lengths):
        raise UserError(
            code="lengths-differ",
            message=f"the {what} has {len(array):,} values but the data has {sum(lengths):,} rows",
            advice="both must have the same number of rows",
        )
    rows = array.iloc if is_pandas else array
    offsets = accumulate(lengths, initial=0)
    return [rows[first:end] for first, end in pairwise(offsets)]


def _delayed_blocks(values: ColumnLike, n_partitions: int, what: str) -> list[Delayed]:
    """The partitions of a Dask collection, which must be as many as those of the features."""
    if len(values.shape) == 2 and not hasattr(values, "columns"):
        values = values.rechunk({1: -1})
    blocks: list[Delayed] = np.asarray(values.to_delayed(), object).reshape(-1).tolist()
    if len(blocks) != n_partitions:
        raise UserError(
            code="partitions-differ",
            message=f"the {what} has {len(blocks):,} parts and the features {n_partitions:,}",
            advice="split both at the same rows",
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

    def delayed_partitions(self, columns: list[Hashable] | None) -> list[Delayed]:
        labels = self.labels if columns is None else columns
        name = f"bitsieve-read-{uuid4().hex}"
        delayed_read = dask_library().delayed(_read, pure=False)
        return [
            delayed_read(partition, labels, dask_key_name=f"{name}-{i}") for i, partition in enumerate(self.partitions)
        ]

    def take(self, roles: Roles, names: Sequence[str]) -> TableLike:
        return read_columns(self.file, [*names, *roles.others])


def open_dask(data: object, client: Client | None = None, header: bool | None = None) -> DaskPartitionsSource:
    """Open a Dask collection, or a file or a folder of files by its path."""
    if isinstance(data, (str, PathLike)):
        return FilesOnCluster(data, current_client() if client is None else client, header)
    return DaskSource(data, client)


def _read(partition: CheckedPartition, columns: Sequence[str]) -> pa.Table:
    """Read columns of a partition of a file."""
    import pyarrow as pa

    return pa.concat_tables(partition.batches(columns, ROWS_READ_AGAIN))
