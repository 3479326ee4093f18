"""FCBF: the relevant features, less those that one of them makes redundant.

L. Yu, H. Liu, "Efficient feature selection via analysis of relevance and redundancy", Journal of Machine Learning
Research 5, 2004. The features that reach the threshold on SU(Xi,C) are gone through from the highest down; each one
met (predominant) removes every later q with ``SU(p,q) >= SU(q,C)``: p is an approximate Markov blanket of q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.by_counts.blankets.in_play import in_play
from bitsieve.common.ties import TIE, rank
from bitsieve.information.protocol import class_uncertainty

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.information.protocol import Information

    Columns = NDArray[np.intp]


@dataclass(frozen=True)
class Predominant:
    """The predominant features in order, their SU with the class, and the features that each of them removed."""

    order: Columns
    scores: NDArray[np.float64]
    groups: list[Columns]


def fast_correlation_filter(
    information: Information,
    limit: int,
    *,
    delta: float = 0.0,
    strict: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Predominant:
    """Find the predominant features, the first ``limit`` of them.

    Parameters
    ----------
    information : Information
    limit : int
        At least 1.
    delta : float
        Features with ``SU(Xi,C) >= delta`` take part.
    strict : bool
        Both comparisons are ``>`` instead of ``>=``.
    progress : callable, optional
        Called as ``progress(features kept or removed, all)``.

    Returns
    -------
    Predominant
        Empty if no feature reaches the threshold.

    Notes
    -----
    Numbers within 1e-10 are equal. Cost: one row of pair counts a predominant feature, over those still in play; of
    sparse features over those that share a row with it.
    """
    with_class = class_uncertainty(information)
    slack = TIE if strict else -TIE  # what is equal but for rounding counts as equal
    left = in_play(information, _candidates(information, with_class, delta + slack), with_class + slack)
    n_candidates = left.n_left
    selected: list[int] = []
    groups: list[Columns] = []
    while left.n_left and len(selected) < limit:
        pivot, removed = left.choose()
        selected.append(pivot)
        groups.append(removed)
        if progress is not None:
            progress(n_candidates - left.n_left, n_candidates)
    chosen = np.array(selected, np.intp)
    return Predominant(chosen, with_class[chosen], groups)


def _candidates(information: Information, with_class: NDArray[np.float64], least: float) -> Columns:
    """Features that reach the threshold by falling SU with the class; those that do not vary last."""
    order = rank(with_class)
    order = order[with_class[order] >= least]
    varies = information.varies[order]
    return np.concatenate([order[varies], order[~varies]])
