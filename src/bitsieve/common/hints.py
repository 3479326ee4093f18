"""What to write in the place of a parameter's name in other libraries, or in other functions of this one."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from bitsieve.common.errors import Sentence, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    P = ParamSpec("P")
    R = TypeVar("R")


def with_hints(other_names: Mapping[str, str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that answers a parameter of ``other_names`` with a ValueError that says which one is meant."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function).parameters

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in kwargs.items():
                if name not in own and name in other_names:
                    raise ValueError(
                        Sentence(f"there is no parameter {name!r}: write ", Setting(other_names[name], value))
                    )
            return function(*args, **kwargs)

        return call

    return decorate
