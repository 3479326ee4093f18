"""What is made when it is first needed: cached attributes, names of columns, and what few jobs need of libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """An attribute computed when first read, and kept, without the lock of functools, for which a fork may wait."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> Self | Value:
        if instance is None:
            return self
        value = self.compute(instance)
        instance.__dict__[self.name] = value  # found before this descriptor from now on, which has no __set__
        return value


class Later(Generic[Value]):
    """A value that is computed when first asked for, or pickled; what it is computed of is then let go."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute

    @property
    def value(self) -> Value:
        """The value; two threads that ask at once may both compute it."""
        if (compute := self._compute) is not None:
            self._value = compute()
            self._compute = None
        return self._value

    def __getstate__(self) -> dict[str, Any]:
        return {"_value": self.value, "_compute": None}


class NumberedNames(Sequence[str]):
    """The names of columns without names, ``x0``, ``x1``, ..., each made when it is asked for."""

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
        index = self.place(name)
        if index is None or index not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the names")
        return index

    def place(self, name: object) -> int | None:
        """The place of a name; None where there is none."""
        if not (isinstance(name, str) and name[:1] == "x" and name[1:].isdecimal() and name[1:].isascii()):
            return None
        index = int(name[1:])
        return index if index in self._places and name == f"x{index}" else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return len(self) == len(other)
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} names x0, x1, ...>"


def chdtrc(freedom: Any, x: Any) -> Any:
    """The probability that a chi-square variable of so many degrees of freedom is above ``x``."""
    from scipy import special

    return special.chdtrc(freedom, x)


def digamma(x: Any) -> Any:
    """The logarithmic derivative of the gamma function."""
    from scipy import special

    return special.digamma(x)


def threadpool_limits(*limits: Any) -> Any:
    """The context in which BLAS has so many threads: that of threadpoolctl."""
    import threadpoolctl

    return threadpoolctl.threadpool_limits(*limits)


def issparse(data: Any) -> bool:
    """Whether data is a sparse matrix or array of scipy: none is where nobody has imported them."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


def log(level: str, message: str) -> None:
    """Log a message under the name of the package, where the program has imported logging and set up a handler."""
    logging = sys.modules.get("logging")
    if logging is not None and (logger := logging.getLogger("bitsieve")).hasHandlers():
        getattr(logger, level)(message)
