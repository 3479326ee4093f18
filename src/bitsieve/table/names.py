"""The names of columns that have none of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload


class NumberedNames(Sequence[str]):
    """``x0``, ``x1``, ...: made when asked for, as most of a million names never are.

    Parameters
    ----------
    n_names : int
    """

    def __init__(self, n_names: int) -> None:
        self.places = range(n_names)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        chosen = self.places[place]
        return [f"x{j}" for j in chosen] if isinstance(chosen, range) else f"x{chosen}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} names: {', '.join(self[:3])}{', ...' if len(self) > 3 else ''}>"
