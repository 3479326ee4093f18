"""Where contingency tables come from: a matrix of codes in memory, sparse columns, and what does not fit there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.sparse_codes import SparseCodes
from bitsieve.sources.sparse import SparseSource

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bitsieve.counts.source import CountSource


def make_source(
    codes: ArrayLike | SparseCodes,
    classes: ArrayLike | None = None,
    *,
    n_classes: int | None = None,
    weights: ArrayLike | None = None,
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
    return PackedSource(codes, classes, n_classes=n_classes, weights=weights, n_jobs=n_jobs)
