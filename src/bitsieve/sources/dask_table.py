"""Tables whose parts are read, summarized, coded and counted on the workers of a Dask cluster."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.binning.summary import Summary
from bitsieve.common.messages import allowed_names, quoted
from bitsieve.common.progress import phase
from bitsieve.sources.dask_portions import DaskPortions
from bitsieve.sources.in_parts import DataInParts, GivenInParts, TableInParts, is_dask
from bitsieve.sources.part_reader import PartReader
from bitsieve.sources.partitioned import PartitionedSource
from bitsieve.table.encoding import as_array
from bitsieve.table.target_parts import TargetSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Client
    from numpy.typing import NDArray

    from bitsieve.binning.base import Binner
    from bitsieve.binning.coding import Coding
    from bitsieve.table.target_parts import TargetCoding


class DaskTable(TableInParts):
    """A table whose rows lie in parts on a cluster; of its rows nothing is ever fetched.

    Parameters
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
    given : GivenInParts
    """

    def __init__(
        self,
        names: Sequence[str],
        feature_names: NDArray[Any] | None,
        portions: DaskPortions,
        reader: PartReader,
        coded_target: TargetCoding,
        n_samples: int,
        given: GivenInParts,
    ) -> None:
        self.names, self.feature_names, self.given = names, feature_names, given
        self.portions, self.reader = portions, reader
        self.coded_target, self.target, self.n_samples = coded_target, coded_target.target, n_samples
        self.target_rank_error = coded_target.rank_error

    def summary(self, binner: Binner) -> Summary:
        """What a binner must know of all rows."""
        work = partial(self.reader.summarize, target=self.coded_target, binner=binner)
        return self.portions.total("summarize", work, Summary.merged)

    def source(self, coding: Coding) -> PartitionedSource:
        """The counts of the columns as they are coded: every part is packed where it is, and stays there."""
        work = partial(self.reader.pack, target=self.coded_target, coding=coding)
        return PartitionedSource(self.portions.map("pack", work), self.target.n_classes)


class PartsOnCluster(DataInParts):
    """Data whose parts are read on the workers of a cluster; a subclass says what these are.

    Attributes
    ----------
    client : distributed.Client or None
        None: there is no cluster.
    labels : list
        Of the columns; empty where they have no names.
    n_columns : int
    """

    client: Client | None
    labels: list[Any]
    n_columns: int

    @abstractmethod
    def parts(self, labels: list[Any] | None) -> list[Any]:
        """Every part of the rows, still to be read; of some columns at least, None: of all."""

    @abstractmethod
    def given(self, features: list[Any], others: list[Any], weight: str | None) -> GivenInParts:
        """What was given, when the columns are divided."""

    def read_in_parts(
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
        labels = self.labels
        taken = _labels(target, labels, "target")
        weight = _labels(sample_weight, labels, "weight")
        if set(taken) & set(weight):
            raise ValueError(f"column {weight[0]!r} cannot be both the target and the weight")
        others = [*taken, *weight]
        features = [label for label in labels if label not in others]
        if labels and not features:
            raise ValueError(f"the data holds only the target {quoted(taken)}: at least one feature is needed")
        reader = PartReader(
            features if others else None,
            (taken if len(taken) > 1 else taken[0]) if taken else None,
            weight[0] if weight else None,
        )
        whole, narrow = self.parts(None), self.parts(others or labels[:1])
        beside = self._beside(narrow, None if taken else target, None if weight else sample_weight)
        targets = DaskPortions(list(zip(narrow, *beside, strict=True)), self.client)
        n_rows = targets.total("rows", reader.n_rows, _in_order)
        if not sum(n_rows):
            raise ValueError("the data has no rows that count: at least one is required")
        targets = _numbered(targets, n_rows)
        name = ", ".join(map(str, taken)) if taken else target_name
        coded = targets.total("target", reader.summarize_target, TargetSummary.merged).fitted(name, target_bins)
        if coded.is_joint:
            found = targets.total("target", partial(reader.combinations, target=coded), _united)
            coded = coded.with_combinations(found)
        names = [str(label) for label in features] if labels else [f"x{j}" for j in range(self.n_columns)]
        strings = bool(labels) and all(isinstance(label, str) for label in features)
        feature_names = np.array(features, object) if strings else None
        weight_name = str(weight[0]) if weight else None if sample_weight is None else "sample_weight"
        parts = _numbered(DaskPortions(list(zip(whole, *beside, strict=True)), self.client), n_rows)
        given = self.given(features, others, weight_name)
        return DaskTable(names, feature_names, parts, reader, coded, sum(n_rows), given)

    def _beside(self, parts: list[Any], *given: Any) -> list[list[Any]]:
        """The target and the weights that come beside the features, part by part; None where there are none."""
        lengths: list[int] | None = None
        beside: list[list[Any]] = []
        for what, values in zip(("target", "weights"), given, strict=True):
            if values is not None and not is_dask(values) and lengths is None:
                portions = DaskPortions([(part,) for part in parts], self.client)
                lengths = portions.total("rows", PartReader().n_rows, _in_order)
            beside.append([None] * len(parts) if values is None else _cut(values, len(parts), lengths, what))
        return beside


def _numbered(portions: DaskPortions, n_rows: list[int]) -> DaskPortions:
    """The portions that have rows, each with the number of its first one."""
    starts = accumulate(n_rows, initial=0)
    numbered = [(start, *objects) for start, objects, n in zip(starts, portions.members, n_rows, strict=False) if n]
    return DaskPortions(numbered, portions.client)


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


def _in_order(several: Sequence[list[int]]) -> list[int]:
    return list(chain.from_iterable(several))


def _united(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(several))
