"""Do different samples lead to the same features? Two measures of the stability of a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


def nogueira(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Stability of several selections of any sizes, corrected for chance.

    ``1 - mean_f s_f^2 / [(k/n) (1 - k/n)]``, s_f^2 the unbiased variance over the M selections of "feature f was
    chosen", ``M/(M-1) p_f (1 - p_f)``, k the mean number of features. 1: always the same; 0 on average by chance.

    Parameters
    ----------
    selections : sequence of array-like of int
        The chosen columns, one entry a selection; at least two.
    n_features : int

    Returns
    -------
    float
        nan where it is not defined: all selections empty or all whole, or fewer than two.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", Journal of Machine Learning
    Research 18(174), 2018.
    """
    m = len(selections)
    share = sum(len(np.asarray(chosen)) for chosen in selections) / max(m, 1) / n_features
    if m < 2 or not 0 < share < 1:
        return float("nan")
    frequency = _times_chosen(selections, n_features) / m
    variance = m / (m - 1) * frequency * (1 - frequency)
    return float(1 - variance.mean() / (share * (1 - share)))


def kuncheva(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Mean over all pairs of selections of their overlap beyond chance, ``(r n - k^2) / (k (n - k))``, r shared.

    For selections of one size it is the same number as :func:`nogueira`'s.

    Parameters
    ----------
    selections : sequence of array-like of int
        The chosen columns, one entry a selection, all of the same size; at least two.
    n_features : int

    Returns
    -------
    float
        nan where it is not defined: sizes differ, 0 or all features, or fewer than two selections.

    References
    ----------
    L. I. Kuncheva, "A stability index for feature selection", IASTED Artificial Intelligence and Applications, 2007.
    """
    sizes = {len(np.asarray(chosen)) for chosen in selections}
    if len(selections) < 2 or len(sizes) != 1:
        return float("nan")
    (k,) = sizes
    if not 0 < k < n_features:
        return float("nan")
    m = len(selections)
    times = _times_chosen(selections, n_features)
    shared = (times * (times - 1) / 2).sum() / (m * (m - 1) / 2)  # mean over pairs
    return float((shared * n_features - k * k) / (k * (n_features - k)))


def _times_chosen(selections: Sequence[ArrayLike], n_features: int) -> np.ndarray:
    return np.bincount(np.concatenate([np.asarray(chosen, np.intp) for chosen in selections]), minlength=n_features)
