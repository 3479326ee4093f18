"""The greedy criteria, a file each family: formula, paper, the terms they need."""

from __future__ import annotations

import inspect

from bitsieve.common.messages import ParameterError, choices
from bitsieve.methods.by_counts.criteria.aliases import ALIASES
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.methods.by_counts.criteria.joint import CMI, CMIFS
from bitsieve.methods.by_counts.criteria.minima import CMIM, JMIM, CMIMFleuret
from bitsieve.methods.by_counts.criteria.normalised import AMIFS, DISR, MIQ, NJMIM
from bitsieve.methods.by_counts.criteria.relevance import MIFS, MIFSU, MIM, MRMR, MinRed
from bitsieve.methods.by_counts.criteria.within_classes import CIFE, EMRMR, ICAP, JMI, BetaGamma, CondRed

CRITERIA: dict[str, type[Criterion | JointCriterion]] = {
    criterion.name: criterion
    for criterion in (
        *(MIM, MIFS, MIFSU, MRMR, MinRed),
        *(JMI, EMRMR, CIFE, ICAP, CondRed, BetaGamma),
        *(CMIM, CMIMFleuret, JMIM),
        *(MIQ, AMIFS, DISR, NJMIM),
        *(CMI, CMIFS),
    )
}


def make_criterion(criterion: str | Criterion | JointCriterion, **parameters: float) -> Criterion | JointCriterion:
    """The criterion of that name with its parameters (such as ``beta``), or the object itself.

    Raises ValueError if there is no criterion of that name, or it has no such parameter.
    """
    names = [*CRITERIA, *ALIASES]
    if not isinstance(criterion, str):
        whole = hasattr(criterion, "condition") or (hasattr(criterion, "fold") and hasattr(criterion, "score"))
        if isinstance(criterion, type) or not whole:
            raise ParameterError("criterion", criterion, choices("", names), "is neither a name nor a criterion")
        return criterion
    name = criterion.lower()
    if name not in names:
        nearest = choices(name, names, whole="'bitsieve methods' lists all")
        raise ParameterError("criterion", criterion, nearest, "is not known")
    made = CRITERIA[ALIASES[name].same_as if name in ALIASES else name]
    if parameters:
        known = list(inspect.signature(made).parameters)
        wrong = sorted(set(parameters) - set(known))
        if wrong:
            allowed = ", ".join(known) or "no parameters"
            raise ValueError(f"criterion {name!r} does not take {', '.join(wrong)}; it takes {allowed}")
    return made(**parameters)
