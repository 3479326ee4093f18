"""Scores of the candidates, given the features chosen so far: eager, lazy, and conditional on several at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.ties import TIE, pick
from bitsieve.information.protocol import Information, PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion

BATCH = 64  # candidates brought up to date together, at most
HOT = 0.5  # share of the best bound from which a candidate is followed at every step
WHOLE = 0.5  # share of the features to be counted from which a whole row is, which takes no gathering


class LazyScores:
    """Scores of which only those that may win are brought up to date.

    Candidates that were up to date at the last step and are not far behind are followed at once, all in one row; that
    sets a high mark, and few of the others have a bound above it. Where most are not far behind, as with jmim, the row
    is counted whole, which is no worse than keeping all of them up to date.
    """

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.depth = np.zeros(information.n_features, np.intp)  # features of S folded in so far
        self.chosen: list[int] = []

    def add(self, feature: int) -> None:
        """Put a feature into S; every score becomes a bound."""
        self.chosen.append(feature)

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        self._follow(len(self.chosen) - 1, candidates)
        while True:
            bounds = np.where(candidates, self._scores(slice(None)), -np.inf)
            fresh = self.depth == len(self.chosen)
            reached = bounds[fresh].max(initial=-np.inf)
            stale = np.flatnonzero(~fresh & (bounds >= reached - TIE) & candidates)
            if not len(stale):
                winner = pick(np.where(fresh, bounds, -np.inf))
                return winner, float(bounds[winner])
            leaders = stale[np.argsort(-bounds[stale], kind="stable")[:BATCH]]
            self._advance(self.information.sums.companions(leaders), reached)

    def _follow(self, step: int, candidates: NDArray[np.bool_]) -> None:
        """Fold the latest feature into candidates that were up to date before it and are not far behind."""
        recent = self.depth == step
        bounds = np.where(candidates & recent, self._scores(slice(None)), -np.inf)
        best = bounds.max()
        near = np.flatnonzero((bounds > -np.inf) & (bounds >= (HOT * best if best > 0 else best / HOT)))
        counted = self.information.sums.companions(near)
        if len(counted) < WHOLE * len(bounds):
            self._fold(step, counted[recent[counted]])
            return
        self.folded = np.where(recent, self.criterion.fold(self.folded, self._terms(step, None)), self.folded)
        self.depth[recent] += 1

    def _advance(self, columns: NDArray[np.intp], reached: float) -> None:
        """Fold chosen features into the columns until they are up to date or can no longer win."""
        for step in range(int(self.depth[columns].min()), len(self.chosen)):
            due = columns[self.depth[columns] == step]
            self._fold(step, due[self._scores(due) >= reached - TIE])

    def _fold(self, step: int, columns: NDArray[np.intp]) -> None:
        if len(columns):
            self.folded[columns] = self.criterion.fold(self.folded[columns], self._terms(step, columns))
            self.depth[columns] = step + 1

    def _terms(self, step: int, columns: NDArray[np.intp] | None) -> PairInformation:
        by_class = self.criterion.needs == "class pairs"
        return self.information.pair(self.chosen[step], columns, by_class=by_class)

    def _scores(self, columns: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        relevance = self.information.relevance[columns]
        return self.criterion.score(self.folded[columns], relevance, max(len(self.chosen), 1))


class JointScores:
    """I(Xi;C|Z) of all candidates, Z the features that the criterion names of those chosen.

    Where Z only grows its partition of the samples is refined further; else it is made afresh.
    """

    def __init__(self, information: Information, criterion: JointCriterion) -> None:
        self.information = information
        self.criterion = criterion
        self.chosen: list[int] = []
        self.known: list[int] = []
        self.given = information.conditional()

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self.chosen.append(feature)
        wanted = self.criterion.condition(self.chosen)
        grown = len(self.known)
        if wanted[:grown] != self.known:
            self.given, grown = self.information.conditional(), 0
        for other in wanted[grown:]:
            self.given = self.given.refine(other)
        self.known = wanted

    def best(self, candidates: NDArray[np.bool_]) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.given.conditional_relevance()
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])


class WholeSetInformation:
    """``I(S + f;C) = I(S;C) + I(f;C|S)``, the samples divided by the joint value of S."""

    def __init__(self, information: Information) -> None:
        self._given, self._class_entropy = information.conditional(), information.class_entropy
        self._reached = 0.0

    def information(self, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
        """I(S + f;C) of every candidate, in bits."""
        return self._reached + self._given.conditional_relevance(candidates)

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self._given = self._given.refine(feature)
        self._reached = self._class_entropy - self._given.class_entropy
