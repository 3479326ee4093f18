"""For how many features errors are measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_COUNTS = range(10, 101)
FEW_FEATURES = 20


def feature_counts(features: Any, n_features: int) -> tuple[NDArray[np.intp], list[str]]:
    """The numbers of features, ascending, and notes on what was left out of them.

    Parameters
    ----------
    features : int, iterable of int or None
        None: 10 to 100, or every number from 1 where there are 20 features or fewer.
    n_features : int
        What the table has; larger numbers are left out.

    Raises
    ------
    ValueError
        If one is no positive whole number, or none is left.
    """
    if features is None:
        asked = np.arange(1, n_features + 1) if n_features <= FEW_FEATURES else np.array(DEFAULT_COUNTS)
    else:
        asked = _whole_numbers([features] if not isinstance(features, Iterable) else list(features))
    kept = np.unique(asked[asked <= n_features])
    table = f"the table has {n_features:,} feature{'s' * (n_features != 1)}"
    if not len(kept):
        raise ValueError(f"features begin at {asked.min():,} but {table}: ask for no more than there are")
    notes = []
    if asked.max() > n_features:
        notes.append(f"{table}: errors are measured for {described(kept)} features, not up to {asked.max():,}")
    return kept.astype(np.intp), notes


def described(counts: NDArray[np.intp]) -> str:
    """``10 to 100``, or the one number."""
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def _whole_numbers(values: list[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if not len(values) or array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 1:
        raise ParameterError("features", values, "give whole numbers from 1, such as range(10, 101)")
    return array
