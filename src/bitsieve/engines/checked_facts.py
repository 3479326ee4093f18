"""Values of JSON that another site has written. Each is checked before it is used, and refused by a ``ValueError``."""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from typing import Any

import numpy as np

from bitsieve.discretization.coding import array_from_json
from bitsieve.discretization.registry import RULES
from bitsieve.utils.arrays import Values
from bitsieve.utils.types import JsonObject

KINDS_OF_ARRAYS = "biufUOmM"  # of numpy's types: truth values, real numbers, text and times
MAX_ARRAY_BYTES = 1 << 28


def text(facts: JsonObject, name: str) -> str:
    """A text."""
    value = facts[name]
    if not isinstance(value, str):
        raise ValueError(f"{name!r} is no text")
    return value


def choice(facts: JsonObject, name: str, choices: Collection[Any]) -> None:
    """Check that a text, or None, is one of the choices."""
    value = facts[name]
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name!r} is none of {sorted(map(str, choices))}")


def distinct_texts(facts: JsonObject, name: str) -> list[str]:
    """A list of texts that differ, with one at least."""
    values = list_of_length(facts, name, None)
    if not values or not all(isinstance(value, str) for value in values) or len(set(values)) < len(values):
        raise ValueError(f"{name!r} is no list of different texts")
    return values


def list_of_length(facts: JsonObject, name: str, length: int | None) -> list[Any]:
    """A list, of this length unless it is None."""
    values = facts[name]
    if not isinstance(values, list) or (length is not None and len(values) != length):
        what = "values" if length is None else str(length)
        raise ValueError(f"{name!r} is no list of {what}")
    return values


def whole_number(facts: JsonObject, name: str, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    value = facts[name]
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name!r} is no whole number from {low:,} to {high:,}")
    return value


def whole_numbers(facts: JsonObject, name: str, length: int | None, low: int, high: int) -> list[int]:
    """A list of whole numbers from ``low`` to ``high``."""
    values = list_of_length(facts, name, length)
    if not all(type(value) is int and low <= value <= high for value in values):
        raise ValueError(f"{name!r} holds something else than whole numbers from {low:,} to {high:,}")
    return values


def rising_numbers(values: object, name: str) -> list[float]:
    """A list of finite numbers, none of which is smaller than the one before."""
    if not isinstance(values, list) or not all(type(value) in (int, float) and isfinite(value) for value in values):
        raise ValueError(f"{name!r} is no list of numbers")
    if sorted(values) != values:
        raise ValueError(f"{name!r} is not sorted")
    return [float(value) for value in values]


def plain_array(dtype_and_values: object, name: str) -> Values:
    """An array of one dimension, of truth values, numbers, text or times."""
    if not isinstance(dtype_and_values, list) or len(dtype_and_values) != 2:
        raise ValueError(f"{name!r} is no type and values")
    dtype_name, values = dtype_and_values
    if not isinstance(dtype_name, str) or not isinstance(values, list):
        raise ValueError(f"{name!r} is no type and values")
    dtype = np.dtype(dtype_name)
    if dtype.kind not in KINDS_OF_ARRAYS or dtype.itemsize * len(values) > MAX_ARRAY_BYTES:
        raise ValueError(f"{name!r} has values of type {dtype_name}")
    types = {type(value) for value in values}
    if len(types) > 1 or not types <= {str, int, float, bool}:
        raise ValueError(f"{name!r} holds values of several kinds")
    return array_from_json(dtype_and_values)


def sorted_array(dtype_and_values: object, name: str) -> Values:
    """An array of one dimension, the values of which rise."""
    array = plain_array(dtype_and_values, name)
    if not (array[1:] > array[:-1]).all() or (array != array).any():
        raise ValueError(f"the values of {name!r} do not rise")
    return array


def check_rule(facts: JsonObject, n_columns: int, max_codes: int) -> None:
    """Check a rule of binning of so many columns."""
    choice(facts, "binning", RULES)
    choice(facts, "missing", (None, "bin", "error"))
    whole_numbers(facts, "bins", n_columns, 0, max_codes)
    for edges in list_of_length(facts, "bin_edges", n_columns):
        rising_numbers(edges, "bin_edges")
    for categories in list_of_length(facts, "categories", n_columns):
        if categories is not None:
            sorted_array(categories, "categories")
