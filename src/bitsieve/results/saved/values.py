"""Arrays, labels and options as plain values that a file can hold, and arrays back from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import NAME_ONLY, Diagnostic
from bitsieve.results.saved.schema import Label, ObjectOption, Option, Values

MAX_OPTION_ITEMS = 10_000  # of a list that is an option; a longer one is saved as its text
_NUMBERS = "biuf"
_TIMES = "mM"


def values_of_array(array: NDArray[np.generic]) -> Values:
    """The type of an array and its values."""
    kind = array.dtype.kind
    if kind in _TIMES:
        return Values(dtype=array.dtype.str, items=tuple(array.astype(np.int64).tolist()))
    if kind in _NUMBERS:
        return Values(dtype=array.dtype.str, items=tuple(array.tolist()))
    if kind == "U":
        return Values(dtype="U", items=tuple(array.tolist()))
    return Values(dtype="O", items=tuple(label_of(item) for item in array.tolist()))


def array_of_values(values: Values) -> NDArray[np.generic]:
    """The array of :func:`values_of_array`."""
    if values.dtype == "O":
        array = np.empty(len(values.items), object)
        for i, item in enumerate(values.items):
            array[i] = item
        return array
    if values.dtype == "U":
        return np.array(values.items, str)
    dtype = np.dtype(values.dtype)
    if dtype.kind in _TIMES:
        return np.array(values.items, np.int64).view(dtype)
    return np.array(values.items, dtype)


def label_of(value: object) -> Label:
    """A name or a category as a plain value: text, a number, or a tuple of these; anything else is its text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return tuple(label_of(part) for part in value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    return str(value)


def option_of(value: object) -> Option:
    """An option as a plain value: text, a number, a list, a mapping, or the class and parameters of an object."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): option_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        if len(value) > MAX_OPTION_ITEMS:
            return f"<{len(value):,} values>"
        items = [option_of(item) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, ObjectOption):
        return value
    return ObjectOption(class_name=type(value).__name__, parameters=_parameters_of(value), text=_text_of(value))


def plain_diagnostic(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with values that a file can hold."""
    return replace(
        diagnostic,
        columns=tuple(str(name) for name in diagnostic.columns),
        fix=_plain_settings(diagnostic.fix),
        parameters=_plain_settings(diagnostic.parameters),
    )


def _plain_settings(settings: Mapping[str, object]) -> dict[str, object]:
    return {name: value if value is NAME_ONLY else option_of(value) for name, value in settings.items()}


def _text_of(value: object) -> str:
    """The text of an object, without its address in memory."""
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        return f"{type(value).__name__}()"
    return str(value)


def _parameters_of(value: object) -> dict[str, Option]:
    """The parameters that an object was made with, as far as it keeps them under their names."""
    if is_dataclass(value):
        names = [item.name for item in fields(value) if item.init]
    else:
        try:
            names = list(signature(type(value)).parameters)
        except ValueError:  # a type of Python's own that does not say what it takes
            names = []
    attributes = vars(value) if hasattr(value, "__dict__") else {}
    return {name: option_of(attributes[name]) for name in names if name in attributes}
