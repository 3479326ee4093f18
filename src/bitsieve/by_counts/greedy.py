"""The one greedy loop.

The first feature is the most relevant one, for every criterion; then the best J(i | S) of those left, by the one tie
rule. A constant column carries no information about anything: none is chosen while another column is left, whatever
a criterion would give it (mrmr: 0, more than a relevant but redundant column).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from bitsieve.by_counts.lazy import LazyScores
from bitsieve.by_counts.pick import pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bitsieve.by_counts.criteria.base import Criterion
    from bitsieve.information.pairwise import PairwiseInformation

LAZY_FROM = 3e-4  # seconds a row: below, counting all candidates at once is cheaper than choosing which to count


class Selection(NamedTuple):
    """Column indices in order of choice, and the criterion's value at each choice (the first: I(Xi;C))."""

    selected: NDArray[np.intp]
    scores: NDArray[np.float64]


class Scores(Protocol):
    """Scores of all candidates beside a growing set S."""

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        ...

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The candidate to choose, and its score."""
        ...


class EagerScores:
    """Every candidate is brought up to date at every step: one row of pair terms a step."""

    def __init__(self, information: PairwiseInformation, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.n_selected = 0

    def add(self, feature: int) -> None:
        """Fold the terms of one more chosen feature into every candidate."""
        terms = self.information.pair(feature, within_classes=self.criterion.needs == "class pairs")
        self.folded = self.criterion.fold(self.folded, terms)
        self.n_selected += 1

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.criterion.score(self.folded, self.information.relevance, self.n_selected)
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])


class MarginalScores:
    """Scores of criteria that look at no pairs (mim): nothing is counted."""

    def __init__(self, information: PairwiseInformation, criterion: Criterion) -> None:
        self.relevance = information.relevance
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.n_selected = 0

    def add(self, feature: int) -> None:
        """Only the size of S changes."""
        self.n_selected += 1

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.criterion.score(self.folded, self.relevance, self.n_selected)
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])


def forward_select(
    information: PairwiseInformation,
    criterion: Criterion,
    n_features_to_select: int,
    progress: Callable[[int, int], object] | None = None,
) -> Selection:
    """Choose features one at a time by a criterion.

    Parameters
    ----------
    information : PairwiseInformation
    criterion : Criterion
    n_features_to_select : int
        At least 1, at most the number of features.
    progress : callable, optional
        Called as ``progress(chosen so far, to choose)``.

    Returns
    -------
    Selection

    Notes
    -----
    Cost: k - 1 rows of pair terms, O(k n d) samples read as bits; a criterion that never increases reads fewer.
    """
    scores = _scores_for(information, criterion)
    open_ = np.ones(information.n_features, bool)
    varying = information.varies.copy()
    selected: list[int] = []
    values: list[float] = []
    for step in range(n_features_to_select):
        candidates = varying if varying.any() else open_
        if step == 0:
            chosen = pick(np.where(candidates, information.relevance, -np.inf))
            value = float(information.relevance[chosen])
        else:
            scores.add(selected[-1])
            chosen, value = scores.best(candidates)
        selected.append(chosen)
        values.append(value)
        open_[chosen] = varying[chosen] = False
        if progress is not None:
            progress(step + 1, n_features_to_select)
    return Selection(np.array(selected, np.intp), np.array(values))


def _scores_for(information: PairwiseInformation, criterion: Criterion) -> Scores:
    if criterion.needs == "marginals":
        return MarginalScores(information, criterion)
    if criterion.never_increases and information.source.row_seconds >= LAZY_FROM:
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)
