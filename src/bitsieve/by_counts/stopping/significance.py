"""Stop at the first candidate whose conditional information is no more than chance: the G-test."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import chdtrc

from bitsieve.common.parameters import check_level

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation


@dataclass(frozen=True)
class SignificanceStopping:
    """The G-test of I(Xi;C|S) = 0, corrected for the number of candidates tried.

    ``G = 2 N ln(2) I(Xi;C|S)`` is compared with chi-squared of ``sum_z (codes_z - 1) (classes_z - 1)`` degrees of
    freedom, over the codes and classes that occur at each joint value z of S; p is multiplied by the candidates tried
    (Bonferroni).

    Parameters
    ----------
    level : float, default=0.05
        Stop when the corrected p exceeds it.

    Notes
    -----
    Chi-squared is the limit for many samples a cell: with few, :class:`PermutationStopping` is the safer rule.

    References
    ----------
    N. X. Vinh, J. Chan, J. Bailey, "Reconsidering mutual information based feature selection: a statistical
    significance view", AAAI 2014.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, SignificanceStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=SignificanceStopping(level=0.01)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['petal length (cm)', 'petal width (cm)'], 'p = 0.27 > 0.01')
    """

    name: ClassVar[str] = "significance"
    unit: ClassVar[str] = "p"
    level: float = 0.05

    def __post_init__(self) -> None:
        check_level(self.level)

    def value(self, given: ConditionalInformation, candidate: int, n_candidates: int) -> float:
        """The corrected p."""
        freedom = given.degrees_of_freedom(candidate)
        if freedom == 0:
            return 1.0
        bits = float(given.conditional_relevance(np.array([candidate]))[0])
        statistic = max(0.0, 2 * given.n_samples * log(2) * bits)  # rounding may go below 0
        return min(1.0, n_candidates * float(chdtrc(freedom, statistic)))

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """p and the level."""
        return f"p = {value:.2g} > {self.level:g}"
