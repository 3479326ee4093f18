"""Values of arrays, labels and options in the file of a selection. Those that JSON lacks are objects with a tag."""

from __future__ import annotations

import math

import numpy as np

from bitsieve.diagnostics import NAME_ONLY
from bitsieve.results.saved.fields import Field
from bitsieve.results.saved.schema import Label, ObjectOption, Option, Values, field_names

_DTYPES = ("U", "O")  # besides those of numbers, booleans and times


def read_values(field: Field) -> Values:
    """The values of an array, each of the kind that its dtype says."""
    members = field.members(field_names(Values))
    dtype = _dtype(members["dtype"])
    items = members["items"]
    if dtype == "U":
        return Values(dtype=dtype, items=items.texts())
    if dtype == "O":
        return Values(dtype=dtype, items=tuple(read_label(item) for item in items.items()))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return Values(dtype=dtype, items=tuple(item.boolean() for item in items.items()))
    if kind == "f":
        return Values(dtype=dtype, items=tuple(_float_label(item) for item in items.items()))
    if kind in "mM":
        return Values(dtype=dtype, items=tuple(item.integer(-(2**63), 2**63 - 1) for item in items.items()))
    limits = np.iinfo(dtype)
    return Values(dtype=dtype, items=tuple(item.integer(int(limits.min), int(limits.max)) for item in items.items()))


def _dtype(field: Field) -> str:
    """A type of numpy: numbers and booleans of at most 8 bytes, times, text, objects."""
    text = field.text()
    if text in _DTYPES:
        return text
    if len(text) > 12 or text[:1] not in "<>|=" or text[1:2] not in "biufmM":
        raise field.error("is no type of values")
    try:
        dtype = np.dtype(text)
    except (TypeError, ValueError):
        raise field.error("is no type of values") from None
    if dtype.itemsize > 8 or dtype.str != text:
        raise field.error("is no type of values")
    return text


def _float_label(field: Field) -> float:
    """A float. One that JSON lacks, such as NaN, is an object with a tag."""
    if isinstance(field.value, dict):
        label = read_label(field)
        if isinstance(label, float):
            return label
    return field.number()


def read_label(field: Field) -> Label:
    """The label of a column or of a class."""
    if isinstance(field.value, list):
        return tuple(read_label(item) for item in field.items())
    if isinstance(field.value, dict):
        return _tagged_label(field)
    return _plain_value(field)


def _tagged_label(field: Field) -> Label:
    members = field.mapping()
    if [*members] == ["bytes"]:
        try:
            return bytes.fromhex(members["bytes"].text())
        except ValueError:
            raise members["bytes"].error("is no hexadecimal number") from None
    if [*members] == ["float"]:
        return _number_not_finite(members["float"])
    raise field.error("is no label")


def _number_not_finite(field: Field) -> float:
    number = field.number()
    if math.isfinite(number):
        raise field.error("must be 'nan', 'inf' or '-inf'")
    return number


def _plain_value(field: Field) -> bool | int | float | str | None:
    value = field.value
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return field.number()
    raise field.error("is no value")


def read_options(field: Field) -> dict[str, Option]:
    """Options by their names."""
    return {name: _option(value) for name, value in field.mapping().items()}


def _option(field: Field) -> Option:
    if isinstance(field.value, list):
        return [_option(item) for item in field.items()]
    if not isinstance(field.value, dict):
        return _plain_value(field)
    members = field.mapping()
    tags = list(members)
    if tags == ["mapping"]:
        return read_options(members["mapping"])
    if tags == ["tuple"]:
        return tuple(_option(item) for item in members["tuple"].items())
    if tags == ["float"]:
        return _number_not_finite(members["float"])
    if tags == ["object"]:
        parts = members["object"].members(["class", "parameters", "text"])
        return ObjectOption(
            class_name=parts["class"].text(),
            parameters=read_options(parts["parameters"]),
            text=parts["text"].text(),
        )
    raise field.error("is no option")


def read_settings(field: Field) -> dict[str, object]:
    """The parameters that a diagnostic names, with their values or without."""
    return {
        name: NAME_ONLY if value.value == {"name_only": True} else _option(value)
        for name, value in field.mapping().items()
    }
