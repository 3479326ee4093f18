"""Numbers that differ stay different: what double precision or a mask would lose is kept, or refused.

Columns are cut as floats of 64 bits, which hold whole numbers up to 2^53 and about 16 digits. Larger ones are taken
where no two different values of the column become the same float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.data.extents import Extents

WHOLE = 1 << 53  # whole numbers up to here are floats
DIGITS = 15  # decimals of so many digits are floats of their own


def check_distinct(n_different: int, floats: NDArray[np.floating], what: str) -> None:
    """Refuse a column of which ``n_different`` values, that differ, are fewer floats.

    Raises
    ------
    ValueError
        One line that says what to do.
    """
    if n_different > len(np.unique(floats[~np.isnan(floats)])):
        raise ValueError(
            f"{what} holds values that differ but are the same in double precision, of about 16 digits: "
            "subtract the smallest of them, round them, or make them text if each is a category"
        )


def check_whole_numbers(values: NDArray[Any], what: str) -> None:
    """Refuse whole numbers of 64 bits of which several become one float."""
    if values.itemsize == 8 and len(values) and max(-int(values.min()), int(values.max())) > WHOLE:
        check_distinct(len(np.unique(values)), values.astype(np.float64), what)


def check_large_columns(names: Sequence[str], extents: Extents) -> None:
    """Refuse, before they are cut, columns of whole numbers of which several become one float."""
    for block, low, high in zip(extents.blocks, extents.low, extents.high, strict=True):
        if low.dtype.kind == "f" or low.itemsize < 8:
            continue
        for c in np.flatnonzero((low < -WHOLE) | (high > WHOLE)).tolist():
            j = int(block.places[c])
            check_whole_numbers(block.column(c), f"column {names[j]!r}")


def as_doubles(X: NDArray[Any], what: Callable[[int], str]) -> NDArray[Any]:
    """Floats of more than 64 bits, of shape (n_samples, n_features), as floats of 64 bits."""
    if X.dtype.kind != "f" or X.itemsize <= 8:
        return X
    with np.errstate(over="ignore"):  # to infinity, which is an error later
        doubles = X.astype(np.float64)
    for j in np.flatnonzero(((doubles != X) & ~np.isnan(X)).any(axis=0)).tolist():
        column = X[:, j]
        check_distinct(len(np.unique(column[~np.isnan(column)])), doubles[:, j], what(j))
    return doubles


def microseconds(nanoseconds: NDArray[np.int64], known: NDArray[np.bool_], name: str) -> NDArray[np.float64]:
    """Times in nanoseconds as microseconds, NaN where they are not ``known``; refused where several become one."""
    rest = np.fmod(nanoseconds, 1000)
    values = (nanoseconds - rest) // 1000 + rest / 1000.0  # whole ones are exact: of every year from 1685 to 2255
    values[~known] = np.nan
    if rest[known].any():
        check_distinct(len(np.unique(nanoseconds[known])), values, f"column {name!r}")
    return values
