"""Every method by name: what the command line, the documentation and the comparisons go by."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.criteria import ALIASES, CRITERIA, make_criterion
from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices
from bitsieve.selectors.dp import DpSelector
from bitsieve.selectors.eqpfs import EQPFS
from bitsieve.selectors.fcbf import FCBF
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.gmi import GMI
from bitsieve.selectors.koller_sahami import KollerSahami
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.model import ModelSelector
from bitsieve.selectors.qpfs import QPFS
from bitsieve.selectors.rcfs import RCFS
from bitsieve.selectors.relieff import ReliefF
from bitsieve.selectors.sdpcmi import SDPCMI
from bitsieve.selectors.speccmi import SpecCMI
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from bitsieve.selectors.base import ColumnSelector

SELECTORS: tuple[type[ColumnSelector], ...] = (
    SpecCMI,
    SDPCMI,
    QPFS,
    EQPFS,
    FCBF,
    KollerSahami,
    ReliefF,
    RCFS,
    GMI,
    DpSelector,
    ModelSelector,
    VMI,
)
SHARED = ("n_features_to_select", "binning", "n_jobs")  # parameters of every method

_NEEDS = {
    "marginals": "each feature with the class",
    "pairs": "pairs of features",
    "class pairs": "pairs of features within each class",
    "joint": "each feature with the class, conditional on chosen features together",
}


@dataclass(frozen=True)
class _Method:
    """What is known of a method, and how its selector is made."""

    info: MethodInfo
    selector: type[ColumnSelector]
    of_criterion: frozenset[str] = field(default_factory=frozenset)  # the parameters that make its criterion

    def make(self, n_features_to_select: Any, parameters: dict[str, Any]) -> ColumnSelector:
        if self.selector is ForwardSelector:
            own = {name: parameters.pop(name) for name in self.of_criterion & set(parameters)}
            parameters["criterion"] = make_criterion(self.info.name, **own) if own else self.info.name
        return self.selector(n_features_to_select, **parameters)


def _defaults(made: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(made).parameters.items()}


def _methods() -> dict[str, _Method]:
    of_loop = {name: value for name, value in _defaults(ForwardSelector).items() if name not in (*SHARED, "criterion")}
    methods = {}
    for name, criterion in CRITERIA.items():
        own = _defaults(criterion)
        info = MethodInfo(
            name=name,
            title=criterion.title,
            formula=criterion.formula,
            paper=criterion.paper,
            needs=_NEEDS[criterion.needs],
            cost="O(n d)" if criterion.needs == "marginals" else "O(k n d)",
            unit=criterion.unit,
            estimator=ForwardSelector.__name__,
            parameters={**own, **of_loop},
        )
        methods[name] = _Method(info, ForwardSelector, frozenset(own))
    for selector in SELECTORS:
        defaults = {name: value for name, value in _defaults(selector).items() if name not in SHARED}
        for info in selector.described:
            info = replace(info, estimator=selector.__name__, parameters={**defaults, **info.parameters})
            methods[info.name] = _Method(info, selector)
    for name, alias in ALIASES.items():  # last, so that a list ends with the second names
        same = methods[alias.same_as]
        own = {"title": alias.title, "formula": alias.formula, "paper": alias.paper, "remark": alias.why}
        methods[name] = replace(same, info=replace(same.info, name=name, same_as=alias.same_as, **own))
    return methods


_METHODS = _methods()


def list_methods() -> list[MethodInfo]:
    """Every method that :func:`make_selector` builds.

    Returns
    -------
    list of MethodInfo

    Examples
    --------
    >>> import bitsieve
    >>> [method.name for method in bitsieve.list_methods()][:4]
    ['mim', 'mifs', 'mifsu', 'mrmr']
    """
    return [method.info for method in _METHODS.values()]


def method_name(method: str) -> str:
    """The registry's name of a method, in whatever case it is given.

    Raises
    ------
    ValueError
        If there is no such method; the nearest names are given.
    """
    name = str(method).lower()
    if name not in _METHODS:
        nearest = choices(name, _METHODS, whole="'bitsieve methods' lists all")
        raise ParameterError("method", method, nearest, "is not known")
    return name


def parameters_of(method: str) -> dict[str, Any]:
    """The parameters of a method with their defaults, but for those that all methods take.

    Raises
    ------
    ValueError
        If there is no such method; the nearest names are given.
    """
    return dict(_METHODS[method_name(method)].info.parameters)


def make_selector(
    method: str,
    n_features_to_select: int | float | str = 10,
    *,
    binning: Any = "mdl",
    n_jobs: int | None = None,
    **parameters: Any,
) -> Any:
    """Build the selector of a method.

    Parameters
    ----------
    method : str
        A name of :func:`list_methods`.
    n_features_to_select : int, default=10
        Or "auto" for a method that can end by itself (the greedy methods, fcbf, and vmi with ``on_plateau="stop"``).
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        Left out for a method on values, which does not bin.
    n_jobs : int, optional
        Threads.
    **parameters
        Of the method, as :func:`list_methods` has them: such as ``beta`` of mifs, or ``estimator``, ``stopping`` and
        ``constraints`` of every greedy method.

    Returns
    -------
    estimator
        A scikit-learn transformer, not fitted.

    Raises
    ------
    ValueError
        If there is no such method (the nearest names are given) or it has no such parameter.

    Examples
    --------
    >>> import bitsieve
    >>> bitsieve.make_selector("mifs", 5, beta=0.5)
    ForwardSelector(criterion=MIFS(beta=0.5), n_features_to_select=5)
    """
    name = method_name(method)
    found = _METHODS[name]
    known = found.info.parameters
    wrong = sorted(set(parameters) - set(known))
    if wrong:
        allowed = ", ".join(known) or "no parameters"
        raise ValueError(
            f"method {name!r} ({found.info.estimator}) does not take {', '.join(wrong)}; it takes {allowed}"
        )
    taken = inspect.signature(found.selector).parameters
    shared = {"binning": binning, "n_jobs": n_jobs}  # one on values does not bin
    given = {name: value for name, value in shared.items() if name in taken}
    changed = {name: value for name, value in known.items() if name in taken}
    return found.make(n_features_to_select, {**given, **changed, **parameters})
