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

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from bitsieve.counts.source import Arrangement, ConditioningSource
from bitsieve.counts.stratified import StratifiedTables, Variables
from bitsieve.counts.tables import ContingencyTable, Terms, entropy_terms
from bitsieve.information.evidence import SMALLEST_LOG_TAIL, Cells, log_chi_squared_tail, log_codings
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.libraries import chdtrc
from bitsieve.utils.parameters import check_choice, check_integer

TESTS = ("scaled", "g", "pearson")
FREEDOMS = ("adjusted", "nominal")
RELIABLE_SAMPLES = 5  # a test with fewer samples for every possible cell is called unreliable
SERIES_FROM = 64.0  # where a cell has so many expected samples or more, a series gives the mean of c ln c
MAX_WEIGHTS = 1 << 20  # so many probabilities of counts are in memory at once
MAX_NUMBERED = 1 << 20  # n and two margins fit into one 64-bit integer if n is below this
MAX_FREEDOM = 2.0**53  # larger nominal degrees of freedom are cut to this; p is 1 either way


@dataclass(frozen=True, kw_only=True)
class TestOptions:
    """How independence is tested; the fields are the parameters of :func:`bitsieve.independence_test`."""

    __test__ = False  # for pytest, which takes the name for a test

    test: str = "scaled"
    freedom: str = "adjusted"
    power: int = 0

    def __post_init__(self) -> None:
        check_choice("test", self.test, TESTS)
        check_choice("freedom", self.freedom, FREEDOMS)
        check_integer("power", self.power, 0)


class TestResult(NamedTuple):
    """The test of two variables within strata."""

    statistic: float
    degrees_of_freedom: int
    log_p: float  # natural logarithm
    bits: float  # I(X;Y|Z) by plug-in
    bits_by_chance: float  # the mean of I(X;Y|Z) over all shuffles within the strata; nan but for the scaled test
    n_strata: int  # how many strata occur
    least_expected: float  # the smallest m in the strata in which both vary; infinite if there are none
    is_reliable: bool  # whether there are at least five samples for every possible cell


class IndependenceTests:
    """Tests pairs of variables of a source within strata, each once: results are cached by pair and strata.

    A variable is the index of a column, or ``n_features`` for the class.
    """

    def __init__(self, source: ConditioningSource, options: TestOptions) -> None:
        self.counts = StratifiedTables(source)
        self.options = options
        self.terms = entropy_terms(source.n_samples)
        # A column that was cut by the classes got the best of many sets of cuts: p is multiplied by their number.
        log_penalties = log_codings(source, np.arange(source.n_features))
        self._log_penalties = np.append(log_penalties, 0.0)
        self._results: dict[tuple[int, int, Variables], TestResult] = {}

    @property
    def n_tests(self) -> int:
        """How many different tests were made."""
        return len(self._results)

    @property
    def n_unreliable(self) -> int:
        """How many tests had fewer than five samples for every possible cell."""
        return sum(not result.is_reliable for result in self._results.values())

    def test(self, x: int, y: int, strata: Sequence[int]) -> TestResult:
        """The test of x and y within the joint values of ``strata``, in any order."""
        (result,) = self.test_each(x, [y], strata)
        return result

    def test_each(self, x: int, others: Sequence[int], strata: Sequence[int]) -> list[TestResult]:
        """The tests of x with each of ``others`` within the joint values of ``strata``."""
        ascending = tuple(sorted(strata))
        keys = [(min(x, y), max(x, y), ascending) for y in others]
        untested = [y for y, key in zip(others, keys, strict=True) if key not in self._results]
        for block in self.counts.blocks(np.array(untested, np.intp), ascending):
            tables = self.counts.tables(x, block.tolist(), ascending)
            n_strata = self.counts.nominal_strata(ascending)
            results = results_of(tables, n_strata, self.terms, self.options)
            for y, result in zip(block.tolist(), results, strict=True):
                self._results[min(x, y), max(x, y), ascending] = self._penalized(result, (x, y, *ascending))
        return [self._results[key] for key in keys]

    def p_by_shuffles(self, x: int, y: int, strata: Sequence[int], n_shuffles: int, random_state: int) -> float:
        """The share of tables whose G is at least the observed one: of the observed table and the shuffled ones.

        Shuffles within the strata leave the margins as they are, so that not G but the sums over the cells are
        compared, which are integers. The seeds follow from ``random_state`` and the variables alone.
        """
        low, high = sorted((x, y))
        ascending = tuple(sorted(strata))
        (table,) = self.counts.tables(low, [high], ascending)
        random = np.random.default_rng([random_state, low, high, *ascending])
        seeds = random.integers(0, 2**64, n_shuffles, dtype=np.uint64)
        arrangement = Arrangement.of_table(table)
        if not len(arrangement.codes):
            return 1.0
        shuffled = arrangement.shuffled_sums(self.terms, seeds, self.counts.source.n_jobs)
        n_reached = int(np.count_nonzero(shuffled >= self.terms.sum(table.counts)))
        return (1 + n_reached) / (1 + n_shuffles)

    def _penalized(self, result: TestResult, variables: Variables) -> TestResult:
        """The result with p multiplied by the number of sets of cuts that the variables could have."""
        penalty = float(self._log_penalties[list(variables)].sum())
        if penalty == 0:
            return result
        return result._replace(log_p=min(0.0, result.log_p + penalty))


def results_of(
    tables: Sequence[ContingencyTable], nominal_strata: float, terms: Terms, options: TestOptions
) -> list[TestResult]:
    """Test, in each table, whether the second and the third variable are independent within the strata.

    A table has the shape (strata, codes, classes). ``nominal_strata`` counts all strata that are possible, with samples
    or without.
    """
    cells = Cells.of_tables(tables)
    margins = _Margins.of_cells(cells, len(tables))
    sums = _sums(cells, len(tables), terms)
    bits = np.maximum(sums, 0) / terms.per_bit  # rounding of the terms may go below 0
    g = 2 * terms.n_samples * log(2) * bits
    adjusted = margins.degrees_of_freedom
    expected_g = np.full(len(tables), np.nan)
    statistic = g
    freedom: Floats = adjusted.astype(np.float64)
    if options.test == "scaled":
        expected_g = margins.expected_g()
        statistic = np.divide(g * adjusted, expected_g, out=np.zeros_like(g), where=adjusted > 0)
    elif options.freedom == "nominal":
        nominal = [(table.shape[1] - 1.0) * (table.shape[2] - 1) * nominal_strata for table in tables]
        freedom = np.minimum(nominal, MAX_FREEDOM)
    if options.test == "pearson":
        statistic = _pearson(cells, len(tables))
    n_cells = np.array([float(table.shape[1]) * table.shape[2] * nominal_strata for table in tables])
    is_possible = adjusted > 0
    if options.power:
        is_possible = is_possible & (terms.n_samples >= options.power * n_cells)
    statistic = np.where(is_possible, statistic, 0.0)
    log_p = np.where(is_possible, _log_tail(np.maximum(freedom, 1), statistic), 0.0)
    by_chance = expected_g / (2 * terms.n_samples * log(2))
    is_reliable = terms.n_samples >= RELIABLE_SAMPLES * n_cells
    n_strata = np.bincount(cells.parts.owner, minlength=len(tables))
    return [
        TestResult(*values)
        for values in zip(
            statistic.tolist(),
            freedom.astype(np.int64).tolist(),
            log_p.tolist(),
            bits.tolist(),
            by_chance.tolist(),
            n_strata.tolist(),
            margins.least_expected.tolist(),
            is_reliable.tolist(),
            strict=True,
        )
    ]


def _log_tail(freedom: Floats, statistic: Floats) -> Floats:
    """The logarithm of the tail of chi-squared."""
    tail = np.asarray(chdtrc(freedom, statistic), np.float64)
    log_tail = np.log(np.maximum(tail, np.finfo(np.float64).tiny))
    is_tiny = log_tail < SMALLEST_LOG_TAIL
    log_tail[is_tiny] = log_chi_squared_tail(freedom[is_tiny].astype(np.int64), statistic[is_tiny])
    return log_tail


def _sums(cells: Cells, n_tables: int, terms: Terms) -> Integers:
    """``S_xyz + S_z - S_xz - S_yz`` of every table: N I(X;Y|Z) in terms."""
    sums = np.zeros(n_tables, np.int64)
    np.add.at(sums, cells.parts.owner[cells.parts.of_cell], terms.lookup(cells.n))
    np.add.at(sums, cells.parts.owner, terms.lookup(cells.parts.size.astype(np.int64)))
    np.subtract.at(sums, cells.parts.owner[cells.codes.owner], terms.lookup(cells.codes.size.astype(np.int64)))
    np.subtract.at(sums, cells.parts.owner[cells.labels.owner], terms.lookup(cells.labels.size.astype(np.int64)))
    return sums


@dataclass(frozen=True)
class _Margins:
    """The pair of margins of each possible cell, in the strata in which both variables vary."""

    degrees_of_freedom: Integers  # shape (n_tables,)
    least_expected: Floats  # shape (n_tables,)
    table: Integers  # shape (n_pairs,): the index of the table of each pair
    n_z: Integers  # shape (n_pairs,)
    n_xz: Integers  # shape (n_pairs,)
    n_yz: Integers  # shape (n_pairs,)

    @classmethod
    def of_cells(cls, cells: Cells, n_tables: int) -> _Margins:
        n_codes = np.bincount(cells.codes.owner)
        n_labels = np.bincount(cells.labels.owner)
        freedom_of_part = (n_codes - 1) * (n_labels - 1)
        freedom = np.zeros(n_tables, np.int64)
        np.add.at(freedom, cells.parts.owner, freedom_of_part)
        # Every code of a stratum makes a pair with every label of that stratum. Labels are numbered stratum by stratum,
        # so that those of a stratum follow each other.
        codes = np.flatnonzero(freedom_of_part[cells.codes.owner] > 0)
        part_of_code = cells.codes.owner[codes]
        n_pairs = n_labels[part_of_code]
        code = np.repeat(codes, n_pairs)
        part = np.repeat(part_of_code, n_pairs)
        first_pair = np.cumsum(n_pairs) - n_pairs
        first_label = np.cumsum(n_labels) - n_labels
        label = np.arange(len(code)) - np.repeat(first_pair - first_label[part_of_code], n_pairs)
        n_z = cells.parts.size[part].astype(np.int64)
        n_xz = cells.codes.size[code].astype(np.int64)
        n_yz = cells.labels.size[label].astype(np.int64)
        table = cells.parts.owner[part]
        least_expected = np.full(n_tables, np.inf)
        np.minimum.at(least_expected, table, n_xz * n_yz / n_z)
        return cls(freedom, least_expected, table, n_z, n_xz, n_yz)

    def expected_g(self) -> Floats:
        """E[G] of every table."""
        excess_of_pairs = 2 * excess(self.n_z, self.n_xz, self.n_yz)
        return np.bincount(self.table, excess_of_pairs, len(self.degrees_of_freedom)).astype(np.float64)


def _pearson(cells: Cells, n_tables: int) -> Floats:
    """``sum (n_xyz - m)^2 / m = sum n_xyz^2 / m - N`` of every table, over the strata in which both vary."""
    n = cells.n.astype(np.float64)
    n_z = cells.parts.size[cells.parts.of_cell]
    n_xz = cells.codes.size[cells.codes.of_cell]
    n_yz = cells.labels.size[cells.labels.of_cell]
    excess_of_cells = n / n_xz * n / n_yz * n_z - n
    statistic = np.bincount(cells.parts.owner[cells.parts.of_cell], excess_of_cells, n_tables).astype(np.float64)
    return np.maximum(statistic, 0.0)


def excess(n: Integers, a: Integers, b: Integers) -> Floats:
    """``E[c ln c] - m ln m`` with ``m = a b / n``, for c hypergeometric: a draws out of n samples, b of one kind.

    Arrays of one shape. The mean is exact where m is below 64; beyond, the error of its series is below 1e-4.
    """
    mean = a / n * b
    result = np.empty(len(n))
    is_large = mean >= SERIES_FROM
    result[is_large] = _excess_by_series(n[is_large], a[is_large], b[is_large])
    is_small = np.flatnonzero(~is_large)
    if len(is_small):
        result[is_small] = _excess_of_distinct(n[is_small], a[is_small], b[is_small])
    return result


def _excess_by_series(n: Integers, a: Integers, b: Integers) -> Floats:
    """The excess by the central moments up to the fourth: ``mu_2 / 2m - mu_3 / 6m^2 + mu_4 / 12m^3``."""
    size = n.astype(np.float64)
    mean = a / size * b
    variance_of_a = a / size * (1 - a / size)  # of one draw that is among the a, or not
    variance_of_b = b / size * (1 - b / size)
    variance = size * variance_of_a * (size * variance_of_b) / (size - 1)
    third = variance * (1 - 2 * a / size) * (1 - 2 * b / size) * size / (size - 2)
    kurtosis = (size - 1) * (1 + 1 / size - 6 * (variance_of_a + variance_of_b))
    kurtosis = kurtosis + 6 * (5 * size - 6) * variance_of_a * variance_of_b
    fourth = variance * (3 * variance + kurtosis * size / (size - 1) * size / (size - 2) / (size - 3))
    return variance / (2 * mean) - third / (6 * mean**2) + fourth / (12 * mean**3)


def _excess_of_distinct(n: Integers, a: Integers, b: Integers) -> Floats:
    """The excess by summation over all counts, once for each distinct triple."""
    if n.max() >= MAX_NUMBERED:
        return _excess_by_summation(n, a, b)
    low = np.minimum(a, b)
    high = np.maximum(a, b)
    number = (n * MAX_NUMBERED + low) * MAX_NUMBERED + high
    _, first, index = np.unique(number, return_index=True, return_inverse=True)
    return _excess_by_summation(n[first], low[first], high[first])[index]


def _excess_by_summation(n: Integers, a: Integers, b: Integers) -> Floats:
    """The excess by summation over all counts that are likely enough to matter.

    ``P(c + 1) / P(c) = (a - c) (b - c) / ((c + 1) (n - a - b + c + 1))`` gives all probabilities relative to that of
    the smallest count.
    """
    mean = a / n * b
    smallest = np.maximum(0, a + b - n)
    # By Bernstein's inequality, counts above this reach have a probability below 2^-64 together.
    reach = np.ceil(mean + 20 + np.sqrt(220 + 90 * mean)).astype(np.int64)
    n_counts = np.minimum(np.minimum(a, b), reach) - smallest + 1
    result = np.empty(len(n))
    order = np.argsort(n_counts, kind="stable")
    ascending = n_counts[order]
    start = 0
    while start < len(order):
        max_width = max(16, 2 * int(ascending[start]))  # rows of similar length are computed together
        end = int(np.searchsorted(ascending, max_width, side="right"))
        end = min(end, start + MAX_WEIGHTS // max_width)
        rows = order[start:end]
        result[rows] = _mean_of_rows(n[rows], a[rows], b[rows], smallest[rows], int(ascending[end - 1]))
        start = end
    return result - mean * np.log(mean)


def _mean_of_rows(n: Integers, a: Integers, b: Integers, smallest: Integers, width: int) -> Floats:
    """E[c ln c] of every row, over ``width`` counts from the smallest."""
    count = smallest[:, None] + np.arange(width)
    before = count[:, 1:] - 1
    ratio = (a[:, None] - before) * (b[:, None] - before) / (count[:, 1:] * (n - a - b)[:, None] + count[:, 1:] ** 2)
    weight = np.ones(count.shape)
    np.cumprod(np.maximum(ratio, 0.0), axis=1, out=weight[:, 1:])
    value = count * np.log(np.maximum(count, 1))
    mean: Floats = (weight * value).sum(axis=1) / weight.sum(axis=1)
    return mean
