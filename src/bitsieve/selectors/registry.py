"""Every method by name: what the command line, the documentation and the comparisons go by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bitsieve.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.messages import choices
from bitsieve.selectors.forward import ForwardSelector
from bitsieve.selectors.speccmi import SpecCMI
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from collections.abc import Callable


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
        Of its scores: bits, or ratio where they are no information.
    """

    name: str
    title: str
    formula: str
    paper: str
    needs: str
    estimator: str
    unit: str = "bits"


_NEEDS = {
    "marginals": "each feature with the class",
    "pairs": "pairs of features",
    "class pairs": "pairs of features within each class",
    "joint": "each feature with the class, within the strata of the chosen ones",
}


_OF_THE_LOOP = ("stopping", "constraints")  # parameters of every greedy method, whatever its criterion


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


def _vmi(decomposition: str) -> Callable[..., VMI]:
    def build(n_features_to_select: int, **parameters: Any) -> VMI:
        return VMI(n_features_to_select, decomposition=decomposition, **parameters)

    return build


for _name, _decomposition, _factor in (
    ("vmi", "naive", "p(xi|c)"),
    ("vmi-pairwise", "pairwise", "prod_s p(xi|xs,c)^(1/#S)"),
):
    _METHODS[_name] = (
        MethodInfo(
            _name,
            f"Variational information maximisation, {_decomposition}",
            f"I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = {_factor}",
            "Gao, Ver Steeg, Galstyan 2016",
            "the rows: a likelihood a sample and class",
            "VMI",
        ),
        _vmi(_decomposition),
    )


def list_methods() -> list[MethodInfo]:
    """Every method that :func:`make_selector` builds.

    Returns
    -------
    list of MethodInfo

    Examples
    --------
    >>> import bitsieve
    >>> [method.name for method in bitsieve.list_methods()][:4]
    ['mim', 'mifs', 'mrmr', 'miq']
    """
    return [info for info, _ in _METHODS.values()]


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
        Of the method, such as ``beta`` of mifs; greedy methods also take ``stopping`` and ``constraints``.

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
        raise ValueError(f"method {name!r} ({info.estimator}) does not take {', '.join(sorted(parameters))}") from None
