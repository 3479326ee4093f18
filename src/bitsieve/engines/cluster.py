"""Tables whose parts are read, summarized, coded and counted on the workers of a cluster."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import allowed_names, quoted
from bitsieve.common.progress import phase
from bitsieve.data.summary import Summary
from bitsieve.data.target_summary import TargetSummary
from bitsieve.engines.in_parts import DataInParts, GivenInParts, PartReader, TableInParts
from bitsieve.engines.partitioned import PartitionedSource
from bitsieve.engines.portions import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.data.binning.base import Binner
    from bitsieve.data.binning.coding import Coding
    from bitsieve.data.target_summary import TargetCoding
    from bitsieve.engines.portions import Portions


class TableOnCluster(TableInParts):
    """A table whose rows lie in parts on a cluster; of its rows nothing is ever fetched.

    Parameters
    ----------
    names : sequence of str
        Of the features.
    feature_names : ndarray of object or None
        As :class:`~bitsieve.data.table.Table` has them.
    portions : Portions
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
        portions: Portions,
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
    labels : list
        Of the columns; empty where they have no names.
    n_columns : int
    """

    labels: list[Any]
    n_columns: int

    @abstractmethod
    def _portions(self, labels: list[Any] | None, y: Any, weights: Any) -> Portions:
        """The parts of the rows, still to be read: of some columns at least (None: of all), and what comes beside them.

        The objects of a portion are its columns, its part of the target and of the weights, None where they are None.
        """

    @abstractmethod
    def _given(self, features: list[Any], others: list[Any], weight: str | None) -> GivenInParts:
        """What was given, when the columns are divided."""

    def read_in_parts(
        self,
        target: Any = None,
        sample_weight: Any = None,
        *,
        target_name: str = "y",
        target_bins: Any = None,
        drop_missing: bool = False,
    ) -> TableOnCluster:
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
        drop_missing : bool, default=False
            Whether rows without a target are left out.

        Returns
        -------
        TableOnCluster

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
            drop_missing,
        )
        beside = None if taken else target, None if weight else sample_weight
        targets = self._portions(others or labels[:1], *beside)
        n_rows = targets.total("rows", reader.n_rows, in_order)
        if not sum(n_rows):
            raise ValueError("the data has no rows that count: at least one is required")
        targets = targets.numbered(n_rows)
        name = ", ".join(map(str, taken)) if taken else target_name
        coded = targets.total("target", reader.summarize_target, TargetSummary.merged).fitted(name, target_bins)
        if coded.is_joint:
            found = targets.total("target", partial(reader.combinations, target=coded), _united)
            coded = coded.with_combinations(found)
        names = [str(label) for label in features] if labels else [f"x{j}" for j in range(self.n_columns)]
        strings = bool(labels) and all(isinstance(label, str) for label in features)
        feature_names = np.array(features, object) if strings else None
        weight_name = str(weight[0]) if weight else None if sample_weight is None else "sample_weight"
        parts = self._portions(None, *beside).numbered(n_rows)
        given = self._given(features, others, weight_name)
        return TableOnCluster(names, feature_names, parts, reader, coded, sum(n_rows), given)


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


def _united(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(several))
