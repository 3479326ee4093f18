"""Tests of the independence of two variables within strata, from contingency tables.

With n_z samples in stratum z, n_xz of them with code x, n_yz with code y, and n_xyz with both,

    G = 2 sum n_xyz ln(n_xyz n_z / (n_xz n_yz)) = 2 N ln(2) I(X;Y|Z)

is compared with chi-squared. In sparse tables G is too large on average, and so its tail too small. The scaled test
divides by the exact mean of G over all shuffles of x within the strata:

    G' = G f / E[G]        f = sum_z (k_xz - 1) (k_yz - 1)        k_xz, k_yz: codes that occur in stratum z
    E[G] = 2 sum_z sum_xy (E[c ln c] - m ln m)        m = n_xz n_yz / n_z

where c is hypergeometric: n_xz draws out of n_z, of which n_yz have code y. Logarithms of p are compared, never p: p
of strong relations is too small for a float.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

import numpy as np

from bitsieve.counts.independence_codes import Variables
from bitsieve.counts.independence_counts import IndependenceCounts
from bitsieve.counts.independence_sums import IndependenceSums, OptionalSums
from bitsieve.counts.source import Arrangement, ConditioningSource
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms
from bitsieve.information.chi_squared import SMALLEST_LOG_TAIL, log_chi_squared_tail
from bitsieve.information.evidence import log_codings
from bitsieve.utils.arrays import Columns, Floats, Integers
from bitsieve.utils.libraries import chdtrc, gammaln, hyperu
from bitsieve.utils.parameters import check_choice, check_integer, without_effect

SCALED = "scaled"
G = "g"
TESTS = (SCALED, G, "pearson")
ADJUSTED = "adjusted"
FREEDOMS = (ADJUSTED, "nominal")
CHI_SQUARED = "chi-squared"
SHUFFLES = "shuffles"
P_BY = (CHI_SQUARED, SHUFFLES)
N_SHUFFLES = 999
MAX_SHUFFLES = 10**6
MAX_SEED = 2**32 - 1
RELIABLE_SAMPLES = 5  # a test with fewer samples for every possible cell is called unreliable
MAX_FREEDOM_OF_HYPERU = 2000  # scipy's function is right to 1e-13 up to here; from about 7,000 on it may give nan
MAX_FREEDOM = 2.0**53  # larger nominal degrees of freedom are cut to this; p is 1 either way


@dataclass(frozen=True, kw_only=True)
class TestOptions:
    """How independence is tested; the fields are the parameters of :func:`bitsieve.independence_test`."""

    __test__ = False  # for pytest, which takes the name for a test

    test: str = SCALED
    freedom: str = ADJUSTED
    power: int = 0
    p_by: str = CHI_SQUARED
    n_shuffles: int = N_SHUFFLES
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS)
        check_choice("freedom", self.freedom, FREEDOMS)
        check_integer("power", self.power, 0)
        check_choice("p_by", self.p_by, P_BY)
        check_integer("n_shuffles", self.n_shuffles, 1, MAX_SHUFFLES)
        check_integer("random_state", self.random_state, 0, MAX_SEED)
        check_effects_of_test(self.test, self.freedom, self.p_by, self.n_shuffles)

    @property
    def optional_sums(self) -> OptionalSums:
        """The sums that this test needs beside those of every test."""
        return OptionalSums(expected_excess=self.test == SCALED, pearson=self.test == "pearson")


def check_effects_of_test(test: str, freedom: str, p_by: str, n_shuffles: int) -> None:
    """Refuse a number of shuffles without shuffles, and degrees of freedom for the scaled test, which has its own."""
    if n_shuffles != N_SHUFFLES and p_by != SHUFFLES:
        raise without_effect("n_shuffles", n_shuffles, {"p_by": SHUFFLES})
    if freedom != ADJUSTED and test == SCALED:
        raise without_effect("freedom", freedom, {"test": G})


class TestResult(NamedTuple):
    """The test of two variables within strata."""

    statistic: float
    degrees_of_freedom: int
    p: float  # 0 where it is too small for a float
    log_p: float  # natural logarithm
    bits: float  # I(X;Y|Z) by plug-in
    bits_by_chance: float  # the mean of I(X;Y|Z) over all shuffles within the strata; nan but for the scaled test
    n_strata: int  # how many strata occur
    least_expected: float  # the smallest m in the strata in which both vary; infinite if there are none
    is_reliable: bool  # whether there are at least five samples for every possible cell
    is_executed: bool  # False: there are fewer samples for every possible cell than ``power``, so that p is 1


class IndependenceTests:
    """Tests pairs of variables of a source within strata, each once: results are cached by pair and strata.

    A variable is the index of a column, or ``n_features`` for the class. ``levels`` has how many values a variable
    could have; by default it is as many as its type declares, or else as it has codes.
    """

    def __init__(
        self, source: ConditioningSource, options: TestOptions, levels: Mapping[int, int] | None = None
    ) -> None:
        self.entropy_terms = make_entropy_terms(source.n_samples)
        self.counts = IndependenceCounts(source, self.entropy_terms)
        self.options = options
        self.n_levels = self.counts.n_codes.copy()  # how many values each variable could have
        for variable, n_values in {**source.declared_values, **(levels or {})}.items():
            self.n_levels[variable] = n_values
        # A column that was cut by the classes got the best of many sets of cuts: p is multiplied by their number.
        self._log_penalties = np.append(log_codings(source, np.arange(source.n_features)), 0.0)
        self._has_penalties = bool(self._log_penalties.any())
        self._results: dict[tuple[int, int, Variables], TestResult] = {}

    @property
    def n_tests(self) -> int:
        """How many different tests were made."""
        return len(self._results)

    @property
    def n_not_executed(self) -> int:
        """How many tests had fewer samples for every possible cell than ``power``, so that p is 1."""
        return sum(not result.is_executed for result in self._results.values())

    @property
    def n_unreliable(self) -> int:
        """How many tests had fewer than five samples for every possible cell."""
        return sum(not result.is_reliable for result in self._results.values())

    def nominal_cells(self, variables: Sequence[int]) -> float:
        """The number of joint values that the variables could have, whether they occur or not."""
        n_levels: Floats = self.n_levels[list(variables)].astype(np.float64)
        return float(n_levels.prod())

    def test(self, x: int, y: int, strata: Sequence[int]) -> TestResult:
        """The test of x and y within the joint values of ``strata``, in any order."""
        (result,) = self.test_each(x, [y], strata)
        return result

    def test_each(self, x: int, others: Sequence[int], strata: Sequence[int]) -> list[TestResult]:
        """The tests of x with each of ``others`` within the joint values of ``strata``."""
        ascending = tuple(sorted(strata))
        keys = [(min(x, y), max(x, y), ascending) for y in others]
        untested = [y for y, key in zip(others, keys, strict=True) if key not in self._results]
        if untested:
            self._test_afresh(x, np.array(untested, np.intp), ascending)
        return [self._results[key] for key in keys]

    def _test_afresh(self, x: int, others: Columns, strata: Variables) -> None:
        """Make tests that are not cached."""
        sums = self.counts.sums(x, others, strata, self.options.optional_sums)
        shape = NominalShape(self.nominal_cells(strata), self.n_levels[others], self.n_levels[x])
        results = results_of(sums, shape, self.entropy_terms, self.options)
        for y, result in zip(others.tolist(), results, strict=True):
            if self.options.p_by == SHUFFLES and result.is_executed:
                p = self._p_by_shuffles(x, y, strata)
                result = result._replace(p=p, log_p=log(p))
            self._results[min(x, y), max(x, y), strata] = self._penalized(result, (x, y, *strata))

    def _p_by_shuffles(self, x: int, y: int, strata: Variables) -> float:
        """The share of tables whose G is at least the observed one: of the observed table and the shuffled ones.

        Shuffles within the strata leave the margins as they are, so that not G but the sums over the cells are
        compared, which are integers. The seeds follow from ``random_state`` and the variables alone.
        """
        low = min(x, y)
        high = max(x, y)
        (table,) = self.counts.tables(low, [high], strata)
        random = np.random.default_rng([self.options.random_state, low, high, *strata])
        seeds = random.integers(0, 2**64, self.options.n_shuffles, dtype=np.uint64)
        arrangement = Arrangement.of_table(table)
        if not len(arrangement.codes):
            return 1.0
        shuffled = arrangement.shuffled_sums(self.entropy_terms, seeds, self.counts.source.n_jobs)
        n_reached = int(np.count_nonzero(shuffled >= self.entropy_terms.sum(table.counts)))
        return (1 + n_reached) / (1 + self.options.n_shuffles)

    def _penalized(self, result: TestResult, variables: Variables) -> TestResult:
        """The result with p multiplied by the number of sets of cuts that the variables could have."""
        if not self._has_penalties:
            return result
        penalty = float(self._log_penalties[list(variables)].sum())
        log_p = min(0.0, result.log_p + penalty)
        return result._replace(p=exp(log_p), log_p=log_p)


@dataclass(frozen=True)
class NominalShape:
    """The shapes of the tables of several tests: what could occur, with samples or without."""

    n_strata: float
    n_first: Integers  # how many values the first variable of each test could have
    n_second: Integers

    @property
    def n_cells(self) -> Floats:
        """The number of cells of each table."""
        n_cells: Floats = self.n_strata * self.n_first.astype(np.float64) * self.n_second
        return n_cells

    @property
    def degrees_of_freedom(self) -> Floats:
        """The degrees of freedom if every cell had samples."""
        degrees_of_freedom: Floats = self.n_strata * (self.n_first.astype(np.float64) - 1) * (self.n_second - 1)
        return degrees_of_freedom


def results_of(
    sums: IndependenceSums, shape: NominalShape, entropy_terms: EntropyTerms, options: TestOptions
) -> list[TestResult]:
    """The tests with these sums, of tables of this shape."""
    n_samples = entropy_terms.n_samples
    bits = np.maximum(sums.information, 0) / entropy_terms.per_bit  # rounding of the terms may go below 0
    g = 2 * n_samples * log(2) * bits
    freedom: Floats = sums.degrees_of_freedom.astype(np.float64)
    is_possible = freedom > 0
    expected_g = np.full(len(g), np.nan)
    statistic = g
    if options.test == SCALED:
        expected_g = 2 * sums.expected_excess
        statistic = np.divide(g * freedom, expected_g, out=np.zeros_like(g), where=is_possible)
    elif options.test == "pearson":
        statistic = np.maximum(sums.pearson, 0.0)
    if options.test != SCALED and options.freedom == "nominal":
        freedom = np.minimum(shape.degrees_of_freedom, MAX_FREEDOM)
    is_executed = n_samples >= options.power * shape.n_cells
    is_possible = is_possible & is_executed
    statistic = np.where(is_possible, statistic, 0.0)
    log_p = np.where(is_possible, _log_tail(np.maximum(freedom, 1), statistic), 0.0)
    bits_by_chance = expected_g / (2 * n_samples * log(2))
    is_reliable = n_samples >= RELIABLE_SAMPLES * shape.n_cells
    return [
        TestResult(
            statistic=float(statistic[i]),
            degrees_of_freedom=int(freedom[i]),
            p=exp(log_p[i]),
            log_p=float(log_p[i]),
            bits=float(bits[i]),
            bits_by_chance=float(bits_by_chance[i]),
            n_strata=int(sums.n_strata[i]),
            least_expected=float(sums.least_expected[i]),
            is_reliable=bool(is_reliable[i]),
            is_executed=bool(is_executed[i]),
        )
        for i in range(len(bits))
    ]


def _log_tail(freedom: Floats, statistic: Floats) -> Floats:
    """The logarithm of the tail of chi-squared."""
    tail = np.asarray(chdtrc(freedom, statistic), np.float64)
    log_tail = np.log(np.maximum(tail, np.finfo(np.float64).tiny))
    is_tiny = log_tail < SMALLEST_LOG_TAIL
    is_large = freedom > MAX_FREEDOM_OF_HYPERU
    by_hyperu = is_tiny & ~is_large
    by_sum = is_tiny & is_large
    if by_hyperu.any():
        log_tail[by_hyperu] = _log_of_tiny_tail(freedom[by_hyperu], statistic[by_hyperu])
    if by_sum.any():
        log_tail[by_sum] = log_chi_squared_tail(freedom[by_sum].astype(np.int64), statistic[by_sum])
    return log_tail


def _log_of_tiny_tail(freedom: Floats, statistic: Floats) -> Floats:
    """The logarithm of the tail ``(x/2)^a exp(-x/2) U(1, 1 + a, x/2) / Gamma(a)`` with ``a = f/2``, without underflow.

    U is the confluent hypergeometric function of the second kind.
    """
    a = freedom / 2
    half = statistic / 2
    log_tail: Floats = a * np.log(half) - half + np.log(hyperu(1, 1 + a, half)) - gammaln(a)
    return log_tail
