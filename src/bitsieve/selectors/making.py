"""The selector of a method by its name."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from bitsieve.methods.method import Method
from bitsieve.methods.registry import arguments_of, find_method
from bitsieve.pipeline.run import Fit
from bitsieve.utils.defaults import BINNING


def make_selector(
    method: str,
    n_features_to_select: int | float | str | None = None,
    *,
    binning: Any = BINNING,
    missing: str | None = None,
    target_kind: str | None = None,
    identifiers: str = "drop",
    n_jobs: int | None = None,
    **parameters: Any,
) -> Any:
    """Build the selector of a method.

    Parameters
    ----------
    method : str
        A name of :func:`list_methods`.
    n_features_to_select : int, optional
        By default 20, or all columns where there are fewer (fcbf: all that its rule keeps). Or "auto"
        for a method that can end by itself (the greedy methods, fcbf, and vmi with ``on_plateau="stop"``).
    binning : {"auto", "mdl", "quantile", "uniform", "none"} or binner, default="auto"
        Left out for a method on values, which does not bin.
    missing : {"error", "bin"}, optional
        What missing values are: an error, or a code of their own (the default). A binner has its own ``missing``.
    target_kind : {"classes", "quantity"}, optional
        What the target is, where its values are not to decide.
    identifiers : {"drop", "keep"}, default="drop"
        What becomes of columns that name or number the rows: dropped, with a warning, or kept.
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
    found = find_method(method)
    return selector_of(
        found,
        n_features_to_select,
        binning=binning,
        missing=missing,
        target_kind=target_kind,
        identifiers=identifiers,
        n_jobs=n_jobs,
        **arguments_of(found, parameters),
    )


def fitted_selector(fit: Fit, identifiers: str) -> Any:
    """The fitted selector of what a method was run with and returned."""
    selector = selector_of(
        fit.method,
        fit.n_features_to_select,
        n_jobs=fit.n_jobs,
        binning=fit.binning,
        target_kind=fit.table.target.said.kind,
        identifiers=identifiers,
        **fit.parameters,
    )
    return selector._keep_fitted(fit)


def selector_of(method: Method, n_features_to_select: Any, **arguments: Any) -> Any:
    """The selector of a method with the arguments of its function, and of those that several share what it has."""
    module, _, name = method.selector.partition(":")
    made = getattr(importlib.import_module(module), name)
    taken = inspect.signature(made).parameters
    return made(n_features_to_select, **{key: value for key, value in arguments.items() if key in taken})
