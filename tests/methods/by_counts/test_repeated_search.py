"""Tails of candidates after shuffles: those of the definition, one shuffle and one column at a time."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

from bitsieve.counts.search import ExchangeableUnits, FixedCodes, joint_codes
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.methods.by_counts.stopping import repeated_search
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch

N = 80
SEEDS = np.arange(9, dtype=np.uint64)
CHOSEN, CANDIDATES = (4, 1), np.array([0, 2, 3, 5, 6])


@pytest.fixture
def made(make_table):
    codes, classes = make_table(N, 7, n_codes=3, n_classes=3, seed=2)
    codes[:, CHOSEN] = np.random.default_rng(0).integers(0, 2, (N, 2))  # which leave the class open
    codes[:, 3] = np.random.default_rng(1).integers(0, 3, N)
    codes[:, 5] = 1  # no column at all
    return SimpleNamespace(codes=codes, classes=classes)


def search_of(made, classes=None, candidates=CANDIDATES, n_jobs=1):
    search = FixedCodes(made.codes, made.classes if classes is None else classes, 3)
    return RepeatedSearch(search, CHOSEN, candidates, make_entropy_terms(N), n_jobs)


def tail_of(brute, made, column, classes):
    """Bits by loops, and the tail of chi-squared; 1 without freedom."""
    part = joint_codes([made.codes[:, j].astype(np.int64) for j in CHOSEN], N)
    bits = brute.conditional_information(made.codes[:, column], classes, part)
    freedom = sum(
        (len(np.unique(made.codes[part == z, column])) - 1) * (len(np.unique(classes[part == z])) - 1)
        for z in np.unique(part)
    )
    return bits, chi2.sf(2 * N * np.log(2) * bits, freedom) if freedom else 1.0


# Bits are sums of some 30 logarithms, and the tail follows them with a slope of at most 2 N ln 2, about 111.
CLOSE = {"rel": 1e-9, "abs": 1e-12}


def test_tails_and_bits_against_the_definition(brute, made):
    search = search_of(made)
    for column in CANDIDATES.tolist():
        bits, tail = tail_of(brute, made, column, made.classes)
        assert search.bits(column) == pytest.approx(bits, **CLOSE)
        assert search.tail(column) == pytest.approx(tail, **CLOSE)


@pytest.mark.parametrize(("block_columns", "labels"), [(1 << 10, 1 << 24), (2, 3 * N), (1, 1)])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_best_of_all_after_each_shuffle(made, monkeypatch, block_columns, labels, n_jobs):
    """In blocks of any size, on any number of threads."""
    monkeypatch.setattr(repeated_search, "BLOCK_COLUMNS", block_columns)
    monkeypatch.setattr(repeated_search, "BLOCK_VALUES", 0)
    monkeypatch.setattr(repeated_search, "MAX_SHUFFLED_LABELS", labels)
    monkeypatch.setattr(repeated_search, "LABELS_OF_DIVISION", 2 * N)
    search = search_of(made, n_jobs=n_jobs)
    shuffles = search.search.shuffled(search.parts, SEEDS)
    alone = [search_of(made, classes) for classes in shuffles]
    tails = [min(one.tail(column) for column in CANDIDATES.tolist()) for one in alone]
    bits = [max(one.bits(column) for column in CANDIDATES.tolist()) for one in alone]
    assert search.smallest_tails(SEEDS).tolist() == tails
    assert search.largest_bits(SEEDS).tolist() == bits
    assert len(set(tails)) == len(set(bits)) == len(SEEDS)
    assert search.reached(3)(SEEDS).tolist() == [tail <= search.tail(3) for tail in tails]


def test_columns_without_codes_have_the_tail_1(made):
    search = search_of(made, candidates=np.array([5]))
    assert search.smallest_tails(SEEDS).tolist() == [1.0] * len(SEEDS)
    assert search.largest_bits(SEEDS).tolist() == [0.0] * len(SEEDS)


def test_what_a_shuffle_reaches(made):
    """The best of all columns the tail of one; where samples belong together that column alone its own bits."""
    seeds, alone, together = np.arange(60, dtype=np.uint64), search_of(made), search_of(made)
    together.search.exchangeable_units = ExchangeableUnits.of(np.arange(N) // 2, made.classes)
    differ = 0
    for column in CANDIDATES.tolist():
        of_one = search_of(made, candidates=np.array([column]))
        of_one.search.exchangeable_units = together.search.exchangeable_units
        best = alone.smallest_tails(seeds) <= alone.tail(column)
        own = of_one.largest_bits(seeds) >= together.bits(column)
        assert alone.reached(column)(seeds).tolist() == best.tolist()
        assert together.reached(column)(seeds).tolist() == own.tolist()
        differ += bool((best != own).any())
    assert differ
