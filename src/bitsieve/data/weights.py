"""Frequency weights: how many times each sample counts. Counts are integers, and so are these weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.messages import Sentence, Setting
from bitsieve.counts.tables import MAX_SAMPLES
from bitsieve.data.encoding import as_array, is_missing
from bitsieve.data.target import read_values, target_columns

ADVICE = "such as by np.rint(100 * w / w.max())"


def read_weights(sample_weight: Any, n_samples: int) -> NDArray[np.int64] | None:
    """Frequency weights as integers; None where every sample counts once.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), or None
        Whole numbers of 0 or more, of any numeric type.
    n_samples : int

    Raises
    ------
    ValueError
        If there is not one weight a sample, one is negative, missing or no whole number, all are 0, or they sum to more
        than 2**31.

    Examples
    --------
    >>> from bitsieve.data.weights import read_weights
    >>> read_weights([2.0, 0.0, 1.0], 3).tolist()
    [2, 0, 1]
    """
    if sample_weight is None:
        return None
    weights = as_array(sample_weight)
    if weights.ndim != 1:
        raise _refused(f" has shape {weights.shape}: it must be one weight a sample")
    if len(weights) != n_samples:
        raise _refused(f" has {len(weights):,} values but there are {n_samples:,} samples: give one each")
    if weights.dtype.kind not in "biuf":
        try:  # numpy would drop the imaginary part
            weights = weights.astype(object if weights.dtype.kind == "c" else np.float64).astype(np.float64)
        except (TypeError, ValueError):
            raise _refused(" holds values that are no numbers: give whole numbers") from None
    _check(weights)
    if (weights == 1).all():
        return None
    return weights.astype(np.int64)


def zero_where_missing(sample_weight: Any, y: Any) -> Any:
    """The weights with a zero for every sample that has no value in a column of its target, also for a missing one."""
    missing = without_value(y)
    if not missing.any():
        return sample_weight
    weights = 1 if sample_weight is None else as_array(sample_weight)
    return weights if np.shape(weights) not in ((), missing.shape) else np.where(missing, 0, weights)


def no_row_counts(label: str, *, weighted: bool, drop_missing: bool) -> ValueError:
    """The error for data without rows, or with none that has a target, where such are left out, and a weight."""
    if drop_missing:
        return ValueError(f"the target has no value in any row{' whose weight is above 0' if weighted else ''}")
    if weighted:
        return _refused(" is zero for every sample: nothing is left to count")
    return ValueError(f"{label} has no rows: nothing to select from")


def without_value(y: Any) -> NDArray[np.bool_]:
    """Which samples have no value in a column of their target."""
    columns = target_columns(y)
    missing = np.zeros(len(y), bool)
    for column in (y,) if columns is None else columns.values():
        missing |= is_missing(read_values(column, "the target"))
    return missing


def take_weighted(y: Any, kept: NDArray[np.bool_]) -> Any:
    """The target of the rows that are kept, in its own kind."""
    rows = np.flatnonzero(kept)
    if hasattr(y, "combine_chunks"):  # Arrow
        return y.take(rows)
    return (y.iloc if hasattr(y, "iloc") else as_array(y))[rows]


def _check(weights: NDArray[Any]) -> None:
    if weights.dtype.kind == "f":
        missing = int(np.isnan(weights).sum())
        if missing:
            raise _refused(f" has {missing:,} missing values (NaN): give every sample a weight")
        if np.isinf(weights).any():
            raise _refused(" has infinite values (inf): give whole numbers")
    negative = weights[weights < 0]
    if len(negative):
        raise _refused(
            f" has {len(negative):,} negative values, such as {negative[0].item()!r}: a weight says how "
            "many times a sample counts, give 0 or more"
        )
    if weights.dtype.kind == "f":
        broken = weights[weights != np.floor(weights)]
        if len(broken):
            raise _refused(
                f" holds {broken[0].item()!r}, but counts are exact integers and so are weights: "
                f"scale and round them yourself, {ADVICE}"
            )
    total = weights.sum(dtype=np.float64)
    if not total:
        raise _refused(" is zero for every sample: nothing is left to count")
    if total > MAX_SAMPLES:
        raise _refused(
            f" sums to {total:,.0f} samples, at most {MAX_SAMPLES:,} are supported: scale the weights down, {ADVICE}"
        )


def _refused(problem: str) -> ValueError:
    return ValueError(Sentence(Setting("sample_weight"), problem))
