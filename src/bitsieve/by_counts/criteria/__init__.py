"""The greedy criteria, one file each: formula, paper, the terms they need."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from bitsieve.by_counts.criteria.cife import CIFE
from bitsieve.by_counts.criteria.cmi import CMI
from bitsieve.by_counts.criteria.cmifs import CMIFS
from bitsieve.by_counts.criteria.cmim import CMIM
from bitsieve.by_counts.criteria.jmi import JMI
from bitsieve.by_counts.criteria.mifs import MIFS
from bitsieve.by_counts.criteria.mim import MIM
from bitsieve.by_counts.criteria.miq import MIQ
from bitsieve.by_counts.criteria.mrmr import MRMR
from bitsieve.messages import choices

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Criterion, JointCriterion

CRITERIA: dict[str, type[Criterion | JointCriterion]] = {
    c.name: c for c in (MIM, MIFS, MRMR, MIQ, JMI, CIFE, CMIM, CMI, CMIFS)
}


def make_criterion(criterion: str | Criterion | JointCriterion, **parameters: float) -> Criterion | JointCriterion:
    """The criterion of that name with its parameters (such as ``beta``), or the object itself.

    Raises
    ------
    ValueError
        If there is no criterion of that name, or it has no such parameter.
    """
    if not isinstance(criterion, str):
        whole = hasattr(criterion, "condition") or (hasattr(criterion, "fold") and hasattr(criterion, "score"))
        if isinstance(criterion, type) or not whole:
            raise ValueError(f"criterion={criterion!r} is neither a name nor a criterion; {choices('', CRITERIA)}")
        return criterion
    name = criterion.lower()
    if name not in CRITERIA:
        raise ValueError(f"criterion={criterion!r} is not known; {choices(name, CRITERIA)}")
    known = list(inspect.signature(CRITERIA[name]).parameters)
    wrong = sorted(set(parameters) - set(known))
    if wrong:
        allowed = ", ".join(known) or "no parameters"
        raise ValueError(f"criterion {name!r} does not take {', '.join(wrong)}; it takes {allowed}")
    return CRITERIA[name](**parameters)


__all__ = ["CIFE", "CMI", "CMIFS", "CMIM", "CRITERIA", "JMI", "MIFS", "MIM", "MIQ", "MRMR", "make_criterion"]
