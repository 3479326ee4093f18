"""Data of the papers: seeded generators, one a file, and the public data sets."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from bitsieve.utils.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_sizes(sizes: Mapping[str, tuple[Any, int]]) -> None:
    """Raise ValueError unless each size is a whole number from its minimum; ``sizes``: name to (size, minimum)."""
    for name, (size, minimum) in sizes.items():
        if isinstance(size, bool) or not isinstance(size, Integral) or size < minimum:
            raise ValueError(f"{name}={one_line(size)} is not allowed: give a whole number from {minimum}")
