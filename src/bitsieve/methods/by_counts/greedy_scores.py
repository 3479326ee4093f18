"""The scores of all candidates while features are chosen.

The score of a candidate depends on a fold over the chosen features, a sum or a minimum. `EagerScores` updates the folds
of all candidates whenever a feature is chosen; `PenalisedScores` take penalties off these. `LazyScores` updates only
those that may still win.
"""

from __future__ import annotations

import numpy as np

from bitsieve.information.protocol import Information, PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE, RunnerUp, Scores, pick, runner_up

# Lazy scores are used where counting all candidates with one feature takes this many seconds or more. Below that,
# choosing which candidates to count costs more than it saves. Bounds of a mean redundancy are wider and save less.
MIN_LAZY_SECONDS = 1e-3
MIN_LAZY_SECONDS_OF_MEAN = 5e-3
FIRST_BATCH = 64  # stale candidates that are updated first: they set a high score, which few others may reach
LEADER_SHARE = 0.5  # a candidate is a leader if its bound is at least this share of the largest bound
FULL_ROW_SHARE = 0.5  # all candidates are counted if at least this share of them is due: that needs no gathering
SLACK = 2 * TIE  # a bound this far below the best score may still win, by a tie or by the rounding of sums


def scores_by(
    criterion: Criterion | JointCriterion, information: Information, penalties: Floats | None = None
) -> Scores:
    """The scores of a criterion, computed in the cheapest way, less the penalties of the candidates."""
    if isinstance(criterion, JointCriterion):
        return criterion.scores(information)
    if penalties is not None:
        return PenalisedScores(information, criterion, penalties)
    minima = criterion.minima(information)
    if minima is not None:
        return minima
    row_seconds = information.sums.row_seconds
    has_bounded_mean = criterion.takes_off_mean_redundancy and information.min_redundancy is not None
    if has_bounded_mean and row_seconds >= MIN_LAZY_SECONDS_OF_MEAN:
        return LazyScores(information, criterion)
    never_increases = criterion.never_increases and criterion.required_tables != "marginals"
    if never_increases and row_seconds >= MIN_LAZY_SECONDS:
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)


class EagerScores:
    """Scores that are all updated at every choice, by counting all candidates with the feature just chosen."""

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folds = criterion.empty_fold(information.n_features)
        self.n_selected = 0
        self.scores = np.empty(0)  # of all candidates, at the latest choice

    def add(self, feature: int) -> None:
        """Put a feature into S, and update the folds of all candidates."""
        if self.criterion.required_tables != "marginals":
            by_class = self.criterion.required_tables == "class pairs"
            pair = self.information.pair(feature, by_class=by_class)
            self.folds = self.criterion.fold(self.folds, pair)
        self.n_selected += 1

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        self.scores = self.criterion.score(self.folds, self.information.cautious_relevance, self.n_selected)
        best = pick(np.where(candidates, self.scores, -np.inf))
        return best, _score_by_relevance(best, self.folds, self.n_selected, self.information, self.criterion)

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The second of the candidates."""
        return runner_up(self.scores, candidates, chosen)


class PenalisedScores(EagerScores):
    """Scores less the penalties of the candidates."""

    def __init__(self, information: Information, criterion: Criterion, penalties: Floats) -> None:
        super().__init__(information, criterion)
        self.penalties = penalties

    def best(self, candidates: Flags) -> tuple[int, float]:
        scores = self.criterion.score(self.folds, self.information.cautious_relevance, self.n_selected)
        self.scores = self.criterion.less_penalties(scores, self.penalties, self.n_selected)
        best = pick(np.where(candidates, self.scores, -np.inf))
        score = _score_by_relevance(best, self.folds, self.n_selected, self.information, self.criterion)
        penalised = self.criterion.less_penalties(np.array([score]), self.penalties[[best]], self.n_selected)
        return best, float(penalised[0])


class LazyScores:
    """Scores that are updated lazily: only those of candidates that may still win.

    The fold of candidate i covers the first ``n_folded[i]`` chosen features, in their order of choice. It gives an
    upper bound of the candidate's score, because the features that are not folded yet can only lower it. A candidate is
    fresh if its fold covers all chosen features: then the bound is the score. Otherwise it is stale.

    The front is the part of the candidates that is looked at: those with the largest bounds before anything was chosen.
    A choice goes like this:

    1. The leaders, candidates of the front with a large bound that lack the latest feature alone, become fresh. They
       are counted together, in one row of pairs.
    2. If a stale candidate of the front has a bound that reaches the best fresh score, the largest of these bounds are
       updated, and it is asked again.
    3. If a candidate outside the front may reach the best fresh score, the front doubles, and it is asked again.
    4. Otherwise the best fresh candidate is the best of all.

    Where most candidates are leaders, as with jmim, step 1 counts all candidates, as eager scores do.
    """

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        n_features = information.n_features
        self.chosen: list[int] = []  # S, in order of choice
        self.folds = criterion.empty_fold(n_features)
        self.n_folded = np.zeros(n_features, np.intp)

        # A redundancy that a candidate has with every feature at least: for features that are not folded yet.
        self.min_redundancy = np.zeros(n_features)
        if criterion.takes_off_mean_redundancy and information.min_redundancy is not None:
            self.min_redundancy = information.min_redundancy

        initial_bounds = self._upper_bounds(np.arange(n_features))
        self.by_initial_bound = np.argsort(-initial_bounds, kind="stable")
        self.initial_bounds = initial_bounds[self.by_initial_bound]  # falling
        n_leading = int(np.count_nonzero(_is_leading(self.initial_bounds)))
        self._set_front(n_leading)

    def add(self, feature: int) -> None:
        """Put a feature into S; every candidate becomes stale."""
        self.chosen.append(feature)

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        self._update_leaders(candidates)
        batch_size = FIRST_BATCH
        while True:
            is_candidate = candidates[self.front]
            is_fresh = self.n_folded[self.front] == len(self.chosen)
            bounds = np.where(is_candidate, self._upper_bounds(self.front), -np.inf)
            best_score = float(bounds[is_fresh].max(initial=-np.inf))

            is_contender = is_candidate & ~is_fresh & (bounds >= best_score - SLACK)
            if is_contender.any():
                contenders = np.flatnonzero(is_contender)
                contenders = contenders[np.argsort(-bounds[contenders], kind="stable")]
                self._update_while_they_may_win(self.front[contenders[:batch_size]], best_score)
                batch_size = len(self.front)
                continue
            if self._may_win_outside_front(best_score):
                self._set_front(2 * len(self.front))
                continue
            best = int(self.front[pick(np.where(is_fresh, bounds, -np.inf))])
            return best, _score_by_relevance(best, self.folds, len(self.chosen), self.information, self.criterion)

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The candidate of the largest score or upper bound but for the chosen one: nothing is updated."""
        bounds = self._upper_bounds(np.arange(len(self.n_folded)))
        second = runner_up(bounds, candidates, chosen)
        if second is None:
            return None
        is_fresh = self.n_folded[second.candidate] == len(self.chosen)
        return second._replace(is_exact=bool(is_fresh))

    def _set_front(self, n_candidates: int) -> None:
        self.front = np.sort(self.by_initial_bound[:n_candidates])

    def _may_win_outside_front(self, best_score: float) -> bool:
        if len(self.front) == len(self.by_initial_bound):
            return False
        return bool(self.initial_bounds[len(self.front)] >= best_score - SLACK)

    def _update_leaders(self, candidates: Flags) -> None:
        """Fold the latest chosen feature into the leaders of the front that lack it alone."""
        latest = len(self.chosen) - 1
        lacks_latest_alone = candidates[self.front] & (self.n_folded[self.front] == latest)
        bounds = np.where(lacks_latest_alone, self._upper_bounds(self.front), -np.inf)
        leaders = self.front[_is_leading(bounds)]
        if len(leaders) < FULL_ROW_SHARE * len(self.n_folded):
            self._fold(latest, leaders)
        else:
            self._fold_into_all(latest)

    def _update_while_they_may_win(self, columns: Columns, best_score: float) -> None:
        """Fold one chosen feature after another into the columns whose bounds still reach the best score."""
        first = int(self.n_folded[columns].min())
        for position in range(first, len(self.chosen)):
            due = columns[self.n_folded[columns] == position]
            self._fold(position, due[self._upper_bounds(due) >= best_score - SLACK])

    def _fold(self, position: int, columns: Columns) -> None:
        """Fold the chosen feature at a position of S into columns that lack it next.

        Columns that are counted together with these, at no cost, are updated too.
        """
        if not len(columns):
            return
        columns = self.information.sums.counted_with(columns)
        columns = columns[self.n_folded[columns] == position]
        self.folds[..., columns] = self.criterion.fold(self.folds[..., columns], self._pair(position, columns))
        self.n_folded[columns] = position + 1

    def _fold_into_all(self, position: int) -> None:
        """Fold the chosen feature at a position of S into all columns that lack it next."""
        is_due = self.n_folded == position
        updated_folds = self.criterion.fold(self.folds, self._pair(position, None))
        self.folds = np.where(is_due, updated_folds, self.folds)
        self.n_folded[is_due] += 1

    def _pair(self, position: int, columns: Columns | None) -> PairInformation:
        by_class = self.criterion.required_tables == "class pairs"
        return self.information.pair(self.chosen[position], columns, by_class=by_class)

    def _upper_bounds(self, columns: Columns) -> Floats:
        """Upper bounds of the scores of stale columns; the scores of fresh ones."""
        n_selected = max(len(self.chosen), 1)
        n_not_folded = n_selected - self.n_folded[columns]
        folds = self.folds[..., columns] + n_not_folded * self.min_redundancy[columns]
        return self.criterion.score(folds, self.information.cautious_relevance[columns], n_selected)


def _is_leading(bounds: Floats) -> Flags:
    """Whether a bound is at least half the largest one; of negative bounds, at most twice as far from 0."""
    largest = float(bounds.max())
    limit = LEADER_SHARE * largest if largest > 0 else largest / LEADER_SHARE
    return (bounds > -np.inf) & (bounds >= limit)


def _score_by_relevance(
    feature: int, folds: Floats, n_selected: int, information: Information, criterion: Criterion
) -> float:
    """The score that is reported for a feature: by its relevance, where choices go by the cautious relevance."""
    relevance = information.relevance[[feature]]
    return float(criterion.score(folds[..., [feature]], relevance, n_selected)[0])
