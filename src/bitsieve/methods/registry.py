"""The registry of all methods by name, for the command line, the documentation and comparisons.

A method family is a line of :data:`MODULES`; its module holds ``METHODS``, a tuple of :class:`Method`. A greedy
criterion is a line of :data:`bitsieve.methods.by_counts.criteria.CRITERIA`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.methods.by_counts.criteria import ALIASES, CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import FORWARD
from bitsieve.methods.by_counts.stopping import STOPPING_RULES, is_a_stopping_rule
from bitsieve.methods.method import Method, check_capabilities, defaults_of
from bitsieve.utils.messages import advice_on_choice, nearest_in
from bitsieve.utils.parameter_names import refuse_wrong_names

MODULES = {  # the module that describes each method, in the order of the list
    "speccmi": "bitsieve.methods.by_counts.pairwise.spectral",
    "sdpcmi": "bitsieve.methods.by_counts.pairwise.semidefinite",
    "qpfs": "bitsieve.methods.by_counts.pairwise.quadratic",
    "eqpfs": "bitsieve.methods.by_counts.pairwise.quadratic",
    "fcbf": "bitsieve.methods.by_counts.blankets.fcbf",
    "koller-sahami": "bitsieve.methods.by_counts.blankets.koller_sahami",
    "iamb-fdr": "bitsieve.methods.by_counts.markov_blankets.methods",
    "gs": "bitsieve.methods.by_counts.markov_blankets.methods",
    "iamb": "bitsieve.methods.by_counts.markov_blankets.methods",
    "inter-iamb": "bitsieve.methods.by_counts.markov_blankets.methods",
    "fast-iamb": "bitsieve.methods.by_counts.markov_blankets.methods",
    "fbed": "bitsieve.methods.by_counts.markov_blankets.methods",
    "mmpc": "bitsieve.methods.by_counts.markov_blankets.methods",
    "hiton-pc": "bitsieve.methods.by_counts.markov_blankets.methods",
    "mmmb": "bitsieve.methods.by_counts.markov_blankets.methods",
    "hiton-mb": "bitsieve.methods.by_counts.markov_blankets.methods",
    "ses": "bitsieve.methods.by_counts.markov_blankets.methods",
    "relieff": "bitsieve.methods.by_samples.relieff",
    "information-value": "bitsieve.methods.by_samples.information_value",
    "rcfs": "bitsieve.methods.by_samples.rcfs",
    "gmi": "bitsieve.methods.by_samples.spanning_tree.dependency",
    "dp": "bitsieve.methods.by_samples.spanning_tree.bayes_error",
    "extra-trees": "bitsieve.methods.by_samples.model_importance",
    "linear-svc": "bitsieve.methods.by_samples.model_importance",
    "vmi": "bitsieve.methods.by_samples.vmi",
    "vmi-pairwise": "bitsieve.methods.by_samples.vmi",
    "gdm": "bitsieve.methods.by_samples.cutting_plane.search",
    "fgm": "bitsieve.methods.by_samples.cutting_plane.search",
    "l1-svm": "bitsieve.methods.by_samples.l1_svm",
    "svm-rfe": "bitsieve.methods.by_samples.svm_rfe",
    "dominant-set-mii": "bitsieve.methods.by_samples.dominant_sets",
}
_INPUTS = {  # of a greedy criterion, by the tables it requires
    "marginals": "each feature with the class",
    "pairs": "pairs of features",
    "class pairs": "pairs of features within each class",
    "joint": "each feature with the class, conditional on chosen features together",
}


def method_names() -> list[str]:
    """The names of all methods; second names come last."""
    return [*CRITERIA, *MODULES, *ALIASES]


def list_methods() -> list[Method]:
    """Every method that :func:`make_selector` builds.

    Returns
    -------
    list of Method

    Examples
    --------
    >>> import bitsieve
    >>> [method.name for method in bitsieve.list_methods()][:4]
    ['mim', 'mifs', 'mifsu', 'mrmr']
    """
    return [find_method(name) for name in method_names()]


def method_name(method: str) -> str:
    """The registry's name of a method, in whatever case it is given."""
    name = str(method).lower()
    names = method_names()
    if name in STOPPING_RULES:
        raise is_a_stopping_rule("method", name)
    if name not in names:
        nearest = advice_on_choice(name, names, where_all="'bitsieve methods' lists all")
        raise ParameterError(
            "method", method, nearest, "is not known", code="unknown-name", fix=nearest_in("method", name, names)
        )
    return name


def refuse_method_as_rule(stopping: object) -> None:
    """Refuse the name of a method in place of a stopping rule."""
    if isinstance(stopping, str) and stopping not in STOPPING_RULES and stopping.lower() in method_names():
        raise ParameterError(
            "stopping",
            stopping,
            advice_on_choice("", STOPPING_RULES),
            "is a method and no stopping rule",
            code="unknown-name",
            fix={"method": stopping},
        )


def find_method(method: str) -> Method:
    """The method of a name."""
    name = method_name(method)
    if name in ALIASES:
        alias = ALIASES[name]
        return replace(
            _greedy(alias.same_as),
            name=name,
            title=alias.title,
            formula=alias.formula,
            paper=alias.paper,
            same_as=alias.same_as,
            remark=alias.why,
        )
    if name in CRITERIA:
        return _greedy(name)
    methods_of_module: tuple[Method, ...] = importlib.import_module(MODULES[name]).METHODS
    return next(described for described in methods_of_module if described.name == name)


def _greedy(name: str) -> Method:
    """Forward selection by a criterion."""
    criterion = CRITERIA[name]
    return replace(
        FORWARD,
        name=name,
        title=criterion.title,
        formula=criterion.formula,
        paper=criterion.paper,
        inputs=_INPUTS[criterion.required_tables],
        cost=criterion.cost,
        seconds=criterion.seconds,
        unit=criterion.unit,
        parameters={**defaults_of(criterion), **FORWARD.parameters},
    )


def is_greedy(method: str) -> bool:
    """Whether the name is that of a criterion, by which features are chosen one at a time."""
    return method_name(method) not in MODULES


def parameters_of(method: str) -> dict[str, Any]:
    """The parameters of a method with their defaults, but for those that all methods take."""
    return dict(find_method(method).parameters)


def check_offers(method: str, capabilities: frozenset[str], hindrances: Sequence[str] = ()) -> None:
    """Raise ValueError, before data is read, if a method requires more than its capabilities."""
    described = find_method(method)
    check_capabilities(f"method {described.name!r}", described.required_capabilities, capabilities, hindrances)


def arguments_of(method: Method, parameters: Mapping[str, Any], other_parameters: Iterable[str] = ()) -> dict[str, Any]:
    """All arguments of a method's function, and of its selector, from the parameters that the user gave.

    The parameters of a criterion make one argument: the criterion. Raises ValueError for a name that the method does
    not take; the error proposes a parameter of the method, or one of ``other_parameters``, those of the calling
    function.
    """
    _refuse_unknown_parameters(method, parameters, other_parameters)
    criterion = CRITERIA.get(method.same_as or method.name)
    if criterion is None:
        return {**method.parameters, **parameters}
    criterion_names = defaults_of(criterion)
    criterion_parameters = {name: value for name, value in parameters.items() if name in criterion_names}
    arguments: dict[str, Any] = {"criterion": method.name}
    if criterion_parameters:
        arguments["criterion"] = make_criterion(method.name, **criterion_parameters)
    for name, default in FORWARD.parameters.items():
        arguments[name] = parameters.get(name, default)
    return arguments


def _refuse_unknown_parameters(
    method: Method, parameters: Mapping[str, object], other_parameters: Iterable[str]
) -> None:
    wrong = sorted(set(parameters) - set(method.parameters))
    if not wrong:
        return
    wrong_arguments = {name: parameters[name] for name in wrong}
    refuse_wrong_names(wrong_arguments, [*method.parameters, *other_parameters])
    allowed = ", ".join(method.parameters) or "no parameters"
    raise UserError(
        code="unknown-parameter",
        message=f"method {method.name!r} ({method.estimator}) does not take {', '.join(wrong)}",
        advice=f"it takes {allowed}",
    )
