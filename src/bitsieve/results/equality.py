"""Equality of results: arrays by all of their values, NaN equal to NaN, and anything else by ``==``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def equal_values(first: object, second: object) -> bool:
    """Whether two values are equal, arrays and numbers that are NaN among them."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return _equal_arrays(first, second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(equal_values(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        is_as_long = len(first) == len(second)
        return is_as_long and all(equal_values(*pair) for pair in zip(first, second, strict=True))
    if is_dataclass(first) and not isinstance(first, type) and type(first) is type(second):
        return equal_fields(first, second)
    if isinstance(first, float) and isinstance(second, float) and first != first:
        return second != second
    return bool(first == second)


def equal_fields(first: DataclassInstance, second: object) -> bool:
    """Whether two objects of one dataclass are equal in all fields that are compared."""
    return all(
        equal_values(getattr(first, item.name), getattr(second, item.name)) for item in fields(first) if item.compare
    )


def _equal_arrays(first: object, second: object) -> bool:
    if not isinstance(first, np.ndarray) or not isinstance(second, np.ndarray) or first.shape != second.shape:
        return False
    if first.dtype.kind == "O" or second.dtype.kind == "O":
        return equal_values(first.tolist(), second.tolist())
    has_nan = first.dtype.kind in "fc" and second.dtype.kind in "fc"
    return np.array_equal(first, second, equal_nan=has_nan)
