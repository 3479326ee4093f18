"""Every method by name: what the command line, the documentation and the comparisons go by."""

from __future__ import annotations

import importlib
import inspect
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitsieve.common.messages import ParameterError, Sentence, Setting, choices
from bitsieve.selectors.method_info import MethodInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

METHODS_FILE = Path(__file__).with_name("methods.json")  # described.py makes it of the classes
OTHER_NAMES = {  # what other libraries, and other functions of this one, call a parameter
    **dict.fromkeys(("features", "n_features", "k", "num_features", "max_features"), "n_features_to_select"),
    **dict.fromkeys(("criterion", "methods", "score_func", "algorithm"), "method"),
    **dict.fromkeys(("discretization", "discretizer", "strategy"), "binning"),
    **dict.fromkeys(("y", "label", "target_name"), "target"),
    **dict.fromkeys(("threads", "n_threads", "num_threads"), "n_jobs"),
    **dict.fromkeys(("weights", "weight"), "sample_weight"),
    "must_include": "include",
}
SHARED = ("n_features_to_select", "binning", "n_jobs")  # parameters of every method


@cache
def _methods() -> dict[str, MethodInfo]:
    rows = json.loads(METHODS_FILE.read_text(encoding="utf-8"))
    return {row["name"]: MethodInfo(**row) for row in rows}


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
    return list(_methods().values())


def method_name(method: str) -> str:
    """The registry's name of a method, in whatever case it is given.

    Raises
    ------
    ValueError
        If there is no such method; the nearest names are given.
    """
    name = str(method).lower()
    if name not in _methods():
        nearest = choices(name, _methods(), whole="'bitsieve methods' lists all")
        raise ParameterError("method", method, nearest, "is not known")
    return name


def parameters_of(method: str) -> dict[str, Any]:
    """The parameters of a method with their defaults, but for those that all methods take.

    Raises
    ------
    ValueError
        If there is no such method; the nearest names are given.
    """
    return dict(_methods()[method_name(method)].parameters)


def make_selector(
    method: str,
    n_features_to_select: int | float | str | None = None,
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
    n_features_to_select : int, optional
        By default 10, or all columns where there are fewer (fcbf: all that its rule keeps). Or "auto"
        for a method that can end by itself (the greedy methods, fcbf, and vmi with ``on_plateau="stop"``).
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
    of_criterion = check_parameters_of(name, parameters)
    info = _methods()[name]
    selector = getattr(importlib.import_module("bitsieve"), info.estimator)
    taken = inspect.signature(selector).parameters
    shared = {"binning": binning, "n_jobs": n_jobs, "criterion": of_criterion}  # one on values does not bin
    given = {**shared, **info.parameters, **parameters}
    return selector(n_features_to_select, **{key: value for key, value in given.items() if key in taken})


def check_parameters_of(method: str, parameters: Mapping[str, Any]) -> Any:
    """Refuse parameters that a method does not take; what is returned is its criterion, where it is a greedy one.

    Raises
    ------
    ValueError
        A parameter is not one of the method's, or has a value that its criterion does not allow.
    """
    info = _methods()[method]
    wrong = sorted(set(parameters) - set(info.parameters))
    for name in wrong:
        if name in OTHER_NAMES:
            right = Setting(OTHER_NAMES[name], parameters[name])
            raise ValueError(Sentence(f"there is no parameter {name!r}: write ", right))
    if wrong:
        allowed = ", ".join(info.parameters) or "no parameters"
        raise ValueError(
            f"method {info.name!r} ({info.estimator}) does not take {', '.join(wrong)}; it takes {allowed}"
        )
    from bitsieve.by_counts.criteria import CRITERIA, make_criterion

    if info.estimator != "ForwardSelector":
        return None
    own = inspect.signature(CRITERIA[info.same_as or method]).parameters
    given = {name: value for name, value in parameters.items() if name in own}
    return make_criterion(method, **given) if given else method
