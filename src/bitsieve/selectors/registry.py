"""Every method by name: what the command line, the documentation and the comparisons go by."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.criteria import ALIASES, CRITERIA, make_criterion
from bitsieve.common.errors import ParameterError
from bitsieve.common.messages import choices
from bitsieve.selectors.catalogue import CATALOGUE
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.method_info import MethodInfo

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = ("n_features_to_select", "binning", "n_jobs")  # parameters of every method


_NEEDS = {
    "marginals": "each feature with the class",
    "pairs": "pairs of features",
    "class pairs": "pairs of features within each class",
    "joint": "each feature with the class, within the strata of the chosen ones",
}


_OF_THE_LOOP = ("estimator", "stopping", "constraints")  # parameters of every greedy method, whatever its criterion


def _forward(name: str) -> Callable[..., ForwardSelector]:
    def build(n_features_to_select: Any, *, binning: Any, n_jobs: int | None, **parameters: Any) -> ForwardSelector:
        own = {key: parameters.pop(key) for key in _OF_THE_LOOP if key in parameters}
        criterion = make_criterion(name, **parameters) if parameters else name
        return ForwardSelector(n_features_to_select, criterion=criterion, binning=binning, n_jobs=n_jobs, **own)

    return build


def _own(selector: Callable[..., Any]) -> Callable[..., Any]:
    taken = inspect.signature(selector).parameters

    def build(n_features_to_select: Any, **parameters: Any) -> Any:
        shared = {name: parameters.pop(name) for name in SHARED if name in parameters}
        shared = {name: value for name, value in shared.items() if name in taken}  # one on rows does not bin
        return selector(n_features_to_select, **shared, **parameters)

    return build


def _title(criterion: type) -> str:
    import sys

    return (sys.modules[criterion.__module__].__doc__ or "").strip().rstrip(".")


_METHODS: dict[str, tuple[MethodInfo, Callable[..., Any]]] = {
    name: (
        MethodInfo(
            name,
            _title(c),
            c.formula,
            c.paper,
            _NEEDS[c.needs],
            "ForwardSelector",
            c.unit,
        ),
        _forward(name),
    )
    for name, c in CRITERIA.items()
}
_METHODS |= {info.name: (info, _own(selector)) for info, selector in CATALOGUE}

_METHODS |= {  # last, so that a list ends with the second names
    name: (
        replace(
            _METHODS[alias.same_as][0],
            name=name,
            title=alias.title,
            formula=alias.formula,
            paper=alias.paper,
            same_as=alias.same_as,
            remark=alias.why,
        ),
        _forward(name),
    )
    for name, alias in ALIASES.items()
}


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
    return [replace(info, parameters=parameters_of(name)) for name, (info, _) in _METHODS.items()]


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
        raise ParameterError("method", method, nearest, "is not known;")
    return name


def parameters_of(method: str) -> dict[str, Any]:
    """What a method takes beside what all take, and the defaults.

    Raises
    ------
    ValueError
        If there is no such method; the nearest names are given.
    """
    selector = make_selector(method)
    if isinstance(selector, ForwardSelector):
        taken = inspect.signature(type(make_criterion(selector.criterion))).parameters
        return {name: parameter.default for name, parameter in taken.items()}
    return {name: value for name, value in selector.get_params(deep=False).items() if name not in SHARED}


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
        Or "auto" for a method that stops by itself (vmi, with ``on_plateau="stop"``).
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
    n_jobs : int, optional
    **parameters
        Of the method, such as ``beta`` of mifs; greedy methods also take ``estimator``, ``stopping`` and
        ``constraints``.

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
    info, build = _METHODS[name]
    try:
        return build(n_features_to_select, binning=binning, n_jobs=n_jobs, **parameters)
    except TypeError:
        known = parameters_of(name)
        wrong = ", ".join(sorted(set(parameters) - set(known)))
        allowed = ", ".join(known) or "no parameters"
        raise ValueError(f"method {name!r} ({info.estimator}) does not take {wrong}; it takes {allowed}") from None
