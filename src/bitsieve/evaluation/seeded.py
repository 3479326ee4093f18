"""Estimators that draw at random, made repeatable."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone


def seeded(estimator: Any, random_state: int) -> Any:
    """A copy in which every ``random_state`` that is None, also of its parts, is the one given."""
    copy = clone(estimator)
    return copy.set_params(
        **{
            name: random_state
            for name, value in copy.get_params().items()
            if (name == "random_state" or name.endswith("__random_state")) and value is None
        }
    )
