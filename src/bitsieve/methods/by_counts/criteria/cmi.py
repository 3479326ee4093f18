"""Conditional mutual information given all chosen features."""

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
