"""Rules that accept or refuse one choice at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve.information.evidence import LEAST_EXPECTED
from bitsieve.information.protocol import ConditionalInformation
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.lazy import chdtrc
from bitsieve.utils.parameters import check_integer, check_level, check_number

LAST = 10  # shuffles that reach the observed value, after which p is known well enough
BATCH = 1 << 14  # shuffles at once
AFFORDED = 2 * 10**9  # codes to shuffle, about 4 seconds
MANY_EXPECTED = 20  # samples in a cell, for chi-squared to hold far out in its tail, at the levels of many columns
SLACK = 10  # how many times larger or smaller than p of shuffles the tail of chi-squared may be below that
HOPEFUL = 0.25  # and where it does not hold
SHUFFLES_OF_NOISE = 50  # that are made of a column before it is refused


class PValue(float):
    """A probability that knows how it was found.

    ``how``: a few words for a message, empty where there is nothing to say.
    """

    how: str

    def __new__(cls, value: float, how: str = "") -> Self:
        """The number, with its words."""
        made = super().__new__(cls, value)
        made.how = how
        return made


class StoppingRule(Protocol):
    """Accepts or refuses the candidate that a criterion would take next, by I(Xi;C|S).

    ``unit``: of the value: "p" or "bits".
    """

    name: ClassVar[str]
    unit: ClassVar[str]

    def value(
        self, given: ConditionalInformation, candidate: int, n_candidates: int, search: RepeatedSearch | None = None
    ) -> float:
        """What the rule looks at: of ``n_candidates`` that were tried, the criterion prefers ``candidate``.

        ``search`` is given where the codes were made with a look at the classes, and repeats that with others.
        """

    def screen(self, given: ConditionalInformation, columns: Columns, n_candidates: int, searched: bool) -> Floats:
        """Ranks of ``columns``, inf of those that are not accepted, after the refusal of the one that was preferred.

        Where the codes were made with a look at the classes (``searched``), one whose rank is not below that of a
        refused one is not accepted, either.
        """

    def stops(self, value: float) -> bool:
        """Whether a candidate of that value is refused."""

    def reason(self, value: float) -> str:
        """Why, in a few words: ``p = 0.31 > 0.05``."""


@cites("Brown, Pocock, Zhao, Lujan 2012")
@dataclass(frozen=True)
class ThresholdStopping:
    """Take no column whose I(Xi;C|S), all of S known, is below a number of bits, and stop where no other is left.

    Parameters
    ----------
    bits : float, default=0.01
        The plug-in estimate is larger than 0 by chance alone, the more so the more codes and the fewer samples.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, ThresholdStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=ThresholdStopping(bits=0.02)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['sepal length (cm)', 'petal length (cm)', 'petal width (cm)'], 'it adds 0.0094 bits < 0.02')
    """

    name: ClassVar[str] = "threshold"
    unit: ClassVar[str] = "bits"
    bits: float = 0.01

    def __post_init__(self) -> None:
        check_number("bits", self.bits, 0)

    def value(self, given: ConditionalInformation, candidate: int, n_candidates: int, search: object = None) -> float:
        """I(Xi;C|S) in bits."""
        return float(given.conditional_relevance(np.array([candidate]))[0])

    def screen(self, given: ConditionalInformation, columns: Columns, *_: object) -> Floats:
        """0 where a column adds as many bits."""
        return np.where(given.conditional_relevance(columns) >= self.bits, 0.0, np.inf)

    def stops(self, value: float) -> bool:
        """Whether it is below the threshold."""
        return value < self.bits

    def reason(self, value: float) -> str:
        """The bits and the threshold."""
        return f"it adds {max(value, 0.0):.4f} bits < {self.bits:g}"


def tails(given: ConditionalInformation, columns: Columns) -> Floats:
    """The tail of chi-squared beyond the statistic of the G-test of ``I(Xi;C|Z) = 0``; 1 without freedom."""
    freedom = np.array([given.degrees_of_freedom(int(column)) for column in columns], np.int64)
    return np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), _statistic(given, columns)), 1.0)


def _statistic(given: ConditionalInformation, columns: Columns) -> Floats:
    bits = given.conditional_relevance(columns)
    return np.maximum(0.0, 2 * given.n_samples * log(2) * bits)  # rounding may go below 0


def hopeful(given: ConditionalInformation, columns: Columns, limit: float) -> Floats:
    """The tails of chi-squared of columns that may have a p of at most ``limit``, by shuffles where it does not hold.

    Of the others inf. No p is smaller than with one degree of freedom. Where some cell expects fewer than 5 samples,
    the tail may be far from p, and all of a tail up to ``HOPEFUL`` are hopeful, but no more than can be shuffled in
    some seconds.
    """
    found = np.full(len(columns), np.inf)
    places = np.flatnonzero(chdtrc(1, _statistic(given, columns)) <= SLACK * limit)
    tail = tails(given, columns[places])
    near = tail <= max(SLACK * limit, HOPEFUL)
    places, tail = places[near], tail[near]
    full = np.array([given.least_expected(int(column)) >= LEAST_EXPECTED for column in columns[places]], bool)
    sure = full & (tail <= SLACK * limit)
    found[places[sure]] = tail[sure]
    sparse = np.flatnonzero(~full)
    sparse = sparse[np.argsort(tail[sparse], kind="stable")][
        : max(1, AFFORDED // (SHUFFLES_OF_NOISE * given.n_samples))
    ]
    found[places[sparse]] = tail[sparse]
    return found


class _AtLevel:
    """Refuses where a corrected p exceeds a level."""

    unit: ClassVar[str] = "p"
    level: float

    def screen(self, given: ConditionalInformation, columns: Columns, n_candidates: int, searched: bool) -> Floats:
        """The tails of chi-squared; p of a search is the rank of the tail among the least tails after shuffles."""
        return tails(given, columns) if searched else hopeful(given, columns, self.level / n_candidates)

    def stops(self, value: float) -> bool:
        """Whether p exceeds the level."""
        return value > self.level

    def reason(self, value: float) -> str:
        """``p = 0.31 > 0.05``, and how p was found where it knows."""
        how: str = getattr(value, "how", "")
        return f"p = {value:.2g} > {self.level:g}{how and f' ({how})'}"


@cites("Vinh, Chan, Bailey 2014")
@dataclass(frozen=True)
class SignificanceStopping(_AtLevel):
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
    'p = 0.36 > 0.01 (by shuffles: a cell expects fewer than 5 samples)'
    """

    name: ClassVar[str] = "significance"
    level: float = 0.05

    def __post_init__(self) -> None:
        check_level(self.level)

    def value(
        self, given: ConditionalInformation, candidate: int, n_candidates: int, search: RepeatedSearch | None = None
    ) -> float:
        """The corrected p."""
        if given.degrees_of_freedom(candidate) == 0:
            return 1.0
        shuffled = PermutationStopping(level=self.level)
        if search is not None and search.search.units is not None:
            return PValue(shuffled.value(given, candidate, n_candidates, search), "by shuffles of the groups")
        if given.least_expected(candidate) < LEAST_EXPECTED:
            p = shuffled.value(given, candidate, n_candidates, search)
            return PValue(p, f"by shuffles: a cell expects fewer than {LEAST_EXPECTED} samples")
        tail = float(tails(given, np.array([candidate]))[0])
        if search is None:
            p = min(1.0, n_candidates * tail)
            if self.level / SLACK < p <= self.level * SLACK and given.least_expected(candidate) < MANY_EXPECTED:
                p = shuffled.value(given, candidate, n_candidates)
                return PValue(p, f"by shuffles: a cell expects fewer than {MANY_EXPECTED} samples")
            return p
        priced = len(search.tried) * tail * float(np.exp(min(700.0, search.search.log_codings(candidate))))
        if priced <= self.level:
            return priced
        return PValue(
            shuffled.value(given, candidate, n_candidates, search), "by shuffles: the cuts looked at the class"
        )


@cites("François, Rossi, Wertz, Verleysen 2007", "Besag, Clifford 1991")
@dataclass(frozen=True)
class PermutationStopping(_AtLevel):
    """Compare I(Xi;C|S) with what shuffles among samples of equal S give to the best of all candidates.

    Such shuffles keep the dependence of the columns on S and break that on the class given S. With g of b shuffles that
    reach the observed value, ``p = (1 + g) / (1 + b)``: exact for any number of samples and any codes.

    - Where the columns were cut by the class (``binning="mdl"``), the classes are shuffled, every column tried is cut
      again, those left whole before too, and the best of all is compared.
    - Else the candidate alone is shuffled, up to ``n_permutations`` times for every candidate tried, and p is
      multiplied by their number (Bonferroni).

    Parameters
    ----------
    level : float, default=0.05
        No column is taken whose corrected p exceeds it; the selection ends where no other is left.
    n_permutations : int, default=200
        Of the whole search: p is at least about ``1 / n_permutations``.
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.

    Notes
    -----
    Shuffles end as soon as h of them reach the observed value, h the larger of 10 and ``level * n_permutations``; then
    ``p = h / b`` for the b made until then, which keeps the level whatever h (Besag, Clifford). Where that would be
    more than 2 10^9 codes, there are fewer shuffles, but enough for two to reach the observed value at the level.

    Cost: O(n_permutations n d) a step of n candidates and d samples, a small part of it for a candidate that is noise.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, PermutationStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=PermutationStopping(random_state=1)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['petal length (cm)', 'petal width (cm)'], 'p = 0.4 > 0.05')
    """

    name: ClassVar[str] = "permutation"
    level: float = 0.05
    n_permutations: int = 200
    random_state: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_integer("n_permutations", self.n_permutations, 20, 10**6)
        check_integer("random_state", self.random_state, 0, 2**32 - 1)

    def value(
        self, given: ConditionalInformation, candidate: int, n_candidates: int, search: RepeatedSearch | None = None
    ) -> float:
        """The corrected p."""
        seeds = np.random.default_rng([self.random_state, candidate])
        last = max(LAST, ceil(self.level * self.n_permutations))
        reach = reached_by_shuffles(given, candidate) if search is None else search.reached(candidate)
        if search is not None:
            if search.search.units is None:
                return share_of_shuffles(reach, self.n_permutations, last, seeds)
            n_candidates = len(search.tried)
        enough = max(ceil(2 * n_candidates / self.level), AFFORDED // given.n_samples)
        most = max(self.n_permutations, min(self.n_permutations * n_candidates, enough))
        return min(1.0, n_candidates * share_of_shuffles(reach, most, last, seeds))


def reached_by_shuffles(given: ConditionalInformation, candidate: int) -> Callable[[NDArray[np.uint64]], Flags]:
    """Whether a candidate reaches its I(Xi;C|S) after each of several shuffles among samples of equal S."""
    observed = given.conditional_relevance(np.array([candidate]))[0]
    return lambda seeds: given.shuffled_relevance(candidate, seeds) >= observed


def share_of_shuffles(
    reach: Callable[[NDArray[np.uint64]], Flags], most: int, last: int, seeds: np.random.Generator
) -> float:
    """The share of shuffles, one a seed, that reach the observed value: of ``most``, or until ``last`` of them did."""
    made = reached = 0
    while made < most:
        batch = min(max(2 * last, made), most - made, BATCH)
        hits = np.flatnonzero(reach(seeds.integers(0, 2**64, batch, dtype=np.uint64)))
        if reached + len(hits) >= last:
            return last / (made + int(hits[last - reached - 1]) + 1)
        made, reached = made + batch, reached + len(hits)
    return (1 + reached) / (1 + made)
