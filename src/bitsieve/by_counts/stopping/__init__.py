"""Rules that say when a greedy selection has enough, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.by_counts.stopping.permutation import PermutationStopping
from bitsieve.by_counts.stopping.significance import SignificanceStopping
from bitsieve.by_counts.stopping.threshold import ThresholdStopping
from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices

if TYPE_CHECKING:
    from bitsieve.by_counts.stopping.base import StoppingRule

STOPPING_RULES: dict[str, type[StoppingRule]] = {
    rule.name: rule for rule in (SignificanceStopping, PermutationStopping, ThresholdStopping)
}


def make_stopping(stopping: str | StoppingRule, **parameters: float) -> StoppingRule:
    """The rule of that name with its parameters, or the object itself.

    Raises
    ------
    ValueError
        If there is no rule of that name; the nearest are given.
    """
    if isinstance(stopping, str):
        if stopping not in STOPPING_RULES:
            raise ParameterError("stopping", stopping, choices(stopping, STOPPING_RULES), "is not known")
        return STOPPING_RULES[stopping](**parameters)
    if isinstance(stopping, type) or not (hasattr(stopping, "value") and hasattr(stopping, "stops")):
        raise ParameterError("stopping", stopping, choices("", STOPPING_RULES), "is neither a name nor a rule")
    return stopping


__all__ = ["STOPPING_RULES", "PermutationStopping", "SignificanceStopping", "ThresholdStopping", "make_stopping"]
