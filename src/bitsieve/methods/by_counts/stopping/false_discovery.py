"""The largest list of which no more than a share is expected to be false: the false discovery rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log
from typing import ClassVar

import numpy as np

from bitsieve.information import COMMON, information_of
from bitsieve.information.common_effect import CorrectedCommonEffect
from bitsieve.information.corrected import CorrectedInformation
from bitsieve.information.log_tails import MIN_EXPECTED
from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.information.survival import CorrectedSurvivalInformation, SurvivalInformation
from bitsieve.methods.by_counts.stopping.independence import (
    CLOSE_FACTOR,
    ENOUGH_REACHED,
    HOPEFUL_TAIL,
    MANY_EXPECTED,
    affordable_shuffles,
    chi_squared_tails,
    reached_by_shuffles,
    share_of_shuffles,
)
from bitsieve.methods.by_counts.stopping.lists import (
    BENJAMINI_HOCHBERG,
    RATE_ADJUSTMENTS,
    ListStopping,
    TestedColumns,
    adjusted,
    number_of_tests,
)
from bitsieve.methods.by_counts.stopping.repeated_search import MAX_EXPONENT, RepeatedSearch
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.libraries import chdtrc
from bitsieve.utils.parameters import check_choice, check_integer, check_level
from bitsieve.utils.progress import phase

MIN_SHUFFLES = 200  # of one test
MAX_SHUFFLES = 10**5
MIN_SHARED = 0.5  # a column owes its information to another if it shares this part of it with that, or more
DEPENDENCE_LEVEL = 0.05  # that any one of the columns tried passes for dependent on a column by chance


@cites("Benjamini, Hochberg 1995", "Benjamini, Yekutieli 2001")
@dataclass(frozen=True)
class FalseDiscoveryStopping(ListStopping):
    r"""Take the largest list whose estimated false discovery rate is at most a level.

    A column is false if the class does not depend on it, or not given some one column of the list. Every column is
    tested alone, ``I(Xi;C) = 0``, and then, the smallest p first, given each column Xs before it to which it may owe
    its information, ``I(Xi;C|Xs) = 0``; its p is the largest of these. Xi may owe its information to Xs where it shares
    about as much with Xs as with the class (half at least, each less its mean by chance), and depends on Xs (G-test at
    0.05 / n, its degrees of freedom the mean of G over shuffles). With n columns to choose from and ``p_(k)`` the k-th
    smallest p,

        rate(k) = n c p_(k) / k

    with c = 1 (Benjamini and Hochberg), which holds where the columns are independent given the class or depend on each
    other positively, or ``c = 1 + 1/2 + ... + 1/n`` (Benjamini and Yekutieli), which holds for any dependence. The
    largest k of ``rate(k) <= level`` is taken, whatever the criterion, which only says in which order the columns are
    chosen. ``stopping_values_`` are the least rates of a list with that column.

    Parameters
    ----------
    level : float, default=0.1
        The largest rate.
    adjust : {"benjamini-hochberg", "benjamini-yekutieli"}, default="benjamini-hochberg"
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    p is that of the G-test where every cell expects at least 20 samples, or 5 and it is far below any rate, and else
    the share of shuffles of the column among samples of equal Xs that reach its information, as in
    :class:`PermutationStopping`. Where the columns were cut by the class (``binning="mdl"``), p of the G-test is
    multiplied by the sets of cuts that the column and no other might have got, and if that does not decide, the classes
    are shuffled and the column is cut again. Of a time to an event p is that of the log-rank test, and events are drawn
    among the rows at risk in place of shuffles.

    A column that is informative only together with another is not taken, nor is one noticed that is false given
    several columns together only.

    Cost: n tests of a column and the class, and k tests of two columns and the class for each of k columns of the list;
    for one that shuffles decide, O(d n c / level) of d samples at most. Shuffles are made where the tail of chi-squared
    is below 0.25.

    Examples
    --------
    >>> from bitsieve import FalseDiscoveryStopping, ForwardSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=FalseDiscoveryStopping(level=0.05)).fit(X, y)
    >>> len(fitted.selected_), fitted.stopping_reason_
    (11, 'false discovery rate 0.27 > 0.05')
    """

    name: ClassVar[str] = "fdr"
    takes_survival: ClassVar[bool] = True
    takes_common_effect: ClassVar[bool] = True
    conclusion: ClassVar[str] = "relevant, alone and beside each single one of the list to which it may owe that"
    adjust: str = BENJAMINI_HOCHBERG
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice("adjust", self.adjust, RATE_ADJUSTMENTS)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    @property
    def assumes_positive_dependence(self) -> bool:
        return self.adjust == BENJAMINI_HOCHBERG

    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list of the columns whose p, alone and beside others of the list, are small enough."""
        return SingleTests(information, self, tried).test_columns(chosen)


class SingleTests:
    """The tests of :class:`FalseDiscoveryStopping`, of the columns tried."""

    def __init__(self, information: Information, rule: FalseDiscoveryStopping, tried: Flags) -> None:
        self.information = information
        self.rule = rule
        self.search = information.source.search
        self.conditional: dict[int | None, ConditionalInformation] = {None: information.conditional()}
        candidates = tried if self.search is not None else tried & information.varies
        self.columns = np.flatnonzero(candidates)
        self.n_tests = number_of_tests(len(self.columns), rule.adjust)
        #: Over how many cases information about the class is a mean.
        self.n_cases = information.source.n_samples
        if isinstance(information, SurvivalInformation):
            self.n_cases = information.source.n_events

    def test_columns(self, chosen: list[int]) -> TestedColumns:
        """The largest list of the columns, given those that are chosen already."""
        columns = self.columns
        thresholds = self.rule.level / self.n_tests * np.arange(1.0, len(columns) + 1)
        p = self._p_alone(columns)

        # given the columns before it, in the order of p alone; p only grows
        order = columns[np.argsort(p[columns], kind="stable")]
        limit = _largest_threshold_above(p[order], thresholds)
        n_relevant = int((p[order] <= limit).sum())
        accepted = list(chosen)
        report = phase("testing beside others")
        for n_before, column in enumerate(order[:n_relevant].tolist()):
            report(n_before, n_relevant)
            for other in accepted:
                if p[column] > limit:
                    break
                if self._may_owe_information(column, other):
                    p[column] = max(p[column], self._p_given(column, other, len(accepted)))
            if p[column] <= limit:
                accepted.append(column)

        order = columns[np.argsort(p[columns], kind="stable")]
        n_accepted = int((p[order] <= _largest_threshold_above(p[order], thresholds)).sum())
        return TestedColumns(order, adjusted(p[order], self.rule.adjust), n_accepted)

    def _p_alone(self, columns: Columns) -> Floats:
        """p of ``I(Xi;C) = 0`` of every column: 1 where the tail of chi-squared is large."""
        tails = self._tails_alone(columns)
        n_hopeful = int((tails <= max(HOPEFUL_TAIL, self.rule.level)).sum())
        rising_tails = columns[np.argsort(tails, kind="stable")]
        p = np.ones(self.information.n_features)
        report = phase("testing")
        for n_before, column in enumerate(rising_tails[:n_hopeful].tolist()):
            report(n_before, n_hopeful)
            p[column] = self._p_given(column, None, n_before)
        return p

    def _tails_alone(self, columns: Columns) -> Floats:
        """The tail of chi-squared of every column, which says whether its p may be small."""
        if self.information.effect == COMMON:
            return chi_squared_tails(self.conditional[None], columns)
        source = self.information.source
        g = 2 * self.n_cases * log(2) * np.maximum(0.0, self.information.relevance[columns])
        freedom = np.maximum(1, source.arities[columns].astype(np.int64) - 1) * (source.n_classes - 1)
        tails: Floats = chdtrc(freedom, g)
        return tails

    def _may_owe_information(self, column: int, other: int) -> bool:
        """Whether ``column`` depends on ``other``, and shares about as much with it as with the class.

        From each G its mean over shuffles is taken off, which is also the number of degrees of freedom of the test.
        """
        n_samples = self.information.source.n_samples
        pair = self.information.pair(other, np.array([column]), by_class=False)
        mean_with_other = _g(n_samples, self.corrected.chance_redundancy(other, np.array([column])))
        g_with_other = _g(n_samples, pair.redundancy)
        mean_with_class = _g(self.n_cases, self.chance_relevance[[column]])
        g_with_class = _g(self.n_cases, self.information.relevance[[column]])
        if mean_with_other <= 0 or g_with_other - mean_with_other < MIN_SHARED * (g_with_class - mean_with_class):
            return False
        return bool(chdtrc(mean_with_other, g_with_other) <= DEPENDENCE_LEVEL / len(self.columns))

    @cached_property
    def corrected(self) -> CorrectedInformation | CorrectedSurvivalInformation | CorrectedCommonEffect:
        """The information corrected for chance, which has the means over shuffles."""
        corrected = information_of("corrected", self.information.source, self.information.effect)
        assert isinstance(corrected, (CorrectedInformation, CorrectedSurvivalInformation, CorrectedCommonEffect))
        return corrected

    @cached_property
    def chance_relevance(self) -> Floats:
        """The mean of I(Xi;C) over shuffles, of every feature."""
        return self.information.relevance - self.corrected.relevance

    def _p_given(self, candidate: int, other: int | None, n_before: int) -> float:
        """p of ``I(Xi;C|Xs) = 0`` (None: of ``I(Xi;C) = 0``), exact enough for a list of ``n_before`` and one more."""
        if other is not None and other not in self.conditional:
            self.conditional[other] = self.conditional[None].refine(other)
        conditional = self.conditional[other]
        if conditional.degrees_of_freedom(candidate) == 0:
            return 1.0
        p = self._p_by_chi_squared(conditional, candidate)
        if p is None:
            p = self._p_by_shuffles(conditional, candidate, other, n_before)
        return p

    def _p_by_chi_squared(self, conditional: ConditionalInformation, candidate: int) -> float | None:
        """p by the tail of chi-squared, where that decides; else None."""
        is_grouped = self.search is not None and self.search.exchangeable_units is not None
        least_expected = 0.0 if is_grouped else conditional.least_expected(candidate)
        if least_expected < MIN_EXPECTED:
            return None
        p = float(chi_squared_tails(conditional, np.array([candidate]))[0])
        smallest_level = self.rule.level / self.n_tests
        if self.search is None:
            decides = least_expected >= MANY_EXPECTED or p <= smallest_level / CLOSE_FACTOR
        else:
            p *= exp(min(MAX_EXPONENT, self.search.log_codings(candidate)))
            decides = p <= smallest_level
        return p if decides else None

    def _p_by_shuffles(
        self, conditional: ConditionalInformation, candidate: int, other: int | None, n_before: int
    ) -> float:
        n_needed = ceil(2 * self.n_tests / self.rule.level / (n_before + 1))
        n_affordable = min(MAX_SHUFFLES, affordable_shuffles(conditional))
        max_shuffles = max(MIN_SHUFFLES, min(n_needed, n_affordable))
        conditioned_on = () if other is None else (other,)
        seeds = np.random.default_rng([self.rule.random_state, candidate, *conditioned_on])
        if self.search is None:
            reaches = reached_by_shuffles(conditional, candidate)
        else:
            n_jobs = self.information.source.n_jobs
            search = RepeatedSearch(
                self.search, conditioned_on, np.array([candidate]), conditional.entropy_terms, n_jobs
            )
            reaches = search.reached(candidate)
        return share_of_shuffles(reaches, max_shuffles, ENOUGH_REACHED, seeds)


def _g(n_cases: int, bits: Floats) -> float:
    """The statistic of the G-test of one column; the bits are a mean over so many cases."""
    return max(0.0, 2 * n_cases * log(2) * float(bits[0]))


def _largest_threshold_above(p: Floats, thresholds: Floats) -> float:
    """The threshold of the largest k with ``p_(k)`` at most that, of ascending p; where there is none, the first."""
    return float(thresholds[np.flatnonzero(p <= thresholds)].max(initial=thresholds[0]))
