"""Values that are computed when first needed, and functions of libraries that are imported when first called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """An attribute that is computed when first read, and stored.

    Unlike that of functools it has no lock, for which a forked process could wait forever.
    """

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
        instance.__dict__[self.name] = value  # read before this descriptor from now on, as it has no __set__
        return value


class Later(Generic[Value]):
    """A value that is computed when it is first read or pickled. The function is then released."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute

    @property
    def value(self) -> Value:
        """The value; two threads that ask at once may both compute it."""
        compute = self._compute  # read once: another thread may set it to None
        if compute is not None:
            self._value = compute()
            self._compute = None
        return self._value

    def __getstate__(self) -> dict[str, Any]:
        return {"_value": self.value, "_compute": None}


class NumberedNames(Sequence[str]):
    """The names ``x0``, ``x1``, ... of columns without names. No list of them is held."""

    def __init__(self, number: int) -> None:
        self._indices = range(number)

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [f"x{j}" for j in self._indices[index]]
        return f"x{self._indices[index]}"

    def __contains__(self, name: object) -> bool:
        return self.place(name) is not None

    def index(self, name: str, start: int = 0, stop: int | None = None) -> int:
        """The index of a name. Raises ValueError if there is no such name."""
        index = self.place(name)
        if index is None or index not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the names")
        return index

    def place(self, name: object) -> int | None:
        """The index of a name; None if there is no such name."""
        if not isinstance(name, str) or not name.startswith("x"):
            return None
        digits = name.removeprefix("x")
        if not (digits.isdecimal() and digits.isascii()):
            return None
        index = int(digits)
        has_leading_zero = digits != str(index)
        return index if index in self._indices and not has_leading_zero else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):
            return len(self) == len(other)
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self):,} names x0, x1, ...>"


def chdtrc(freedom: Any, x: Any) -> Any:
    """The probability that a chi-square variable with ``freedom`` degrees of freedom exceeds ``x``."""
    from scipy import special

    return special.chdtrc(freedom, x)


def digamma(x: Any) -> Any:
    """The logarithmic derivative of the gamma function."""
    from scipy import special

    return special.digamma(x)


def ndtri(p: Any) -> Any:
    """The quantile of the normal distribution at the probability ``p``."""
    from scipy import special

    return special.ndtri(p)


def stdtr(freedom: Any, t: Any) -> Any:
    """The probability that Student's t with ``freedom`` degrees of freedom is at most ``t``."""
    from scipy import special

    return special.stdtr(freedom, t)


def threadpool_limits(*limits: Any) -> Any:
    """Limit the threads of BLAS inside the block; see ``threadpoolctl.threadpool_limits``."""
    import threadpoolctl

    return threadpoolctl.threadpool_limits(*limits)


def issparse(data: Any) -> bool:
    """Whether data is a sparse matrix or array of scipy. It is not if ``scipy.sparse`` was never imported."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(data))


def log(level: str, message: str) -> None:
    """Log a message under the name of the package, if the program has imported logging and set up a handler."""
    logging = sys.modules.get("logging")
    if logging is None:
        return
    logger = logging.getLogger("bitsieve")
    if logger.hasHandlers():
        getattr(logger, level)(message)
