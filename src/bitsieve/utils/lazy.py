"""Values that are computed, and classes that are imported, when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
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


class ClassesByName(Mapping[str, type[Value]]):
    """Classes by their names. A class is imported when it is asked for, from its home: ``"module:class"``."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self.homes = dict(homes)

    def __getitem__(self, name: str) -> type[Value]:
        module, _, class_name = self.homes[name].partition(":")
        named_class: type[Value] = getattr(import_module(module), class_name)
        return named_class

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)
