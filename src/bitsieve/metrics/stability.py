"""Stability of feature selection: how much the selections of several folds or samples agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bitsieve.utils.arrays import Columns


def nogueira(selections: Sequence[ArrayLike], n_features: int) -> float:
    """Stability of several selections of any sizes, corrected for chance (Nogueira, Sechidis, Brown 2018); 1 at most.

    ``1 - mean_f s_f^2 / [(k/n) (1 - k/n)]``, with s_f^2 the unbiased variance over the M selections of "feature f is
    selected", k the mean number of selected features and n the number of features. nan for fewer than two selections,
    and if all are empty or all hold every feature.
    """
    m = len(selections)
    n_selected = sum(len(np.asarray(selection)) for selection in selections)
    share = n_selected / max(m, 1) / n_features  # k / n
    if m < 2 or not 0 < share < 1:
        return float("nan")
    frequency = _times_selected(selections, n_features) / m
    variance = m / (m - 1) * frequency * (1 - frequency)
    return float(1 - variance.mean() / (share * (1 - share)))


def kuncheva(selections: Sequence[ArrayLike], n_features: int) -> float:
    """The overlap beyond chance of two selections, the mean over all pairs of selections (Kuncheva 2007).

    ``(r n - k^2) / (k (n - k))`` for two selections of k of n features that share r. Equal to :func:`nogueira`; nan if
    the sizes differ, or where that is nan.
    """
    m = len(selections)
    sizes = {len(np.asarray(selection)) for selection in selections}
    k = min(sizes, default=0)
    if m < 2 or len(sizes) > 1 or not 0 < k < n_features:
        return float("nan")
    times = _times_selected(selections, n_features)
    n_pairs = m * (m - 1) / 2
    shared = (times * (times - 1) / 2).sum() / n_pairs  # the mean of r
    return float((shared * n_features - k * k) / (k * (n_features - k)))


def _times_selected(selections: Sequence[ArrayLike], n_features: int) -> Columns:
    """How many of the selections hold each feature."""
    selected = np.concatenate([np.asarray(selection, np.intp) for selection in selections])
    return np.bincount(selected, minlength=n_features)
