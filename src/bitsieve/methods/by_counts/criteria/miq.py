"""Mutual information quotient."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.errors import ParameterError
from bitsieve.methods.by_counts.criteria.base import Criterion

if TYPE_CHECKING:
    from bitsieve.information.protocol import PairInformation
    from bitsieve.methods.by_counts.criteria.base import Floats

NOTHING = 1e-12  # bits


@dataclass(frozen=True)
class MIQ(Criterion):
    """Relevance over the mean redundancy: ``J(i|S) = I(Xi;C) / (eps + (1/#S) sum_s I(Xi;Xs))``.

    Scores are ratios, not bits. By decision ``x/0 = inf`` and ``0/0 = 0``. Quantities of less than 1e-12 bit, which
    is what rounding leaves of an exact 0, count as 0.

    Parameters
    ----------
    eps : float, default 0.0
        Added to the denominator (the authors used 0.01).

    References
    ----------
    C. Ding, H. Peng, "Minimum redundancy feature selection from microarray gene expression data", CSB 2003.
    doi:10.1109/CSB.2003.1227396
    """

    name = "miq"
    title = "Mutual information quotient"
    formula = "I(Xi;C) / mean_s I(Xi;Xs)"
    paper = "Ding, Peng 2003"
    needs = "pairs"
    unit = "ratio"

    eps: float = 0.0

    def __post_init__(self) -> None:
        if not (isinstance(self.eps, Real) and 0 <= self.eps < float("inf")):
            raise ParameterError(
                "eps", self.eps, "give a finite number of 0 or more", "cannot be added to a denominator"
            )

    def fold(self, folded: Floats, pair: PairInformation) -> Floats:
        """Sum of I(Xi;Xs)."""
        return folded + pair.redundancy

    def score(self, folded: Floats, relevance: Floats, n_selected: int) -> Floats:
        """I(Xi;C) / (eps + mean I(Xi;Xs))."""
        numerator = np.where(relevance > NOTHING, relevance, 0.0)
        denominator = self.eps + np.where(folded > NOTHING * n_selected, folded / n_selected, 0.0)
        quotient = np.where(numerator > 0, np.inf, 0.0)
        return np.divide(numerator, denominator, out=quotient, where=denominator > 0)
