"""Checks of constructor parameters: what was given, what is allowed."""

from __future__ import annotations

import operator
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_integer(name: str, value: Any, low: int, high: int, why: str = "") -> int:
    """``value`` as an int in ``low .. high``; ``why`` says where the bounds come from.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise ParameterError(name, value, f"give a whole number from {low} to {high}{why and f' ({why})'}")
    return number


def check_feature_count(n_features_to_select: Any, n_features: int, why: str = "") -> int:
    """The number of features to select, if there can be so many; a float inside 0 and 1 is a share of them.

    A share is rounded down, to one feature at least. ``why`` says in words how many there are.
    """
    if n_features_to_select == "auto":
        raise ParameterError(
            "n_features_to_select",
            "auto",
            "only greedy methods such as jmi or cmi, fcbf and vmi end by themselves; give a number",
            "is not allowed here:",
        )
    if isinstance(n_features_to_select, float) and 0 < n_features_to_select < 1:
        return max(1, int(n_features_to_select * n_features))
    why = why or f"the table has {n_features:,} feature{'s' * (n_features != 1)}"
    return check_integer("n_features_to_select", n_features_to_select, 1, n_features, why)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices.

    Raises
    ------
    ValueError
        If it is none of them.
    """
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(name, value, f"give {' or '.join(map(repr, choices))}")


def check_share(name: str, value: Any) -> float:
    """``value`` as a float in 0 .. 1.

    Raises
    ------
    ValueError
        If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ParameterError(name, value, "give a number from 0 to 1")
    return float(value)


def check_level(level: Any) -> None:
    """Refuse a level of significance that is not inside 0 and 1.

    Raises
    ------
    ValueError
        If it is not.
    """
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParameterError("level", level, "give a probability between 0 and 1, such as 0.05")


def check_flag(name: str, value: Any) -> bool:
    """``value`` as a bool.

    Raises
    ------
    ValueError
        If it is neither True nor False.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, value, "give True or False")
    return bool(value)
