"""Values that are computed when first needed, and functions of libraries that are imported when first called."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

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


class Lazy(Generic[Value]):
    """A value that is computed when it is first read or pickled. The function that computed it is then released."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute

    @property
    def value(self) -> Value:
        """The value. Two threads that read it first at the same time both compute it."""
        compute = self._compute  # one read, since another thread may set it to None meanwhile
        if compute is not None:
            self._value = compute()
            self._compute = None
        return self._value

    def __getstate__(self) -> dict[str, Any]:
        return {"_value": self.value, "_compute": None}


class LazyNames(Sequence[str]):
    """Names of columns, of which no list is held: a table may have 10^7 columns. A subclass has ``_name``."""

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
        if has_leading_zero or index not in self._columns:
            return None
        return index


def chdtrc(freedom: ArrayLike, x: ArrayLike) -> Any:
    """The probability that a chi-squared variable with ``freedom`` degrees of freedom exceeds ``x``; float or array."""
    from scipy import special

    return special.chdtrc(freedom, x)


def digamma(x: ArrayLike) -> Any:
    """The logarithmic derivative of the gamma function; float or array."""
    from scipy import special

    return special.digamma(x)


def ndtri(p: ArrayLike) -> Any:
    """The quantile of the normal distribution at the probability ``p``."""
    from scipy import special

    return special.ndtri(p)


def stdtr(freedom: ArrayLike, t: ArrayLike) -> Any:
    """The probability that Student's t with ``freedom`` degrees of freedom is at most ``t``."""
    from scipy import special

    return special.stdtr(freedom, t)


def threadpool_limits(n_threads: int, api: str | None = None) -> AbstractContextManager[object]:
    """Limit the threads of native libraries inside a block: of all, or of those of one ``api`` such as "blas"."""
    import threadpoolctl

    limits: AbstractContextManager[object] = threadpoolctl.threadpool_limits(n_threads, api)
    return limits


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
