"""Conditional mutual information given all chosen features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from bitsieve.by_counts.criteria.base import Needs


@dataclass(frozen=True)
class CMI:
    """What the candidate tells when all chosen features are known together: ``J(i|S) = I(Xi;C|S)``.

    The exact criterion that the others approximate by pairs. The samples split into strata that agree on all of S;
    once S determines the class, or no two samples agree, every score is 0 and the lowest column is taken.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", Journal of Machine Learning Research 13, 2012.
    """

    name: ClassVar[str] = "cmi"
    title: ClassVar[str] = "Conditional mutual information given all chosen features"
    formula: ClassVar[str] = "I(Xi;C|S)"
    paper: ClassVar[str] = "Brown, Pocock, Zhao, Lujan 2012"
    unit: ClassVar[str] = "bits"
    needs: ClassVar[Needs] = "joint"

    def condition(self, chosen: list[int]) -> list[int]:
        """All of S."""
        return list(chosen)
