"""Criteria that add up pairs of features, alone and within each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitsieve.information.protocol import PairInformation
from bitsieve.methods.by_counts.criteria.base import Criterion, Floats, check_weight


@dataclass(frozen=True)
class JMI(Criterion):
    """The information of the candidate together with each chosen feature: ``J(i|S) = sum_s I(Xi,Xs;C)``.

    Chooses in the same order as the extended MRMR, ``I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    References
    ----------
    H. H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for nongaussian data", NIPS 1999.
    """

    name = "jmi"
    title = "Joint mutual information"
    formula = "sum_s I(Xi,Xs;C)"
    paper = "Yang, Moody 1999"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi,Xs;C)."""
        return folded + pair.joint_relevance


@dataclass(frozen=True)
class EMRMR(Criterion):
    """Relevance less the mean class-relevant redundancy: ``J(i|S) = I(Xi;C) - (1/#S) sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to the mean of I(Xi;C|Xs), which is how it is computed, as ``I(Xi;C|Xs) = I(Xi;C) - I(Xi;Xs) + I(Xi;Xs|C)``.
    With ``I(Xi,Xs;C) = I(Xs;C) + I(Xi;C|Xs)`` also ``jmi = #S emrmr + sum_s I(Xs;C)``: both choose in the same order.

    References
    ----------
    N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
    selection", KDD 2014. doi:10.1145/2623330.2623611
    """

    name = "emrmr"
    title = "Extended minimum redundancy, maximum relevance"
    formula = "I(Xi;C) - mean_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Vinh, Chan, Romano, Bailey 2014"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;C|Xs)."""
        return folded + pair.conditional_relevance

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """The mean."""
        return folded / n_selected


@dataclass(frozen=True)
class CIFE(Criterion):
    """Relevance less the class-relevant redundancy: ``J(i|S) = I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]``.

    Equal to ``(1 - #S) I(Xi;C) + sum_s I(Xi;C|Xs)``: the redundancy comes to outweigh relevance as S grows.

    References
    ----------
    D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction and fusion",
    ECCV 2006. doi:10.1007/11744023_6
    """

    name = "cife"
    title = "Conditional infomax feature extraction"
    formula = "I(Xi;C) - sum_s [I(Xi;Xs) - I(Xi;Xs|C)]"
    paper = "Lin, Tang 2006"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs) - I(Xi;Xs|C)."""
        return folded + (pair.redundancy - pair.conditional_redundancy)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded


@dataclass(frozen=True)
class ICAP(Criterion):
    """Relevance less redundancy, no credit for synergy: ``J(i|S) = I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))``.

    As cife where every chosen feature takes from what the candidate tells, never above it. A score never increases, as
    no term of the sum is negative: stale scores bound fresh ones.

    References
    ----------
    A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, University of Ljubljana, 2005.
    """

    name = "icap"
    title = "Interaction capping"
    formula = "I(Xi;C) - sum_s max(0, I(Xi;Xs) - I(Xi;Xs|C))"
    paper = "Jakulin 2005"
    needs = "class pairs"
    never_increases = True

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs) - I(Xi;Xs|C) where positive."""
        return folded + np.maximum(pair.redundancy - pair.conditional_redundancy, 0.0)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded


@dataclass(frozen=True)
class CondRed(Criterion):
    """Relevance and the redundancy within the classes, as a gain: ``J(i|S) = I(Xi;C) + sum_s I(Xi;Xs|C)``.

    The linear family without its redundancy term: betagamma with beta = 0 and gamma = 1.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name = "condred"
    title = "Conditional redundancy"
    formula = "I(Xi;C) + sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    needs = "class pairs"

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs|C)."""
        return folded + pair.conditional_redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) and the sum."""
        return relevance + folded


@dataclass(frozen=True)
class BetaGamma(Criterion):
    """Any weights of both redundancies: ``J(i|S) = I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)``.

    (0, 0) is mim, (beta, 0) mifs, (0, 1) condred, (1, 1) cife; where the weights are 1/#S it would be mrmr and emrmr.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of the redundancy.
    gamma : float, default 1.0
        Weight of the redundancy within the classes.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name = "betagamma"
    title = "Linear family of both redundancies"
    formula = "I(Xi;C) - beta sum_s I(Xi;Xs) + gamma sum_s I(Xi;Xs|C)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    needs = "class pairs"

    beta: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_weight("beta", self.beta)
        check_weight("gamma", self.gamma)

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of beta I(Xi;Xs) - gamma I(Xi;Xs|C)."""
        return folded + (self.beta * pair.redundancy - self.gamma * pair.conditional_redundancy)

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) less the sum."""
        return relevance - folded
