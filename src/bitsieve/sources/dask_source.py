"""Dask data frames and arrays, to be given in place of a table."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.sources.cluster_table import PartsOnCluster
from bitsieve.sources.dask_portions import DaskPortions, current_client
from bitsieve.sources.in_parts import GivenInParts, is_dask
from bitsieve.sources.part_reader import PartReader
from bitsieve.sources.portions import in_order
from bitsieve.table.encoding import as_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client
    from numpy.typing import NDArray


class PartsOfDask(PartsOnCluster):
    """Data whose parts are Dask's; a subclass says what these are.

    Attributes
    ----------
    client : distributed.Client or None
        None: there is no cluster.
    """

    client: Client | None

    @abstractmethod
    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """Every part of the rows, still to be read; of some columns at least, None: of all."""

    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> DaskPortions:
        """The parts of the rows, and of the target and the weights where they come beside them."""
        parts = self._parts(labels)
        lengths: list[int] | None = None
        beside: list[list[Any]] = []
        for what, values in (("target", y), ("weights", weights)):
            if values is not None and not is_dask(values) and lengths is None:
                lengths = DaskPortions([(part,) for part in parts], self.client).total(
                    "rows", PartReader().n_rows, in_order
                )
            beside.append([None] * len(parts) if values is None else _cut(values, len(parts), lengths, what))
        return DaskPortions(list(zip(parts, *beside, strict=True)), self.client)


@dataclass(frozen=True)
class DaskGiven(GivenInParts):
    """The Dask collection that was given."""

    data: Any
    features: Sequence[Any]
    others: Sequence[Any]
    weight: str | None

    def take(self, indices: NDArray[np.intp]) -> Any:
        """Some features, as a Dask collection of the kind that was given."""
        return self.data[[self.features[j] for j in indices]] if self.features else self.data[:, indices]

    def with_target(self, names: Sequence[str]) -> Any:
        """Some features, the target and the weights, fetched into memory."""
        label_of = {str(label): label for label in self.features}
        return self.data[[*(label_of[name] for name in names), *self.others]].compute()


class DaskSource(PartsOfDask):
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
            raise ValueError(
                f"data is {type(data).__name__}: give a Dask data frame, or a Dask array with two dimensions"
            )
        self.data, self.client = data, current_client() if client is None else client
        self.labels, self.n_columns = list(getattr(data, "columns", ())), data.shape[1]

    def _parts(self, labels: list[Any] | None) -> list[Any]:
        """The partitions of a data frame; the blocks of rows of an array, with all columns."""
        if self.labels:
            return (self.data if labels is None else self.data[labels]).to_delayed()
        return list(self.data.rechunk({1: -1}).to_delayed()[:, 0])

    def _given(self, features: list[Any], others: list[Any], weight: str | None) -> DaskGiven:
        """The collection that was given."""
        return DaskGiven(self.data, features, others, weight)


def _cut(values: Any, n_parts: int, lengths: list[int] | None, what: str) -> list[Any]:
    """Values that are given beside the features, cut at the same rows."""
    if is_dask(values):
        if len(values.shape) == 2 and not hasattr(values, "columns"):
            values = values.rechunk({1: -1})
        parts = np.asarray(values.to_delayed(), object).reshape(-1).tolist()
        if len(parts) != n_parts:
            raise ValueError(
                f"the {what} has {len(parts):,} parts and the features {n_parts:,}: cut both at the same rows"
            )
        return parts
    assert lengths is not None
    known = values if hasattr(values, "iloc") else as_array(values)
    if len(known) != sum(lengths):
        raise ValueError(
            f"the {what} has {len(known):,} values but the data has {sum(lengths):,} rows: they must be as many"
        )
    ends = list(accumulate(lengths, initial=0))
    rows = known.iloc if hasattr(known, "iloc") else known
    return [rows[first:last] for first, last in pairwise(ends)]
