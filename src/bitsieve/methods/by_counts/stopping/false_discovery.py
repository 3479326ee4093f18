"""The largest list of which no more than a share is expected to be false: the false discovery rate."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bitsieve.common.lazy import chdtrc
from bitsieve.common.parameters import check_choice, check_integer, check_level
from bitsieve.information.evidence import LEAST_EXPECTED
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.methods.by_counts.stopping.monitor import StoppingOutcome
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import AFFORDED, LAST, share_of_shuffles

MOST_SHUFFLES = 10**5  # of one test
DEPENDENT = 0.05  # level at which two columns are taken to depend on each other
ADJUSTMENTS = "benjamini-hochberg", "benjamini-yekutieli"


@dataclass(frozen=True)
class FalseDiscoveryStopping:
    r"""Take the largest list whose estimated false discovery rate is at most a level.

    A column that was chosen is false if the class does not depend on it, or not given some one column that was chosen
    before. Its p is the largest of the p of ``I(Xi;C) = 0`` and of ``I(Xi;C|Xs) = 0`` for every s chosen before on
    which it depends (by a G-test of ``I(Xi;Xs) = 0`` at 0.05: if the class depends on Xi, but Xs does not, Xi is as
    informative given Xs). With n columns to choose from and the first k of the list,

        rate(k) = n c max(p_1, ..., p_k) / k

    with c = 1 (Benjamini and Hochberg), which holds where the columns are independent given the class or depend on each
    other positively, or ``c = 1 + 1/2 + ... + 1/n`` (Benjamini and Yekutieli), which holds for any dependence. The
    largest k of ``rate(k) <= level`` is taken; ``stopping_values_`` are the least rates of a list with that column.

    Parameters
    ----------
    level : float, default=0.1
        The largest rate.
    adjust : {"benjamini-hochberg", "benjamini-yekutieli"}, default="benjamini-hochberg"
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    p is that of the G-test where every cell expects at least 5 samples, and else the share of shuffles of the column
    among samples of equal Xs that reach its information, as in :class:`PermutationStopping`. Where the columns were cut
    by the class (``binning="mdl"``), p of the G-test is multiplied by the sets of cuts that the column and no other
    might have got, and if that does not decide, the classes are shuffled and the column is cut again.

    The search goes on while p is at most ``level r / (n c)``, r the columns that would be taken by their own G-tests:
    no longer list can be taken. A column that is informative only together with another is not taken.

    Cost: k tests of two columns and the class for each of k choices; for one that shuffles decide, O(d n c / level)
    of d samples at most.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate: a practical and powerful approach to
       multiple testing", Journal of the Royal Statistical Society B 57, 1995. doi:10.1111/j.2517-6161.1995.tb02031.x
    .. [2] Y. Benjamini, D. Yekutieli, "The control of the false discovery rate in multiple testing under dependency",
       Annals of Statistics 29, 2001. doi:10.1214/aos/1013699998

    Examples
    --------
    >>> from bitsieve import FalseDiscoveryStopping, ForwardSelector
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=FalseDiscoveryStopping(level=0.05)).fit(X, y)
    >>> len(fitted.selected_), fitted.stopping_reason_
    (7, 'false discovery rate 0.41 > 0.05')
    """

    name: ClassVar[str] = "fdr"
    unit: ClassVar[str] = "rate"
    level: float = 0.1
    adjust: str = "benjamini-hochberg"
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice("adjust", self.adjust, ADJUSTMENTS)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def tests(self, n_candidates: int) -> float:
        """n c: how many tests p is corrected for."""
        if self.adjust == "benjamini-hochberg":
            return n_candidates
        return n_candidates * float((1 / np.arange(1, n_candidates + 1)).sum())

    def stops(self, value: float) -> bool:
        """Whether a rate exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """The rate and the level."""
        return f"false discovery rate {value:.2g} > {self.level:g}"


class FalseDiscoveryMonitor:
    """Looks beyond the list that will be taken, as far as a longer one is possible."""

    def __init__(self, information: Information, rule: FalseDiscoveryStopping) -> None:
        self.rule = rule
        self.information = PlugInInformation(information.source)
        self.search = information.source.search
        self.given: dict[tuple[int, ...], ConditionalInformation] = {(): self.information.conditional()}
        self.looked_at: list[int] = []
        self.p: list[float] = []  # nan where it was not tested
        self.n_tests = self.limit = np.nan
        self.exhausted = False

    def refuses(self, candidate: int, score: float, tried: NDArray[np.bool_] | None) -> bool:
        """Whether no list can hold this choice among those ``tried``; None: it is not tested."""
        p = np.nan
        if tried is not None:
            if np.isnan(self.n_tests):
                self._begin(tried)
            p = self._p(candidate)
        self.looked_at.append(candidate)
        self.p.append(p)
        return p > self.limit

    def _begin(self, tried: NDArray[np.bool_]) -> None:
        """How many columns there are to choose from, and the largest p that a list of some of them may hold."""
        information = self.information
        among = tried if self.search is not None else tried & information.varies
        n_candidates = int(among.sum())
        self.n_tests = self.rule.tests(n_candidates)
        source = information.source
        g = 2 * source.n_samples * log(2) * np.maximum(0.0, information.relevance[among])
        freedom = np.maximum(1, source.arities[among].astype(np.int64) - 1) * (source.n_classes - 1)
        p = np.sort(chdtrc(freedom, g))
        thresholds = self.rule.level * np.arange(1, n_candidates + 1) / self.n_tests
        self.limit = float(thresholds[np.flatnonzero(p <= thresholds)].max(initial=thresholds[0]))

    def _p(self, candidate: int) -> float:
        """The largest p, alone and given each chosen column on which it depends, or the first beyond the limit."""
        largest = self._p_given(candidate, ())
        for column in self.looked_at:
            if largest > self.limit:
                break
            if self._depend(column, candidate):
                largest = max(largest, self._p_given(candidate, (column,)))
        return largest

    def _depend(self, one: int, other: int) -> bool:
        source = self.information.source
        bits = max(0.0, float(self.information.pair(one, np.array([other]), by_class=False).redundancy[0]))
        freedom = (int(source.arities[one]) - 1) * (int(source.arities[other]) - 1)
        return freedom > 0 and float(chdtrc(freedom, 2 * source.n_samples * log(2) * bits)) <= DEPENDENT

    def _p_given(self, candidate: int, chosen: tuple[int, ...]) -> float:
        if chosen not in self.given:
            self.given[chosen] = self.given[()].refine(chosen[0])
        given = self.given[chosen]
        freedom = given.degrees_of_freedom(candidate)
        if freedom == 0:
            return 1.0
        observed = float(given.conditional_relevance(np.array([candidate]))[0])
        if given.least_expected(candidate) >= LEAST_EXPECTED:
            p = float(chdtrc(freedom, 2 * given.n_samples * log(2) * max(0.0, observed)))
            if self.search is None:
                return p
            p *= exp(min(700.0, self.search.log_codings(candidate)))
            if p <= self.rule.level / self.n_tests:
                return p
        n_tested = 1 + int((~np.isnan(self.p)).sum())
        most = ceil(2 * self.n_tests / self.rule.level / n_tested)
        most = max(200, min(most, MOST_SHUFFLES, AFFORDED // given.n_samples))
        seeds = np.random.default_rng([self.rule.random_state, candidate, *chosen])
        if self.search is None:
            return share_of_shuffles(
                lambda some: given.shuffled_relevance(candidate, some) >= observed, most, LAST, seeds
            )
        source = self.information.source
        step = RepeatedSearch(self.search, chosen, np.array([candidate]), self.information.terms, source.n_jobs)
        figure = step.figure(candidate)
        return share_of_shuffles(lambda some: step.best_after_shuffles(some) <= figure, most, LAST, seeds)

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.exhausted = True
        return True

    def outcome(self) -> StoppingOutcome:
        """The largest list of a rate that is not above the level."""
        p = np.array(self.p)
        tested = ~np.isnan(p)
        rates = np.full(len(p), np.nan)
        estimates = self.n_tests * np.maximum.accumulate(p[tested]) / np.arange(1, tested.sum() + 1)
        rates[tested] = np.minimum(1.0, np.minimum.accumulate(estimates[::-1])[::-1])
        kept = int((~(rates > self.rule.level)).sum())  # rates never fall along the list
        if kept == len(p):
            return StoppingOutcome(rates, None, np.nan, self.exhausted)
        return StoppingOutcome(rates[:kept], self.looked_at[kept], float(rates[kept]), False)
