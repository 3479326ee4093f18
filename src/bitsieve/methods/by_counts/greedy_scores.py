"""Scores of all candidates of a greedy criterion while features are chosen: all brought up to date, or few of them."""

from __future__ import annotations

from typing import cast

import numpy as np

from bitsieve.information.protocol import Information, PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE, Scores, pick

LAZY_FROM = 1e-3  # seconds a row: below, counting all candidates at once is cheaper than choosing which to count
LAZY_MEAN_FROM = 5e-3  # the same of a mean redundancy, as its bounds are wider
BATCH = 64  # stale candidates brought up to date first: they set a high score, which few of the others may reach
LEADER_SHARE = 0.5  # of the best bound, from which a candidate is brought up to date at every choice
FULL_ROW_SHARE = 0.5  # of the features to be counted, from which all are counted, which takes no gathering
SLACK = 2 * TIE  # how far below the best score a bound may lie and still win: ties, and the rounding of sums


def scores_by(criterion: Criterion | JointCriterion, information: Information) -> Scores:
    """The scores of a criterion, by the cheapest way that gives them."""
    if criterion.required_tables == "joint":
        return cast("JointCriterion", criterion).scores(information)
    criterion = cast("Criterion", criterion)
    minima = criterion.minima(information)
    if minima is not None:
        return minima
    row_seconds = information.sums.row_seconds
    has_bounded_mean = criterion.takes_off_mean_redundancy and information.least_redundancy is not None
    if has_bounded_mean and row_seconds >= LAZY_MEAN_FROM:
        return LazyScores(information, criterion)
    never_increases = criterion.never_increases and criterion.required_tables != "marginals"
    if never_increases and row_seconds >= LAZY_FROM:
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)


class EagerScores:
    """Greedy scores of which every one is brought up to date at every choice: one row of pairs, or none."""

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.n_selected = 0

    def add(self, feature: int) -> None:
        """Fold the information of one more chosen feature into every candidate."""
        if self.criterion.required_tables != "marginals":
            by_class = self.criterion.required_tables == "class pairs"
            pair = self.information.pair(feature, by_class=by_class)
            self.folded = self.criterion.fold(self.folded, pair)
        self.n_selected += 1

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.criterion.score(self.folded, self.information.cautious_relevance, self.n_selected)
        best = pick(np.where(candidates, scores, -np.inf))
        return best, _score_of(best, self.folded, self.n_selected, self.information, self.criterion)


class LazyScores:
    """Greedy scores, updated lazily: a candidate is brought up to date only while its upper bound may still win.

    Every candidate holds the fold over the first ``depth`` chosen features, which gives an upper bound of its score.
    One that holds all of them is fresh: its bound is its score. The others are stale. Each choice takes four steps:

    1. Leaders, which were fresh at the last choice and are not far behind the best, become fresh, all in one row of
       pairs.
    2. So do the stale candidates of the largest bounds, and then all others that may still reach the best fresh score.
    3. All this concerns the front alone: the candidates of the largest bounds before anything was chosen. It doubles
       where a candidate outside may win.
    4. The best fresh candidate is chosen.

    Where most candidates are leaders, as with jmim, whole rows are counted, which costs no more than eager scores.
    """

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        n_features = information.n_features
        self.folded = np.full(n_features, criterion.start)
        self.depth = np.zeros(n_features, np.intp)
        self.least_redundancy = np.zeros(n_features)  # with any feature
        if criterion.takes_off_mean_redundancy and information.least_redundancy is not None:
            self.least_redundancy = information.least_redundancy
        self.chosen: list[int] = []

        initial_bounds = self._bounds(np.arange(n_features))
        self.by_initial_bound = np.argsort(-initial_bounds, kind="stable")
        self.initial_bounds = initial_bounds[self.by_initial_bound]
        self._set_front(int(np.count_nonzero(_is_leading(self.initial_bounds))))

    def add(self, feature: int) -> None:
        """Put a feature into S; every candidate becomes stale."""
        self.chosen.append(feature)

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        self._advance_leaders(candidates)
        n_at_once = BATCH
        while True:
            bounds = np.where(candidates[self.front], self._bounds(self.front), -np.inf)
            is_fresh = self.depth[self.front] == len(self.chosen)
            best_fresh = float(bounds[is_fresh].max(initial=-np.inf))
            may_win = candidates[self.front] & ~is_fresh & (bounds >= best_fresh - SLACK)
            if may_win.any():
                stale = np.flatnonzero(may_win)
                stale = stale[np.argsort(-bounds[stale], kind="stable")]
                self._advance(self.front[stale[:n_at_once]], best_fresh)
                n_at_once = len(self.front)
            elif self._may_win_outside(best_fresh):
                self._set_front(2 * len(self.front))
            else:
                best = int(self.front[pick(np.where(is_fresh, bounds, -np.inf))])
                return best, _score_of(best, self.folded, len(self.chosen), self.information, self.criterion)

    def _set_front(self, n_columns: int) -> None:
        self.front = np.sort(self.by_initial_bound[:n_columns])

    def _may_win_outside(self, best_fresh: float) -> bool:
        if len(self.front) == len(self.by_initial_bound):
            return False
        return bool(self.initial_bounds[len(self.front)] >= best_fresh - SLACK)

    def _advance_leaders(self, candidates: Flags) -> None:
        """Fold the latest chosen feature into the candidates of the front that lack it alone and are not far behind."""
        step = len(self.chosen) - 1
        lacks_latest = candidates[self.front] & (self.depth[self.front] == step)
        bounds = np.where(lacks_latest, self._bounds(self.front), -np.inf)
        leaders = self.front[_is_leading(bounds)]
        if len(leaders) < FULL_ROW_SHARE * len(self.depth):
            self._fold(step, leaders)
        else:
            self._fold_full_row(step)

    def _advance(self, columns: Columns, best_fresh: float) -> None:
        """Fold chosen features into the columns until they are fresh or can no longer win."""
        for step in range(int(self.depth[columns].min()), len(self.chosen)):
            due = columns[self.depth[columns] == step]
            self._fold(step, due[self._bounds(due) >= best_fresh - SLACK])

    def _fold(self, step: int, columns: Columns) -> None:
        """Fold the chosen feature of a step into the columns, and into others that are counted with them at no cost."""
        if not len(columns):
            return
        columns = self.information.sums.counted_with(columns)
        columns = columns[self.depth[columns] == step]
        self.folded[columns] = self.criterion.fold(self.folded[columns], self._pair(step, columns))
        self.depth[columns] = step + 1

    def _fold_full_row(self, step: int) -> None:
        """Fold the chosen feature of a step into all columns that lack it next."""
        is_due = self.depth == step
        folded = self.criterion.fold(self.folded, self._pair(step, None))
        self.folded = np.where(is_due, folded, self.folded)
        self.depth[is_due] += 1

    def _pair(self, step: int, columns: Columns | None) -> PairInformation:
        by_class = self.criterion.required_tables == "class pairs"
        return self.information.pair(self.chosen[step], columns, by_class=by_class)

    def _bounds(self, columns: Columns) -> Floats:
        """Upper bounds of the scores of stale columns, and the scores of fresh ones."""
        n_selected = max(len(self.chosen), 1)
        n_missing = n_selected - self.depth[columns]
        folded = self.folded[columns] + n_missing * self.least_redundancy[columns]
        return self.criterion.score(folded, self.information.cautious_relevance[columns], n_selected)


def _is_leading(bounds: Floats) -> Flags:
    """Whether bounds are not far behind the best one."""
    best = float(bounds.max())
    mark = LEADER_SHARE * best if best > 0 else best / LEADER_SHARE
    return (bounds > -np.inf) & (bounds >= mark)


def _score_of(feature: int, folded: Floats, n_selected: int, information: Information, criterion: Criterion) -> float:
    """The score of one feature by its relevance itself, where choices go by a cautious one."""
    relevance = information.relevance[[feature]]
    return float(criterion.score(folded[[feature]], relevance, n_selected)[0])
