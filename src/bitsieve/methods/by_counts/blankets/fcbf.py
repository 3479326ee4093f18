"""FCBF: the relevant features, less those that one of them makes redundant.

L. Yu, H. Liu, "Efficient feature selection via analysis of relevance and redundancy", Journal of Machine Learning
Research 5, 2004. The features that reach the threshold on SU(Xi,C) are gone through from the highest down; each one
met (predominant) removes every later q with ``SU(p,q) >= SU(q,C)``: p is an approximate Markov blanket of q.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.parameters import check_flag, check_number
from bitsieve.common.progress import phase
from bitsieve.common.ties import TIE, rank
from bitsieve.information.uncertainty import class_uncertainty
from bitsieve.methods.by_counts.blankets.in_play import in_play
from bitsieve.methods.found import Found
from bitsieve.methods.method import Method, defaults_of

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


def fcbf(information: Information, k: int | None, *, delta: float = 0.0, strict: bool = False) -> Found:
    """Keep the predominant features, the first ``k`` of them or all; see :class:`bitsieve.FCBF`."""
    limit = information.n_features if k is None else k
    found = fast_correlation_filter(information, limit, delta=delta, strict=strict, progress=phase("ranking"))
    if not len(found.order):
        largest = class_uncertainty(information).max()
        relation = "above" if strict else "of at least"
        raise ValueError(
            f"no column has a symmetric uncertainty with the target {relation} delta={delta:g}: "
            f"the largest is {largest:.4g}, give a smaller delta"
        )
    return Found(found.order, found.scores, extras={"groups_": found.groups})


METHODS = (
    Method(
        name="fcbf",
        title="Fast correlation-based filter",
        formula="SU(Xi;C) of those no better p removes by SU(Xp;Xi) >= SU(Xi;C), SU(X;Y) = 2 I(X;Y) / [H(X) + H(Y)]",
        paper="Yu, Liu 2004",
        needs="each feature with the class, then each kept feature with those still in play",
        cost="O(k n d)",
        unit="ratio",
        selector="bitsieve.selectors.fcbf:FCBF",
        parameters=defaults_of(fcbf),
        run=fcbf,
        ends_with=(None, "auto"),
        rules={"delta": partial(check_number, low=0, high=1), "strict": check_flag},
    ),
)
