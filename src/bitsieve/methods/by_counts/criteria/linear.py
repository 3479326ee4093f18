"""Criteria that are sums: relevance, less or with a sum over the chosen features, alone and within each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.information.protocol import PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, check_weight
from bitsieve.utils.arrays import Floats
from bitsieve.utils.docstrings import cites_its_paper


@cites_its_paper
@dataclass(frozen=True)
class MIM(Criterion):
    """Relevance alone: ``J(i) = I(Xi;C)``.

    Also called maxRel. Blind to redundancy: duplicates are chosen together.
    """

    name = "mim"
    title = "Mutual information maximisation"
    formula = "I(Xi;C)"
    paper = "Lewis 1992"
    is_gain = True
    required_tables = "marginals"
    cost = "O(n d)"
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        return folded

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return relevance


@cites_its_paper
@dataclass(frozen=True)
class MIFS(Criterion):
    """Relevance less the summed redundancy: ``J(i|S) = I(Xi;C) - beta sum_s I(Xi;Xs)``.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy; 0 gives mim, 1/#S would give mrmr.
    """

    name = "mifs"
    title = "Mutual information feature selection"
    formula = "I(Xi;C) - beta sum_s I(Xi;Xs)"
    paper = "Battiti 1994"
    required_tables = "pairs"
    quantity = "redundancy"

    beta: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return relevance - self.beta * folded


@cites_its_paper
@dataclass(frozen=True)
class MIFSU(MIFS):
    """Relevance less weighted redundancy: ``J(i|S) = I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)``.

    The sum of mifs, each redundancy weighted by the share of the chosen feature's entropy that is relevance. A
    chosen feature that is constant counts for nothing.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy; 0 gives mim.
    """

    name = "mifsu"
    title = "Mutual information feature selection under uniform information"
    formula = "I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)"
    paper = "Kwak, Choi 2002"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        information = pair.information
        feature = pair.pivot
        entropy = information.entropy[feature]
        share = information.relevance[feature] / entropy if entropy > 0 else 0.0
        return folded + share * pair.redundancy


@cites_its_paper
@dataclass(frozen=True)
class MRMR(Criterion):
    """Relevance less the mean redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s I(Xi;Xs)``.

    The difference form (MID); its quotient is :class:`~bitsieve.methods.by_counts.criteria.quotients.MIQ`.
    """

    name = "mrmr"
    title = "Minimum redundancy, maximum relevance"
    formula = "I(Xi;C) - mean_s I(Xi;Xs)"
    paper = "Peng, Long, Ding 2005"
    required_tables = "pairs"
    quantity = "redundancy"
    takes_off_mean_redundancy = True

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return relevance - folded / n_selected


@cites_its_paper
@dataclass(frozen=True)
class MinRed(Criterion):
    """The negative mean redundancy, whatever the relevance: ``J(i|S) = -(1/#S) sum_s I(Xi;Xs)``.

    What mrmr takes from the relevance, alone: only the first feature is chosen for its relevance.
    """

    name = "minred"
    title = "Minimum redundancy"
    formula = "-mean_s I(Xi;Xs)"
    paper = "Duch 2006"
    required_tables = "pairs"
    quantity = "redundancy"

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return 0.0 - folded / n_selected


@cites_its_paper
@dataclass(frozen=True)
class JMI(Criterion):
    """The information of the candidate together with each chosen feature: ``J(i|S) = sum_s I(Xi,Xs;C)``.

    Chooses in the same order as the extended MRMR, ``I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]``.
    """

    name = "jmi"
    title = "Joint mutual information"
    formula = "sum_s I(Xi,Xs;C)"
    paper = "Yang, Moody 1999"
    required_tables = "class pairs"
    quantity = "joint_relevance"

    def less_penalties(self, scores: Floats, penalties: Floats, n_selected: int) -> Floats:
        return scores - n_selected * penalties


@cites_its_paper
@dataclass(frozen=True)
class EMRMR(Criterion):
    """Relevance less the mean class-relevant redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to the mean of I(Xi;C|Xs), which is how it is computed, as ``I(Xi;C|Xs) = I(Xi;C) - I(Xi;Xs) + I(Xi;Xs|C)``.
    With ``I(Xi,Xs;C) = I(Xs;C) + I(Xi;C|Xs)`` also ``jmi = #S emrmr + sum_s I(Xs;C)``: both choose in the same order.
    """

    name = "emrmr"
    title = "Extended minimum redundancy, maximum relevance"
    formula = "I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Vinh, Chan, Romano, Bailey 2014"
    is_gain = True
    required_tables = "class pairs"
    quantity = "conditional_relevance"

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return folded / n_selected


@cites_its_paper
@dataclass(frozen=True)
class CIFE(Criterion):
    """Relevance less the class-relevant redundancy: ``J(i|S) = I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to ``(1 - #S) I(Xi;C) + sum_s I(Xi;C|Xs)``: the redundancy comes to outweigh relevance as S grows.
    """

    name = "cife"
    title = "Conditional infomax feature extraction"
    formula = "I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Lin, Tang 2006"
    required_tables = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        return folded + (pair.redundancy - pair.conditional_redundancy)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return relevance - folded


@cites_its_paper
@dataclass(frozen=True)
class CondRed(Criterion):
    """Relevance and the redundancy within the classes, as a gain: ``J(i|S) = I(Xi;C) + sum_s I(Xi;Xs|C)``.

    The linear family without its redundancy term: betagamma with beta = 0 and gamma = 1.
    """

    name = "condred"
    title = "Conditional redundancy"
    formula = "I(Xi;C) + sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    required_tables = "class pairs"
    quantity = "conditional_redundancy"

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        return relevance + folded


@cites_its_paper
@dataclass(frozen=True)
class BetaGamma(CIFE):
    """Any weights of both redundancies: ``J(i|S) = I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)``.

    (0, 0) is mim, (beta, 0) mifs, (0, 1) condred, (1, 1) cife; where the weights are 1/#S it would be mrmr and emrmr.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy.
    gamma : float, default 1.0
        Weight of the redundancy within the classes.
    """

    name = "betagamma"
    title = "Linear family of both redundancies"
    formula = "I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    required_tables = "class pairs"

    beta: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)
        check_weight("gamma", self.gamma)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        return folded + (self.beta * pair.redundancy - self.gamma * pair.conditional_redundancy)


@cites_its_paper
@dataclass(frozen=True)
class ICAP(CIFE):
    """Relevance less redundancy, no credit for synergy: ``J(i|S) = I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))``.

    It is cife, but a chosen feature can only lower the score of a candidate.
    """

    name = "icap"
    title = "Interaction capping"
    formula = "I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))"
    paper = "Jakulin 2005"
    required_tables = "class pairs"
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        return folded + np.maximum(pair.redundancy - pair.conditional_redundancy, 0.0)


@cites_its_paper
@dataclass(frozen=True)
class AMIFS(MRMR):
    """Relevance less the mean normalised redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s I(Xi;Xs) / min(H(Xi), H(Xs))``.

    The normalised redundancy is 0 for independent features and 1 where one of them determines the other; it is 0 for a
    constant feature. A score is bits less a ratio, so the order depends on the unit, here the bit.
    """

    name = "amifs"
    title = "Adaptive mutual information feature selection"
    formula = "I(Xi;C) - mean_s I(Xi;Xs) / min(H(Xi), H(Xs))"
    paper = "Tesmer, Estevez 2004"
    unit = "mixed"
    required_tables = "pairs"
    takes_off_mean_redundancy = False  # the redundancy that it subtracts is normalised

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        entropy = pair.information.entropy
        smaller = np.minimum(pair.of_features(entropy), entropy[pair.pivot])
        return folded + pair.redundancy / np.where(smaller > 0, smaller, 1.0)  # a constant shares exactly 0
