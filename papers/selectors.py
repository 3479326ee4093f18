"""Selectors with the settings of the papers."""

from __future__ import annotations

from typing import Any

from bitsieve.methods.registry import parameters_of
from bitsieve.selectors.making import make_selector


def as_published(method: str, k: int | None = None, **parameters: Any) -> Any:
    """The selector of a method, with plug-in estimates of information where it takes an estimator."""
    if "estimator" in parameters_of(method):
        parameters = {"estimator": "plug-in", **parameters}
    return make_selector(method, k, **parameters)
