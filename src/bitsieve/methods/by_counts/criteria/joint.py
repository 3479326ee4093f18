"""Criteria that condition on several chosen features at once."""

from __future__ import annotations

from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import JointCriterion


@dataclass(frozen=True)
class CMI(JointCriterion):
    """The candidate's information about the class given all chosen features together: ``J(i|S) = I(Xi;C|S)``.

    The exact criterion that the others approximate by pairs. The samples are divided by the joint value of S; once
    S determines the class, or no two samples share a value, every score is 0 and the lowest column is taken.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name = "cmi"
    title = "Conditional mutual information given all chosen features"
    formula = "I(Xi;C|S)"
    paper = "Brown, Pocock, Zhao, Lujan 2012"
    needs = "joint"

    def condition(self, chosen: list[int]) -> list[int]:
        """All of S."""
        return list(chosen)


@dataclass(frozen=True)
class CMIFS(JointCriterion):
    """The candidate's information given the first and the last chosen feature: ``J(i|S) = I(Xi;C|X_first,X_last)``.

    An interpretation: the article was not at hand, and this is how the literature that cites it reads it.

    References
    ----------
    H. Cheng, Z. Qin, C. Feng, Y. Wang, F. Li, "Conditional mutual information-based feature selection analyzing for
    synergy and redundancy", ETRI Journal 33(2), 2011. doi:10.4218/etrij.11.0110.0237
    """

    name = "cmifs"
    title = "Conditional mutual information feature selection"
    formula = "I(Xi;C|X_first,X_last)"
    paper = "Cheng, Qin, Feng, Wang, Li 2011"
    needs = "joint"

    def condition(self, chosen: list[int]) -> list[int]:
        """The first and the last of S."""
        return [chosen[0], chosen[-1]] if len(chosen) > 1 else list(chosen)
