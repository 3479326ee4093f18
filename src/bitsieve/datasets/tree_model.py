"""The tree of Gao, Ver Steeg and Galstyan: a class, three features that follow it, and two that follow each of those.

    y in {0, 1}, fair;  x1 = y + e,  x2 = y / 1.5 + e,  x3 = y / 2.25 + e
    x4, x5 = x1 + e;  x6, x7 = x2 + e;  x8, x9 = x3 + e;  every e a normal number of its own

Given x1, x4 and x5 tell nothing more about y, though alone they tell more than x2 does.

S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016, section 4,
supplement D. doi:10.48550/arXiv.1606.02827
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.messages import one_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLOPES = (1.0, 1 / 1.5, 1 / 2.25)  # of x1, x2, x3 on the class
PARENTS = (0, 0, 1, 1, 2, 2)  # of x4 ... x9


def make_tree_model(
    n_samples: int = 5000, *, random_state: int | np.random.Generator | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Draw samples of the tree model.

    Parameters
    ----------
    n_samples : int, default=5000
        As in the paper.
    random_state : int or numpy Generator, optional

    Returns
    -------
    X : ndarray of shape (n_samples, 9)
    y : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If ``n_samples`` is less than 1.

    Examples
    --------
    >>> from bitsieve.datasets.tree_model import make_tree_model
    >>> X, y = make_tree_model(1000, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 9), [0, 1])
    """
    if n_samples < 1:
        raise ValueError(f"n_samples={one_line(n_samples)} is not allowed: give a whole number from 1")
    random = np.random.default_rng(random_state)
    y = random.integers(0, 2, n_samples)
    X = random.standard_normal((n_samples, 9))
    X[:, :3] += y[:, None] * np.array(SLOPES)
    X[:, 3:] += X[:, PARENTS]
    return X, y


def tree_model_information() -> NDArray[np.float64]:
    """I(xi;y) of every feature of the tree model, exact.

    Given the class a feature is a normal number of variance 1 (x1 to x3) or 2, the means of the classes its slope
    apart; the information of two such equal bells is integrated numerically.

    Returns
    -------
    information : ndarray of shape (9,)
        In bits, to 1e-10.
    """
    slopes = np.array([*SLOPES, *(SLOPES[parent] for parent in PARENTS)])
    deviations = np.sqrt([1.0] * 3 + [2.0] * 6)
    return np.array([_two_bells(distance) for distance in slopes / deviations])


def _two_bells(distance: float) -> float:
    """I(x;y) of y fair and x normal around 0 or ``distance``, of variance 1: 1 - E log2(1 + p(x|other) / p(x|own))."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)  # of exp(-x^2 / 2)
    log_odds = distance * (nodes - distance / 2)  # of the other class, at x around 0; the classes are alike
    return float(1 - (weights * np.logaddexp2(0, log_odds / np.log(2))).sum() / weights.sum())
