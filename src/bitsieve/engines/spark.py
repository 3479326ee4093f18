"""Spark data frames, whose partitions are counted by the executors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from bitsieve.dataset.columns import check_labels
from bitsieve.dataset.roles import Roles
from bitsieve.diagnostics import UserError
from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.registry import is_spark
from bitsieve.engines.spark_partitions import PersistedFrame, SparkPartitions, named_jobs, read_rows
from bitsieve.utils.arrays import Columns
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.types import TableLike

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame as SparkFrame


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
        with named_jobs(self._rows.sparkSession, "rows"):
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


def _number_of_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for number, _ in read_rows(batches, None):
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32())], ["partition"])
