"""Names of columns that are made when read, since a table may have 10^7 columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import overload

TARGET = "the target"  # what messages call a column that is the target
STRATUM = "a stratum"  # and one of those whose values are the strata


class LazyNames(Sequence[str]):
    """A sequence of names that holds no list of them. A subclass makes the name of a column by ``_name``."""

    def __init__(self, columns: Sequence[int]) -> None:
        self._columns = columns

    @abstractmethod
    def _name(self, column: int) -> str:
        """The name of a column."""

    def __len__(self) -> int:
        return len(self._columns)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._name(column) for column in self._columns[index]]
        return self._name(self._columns[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return False
        return len(self) == len(other) and all(name == other_name for name, other_name in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<{len(self):,} names>"


class ColumnNames(LazyNames):
    """The names of some of the columns of a table that has ``names``."""

    def __init__(self, names: Sequence[object], columns: Sequence[int]) -> None:
        super().__init__(columns)
        self._names = names

    def _name(self, column: int) -> str:
        return str(self._names[column])


class NumberedNames(LazyNames):
    """The names ``x0``, ``x1``, ... of columns without names."""

    def __init__(self, number: int) -> None:
        super().__init__(range(number))

    def _name(self, column: int) -> str:
        return f"x{column}"

    def __contains__(self, name: object) -> bool:
        return self.find(name) is not None

    def index(self, name: str, start: int = 0, stop: int | None = None) -> int:
        """The index of a name. Raises ValueError if there is no such name."""
        index = self.find(name)
        if index is None or index not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the names")
        return index

    def find(self, name: object) -> int | None:
        """The index of a name; None if there is no such name."""
        if not isinstance(name, str) or not name.startswith("x"):
            return None
        digits = name.removeprefix("x")
        if not (digits.isdecimal() and digits.isascii()):
            return None
        index = int(digits)
        has_leading_zero = digits != str(index)
        if has_leading_zero or index not in self._columns:
            return None
        return index
