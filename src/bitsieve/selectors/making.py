"""Make the selector of a method. A method without a class gets one, made from its function."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.discretization.base import BinningLike
from bitsieve.methods.method import Method
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.options import FREQUENCY
from bitsieve.pipeline.discretize import binning_parameter
from bitsieve.pipeline.fit import Fit
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.utils.defaults import BINNING


def make_selector(
    method: str,
    n_features_to_select: int | float | str | None = None,
    *,
    binning: BinningLike | None = BINNING,
    bins_within: bool = False,
    missing: str | None = None,
    target_kind: str | None = None,
    weight_kind: str = FREQUENCY,
    identifiers: str = "drop",
    n_jobs: int | None = None,
    **parameters: Any,
) -> MethodSelector:
    """Build the selector of a method.

    Parameters
    ----------
    method : str
        A name of :func:`list_methods`.
    n_features_to_select : int, optional
        By default 20, or all columns where there are fewer (fcbf: all that its rule keeps). Or "auto"
        for a method that can end by itself (the greedy methods, fcbf, and vmi with ``on_plateau="stop"``).
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"} or binner, default="auto"
        Left out for a method on values, which does not bin.
    bins_within : bool, default=False
        Whether numbers are cut in each stratum of ``fit`` for itself, for a method that works within strata.
    missing : {"error", "bin"}, optional
        What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``.
    target_kind : {"classes", "quantity"}, optional
        What the target is, where its values are not to decide.
    weight_kind : {"frequency", "sampling"}, default="frequency"
        What ``sample_weight`` of ``fit`` is: how many times each sample counts, or the weights of a survey.
    identifiers : {"drop", "keep"}, default="drop"
        What becomes of columns that name or number the rows: dropped, with a warning, or kept.
    n_jobs : int, optional
        Threads.
    **parameters
        Parameters of the method, which :func:`list_methods` lists: such as ``beta`` of mifs, or ``estimator``,
        ``stopping`` and ``constraints`` of every greedy method.

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
    registered_method = find_method(method)
    arguments = arguments_of(registered_method, parameters, inspect.signature(make_selector).parameters)
    if bins_within and not registered_method.takes_strata:
        raise UserError(
            code="strata-not-supported",
            message=f"has no effect with method {method!r}, which does not work within strata",
            advice="leave it out, or use a greedy method such as jmi",
            parameters={"bins_within": NAME_ONLY},
        )
    arguments.update(
        binning=binning,
        bins_within=bins_within,
        missing=missing,
        target_kind=target_kind,
        weight_kind=weight_kind,
        identifiers=identifiers,
        n_jobs=n_jobs,
    )
    return _build(registered_method, n_features_to_select, arguments)


def fitted_selector(fit: Fit) -> MethodSelector:
    """The selector of a method that has run, fitted as by ``fit``."""
    arguments = fit.selection.arguments
    arguments.update(
        binning=binning_parameter(fit.discretization, fit.execution.n_jobs),
        target_kind=fit.table.target.requested_kind.kind,
        identifiers=fit.selection.columns.identifiers,
        n_jobs=fit.execution.n_jobs,
    )
    selector = _build(fit.method, fit.selection.n_features_to_select, arguments)
    selector._set_fit(fit)
    return selector


def _build(
    method: Method, n_features_to_select: int | float | str | None, arguments: Mapping[str, Any]
) -> MethodSelector:
    """Build the selector of a method. Its class need not take all arguments, such as ``binning``."""
    selector_class = selector_class_of(method)
    accepted = {name: value for name, value in arguments.items() if name in selector_class.parameter_names}
    return selector_class(n_features_to_select, **accepted)


def selector_class_of(method: Method) -> type[MethodSelector]:
    """The class that selects by a method."""
    if not method.selector:
        return _make_class(method)
    module, _, name = method.selector.partition(":")
    selector_class: type[MethodSelector] = getattr(importlib.import_module(module), name)
    return selector_class


@cache
def _make_class(method: Method) -> type[MethodSelector]:
    """Make a class with the parameters, the defaults and the docstring of the function of a method."""
    base_class = MethodSelector if method.needs_rows else CountSelector
    defaults = dict(method.parameters)
    if method.needs_rows and method.bins:
        defaults.setdefault("binning", BINNING)
        defaults.setdefault("missing", None)
    if method.needs_rows and "n_jobs" in inspect.signature(method.run).parameters:
        defaults.setdefault("n_jobs", None)
    class_attributes = {
        "__doc__": method.run.__doc__ or method.title,
        "__module__": method.run.__module__,
        "__annotations__": dict.fromkeys(defaults, Any),
        "__reduce__": _reduce_by_name,
        "registry_methods": (method,),
    }
    class_attributes.update(defaults)  # the defaults of its parameters, as a dataclass has them
    return with_parameters(type(method.estimator, (base_class,), class_attributes))


def _reduce_by_name(selector: MethodSelector) -> tuple[Callable[[str], MethodSelector], tuple[str], Any]:
    """Pickle a selector of a made class by the name of its method."""
    return make_selector, (selector.registry_methods[0].name,), selector.__getstate__()
