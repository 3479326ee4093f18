"""Data of the papers: seeded generators, one a file, and the public data sets."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from bitsieve.utils.messages import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_sizes(sizes: Mapping[str, tuple[Any, int]]) -> None:
    """Refuse a size that is no whole number from its least; ``sizes`` maps a name to the size and its least."""
    for name, (size, least) in sizes.items():
        if isinstance(size, bool) or not isinstance(size, Integral) or size < least:
            raise ValueError(f"{name}={one_line(size)} is not allowed: give a whole number from {least}")
