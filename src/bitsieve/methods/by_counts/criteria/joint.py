"""Criteria that depend on several chosen features jointly, so that sums over pairs are not enough."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.criteria.base import JointCriterion
from bitsieve.utils.arrays import Flags
from bitsieve.utils.choice import RunnerUp, Scores, pick, runner_up
from bitsieve.utils.docstrings import cites_its_paper


class ConditionalCriterion(JointCriterion):
    """The score ``J(i|S) = I(Xi;C|Z)``, Z a subset of the chosen features S, all conditioned on together."""

    @abstractmethod
    def condition(self, chosen: list[int]) -> list[int]:
        """The columns of Z; ``chosen`` are those of S in their order of choice, at least one."""

    @final
    def scores(self, information: Information) -> Scores:
        return ConditionalScores(information, self)


class ConditionalScores:
    """I(Xi;C|Z) of all candidates.

    The samples are divided by the joint value of Z. Where Z only grows, that partition is refined by the new features;
    otherwise it is made anew.
    """

    def __init__(self, information: Information, criterion: ConditionalCriterion) -> None:
        self.information = information
        self.criterion = criterion
        self.chosen: list[int] = []
        self.condition: list[int] = []  # Z
        self.conditional = information.conditional()  # on Z
        self.scores = np.empty(0)  # of all candidates, at the latest choice

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self.chosen.append(feature)
        condition = self.criterion.condition(self.chosen)
        n_refined = len(self.condition)
        if condition[:n_refined] != self.condition:
            self.conditional = self.information.conditional()
            n_refined = 0
        for column in condition[n_refined:]:
            self.conditional = self.conditional.refine(column)
        self.condition = condition

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        self.scores = self.conditional.conditional_relevance()
        chosen = pick(np.where(candidates, self.scores, -np.inf))
        return chosen, float(self.scores[chosen])

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The second of the candidates."""
        return runner_up(self.scores, candidates, chosen)


class TripleScores:
    """The sum of I(Xi,Xs,Xt;C) over all pairs s, t of chosen features; I(Xi,Xs;C) while only s is chosen.

    By the chain rule ``I(Xi,Xs,Xt;C) = I(Xs;C) + I(Xt;C|Xs) + I(Xi;C|Xs,Xt)``.
    """

    def __init__(self, information: Information) -> None:
        self.information = information
        self.chosen: list[int] = []
        self.sums = np.zeros(information.n_features)

    def add(self, feature: int) -> None:
        """Put feature s into S: add the terms of its pairs with every feature t that was chosen before it."""
        given_s = self.information.conditional().refine(feature)
        relevance = self.information.relevance[feature]  # I(Xs;C)
        if not self.chosen:
            self.sums = relevance + given_s.conditional_relevance()
        else:
            joint_relevance = relevance + given_s.conditional_relevance(np.array(self.chosen, np.intp))  # I(Xs,Xt;C)
            added_by_candidates = [given_s.refine(t).conditional_relevance() for t in self.chosen]  # I(Xi;C|Xs,Xt)
            earlier_sums = self.sums if len(self.chosen) > 1 else 0.0  # the sum of a single feature is no triple
            self.sums = earlier_sums + np.sum(added_by_candidates, axis=0) + joint_relevance.sum()
        self.chosen.append(feature)

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        chosen = pick(np.where(candidates, self.sums, -np.inf))
        return chosen, float(self.sums[chosen])

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The second of the candidates."""
        return runner_up(self.sums, candidates, chosen)


@cites_its_paper
@dataclass(frozen=True)
class CMI(ConditionalCriterion):
    """The candidate's information about the class given all chosen features together: ``J(i|S) = I(Xi;C|S)``.

    The exact criterion that the others approximate by pairs. Once S determines the class, or no two samples share a
    joint value of S, every score is 0 and the column of the lowest index is chosen.
    """

    name = "cmi"
    title = "Conditional mutual information given all chosen features"
    formula = "I(Xi;C|S)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    is_gain = True

    def condition(self, chosen: list[int]) -> list[int]:
        return list(chosen)


@cites_its_paper
@dataclass(frozen=True)
class CMIFS(ConditionalCriterion):
    """The candidate's information given the first and the last chosen feature: ``J(i|S) = I(Xi;C|X_first,X_last)``.

    An interpretation: the article was not available, and this is how the literature that cites it reads it.
    """

    name = "cmifs"
    title = "Conditional mutual information feature selection"
    formula = "I(Xi;C|X_first,X_last)"
    paper = "Cheng, Qin, Feng, Wang, Li 2011"
    is_gain = True

    def condition(self, chosen: list[int]) -> list[int]:
        if len(chosen) == 1:
            return list(chosen)
        return [chosen[0], chosen[-1]]


@cites_its_paper
@dataclass(frozen=True)
class JMI3(JointCriterion):
    """The information of the candidate together with every two chosen features: ``J(i|S) = sum_{s<t} I(Xi,Xs,Xt;C)``.

    One order above jmi, which is blind to synergy of three columns. The second feature is chosen as by jmi, since one
    chosen feature makes no pair. Scores grow with S, so that an old score is no upper bound of a new one: all
    candidates are counted at every step.
    """

    name = "jmi3"
    title = "Joint mutual information of third order"
    formula = "sum_{s<t} I(Xi,Xs,Xt;C)"
    paper = "Sechidis, Azzimonti, Pocock, Corani, Weatherall, Brown 2019"
    cost = "O(k^2 n d)"

    @classmethod
    def seconds(cls, n: int, d: int, k: int) -> float:
        return 2e-9 * k * k * n * d

    def scores(self, information: Information) -> Scores:
        return TripleScores(information)
