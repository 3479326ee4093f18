"""The largest list of which no more than a share is expected to be false: the false discovery rate."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import ceil, exp, log
from typing import ClassVar, NamedTuple

import numpy as np

from bitsieve.information.evidence import LEAST_EXPECTED
from bitsieve.information.plug_in import PlugInInformation
from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.methods.by_counts.stopping.monitor import StoppingOutcome
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.rules import (
    AFFORDED,
    HOPEFUL,
    LAST,
    MANY_EXPECTED,
    SLACK,
    reached_by_shuffles,
    share_of_shuffles,
    tails,
)
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.lazy import chdtrc
from bitsieve.utils.parameters import check_choice, check_integer, check_level

MOST_SHUFFLES = 10**5  # of one test
SHARE = 0.5  # of I(Xi;C) that Xi shares at least with what it owes it to: all of it, but for chance
DEPENDENT = 0.05  # level at which two columns are taken to depend on each other
ADJUSTMENTS = "benjamini-hochberg", "benjamini-yekutieli"
HOLM = "holm"


def number_of_tests(n: int, how: str) -> float:
    """n c: how many tests p of n columns is corrected for."""
    return n * float((1 / np.arange(1, n + 1)).sum()) if how == "benjamini-yekutieli" else n


def adjusted(p: Floats, how: str) -> Floats:
    """The least level, of a rate or (Holm) of the chance of any false one, at which each of some p is taken."""
    n = len(p)
    order, places = np.argsort(p, kind="stable"), np.arange(1, n + 1)
    found = np.empty(n)
    if how == HOLM:
        found[order] = np.minimum(1.0, np.maximum.accumulate((n + 1 - places) * p[order]))
    else:
        rates = number_of_tests(n, how) * p[order] / places
        found[order] = np.minimum(1.0, np.minimum.accumulate(rates[::-1])[::-1])
    return found


class FoundList(NamedTuple):
    """The columns that were tested, of the least rate first: the first ``n_kept`` are the list."""

    columns: Columns
    rates: Floats
    n_kept: int
    neighbours: list[Columns] | None = None  # of every column in the tree of the columns, where there is one
    untested: Columns = np.empty(0, np.intp)  # that these determine


@dataclass(frozen=True)
class ListStopping:
    """A rule that finds its whole list at once, with a rate of false columns; the criterion says in which order."""

    name: ClassVar[str]
    unit: ClassVar[str] = "rate"
    concludes: ClassVar[str]
    figure: ClassVar[str] = "false discovery rate"
    level: float = 0.1

    def stops(self, value: float) -> bool:
        """Whether a rate exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """The rate and the level."""
        return f"{self.figure} {value:.2g} > {self.level:g}"

    @abstractmethod
    def find(self, information: Information, tried: Flags, chosen: list[int]) -> FoundList:
        """The list among the columns tried, beside those chosen already; the information is plug-in."""

    def monitor(self, information: Information) -> ListMonitor:
        """What finds the list of some counts."""
        return ListMonitor(information, self)


@cites("Benjamini, Hochberg 1995", "Benjamini, Yekutieli 2001")
@dataclass(frozen=True)
class FalseDiscoveryStopping(ListStopping):
    r"""Take the largest list whose estimated false discovery rate is at most a level.

    A column is false if the class does not depend on it, or not given some one column of the list. Every column is
    tested alone, ``I(Xi;C) = 0``, and then, the smallest p first, given each column Xs before it to which it may owe
    its information, ``I(Xi;C|Xs) = 0``; its p is the largest of these. Xi may owe its information to Xs where it shares
    about as much with Xs as with the class (half at least, each less its mean by chance), and depends on Xs (G-test at
    0.05). With n columns to choose from and ``p_(k)`` the k-th smallest p,

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
    are shuffled and the column is cut again.

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
    concludes: ClassVar[str] = "relevant, alone and beside each single one of the list to which it may owe that"
    adjust: str = "benjamini-hochberg"
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice("adjust", self.adjust, ADJUSTMENTS)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def find(self, information: Information, tried: Flags, chosen: list[int]) -> FoundList:
        """The list of the columns whose p, alone and beside others of the list, are small enough."""
        return SingleTests(information, self, tried).find(chosen)


class ListMonitor:
    """Finds the list at the first choice; the criterion only says in which order its columns are chosen."""

    def __init__(self, information: Information, rule: ListStopping) -> None:
        self.rule, self.information = rule, PlugInInformation(information.source)
        self.chosen: list[int] = []
        self.found: FoundList | None = None
        self.listed: dict[int, float] = {}  # the rates of the columns of the list
        self.ended = self.exhausted = False

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        """Whether this choice among those ``tried`` is not in the list; None: it is not tested."""
        if tried is not None:
            if self.found is None:
                self.found = columns, rates, n_kept, *_ = self.rule.find(self.information, tried, self.chosen)
                self.listed = dict(zip(columns[:n_kept].tolist(), rates[:n_kept].tolist(), strict=True))
            if candidate not in self.listed:
                return True
        self.chosen.append(candidate)
        return False

    def others(self, candidates: Flags) -> Flags:
        """Those of the candidates left after a refusal that are in the list."""
        left = np.zeros_like(candidates)
        left[list(self.listed)] = True
        left &= candidates
        self.ended = not left.any()
        return left

    def ends_at_constants(self) -> bool:
        """A rule never lets a constant column pass."""
        self.exhausted = True
        return True

    def outcome(self) -> StoppingOutcome:
        """The choices, all of which are in the list, and the column that comes nearest to it where it is complete."""
        rates = np.array([self.listed.get(column, np.nan) for column in self.chosen])
        columns, of_all, n_kept, neighbours, untested = self.found or FoundList(np.empty(0, np.intp), np.empty(0), 0)
        given = neighbours and [neighbours[column] for column in self.chosen]
        if not self.ended or n_kept == len(columns):
            return StoppingOutcome(rates, None, np.nan, self.exhausted, given, untested)
        return StoppingOutcome(rates, int(columns[n_kept]), float(of_all[n_kept]), False, given, untested)


class SingleTests:
    """The tests of :class:`FalseDiscoveryStopping`, of the columns tried."""

    def __init__(self, information: Information, rule: FalseDiscoveryStopping, tried: Flags) -> None:
        self.information, self.rule, self.search = information, rule, information.source.search
        self.given: dict[tuple[int, ...], ConditionalInformation] = {(): information.conditional()}
        self.among = np.flatnonzero(tried if self.search is not None else tried & information.varies)
        self.n_tests = number_of_tests(len(self.among), rule.adjust)

    def find(self, chosen: list[int]) -> FoundList:
        """The largest list of the columns, given those that are chosen already."""
        among = self.among
        thresholds = self.rule.level / self.n_tests * np.arange(1.0, len(among) + 1)
        p = self._alone(among)
        order = among[np.argsort(p[among], kind="stable")]
        limit = _largest_below(p[order], thresholds)
        accepted = list(chosen)
        for column in order[: int((p[order] <= limit).sum())].tolist():
            for other in accepted:
                if p[column] > limit:
                    break
                if self._related(other, column):
                    p[column] = max(p[column], self._p_given(column, (other,), len(accepted)))
            if p[column] <= limit:
                accepted.append(column)
        order = among[np.argsort(p[among], kind="stable")]
        n_kept = int((p[order] <= _largest_below(p[order], thresholds)).sum())
        return FoundList(order, adjusted(p[order], self.rule.adjust), n_kept)

    def _alone(self, columns: Columns) -> Floats:
        """p of ``I(Xi;C) = 0`` of every column: 1 where the tail of chi-squared is large."""
        information, source = self.information, self.information.source
        g = 2 * source.n_samples * log(2) * np.maximum(0.0, information.relevance[columns])
        freedom = np.maximum(1, source.arities[columns].astype(np.int64) - 1) * (source.n_classes - 1)
        tail = chdtrc(freedom, g)
        order = np.argsort(tail, kind="stable")[: int((tail <= max(HOPEFUL, self.rule.level)).sum())]
        p = np.ones(information.n_features)
        for place, column in enumerate(columns[order].tolist()):
            p[column] = self._p_given(column, (), place)
        return p

    def _related(self, one: int, other: int) -> bool:
        """Whether ``other`` shares about as much with ``one`` as with the class, both less what chance gives."""
        source, information = self.information.source, self.information
        codes = source.arities[[one, other]].astype(np.int64) - 1
        bits = np.append(
            information.pair(one, np.array([other]), by_class=False).redundancy, information.relevance[other]
        )
        g = 2 * source.n_samples * log(2) * np.maximum(0.0, bits)
        freedom = codes[1] * np.array([codes[0], source.n_classes - 1])
        shared, known = g - freedom
        return bool(shared >= SHARE * known and freedom[0] > 0 and chdtrc(freedom[0], g[0]) <= DEPENDENT)

    def _p_given(self, candidate: int, chosen: tuple[int, ...], n_before: int) -> float:
        """p of ``I(Xi;C|chosen) = 0``, known well enough for a list of ``n_before`` and one more."""
        if chosen not in self.given:
            self.given[chosen] = self.given[()].refine(chosen[0])
        given = self.given[chosen]
        if given.degrees_of_freedom(candidate) == 0:
            return 1.0
        grouped = self.search is not None and self.search.units is not None
        expected = 0.0 if grouped else given.least_expected(candidate)
        if expected >= LEAST_EXPECTED:
            p = float(tails(given, np.array([candidate]))[0])
            if self.search is None:
                sure = expected >= MANY_EXPECTED or p <= self.rule.level / self.n_tests / SLACK
            else:
                p *= exp(min(700.0, self.search.log_codings(candidate)))
                sure = p <= self.rule.level / self.n_tests
            if sure:
                return p
        most = ceil(2 * self.n_tests / self.rule.level / (n_before + 1))
        most = max(200, min(most, MOST_SHUFFLES, AFFORDED // given.n_samples))
        seeds = np.random.default_rng([self.rule.random_state, candidate, *chosen])
        if self.search is None:
            return share_of_shuffles(reached_by_shuffles(given, candidate), most, LAST, seeds)
        source = self.information.source
        step = RepeatedSearch(self.search, chosen, np.array([candidate]), given.terms, source.n_jobs)
        return share_of_shuffles(step.reached(candidate), most, LAST, seeds)


def _largest_below(p: Floats, thresholds: Floats) -> float:
    """The threshold of the largest k with ``p_(k)`` at most that, of ascending p; where there is none, the first."""
    return float(thresholds[np.flatnonzero(p <= thresholds)].max(initial=thresholds[0]))
