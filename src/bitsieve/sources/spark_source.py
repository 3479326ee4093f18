"""Spark data frames, to be given in place of a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bitsieve.common.attributes import cached_property
from bitsieve.sources.cluster_table import PartsOnCluster
from bitsieve.sources.in_parts import GivenInParts, is_spark
from bitsieve.sources.spark_portions import Kept, SparkPortions, partitions_with_rows, rows_of
from bitsieve.table.columns import check_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class SparkSource(PartsOnCluster):
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

    def __init__(self, data: Any) -> None:
        if not is_spark(data):
            raise ValueError(f"data is {type(data).__name__}: give a Spark data frame")
        self.data, self.labels, self.n_columns = data, list(data.columns), len(data.columns)
        check_labels(self.labels)

    @cached_property
    def _kept(self) -> Kept:
        return Kept(self.data)

    @cached_property
    def _rows(self) -> Any:
        """The rows, every column named by its place: in a name Spark would take some signs for its own."""
        return self._kept.frame.toDF(*map(_name_of, range(self.n_columns)))

    @cached_property
    def _places(self) -> list[int]:
        return partitions_with_rows(self._rows)

    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> SparkPortions:
        """The rows of every partition, of some columns."""
        for what, values in (("target", y), ("weights", weights)):
            if values is not None:
                raise ValueError(
                    f"the {what} cannot be given by values, as the rows of a Spark data frame have no order: "
                    "name a column of it"
                )
        names = self.labels if labels is None else labels
        frame = self._rows.select([_name_of(self.labels.index(name)) for name in names])
        return SparkPortions(self._kept, frame, partial(rows_of, names=names), self._places)

    def _given(self, features: list[Any], others: list[Any], weight: str | None) -> SparkGiven:
        """The data frame that was given."""
        return SparkGiven(self.data, features, others, weight)


@dataclass(frozen=True)
class SparkGiven(GivenInParts):
    """The Spark data frame that was given."""

    data: Any
    features: Sequence[str]
    others: Sequence[str]
    weight: str | None

    def take(self, indices: NDArray[np.intp]) -> Any:
        """Some features, as a Spark data frame."""
        return self.data.select([_quoted(self.features[j]) for j in indices])

    def with_target(self, names: Sequence[str]) -> pa.Table:
        """Some features, the target and the weights, fetched into memory."""
        return self.data.select([_quoted(name) for name in (*names, *self.others)]).toArrow()


def _name_of(place: int) -> str:
    return f"c{place}"


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
