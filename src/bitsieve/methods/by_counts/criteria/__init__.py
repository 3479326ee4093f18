"""The greedy criteria by name, and the second names that other papers gave to some of them."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.methods.by_counts.stopping import STOPPING_RULES, is_a_stopping_rule
from bitsieve.utils.lazy import ClassesByName
from bitsieve.utils.messages import advice_on_choice


class Alias(NamedTuple):
    """A second name of a criterion: its scores and parameters are those of the criterion, value for value."""

    same_as: str  # the name of the criterion
    title: str
    formula: str  # as the paper of the second name writes it
    paper: str
    why: str  # the two are the same


CRITERIA: ClassesByName[Criterion | JointCriterion] = ClassesByName(
    {
        "mim": "bitsieve.methods.by_counts.criteria.linear:MIM",
        "mifs": "bitsieve.methods.by_counts.criteria.linear:MIFS",
        "mifsu": "bitsieve.methods.by_counts.criteria.linear:MIFSU",
        "mrmr": "bitsieve.methods.by_counts.criteria.linear:MRMR",
        "minred": "bitsieve.methods.by_counts.criteria.linear:MinRed",
        "jmi": "bitsieve.methods.by_counts.criteria.linear:JMI",
        "emrmr": "bitsieve.methods.by_counts.criteria.linear:EMRMR",
        "cife": "bitsieve.methods.by_counts.criteria.linear:CIFE",
        "icap": "bitsieve.methods.by_counts.criteria.linear:ICAP",
        "condred": "bitsieve.methods.by_counts.criteria.linear:CondRed",
        "betagamma": "bitsieve.methods.by_counts.criteria.linear:BetaGamma",
        "cmim": "bitsieve.methods.by_counts.criteria.minima:CMIM",
        "cmim2": "bitsieve.methods.by_counts.criteria.minima:CMIM2",
        "cmim_fleuret": "bitsieve.methods.by_counts.criteria.minima:CMIMFleuret",
        "jmim": "bitsieve.methods.by_counts.criteria.minima:JMIM",
        "miq": "bitsieve.methods.by_counts.criteria.quotients:MIQ",
        "amifs": "bitsieve.methods.by_counts.criteria.linear:AMIFS",
        "disr": "bitsieve.methods.by_counts.criteria.quotients:DISR",
        "njmim": "bitsieve.methods.by_counts.criteria.quotients:NJMIM",
        "cmi": "bitsieve.methods.by_counts.criteria.joint:CMI",
        "cmifs": "bitsieve.methods.by_counts.criteria.joint:CMIFS",
        "jmi3": "bitsieve.methods.by_counts.criteria.joint:JMI3",
    }
)
ALIASES: dict[str, Alias] = {
    "maxrel": Alias("mim", "Maximum relevance", "I(Xi;C)", "Peng, Long, Ding 2005", "the same formula"),
    "mifs-u": Alias(
        "mifsu",
        "Mutual information feature selection under uniform information",
        "I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)",
        "Kwak, Choi 2002",
        "the spelling of the paper",
    ),
    "mid": Alias(
        "mrmr", "Mutual information difference", "I(Xi;C) - mean_s I(Xi;Xs)", "Ding, Peng 2003", "the same formula"
    ),
    "avgcmim": Alias(
        "emrmr",
        "Average conditional mutual information maximisation",
        "mean_s I(Xi;C|Xs)",
        "Herman, Zhang, Wang, Ye, Chen 2013",
        "I(Xi;C|Xs) = I(Xi;C) - I(Xi;Xs) + I(Xi;Xs|C)",
    ),
    "igfs": Alias(
        "emrmr",
        "Interaction gain feature selection",
        "I(Xi;C) + mean_s [I(Xi,Xs;C) - I(Xi;C) - I(Xs;C)]",
        "El Akadi, El Ouardighi, Aboutajdine 2008",
        "I(Xi,Xs;C) - I(Xi;C) - I(Xs;C) = I(Xi;Xs|C) - I(Xi;Xs)",
    ),
    "soa": Alias(
        "cife",
        "Second-order approximation",
        "I(Xi;C) - sum_s I(Xi;Xs) + sum_s I(Xi;Xs|C)",
        "Guo, Nixon 2009",
        "the same sum in two parts",
    ),
    "if": Alias(
        "cmim",
        "Informative fragments",
        "min_s [I(Xi,Xs;C) - I(Xs;C)]",
        "Vidal-Naquet, Ullman 2003",
        "I(Xi,Xs;C) - I(Xs;C) = I(Xi;C|Xs)",
    ),
    "nmifs": Alias(
        "amifs",
        "Normalised mutual information feature selection",
        "I(Xi;C) - mean_s I(Xi;Xs) / min(H(Xi), H(Xs))",
        "Estevez, Tesmer, Perez, Zurada 2009",
        "the same formula",
    ),
}


def make_criterion(criterion: str | Criterion | JointCriterion, **parameters: float) -> Criterion | JointCriterion:
    """The criterion of that name with its parameters (such as ``beta``), or the object itself.

    Raises ValueError if there is no criterion of that name, or it has no such parameter.
    """
    names = [*CRITERIA, *ALIASES]
    if not isinstance(criterion, str):
        is_criterion = hasattr(criterion, "scores") or (hasattr(criterion, "fold") and hasattr(criterion, "score"))
        if isinstance(criterion, type) or not is_criterion:
            raise ParameterError(
                "criterion",
                criterion,
                advice_on_choice("", names),
                "is neither a name nor a criterion",
                code="unknown-name",
            )
        return criterion
    name = criterion.lower()
    if name in STOPPING_RULES:
        raise is_a_stopping_rule("criterion", name)
    if name not in names:
        nearest = advice_on_choice(name, names, where_all="'bitsieve methods' lists all")
        raise ParameterError("criterion", criterion, nearest, "is not known", code="unknown-name")
    criterion_class = CRITERIA[ALIASES[name].same_as if name in ALIASES else name]
    if parameters:
        allowed_names = list(inspect.signature(criterion_class).parameters)
        wrong = sorted(set(parameters) - set(allowed_names))
        if wrong:
            allowed = ", ".join(allowed_names) or "no parameters"
            raise UserError(
                code="unknown-parameter",
                message=f"criterion {name!r} does not take {', '.join(wrong)}",
                advice=f"it takes {allowed}",
            )
    return criterion_class(**parameters)
