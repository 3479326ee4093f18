"""Checks of the parameters of stopping rules."""

from __future__ import annotations

import operator
from typing import Any


def check_level(level: Any) -> None:
    """Refuse a level that is no probability inside 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ValueError(f"level={level!r} is not allowed: give a probability between 0 and 1, such as 0.05")


def check_count(name: str, value: Any, low: int, high: int) -> None:
    """Refuse what is no whole number from low to high."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise ValueError(f"{name}={value!r} is not allowed: give a whole number from {low:,} to {high:,}")
