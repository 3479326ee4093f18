"""Tests of tables: the tail of chi-squared, and a bound for any number of samples."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import exp, lgamma, log

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import ContingencyTable
from bitsieve.information import log_tails as log_tails_module
from bitsieve.information import make_information
from bitsieve.information.evidence import carries_information
from bitsieve.information.log_tails import log_tails, log_tails_of_pairs


def table_of(part, code, label):
    """The contingency table of three vectors of codes."""
    shape = tuple(int(np.max(codes)) + 1 for codes in (part, code, label))
    return ContingencyTable.of_samples(shape, np.ravel_multi_index((part, code, label), shape))


def log_tail(table):
    return float(log_tails([table])[0])


def test_the_bound_has_a_mean_of_at_most_one_over_all_shuffles():
    """The inverse of p over all tables of two parts, each with its share of the shuffles of the classes."""
    mean, least = 0.0, 1.0
    for first, second in product(range(9), range(4)):  # samples of class 1 with code 1
        part, code = np.repeat([0, 1], [16, 7]), np.repeat([0, 1, 0, 1], [8, 8, 4, 3])
        label = np.concatenate([np.arange(8) < size for size in (8 - first, first)])
        label = np.concatenate([label, np.arange(4) < 3 - second, np.arange(3) < second]).astype(int)
        tail = log_tail(table_of(part, code, label))
        assert tail <= 0
        share = hypergeom.pmf(first, 16, 8, 8) * hypergeom.pmf(second, 7, 3, 3)
        mean += share * exp(-tail) * (tail < 0)  # p is cut off at 1
        least = min(least, exp(tail))
    assert 0.01 < mean <= 1
    assert least < 0.01


def bound_by_loops(part, code, label, k):
    """The bound on p by its formula, with k classes."""

    def sizes(*vectors):
        return Counter(zip(*vectors, strict=True))

    shuffled = sum(lgamma(n + 1) for n in sizes(part, label).values())
    shuffled -= sum(lgamma(n + 1) for n in sizes(part).values())
    learned = sum(lgamma(k / 2) - lgamma(n + k / 2) for n in sizes(part, code).values())
    learned += sum(lgamma(n + 1 / 2) - lgamma(1 / 2) for n in sizes(part, code, label).values())
    return min(0.0, shuffled - learned)


@pytest.mark.parametrize("seed", range(5))
def test_small_tables_have_the_bound(seed):
    random = np.random.default_rng(seed)
    label = random.permutation(np.arange(30) % 3)
    part, code = random.integers(0, 2, 30), np.where(random.random(30) < 0.9, label, random.integers(0, 4, 30))
    tail = log_tail(table_of(part, code, label))
    assert tail < 0
    # sums of some dozen logarithms of gamma
    assert tail == pytest.approx(bound_by_loops(part, code, label, 3), rel=1e-12)


@pytest.mark.parametrize("one_less", [False, True])
def test_the_tail_of_chi_squared_holds_from_five_expected_samples_on(one_less):
    """Cells of two codes and two classes of 10 samples each expect 5; a part of a single code is no matter."""
    code, label = np.repeat([0, 1, 0], [10, 10, 1]), np.array(([0] * 8 + [1] * 2) + ([0] * 2 + [1] * 8) + [0])
    part = np.repeat([0, 1], [20, 1])
    code[0] ^= one_less  # codes of 9 and 11 samples expect 4.5
    tail = log_tail(table_of(part, code, label))
    counts = Counter(zip(code[:20], label[:20], strict=True))
    codes, labels = np.bincount(code[:20]), np.bincount(label[:20])
    g = 2 * sum(n * log(20 * n / (codes[x] * labels[c])) for (x, c), n in counts.items())
    expected = bound_by_loops(part, code, label, 2) if one_less else chi2.logsf(g, 1)
    assert tail == pytest.approx(expected, rel=1e-9)  # two ways to sum four logarithms


@pytest.mark.parametrize("n", [150, 3000, 30_000])
@pytest.mark.parametrize("n_codes", [2, 3, 5])
def test_tails_beyond_the_smallest_float_are_bounded(n, n_codes):
    """Copies of the class; the bound, Chernoff's, lies above the tail."""
    code = np.arange(n) % n_codes
    tail = log_tail(table_of(np.zeros(n, int), code, code))
    freedom, g = (n_codes - 1) ** 2, 2 * n * log(n_codes)
    # Gamma(a, x) = x^(a - 1) exp(-x) (1 + (a - 1) / x + ...), for x far above a
    a, x = freedom / 2, g / 2
    series = np.cumprod([1.0, *((a - i) / x for i in range(1, 30))]).sum()
    true = (a - 1) * log(x) - x + log(series) - lgamma(a)
    chernoff = a * (1 + log(x / a)) - x
    assert true < chernoff
    is_float = true > -660  # 1e-290 and more
    assert is_float == (n == 150)
    assert tail == pytest.approx(true if is_float else chernoff, rel=1e-9)  # logarithms of some thousands


def test_large_tables_have_the_tail_of_chi_squared():
    random = np.random.default_rng(0)
    part, code, label = random.integers(0, 2, 600), random.integers(0, 3, 600), random.integers(0, 2, 600)
    source = NaiveSource(np.column_stack([code, part]), label)
    bits = make_information("plug-in", source).pair(1, np.array([0])).conditional_relevance[0]
    tail = chi2.logsf(2 * 600 * np.log(2) * bits, 2 * 2 * 1)
    found = log_tails([table_of(part, code, label), table_of(0 * part, 0 * code, label)])
    assert found == pytest.approx([tail, 0.0], rel=1e-9)  # two ways to sum 12 logarithms; of one code p is 1


def test_tails_of_pairs_in_blocks_of_any_size(monkeypatch, make_table):
    codes, classes = make_table(80, 12, n_codes=4, seed=3)
    information = make_information("plug-in", NaiveSource(codes, classes))
    expected = carries_information(information, np.arange(12)).value
    monkeypatch.setattr(log_tails_module, "CELLS_AT_ONCE", 0)
    assert carries_information(information, np.arange(12)).value.tolist() == expected.tolist()
    pairs = [(None, np.arange(12)), (3, np.array([1, 7])), (0, np.array([2]))]
    of_each = [log_tails_of_pairs(information.source, [pair]) for pair in pairs]
    assert log_tails_of_pairs(information.source, pairs).tolist() == np.concatenate(of_each).tolist()
