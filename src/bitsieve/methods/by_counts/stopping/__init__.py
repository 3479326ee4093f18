"""Rules that say when a greedy selection has enough, one file each; a rule is a line of :data:`STOPPING_RULES`."""

from __future__ import annotations

from typing import Any

from bitsieve.diagnostics import ParameterError
from bitsieve.methods.by_counts.stopping.base import StoppingRule as StoppingRule
from bitsieve.utils.lazy import ClassesByName
from bitsieve.utils.messages import advice_on_choice, nearest_in

STOPPING_RULES: ClassesByName[StoppingRule] = ClassesByName(
    {
        "significance": "bitsieve.methods.by_counts.stopping.significance:SignificanceStopping",
        "permutation": "bitsieve.methods.by_counts.stopping.permutation:PermutationStopping",
        "fdr": "bitsieve.methods.by_counts.stopping.false_discovery:FalseDiscoveryStopping",
        "conditional": "bitsieve.methods.by_counts.stopping.conditional:ConditionalStopping",
        "knockoffs": "bitsieve.methods.by_counts.stopping.knockoffs:KnockoffStopping",
        "dcrt": "bitsieve.methods.by_counts.stopping.dcrt:DistilledStopping",
        "gaussian-knockoffs": "bitsieve.methods.by_counts.stopping.gaussian_knockoffs:GaussianKnockoffStopping",
        "threshold": "bitsieve.methods.by_counts.stopping.threshold:ThresholdStopping",
    }
)


def is_a_stopping_rule(parameter: str, name: str) -> ParameterError:
    """The error for the name of a stopping rule in place of a method or criterion."""
    return ParameterError(
        parameter,
        name,
        "add {stopping}, which ends the selection of a method",
        "is a stopping rule and no method",
        code="unknown-name",
        fix={"stopping": name},
    )


def make_stopping(stopping: str | StoppingRule, **parameters: Any) -> StoppingRule:
    """The rule of that name with its parameters, or the object itself.

    Raises ParameterError if there is no rule of that name; the message has the nearest name.
    """
    if isinstance(stopping, StoppingRule):
        return stopping
    if not isinstance(stopping, str):
        raise ParameterError(
            "stopping",
            stopping,
            advice_on_choice("", STOPPING_RULES),
            "is neither a name nor a rule",
            code="unknown-name",
        )
    if stopping not in STOPPING_RULES:
        raise ParameterError(
            "stopping",
            stopping,
            advice_on_choice(stopping, STOPPING_RULES),
            "is not known",
            code="unknown-name",
            fix=nearest_in("stopping", stopping, [*STOPPING_RULES]),
        )
    return STOPPING_RULES[stopping](**parameters)
