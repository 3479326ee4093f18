"""Stop by p of the G-test, and of shuffles where chi-squared does not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from bitsieve.information.log_tails import MIN_EXPECTED, log_tails
from bitsieve.information.protocol import ConditionalInformation
from bitsieve.methods.by_counts.stopping.independence import CLOSE_FACTOR, MANY_EXPECTED, chi_squared_tails
from bitsieve.methods.by_counts.stopping.level import LevelStopping
from bitsieve.methods.by_counts.stopping.repeated_search import MAX_EXPONENT, RepeatedSearch
from bitsieve.methods.by_counts.stopping.single import RuleValue
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_level

if TYPE_CHECKING:
    from bitsieve.information.within_strata import PlugInWithinStrata

#: A test of a column: its conditional information, column, penalty, number of columns tried, and level.
TestOfColumn: TypeAlias = Callable[[ConditionalInformation, int, float, int, float], bool]


@cites("Vinh, Chan, Bailey 2014")
@dataclass(frozen=True)
class SignificanceStopping(LevelStopping):
    """The G-test of I(Xi;C|S) = 0, corrected for the number of candidates tried.

    ``G = 2 N ln(2) I(Xi;C|S)`` is compared with chi-squared of ``sum_z (codes_z - 1) (classes_z - 1)`` degrees of
    freedom, over the codes and classes that occur at each joint value z of S; p is multiplied by the candidates tried
    (Bonferroni).

    Parameters
    ----------
    level : float, default=0.05
        No column is taken whose corrected p exceeds it; the selection ends where no other is left.

    Notes
    -----
    Chi-squared is the limit for many samples a cell. Where some cell of a part expects fewer than 5 samples, or fewer
    than 20 and p is within ten times the level and a tenth of it, p is that of :class:`PermutationStopping` at its
    defaults, and the reason says so. Where the columns were cut by the class
    (``binning="mdl"``), p is also multiplied by the sets of cuts that a column might have got, ``C(N - 1, c) 2^c`` for
    c cuts, and by all columns, cut or not: if that bound exceeds the level, shuffles that repeat the cuts decide.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, SignificanceStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=SignificanceStopping(level=0.01)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> fitted.stopping_reason_
    'p = 0.36 > 0.01 (by shuffles, as a cell expects fewer than 5 samples)'
    """

    name: ClassVar[str] = "significance"
    takes_survival: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_level(self.level)

    def value(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """The corrected p."""
        return self.evaluate(conditional, candidate, n_candidates, search).value

    def evaluate(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> RuleValue:
        """The corrected p, and why it was found by shuffles where it was."""
        if conditional.degrees_of_freedom(candidate) == 0:
            return RuleValue(1.0)

        def by_shuffles(why: str) -> RuleValue:
            from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping

            p = PermutationStopping(level=self.level).value(conditional, candidate, n_candidates, search)
            return RuleValue(p, f"by shuffles{why}")

        if search is not None and search.search.exchangeable_units is not None:
            return by_shuffles(" of the groups")
        if conditional.least_expected(candidate) < MIN_EXPECTED:
            return by_shuffles(f", as a cell expects fewer than {MIN_EXPECTED} samples")

        tail = float(chi_squared_tails(conditional, np.array([candidate]))[0])
        if search is not None:
            # every set of cuts that the column might have got is one more test
            log_codings = min(MAX_EXPONENT, search.search.log_codings(candidate))
            p = len(search.candidates) * tail * float(np.exp(log_codings))
            return RuleValue(p) if p <= self.level else by_shuffles(", as the bins were made with the target")
        p = min(1.0, n_candidates * tail)
        is_close = self.level / CLOSE_FACTOR < p <= self.level * CLOSE_FACTOR
        if is_close and conditional.least_expected(candidate) < MANY_EXPECTED:
            return by_shuffles(f", as a cell expects fewer than {MANY_EXPECTED} samples")
        return RuleValue(p)


def is_informative_given(
    conditional: ConditionalInformation, column: int, penalty: float, n_tried: int, level: float
) -> bool:
    """Whether a column, one of ``n_tried``, is more informative than chance given the columns of ``conditional``.

    ``penalty`` is added to the logarithm of its p-value. A column with a penalty above 0 is tested by
    :func:`log_tails`: the p-value of shuffles is never below one in their number, and would be above ``level`` after
    any penalty, however strong the column is.
    """
    if penalty == 0:
        return SignificanceStopping(level=level).value(conditional, column, n_tried) <= level
    return is_informative_by_bound(conditional, column, penalty, n_tried, level)


def is_informative_by_bound(
    conditional: ConditionalInformation, column: int, penalty: float, n_tried: int, level: float
) -> bool:
    """The verdict of :func:`is_informative_given` by :func:`log_tails`, without a shuffle.

    Where cells expect fewer than 5 samples, a bound stands in place of p, and fewer columns are shown to be
    informative.
    """
    (log_p,) = log_tails(conditional.partition.tables(np.array([column]), True))
    return bool(log_p + penalty <= log(level / n_tried))


def are_informative_within_strata(
    information: PlugInWithinStrata,
    columns: Columns,
    penalty: Floats,
    n_tried: int,
    level: float,
    test: TestOfColumn = is_informative_given,
) -> Flags:
    """Whether each column is more informative than chance within the strata, by ``test``."""
    conditional = information.conditional()
    is_informative = np.zeros(len(columns), bool)
    for i in np.flatnonzero(np.isfinite(penalty)).tolist():
        is_informative[i] = test(conditional, int(columns[i]), float(penalty[i]), n_tried, level)
    return is_informative
