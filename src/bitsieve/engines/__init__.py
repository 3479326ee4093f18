"""Where contingency tables come from: a matrix of codes in memory, sparse columns, and what does not fit there."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.sparse_codes import SparseCodes
from bitsieve.engines.in_parts import gives_batches, is_dask, is_frame, is_spark
from bitsieve.engines.sparse import SparseSource

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bitsieve.counts.source import CountSource
    from bitsieve.engines.in_parts import DataInParts


def make_source(
    codes: ArrayLike | SparseCodes,
    classes: ArrayLike | None = None,
    *,
    n_classes: int | None = None,
    weights: ArrayLike | None = None,
    arities: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> CountSource:
    """The source of counts that suits a table of codes: the one place that chooses a concrete source.

    Parameters
    ----------
    codes : array of shape (n_samples, n_features), or SparseCodes
        Whole numbers from 0, at most 65,536 of them a feature.
    classes : array of shape (n_samples,), optional
        Class codes; None counts everything as one class.
    n_classes : int, optional
        By default the largest class code plus one.
    weights : array of shape (n_samples,), optional
        Frequency weights: whole numbers from 1, how many times each row stands.
    arities : array of shape (n_features,), optional
        One more than the largest code of every feature, where that is known: the codes are then read once less.
    n_jobs : int, optional
        Threads; the counts do not depend on it.

    Returns
    -------
    CountSource

    Raises
    ------
    ValueError
        If a limit is passed, a code is negative, or the weights ask for more memory than the machine has.
    """
    if isinstance(codes, SparseCodes):
        return SparseSource(codes, classes, n_classes=n_classes, weights=weights, n_jobs=n_jobs)
    return PackedSource(codes, classes, n_classes=n_classes, weights=weights, arities=arities, n_jobs=n_jobs)


def data_in_parts(data: Any) -> DataInParts | None:
    """The data as what is read in parts, where it is of such a kind; None for a table in memory."""
    if is_dask(data):
        from bitsieve.engines.dask import DaskSource

        return DaskSource(data)
    if is_spark(data):
        from bitsieve.engines.spark import SparkSource

        return SparkSource(data)
    if isinstance(data, (str, PathLike)) or (gives_batches(data) and not is_frame(data)):
        from bitsieve.engines.stream import StreamSource

        return StreamSource(data)
    return data if hasattr(type(data), "read_in_parts") else None
