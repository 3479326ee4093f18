"""Rules that say when a greedy selection has enough, one file each."""

from __future__ import annotations

from typing import Any

from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.stopping.dependent import ConditionalStopping, KnockoffStopping
from bitsieve.methods.by_counts.stopping.false_discovery import FalseDiscoveryStopping, ListMonitor, ListStopping
from bitsieve.methods.by_counts.stopping.monitor import StoppingMonitor
from bitsieve.methods.by_counts.stopping.rules import (
    PermutationStopping,
    SignificanceStopping,
    StoppingRule,
    ThresholdStopping,
)
from bitsieve.utils.messages import choices

Rule = StoppingRule | ListStopping

STOPPING_RULES: dict[str, type[Rule]] = {
    SignificanceStopping.name: SignificanceStopping,
    PermutationStopping.name: PermutationStopping,
    FalseDiscoveryStopping.name: FalseDiscoveryStopping,
    ConditionalStopping.name: ConditionalStopping,
    KnockoffStopping.name: KnockoffStopping,
    ThresholdStopping.name: ThresholdStopping,
}


def make_stopping(stopping: str | Rule, **parameters: Any) -> Rule:
    """The rule of that name with its parameters, or the object itself.

    Raises ValueError if there is no rule of that name; the nearest are given.
    """
    if isinstance(stopping, str):
        if stopping not in STOPPING_RULES:
            raise ParameterError("stopping", stopping, choices(stopping, STOPPING_RULES), "is not known")
        return STOPPING_RULES[stopping](**parameters)
    applied = hasattr(stopping, "monitor") or (hasattr(stopping, "value") and hasattr(stopping, "stops"))
    if isinstance(stopping, type) or not applied:
        raise ParameterError("stopping", stopping, choices("", STOPPING_RULES), "is neither a name nor a rule")
    return stopping


def make_monitor(rule: Rule, information: Information) -> StoppingMonitor | ListMonitor:
    """What applies a rule to the choices of a greedy search: its own monitor, or one that tests every choice by it."""
    if hasattr(rule, "monitor"):
        return rule.monitor(information)
    return StoppingMonitor(information, rule)
