"""Strata of samples: every sum against the table counted plainly, equal integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.counts import reference
from bitsieve.counts.kernels import available_kernels
from bitsieve.counts.packed import MemoryCounts


def cell_sum(columns, shift):
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    return reference.term_sum(counts, shift)


def refined(source, features):
    strata = source.strata()
    for feature in features:
        strata = strata.refine(feature)
    return strata


def build(n_samples, n_codes, n_classes, seed):
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_codes, (n_samples, 6)).astype(np.uint16)
    return codes, random.integers(0, n_classes, n_samples)


tables = st.builds(build, st.integers(1, 120), st.sampled_from([1, 2, 3, 40]), st.integers(1, 4), st.integers(0, 999))


@settings(deadline=None, max_examples=80)
@given(
    table=tables, given_features=st.lists(st.integers(0, 5), max_size=4), kernel=st.sampled_from(available_kernels())
)
def test_sums(table, given_features, kernel):
    codes, classes = table
    source = MemoryCounts(codes, classes, kernel=kernel)
    shift = source.terms.shift
    strata = refined(source, given_features)
    z = [codes[:, g] for g in given_features] or [np.zeros(len(codes))]
    assert strata.alone() == (cell_sum(z, shift), cell_sum([*z, classes], shift))
    xz, xzc = strata.sums(None)
    assert xz.tolist() == [cell_sum([*z, codes[:, i]], shift) for i in range(6)]
    assert xzc.tolist() == [cell_sum([*z, codes[:, i], classes], shift) for i in range(6)]
    some = np.array([4, 1])
    assert [part.tolist() for part in strata.sums(some)] == [xz[some].tolist(), xzc[some].tolist()]


@settings(deadline=None, max_examples=40)
@given(table=tables, given_features=st.lists(st.integers(0, 5), max_size=3))
def test_degrees_of_freedom(table, given_features):
    codes, classes = table
    strata = refined(MemoryCounts(codes, classes), given_features)
    key = [tuple(row) for row in codes[:, given_features]]
    expected = 0
    for stratum in set(key):
        inside = [k == stratum for k in key]
        expected += (len(set(codes[inside, 5])) - 1) * (len(set(classes[inside])) - 1)
    assert strata.degrees_of_freedom(5) == expected


def test_order_of_features_does_not_matter():
    codes, classes = build(200, 3, 3, 5)
    source = MemoryCounts(codes, classes)
    one, other = refined(source, [0, 3, 4]), refined(source, [4, 0, 3])
    assert one.alone() == other.alone()
    assert [part.tolist() for part in one.sums(None)] == [part.tolist() for part in other.sums(None)]


def test_one_condition_is_a_pair():
    """Given one feature, the strata are its codes and the sums those of the pair."""
    codes, classes = build(500, 4, 3, 1)
    source = MemoryCounts(codes, classes)
    for pivot in range(6):
        sums = source.strata().refine(pivot).sums(None)
        assert [part.tolist() for part in sums] == [part.tolist() for part in source.pair_sums(pivot, None, True)]


def test_samples_alone_are_dropped():
    codes = np.array([[0], [0], [1], [2]], np.uint8)
    strata = MemoryCounts(codes, np.array([0, 1, 0, 1])).strata().refine(0)
    assert strata.n_kept == 2
    assert strata.refine(0).n_kept == 2


def all_shuffles(codes, classes, shift):
    """The sum over (stratum, code, class) after each of the permutations of codes within strata of column 0."""
    from itertools import permutations, product

    strata = [np.flatnonzero(codes[:, 0] == z) for z in np.unique(codes[:, 0])]
    sums = []
    for orders in product(*(permutations(s.tolist()) for s in strata)):
        shuffled = codes[:, 1].copy()
        for stratum, order in zip(strata, orders, strict=True):
            shuffled[stratum] = codes[list(order), 1]
        sums.append(cell_sum([codes[:, 0], shuffled, classes], shift))
    return sums


def test_shuffles_are_uniform():
    """Their sums occur as often as among all permutations within the strata."""
    codes = np.array([[0, 0], [0, 1], [0, 1], [0, 2], [1, 0], [1, 0], [1, 1]], np.uint8)
    classes = np.array([0, 0, 1, 1, 0, 1, 1])
    source = MemoryCounts(codes, classes)
    expected = all_shuffles(codes, classes, source.terms.shift)
    n = 20_000
    drawn = source.strata().refine(0).shuffled_sums(1, np.arange(n, dtype=np.uint64))
    assert set(drawn.tolist()) == set(expected)
    for value in set(expected):
        share = expected.count(value) / len(expected)
        # five standard deviations of a share of n independent draws
        assert abs((drawn == value).mean() - share) < 5 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_same_integers_for_any_number_of_threads(n_jobs):
    codes, classes = build(40_000, 3, 4, 2)
    seeds = np.arange(64, dtype=np.uint64)
    one, several = (refined(MemoryCounts(codes, classes, n_jobs=n), [1, 2]) for n in (1, n_jobs))
    assert one.shuffled_sums(0, seeds).tolist() == several.shuffled_sums(0, seeds).tolist()
    assert [part.tolist() for part in one.sums(None)] == [part.tolist() for part in several.sums(None)]
