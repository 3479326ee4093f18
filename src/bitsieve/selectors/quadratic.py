"""What the selectors by a quadratic over all weights share."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bitsieve.methods.found import rank_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.information import Information
    from bitsieve.methods.by_counts.pairwise.quadratic import QuadraticRanking
    from bitsieve.methods.found import Found


def rank_by_weights(
    information: Information,
    k: int,
    alpha: float | None,
    solve: Callable[[Information, NDArray[np.intp]], QuadraticRanking],
    *,
    name: str,
    **extras: Any,
) -> Found:
    """Rank the columns that vary by the weights that a quadratic program gives them.

    Parameters
    ----------
    information : Information
    k : int
        Features to select.
    alpha : float or None
        The weight of the relevance that was asked for.
    solve : callable
        The program: called with the information and the columns that vary.
    name : str
        Of the selector, for a warning.
    **extras
        More fitted attributes.
    """
    varying = np.flatnonzero(information.varies)
    weights = np.zeros(information.n_features)
    order, own = varying, {"alpha_": np.nan if alpha is None else float(alpha), "shift_": 0.0, "gap_": 0.0}
    if len(varying):
        found = solve(information, varying)
        if not found.converged:
            warnings.warn(
                f"{name} stopped {found.gap:.3g} bits above the minimum at most: see gap_",
                ConvergenceWarning,
                stacklevel=6,  # fit's caller
            )
        weights[varying] = found.weights
        order, own = varying[found.order], {"alpha_": float(found.alpha), "shift_": found.shift, "gap_": found.gap}
    return rank_all(order, information.varies, weights, k, weights_=weights, **own, **extras)
