"""Stop at the first candidate whose conditional information is no more than chance: the G-test."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bitsieve.common.parameters import check_level
from bitsieve.common.special import chdtrc
from bitsieve.information.evidence import LEAST_EXPECTED
from bitsieve.methods.by_counts.stopping.base import PValue, p_reason
from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping

if TYPE_CHECKING:
    from bitsieve.information.conditional import ConditionalInformation
    from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch


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
    Chi-squared is the limit for many samples a cell. Where some cell of a part expects fewer than 5 samples, p is that
    of :class:`PermutationStopping` at its defaults, and the reason says so. Where the columns were cut by the class
    (``binning="mdl"``), p is also multiplied by the sets of cuts that a column might have got, ``C(N - 1, c) 2^c`` for
    c cuts, and by all columns, cut or not: if that bound exceeds the level, shuffles that repeat the cuts decide.

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
    >>> fitted.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> fitted.stopping_reason_
    'p = 0.36 > 0.01 (by shuffles: a cell expects fewer than 5 samples)'
    """

    name: ClassVar[str] = "significance"
    unit: ClassVar[str] = "p"
    level: float = 0.05

    def __post_init__(self) -> None:
        check_level(self.level)

    def value(
        self,
        given: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """The corrected p."""
        freedom = given.degrees_of_freedom(candidate)
        if freedom == 0:
            return 1.0
        shuffled = PermutationStopping(level=self.level)
        if given.least_expected(candidate) < LEAST_EXPECTED:
            p = shuffled.value(given, candidate, n_candidates, search)
            return PValue(p, f"by shuffles: a cell expects fewer than {LEAST_EXPECTED} samples")
        bits = float(given.conditional_relevance(np.array([candidate]))[0])
        statistic = max(0.0, 2 * given.n_samples * log(2) * bits)  # rounding may go below 0
        tail = float(chdtrc(freedom, statistic))
        if search is None:
            return min(1.0, n_candidates * tail)
        priced = len(search.tried) * tail * float(np.exp(min(700.0, search.log_codings(candidate))))
        if priced <= self.level:
            return priced
        return PValue(
            shuffled.value(given, candidate, n_candidates, search), "by shuffles: the cuts looked at the class"
        )

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """p, the level, and whether p was found by shuffles."""
        return p_reason(value, self.level)
