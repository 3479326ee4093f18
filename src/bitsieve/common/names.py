"""The names of columns without names: ``x0``, ``x1``, ..., made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload


class NumberedNames(Sequence[str]):
    """``x0``, ``x1``, ... up to a number of names."""

    def __init__(self, number: int) -> None:
        self._places = range(number)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        found = self._places[place]
        return [f"x{j}" for j in found] if isinstance(found, range) else f"x{found}"

    def __contains__(self, name: object) -> bool:
        return self.place(name) is not None

    def index(self, name: str, start: int = 0, stop: int | None = None) -> int:
        """The place of a name; ValueError where there is none."""
        place = self.place(name)
        if place is None or place not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the names")
        return place

    def place(self, name: object) -> int | None:
        """The place of a name; None where there is none."""
        if not (isinstance(name, str) and name[:1] == "x" and name[1:].isdecimal() and name[1:].isascii()):
            return None
        place = int(name[1:])
        return place if place in self._places and name == f"x{place}" else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return len(self) == len(other)
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} names x0, x1, ...>"
