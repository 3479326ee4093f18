"""A Dask data frame or array as a table that is summarized, coded and counted on the workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.binning.summary import Summary
from bitsieve.common.messages import allowed_names, quoted
from bitsieve.common.progress import phase
from bitsieve.sources.dask_portions import DaskPortions, current_client
from bitsieve.sources.part_reader import PartReader
from bitsieve.sources.partitioned import PartitionedSource
from bitsieve.table.encoding import as_array
from bitsieve.table.named import NamedColumns
from bitsieve.table.target_parts import TargetSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client
    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.binning.coding import Coding
    from bitsieve.table.target import Target
    from bitsieve.table.target_parts import TargetCoding


@dataclass(frozen=True, eq=False)
class DaskTable(NamedColumns):
    """A table whose rows lie in parts on a cluster; of its rows nothing is ever fetched.

    Attributes
    ----------
    names : sequence of str
        Of the features.
    feature_names : ndarray of object or None
        As :class:`~bitsieve.table.table.Table` has them.
    portions : DaskPortions
        Of every part the number of its first row, and its objects as ``reader`` takes them.
    reader : PartReader
    coded_target : TargetCoding
    n_samples : int
        Rows; those of weight 0 are left out.
    """

    names: Sequence[str]
    feature_names: NDArray[Any] | None
    portions: DaskPortions
    reader: PartReader
    coded_target: TargetCoding
    n_samples: int

    @property
    def target(self) -> Target:
        """The classes of all rows; its ``codes`` are none of anything."""
        return self.coded_target.target

    def summary(self, binner: Binner) -> Summary:
        """What a binner must know of all rows."""
        work = partial(self.reader.summarize, target=self.coded_target, binner=binner)
        return self.portions.total("summarize", work, Summary.merged)

    def source(self, coding: Coding) -> PartitionedSource:
        """The counts of the columns as they are coded: every part is packed where it is, and stays there."""
        work = partial(self.reader.pack, target=self.coded_target, coding=coding)
        return PartitionedSource(self.portions.map("pack", work), self.target.n_classes)


class DaskSource:
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

    def read(
        self, target: Any = None, sample_weight: Any = None, *, target_name: str = "y", target_bins: Any = None
    ) -> DaskTable:
        """Look at the target, and divide the columns into features, target and weights.

        Parameters
        ----------
        target : str, list of str, or array-like of shape (n_samples,)
            Columns of a data frame, or the values: a Dask collection cut at the same rows, or one in memory.
        sample_weight : str or array-like of shape (n_samples,), optional
            Frequency weights, in the same ways.
        target_name : str
            What messages call a target that is given by its values.
        target_bins : int or "none", optional
            As in :func:`bitsieve.select`.

        Returns
        -------
        DaskTable

        Raises
        ------
        ValueError
            If a column is not there, or the target or the weights are not as many as the rows.
        """
        phase("reading")
        labels = list(self.data.columns) if _is_frame(self.data) else []
        taken = list(_labels(target, labels, "target"))
        weight = _labels(sample_weight, labels, "weight")
        if set(taken) & set(weight):
            raise ValueError(f"column {weight[0]!r} cannot be both the target and the weight")
        features = [label for label in labels if label not in {*taken, *weight}]
        if labels and not features:
            raise ValueError(f"the data holds only the target {quoted(taken)}: at least one feature is needed")
        reader = PartReader(
            features if taken or weight else None,
            (taken if len(taken) > 1 else taken[0]) if taken else None,
            weight[0] if weight else None,
        )
        members, narrow = self._members(None if taken else target, None if weight else sample_weight, [*taken, *weight])
        n_rows = DaskPortions(narrow, self.client).total("rows", reader.n_rows, _in_order)
        if not sum(n_rows):
            raise ValueError("the data has no rows that count: at least one is required")
        starts = accumulate(n_rows, initial=0)
        kept = [(start, place) for place, (start, n) in enumerate(zip(starts, n_rows, strict=False)) if n]

        def numbered(objects: Sequence[tuple[Any, ...]]) -> DaskPortions:
            members: list[Any] = [(start, *objects[place]) for start, place in kept]
            return DaskPortions(members, self.client)

        targets = numbered(narrow)
        name = ", ".join(map(str, taken)) if taken else target_name
        coded = targets.total("target", reader.summarize_target, TargetSummary.merged).fitted(name, target_bins)
        if coded.is_joint:
            found = targets.total("target", partial(reader.combinations, target=coded), _united)
            coded = coded.with_combinations(found)
        names = [str(label) for label in features] if labels else [f"x{j}" for j in range(self.data.shape[1])]
        strings = bool(labels) and all(isinstance(label, str) for label in features)
        feature_names = np.array(features, object) if strings else None
        return DaskTable(names, feature_names, numbered(members), reader, coded, sum(n_rows))

    def take(self, names: Sequence[str], indices: NDArray[np.intp]) -> Any:
        """Some features, as a Dask collection of the kind that was given."""
        if not _is_frame(self.data):
            return self.data[:, indices]
        by_name = {str(label): label for label in self.data.columns}
        return self.data[[by_name[name] for name in names]]

    def _members(self, y: Any, weights: Any, narrow: list[Any]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """The objects of every part, and the same with nothing of the features but the columns ``narrow``."""
        if _is_frame(self.data):
            parts = self.data.to_delayed()
            few = self.data[narrow or [self.data.columns[0]]].to_delayed()
        else:
            parts = few = list(self.data.rechunk({1: -1}).to_delayed()[:, 0])
        lengths = None
        beside = []
        for what, values in (("target", y), ("weights", weights)):
            if values is None:
                beside.append([None] * len(parts))
                continue
            if not is_dask(values) and lengths is None:
                lengths = DaskPortions([(part,) for part in few], self.client).total(
                    "rows", PartReader().n_rows, _in_order
                )
            beside.append(_cut(values, len(parts), lengths, what))
        return list(zip(parts, *beside, strict=True)), list(zip(few, *beside, strict=True))


def is_dask(data: Any) -> bool:
    """Whether something is a Dask data frame, series or array, told without an import of Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "to_delayed") and hasattr(data, "shape")


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns")


def _labels(given: Any, labels: list[Any], what: str) -> list[Any]:
    """The columns that are meant where names are given; none where values are."""
    names = (
        given
        if isinstance(given, (list, tuple)) and given and all(isinstance(part, str) for part in given)
        else [given]
    )
    if not all(isinstance(name, str) or (name is not None and np.isscalar(name)) for name in names):
        return []
    for name in names:
        if name not in labels:
            if not labels:
                raise ValueError(f"the data is an array, whose columns have no names: give the {what} by its values")
            raise ValueError(
                f"there is no column {str(name)!r} for the {what}: {allowed_names(str(name), list(map(str, labels)))}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"the targets {quoted(names)} name a column twice: name each once")
    return list(names)


def _cut(values: Any, n_parts: int, lengths: list[int] | None, what: str) -> list[Any]:
    """Values that are given beside the features, cut at the same rows."""
    if is_dask(values):
        if len(values.shape) == 2 and not _is_frame(values):
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


def _in_order(several: Sequence[list[int]]) -> list[int]:
    return list(chain.from_iterable(several))


def _united(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(several))
