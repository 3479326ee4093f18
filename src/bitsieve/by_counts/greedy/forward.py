"""The one greedy loop.

The first feature is the most relevant one, for every criterion; then the best J(i | S) of those left, by the one tie
rule. A constant column carries no information about anything: none is chosen while another column is left, whatever
a criterion would give it (mrmr: 0, more than a relevant but redundant column).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np

from bitsieve.by_counts.greedy.joint import JointScores
from bitsieve.by_counts.greedy.lazy import LazyScores
from bitsieve.by_counts.stopping.monitor import Judge, Verdict
from bitsieve.common.ties import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bitsieve.by_counts.criteria.base import Criterion, JointCriterion
    from bitsieve.by_counts.stopping.base import StoppingRule
    from bitsieve.information.pairwise import PairwiseInformation

LAZY_FROM = 3e-4  # seconds a row: below, counting all candidates at once is cheaper than choosing which to count


class Selection(NamedTuple):
    """Column indices in order of choice, and the criterion's value at each choice (the first: I(Xi;C)).

    With a stopping rule, also its verdict.
    """

    selected: NDArray[np.intp]
    scores: NDArray[np.float64]
    verdict: Verdict | None = None


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
    criterion: Criterion | JointCriterion,
    n_features_to_select: int,
    progress: Callable[[int, int], object] | None = None,
    *,
    stopping: StoppingRule | None = None,
    must_include: Sequence[int] = (),
    exclude: Sequence[int] = (),
) -> Selection:
    """Choose features one at a time by a criterion.

    Parameters
    ----------
    information : PairwiseInformation
    criterion : Criterion or JointCriterion
    n_features_to_select : int
        At least 1, at most the number of features that are not excluded.
    progress : callable, optional
        Called as ``progress(chosen so far, to choose)``.
    stopping : StoppingRule, optional
        Ends the selection before the first choice it refuses, and before a constant column.
    must_include : sequence of int
        Chosen first, in this order, and not judged by the rule.
    exclude : sequence of int
        Never chosen.

    Returns
    -------
    Selection

    Notes
    -----
    Cost: k - 1 rows of pair terms, O(k n d) samples read as bits; a criterion that never increases reads fewer.
    """
    scores = _scores_for(information, criterion)
    open_ = np.ones(information.n_features, bool)
    open_[list(exclude)] = False
    varying = information.varies & open_
    judge = None if stopping is None else Judge(information, stopping)
    selected: list[int] = []
    values: list[float] = []
    for step in range(n_features_to_select):
        forced = step < len(must_include)
        if judge is not None and not forced and not varying.any():
            judge.exhausted()
            break
        candidates = varying if varying.any() else open_
        if forced:
            candidates = np.zeros(information.n_features, bool)
            candidates[must_include[step]] = True
        if step:
            scores.add(selected[-1])
            chosen, value = scores.best(candidates)
        else:
            chosen = pick(np.where(candidates, information.relevance, -np.inf))
            value = float(information.relevance[chosen])
        if judge is not None and judge.refuses(chosen, 0 if forced else int(candidates.sum())):
            break
        selected.append(chosen)
        values.append(value)
        open_[chosen] = varying[chosen] = False
        if progress is not None:
            progress(step + 1, n_features_to_select)
    return Selection(np.array(selected, np.intp), np.array(values), None if judge is None else judge.verdict())


def _scores_for(information: PairwiseInformation, criterion: Criterion | JointCriterion) -> Scores:
    if criterion.needs == "joint":
        return JointScores(information, cast("JointCriterion", criterion))
    criterion = cast("Criterion", criterion)
    if criterion.needs == "marginals":
        return MarginalScores(information, criterion)
    if criterion.never_increases and information.source.row_seconds >= LAZY_FROM:
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)
