"""Every method by name: what the command line, the documentation and the comparisons go by."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.criteria import ALIASES, CRITERIA, make_criterion
from bitsieve.messages import choices
from bitsieve.selectors.eqpfs import EQPFS
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.qpfs import QPFS
from bitsieve.selectors.speccmi import SpecCMI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SHARED = ("n_features_to_select", "binning", "n_jobs")  # parameters of every method


@dataclass(frozen=True)
class MethodInfo:
    """A method of the registry.

    Attributes
    ----------
    name : str
        As in ``make_selector(name)``.
    title : str
    formula : str
    paper : str
    needs : str
        What it looks at, in words.
    estimator : str
        The class behind it.
    unit : str
        Of its scores: bits; ratio where they are bits by bits, mixed where both are added; share of a sum of 1.
    same_as : str
        The method that this is a second name of; empty where it is not.
    remark : str
        Why the two are the same.
    parameters : mapping of str to value
        Its own, as in ``make_selector(name, beta=0.5)``, with their defaults.
    """

    name: str
    title: str
    formula: str
    paper: str
    needs: str
    estimator: str
    unit: str = "bits"
    same_as: str = ""
    remark: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


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
_METHODS["speccmi"] = (
    MethodInfo(
        "speccmi",
        "Spectral relaxation of global conditional mutual information",
        "max x'Qx, |x| = 1, Q_ij = [I(Xi;C|Xj) + I(Xj;C|Xi)] / 2",
        "Vinh, Chan, Romano, Bailey 2014",
        "all pairs of features within each class; n x n numbers",
        "SpecCMI",
    ),
    SpecCMI,
)
_METHODS["qpfs"] = (
    MethodInfo(
        "qpfs",
        "Quadratic programming: relevance against redundancy",
        "min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj), H_ii = H(Xi)",
        "Rodriguez-Lujan, Huerta, Elkan, Santa Cruz 2010",
        "all pairs of features; n x n numbers",
        "QPFS",
        "share",
    ),
    QPFS,
)
_METHODS["eqpfs"] = (
    MethodInfo(
        "eqpfs",
        "Quadratic programming: relevance against total redundancy",
        "min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj) - beta I(Xi;Xj|C), H_ii = shift",
        "Vinh, Chan, Romano, Bailey 2014",
        "all pairs of features, alone and within each class; n x n numbers",
        "EQPFS",
        "share",
    ),
    EQPFS,
)

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
        raise ValueError(f"method={method!r} is not known; {choices(name, _METHODS)}")
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
