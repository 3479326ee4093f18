"""Selectors with the settings of the papers."""

from __future__ import annotations

from typing import Any

from bitsieve.methods.registry import find_method
from bitsieve.selectors.making import make_selector


def as_published(method: str, k: int | None = None, **parameters: Any) -> Any:
    """The selector of a method, with the parameters of its paper, such as plug-in estimates of information."""
    return make_selector(method, k, **{**find_method(method).published, **parameters})
