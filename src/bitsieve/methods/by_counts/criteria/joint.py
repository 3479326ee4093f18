"""Criteria that condition on several chosen features at once."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.criteria.base import JointCriterion
from bitsieve.utils.arrays import Flags
from bitsieve.utils.choice import Scores, pick


class ConditionalCriterion(JointCriterion):
    """The score J(i | S) = I(Xi;C|Z), Z some of the chosen features, known all together."""

    @abstractmethod
    def condition(self, chosen: list[int]) -> list[int]:
        """Z, of the features in their order of choice (at least one)."""

    @final
    def scores(self, information: Information) -> Scores:
        return ConditionalScores(information, self)


class ConditionalScores:
    """I(Xi;C|Z) of all candidates, Z the features that the criterion names of those chosen.

    Where Z only grows its partition of the samples is refined further; else it is made afresh.
    """

    def __init__(self, information: Information, criterion: ConditionalCriterion) -> None:
        self.information = information
        self.criterion = criterion
        self.chosen: list[int] = []
        self.known: list[int] = []
        self.given = information.conditional()

    def add(self, feature: int) -> None:
        """Put a feature into S."""
        self.chosen.append(feature)
        condition = self.criterion.condition(self.chosen)
        grown = len(self.known)
        if condition[:grown] != self.known:
            self.given = self.information.conditional()
            grown = 0
        for column in condition[grown:]:
            self.given = self.given.refine(column)
        self.known = condition

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.given.conditional_relevance()
        chosen = pick(np.where(candidates, scores, -np.inf))
        return chosen, float(scores[chosen])


class TripleScores:
    """The sum of I(Xi,Xs,Xt;C) of all candidates over every two chosen features s, t; of one, I(Xi,Xs;C)."""

    def __init__(self, information: Information) -> None:
        self.information = information
        self.chosen: list[int] = []
        self.total = np.zeros(information.n_features)

    def add(self, feature: int) -> None:
        """Put a feature into S: one more term for each of those before it."""
        conditional = self.information.conditional().refine(feature)
        relevance = self.information.relevance[feature]
        if not self.chosen:
            self.total = relevance + conditional.conditional_relevance()
        else:
            pairs = relevance + conditional.conditional_relevance(np.array(self.chosen, np.intp))
            triples = [conditional.refine(earlier).conditional_relevance() for earlier in self.chosen]
            before = self.total if len(self.chosen) > 1 else 0.0
            self.total = before + np.sum([*triples], axis=0) + pairs.sum()
        self.chosen.append(feature)

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        chosen = pick(np.where(candidates, self.total, -np.inf))
        return chosen, float(self.total[chosen])


@dataclass(frozen=True)
class CMI(ConditionalCriterion):
    """The candidate's information about the class given all chosen features together: ``J(i|S) = I(Xi;C|S)``.

    The exact criterion that the others approximate by pairs. The samples are divided by the joint value of S; once
    S determines the class, or no two samples share a value, every score is 0 and the lowest column is taken.
    """

    name = "cmi"
    title = "Conditional mutual information given all chosen features"
    formula = "I(Xi;C|S)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"

    def condition(self, chosen: list[int]) -> list[int]:
        return list(chosen)


@dataclass(frozen=True)
class CMIFS(ConditionalCriterion):
    """The candidate's information given the first and the last chosen feature: ``J(i|S) = I(Xi;C|X_first,X_last)``.

    An interpretation: the article was not available, and this is how the literature that cites it reads it.
    """

    name = "cmifs"
    title = "Conditional mutual information feature selection"
    formula = "I(Xi;C|X_first,X_last)"
    paper = "Cheng, Qin, Feng, Wang, Li 2011"

    def condition(self, chosen: list[int]) -> list[int]:
        return [chosen[0], chosen[-1]] if len(chosen) > 1 else list(chosen)


@dataclass(frozen=True)
class JMI3(JointCriterion):
    """The information of the candidate together with every two chosen features: ``J(i|S) = sum_{s<t} I(Xi,Xs,Xt;C)``.

    One order above jmi, which is blind to synergy of three columns. The second feature, beside which there is no pair,
    is that of jmi. A score grows with S, so that stale scores bound nothing: all candidates are counted at every step.
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
