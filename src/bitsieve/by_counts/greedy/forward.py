"""Forward selection by a criterion on counts.

The first feature is the most relevant one, for every criterion; then the best J(i | S) of those left, by the one tie
rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from bitsieve.by_counts.criteria.base import MinimumCriterion
from bitsieve.by_counts.greedy.joint import JointScores
from bitsieve.by_counts.greedy.lazy import LazyScores
from bitsieve.by_counts.stopping import make_monitor
from bitsieve.common.greedy import GreedyChoice, Scores, choose_greedily
from bitsieve.common.ties import pick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bitsieve.by_counts.criteria.base import Criterion, JointCriterion
    from bitsieve.by_counts.stopping import Rule
    from bitsieve.by_counts.stopping.monitor import StoppingOutcome
    from bitsieve.information.protocol import Information

LAZY_FROM = 3e-4  # seconds a row: below, counting all candidates at once is cheaper than choosing which to count


@dataclass(frozen=True)
class ForwardChoice(GreedyChoice):
    """Column indices in order of choice, the criterion's values (the first: I(Xi;C)), and how a rule ended it."""

    outcome: StoppingOutcome | None


class EagerScores:
    """Every candidate is brought up to date at every step: one row of pairs, or none if the criterion needs none."""

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.n_selected = 0

    def add(self, feature: int) -> None:
        """Fold the information of one more chosen feature into every candidate."""
        if self.criterion.needs != "marginals":
            pair = self.information.pair(feature, by_class=self.criterion.needs == "class pairs")
            self.folded = self.criterion.fold(self.folded, pair)
        self.n_selected += 1

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.criterion.score(self.folded, self.information.relevance, self.n_selected)
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])


def forward_select(
    information: Information,
    criterion: Criterion | JointCriterion,
    n_features_to_select: int,
    progress: Callable[[int, int], object] | None = None,
    *,
    stopping: Rule | None = None,
    must_include: Sequence[int] = (),
    exclude: Sequence[int] = (),
) -> ForwardChoice:
    """Choose features one at a time by a criterion.

    Parameters
    ----------
    information : Information
    criterion : Criterion or JointCriterion
    n_features_to_select, must_include, exclude, progress
        As in :func:`bitsieve.common.greedy.choose_greedily`.
    stopping : StoppingRule or FalseDiscoveryStopping, optional
        Ends the selection before the first choice it refuses, and before a constant column; features of
        ``must_include`` are not tested.

    Raises
    ------
    UndefinedQuantityError
        If the criterion conditions on sets of features and the estimator does not define that.

    Notes
    -----
    Cost: k - 1 rows of pair information, O(k n d) samples read as bits; a criterion that never increases reads fewer.
    """
    monitor = None if stopping is None else make_monitor(stopping, information)
    found = choose_greedily(
        information.relevance,
        _scores_for(information, criterion),
        n_features_to_select,
        information.varies,
        monitor=monitor,
        must_include=must_include,
        exclude=exclude,
        progress=progress,
    )
    if monitor is None:
        return ForwardChoice(found.order, found.scores, None)
    outcome = monitor.outcome()
    kept = slice(len(outcome.values))  # a rule may look further than the list that it takes
    return ForwardChoice(found.order[kept], found.scores[kept], outcome)


def _scores_for(information: Information, criterion: Criterion | JointCriterion) -> Scores:
    if criterion.needs == "joint":
        return JointScores(information, cast("JointCriterion", criterion))
    criterion = cast("Criterion", criterion)
    if isinstance(criterion, MinimumCriterion):
        minima = information.minima(criterion.quantity, capped=criterion.capped)
        if minima is not None:
            return minima
    lazy = criterion.never_increases and criterion.needs != "marginals"
    if lazy and information.sums.row_seconds >= LAZY_FROM:
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)
