"""Partitions of the packed engine by every kernel: every sum against the table counted plainly, equal integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import term_sum

from bitsieve.counts.kernels import available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import refined, sums_of
from bitsieve.counts.tables import make_entropy_terms


def cell_sum(columns, shift):
    counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]
    return term_sum(counts, shift)


def build(n_samples, n_codes, n_classes, seed):
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_codes, (n_samples, 6)).astype(np.uint16)
    return codes, random.integers(0, n_classes, n_samples)


tables = st.builds(build, st.integers(1, 120), st.sampled_from([1, 2, 3, 40]), st.integers(1, 4), st.integers(0, 999))


@settings(deadline=None, max_examples=80)
@given(table=tables, conditioning=st.lists(st.integers(0, 5), max_size=4), kernel=st.sampled_from(available_kernels()))
def test_sums(table, conditioning, kernel):
    codes, classes = table
    source = PackedSource(codes, classes, kernel=kernel)
    terms = make_entropy_terms(source.n_samples)
    partition = refined(source.partition(), conditioning)
    z = [codes[:, g] for g in conditioning] or [np.zeros(len(codes))]
    assert partition.n_parts == len(np.unique(np.column_stack(z), axis=0))
    assert partition.marginal_sums(terms) == (cell_sum(z, terms.shift), cell_sum([*z, classes], terms.shift))
    xz, xzc = partition.sums(terms, np.arange(6))
    assert xz.tolist() == [cell_sum([*z, codes[:, i]], terms.shift) for i in range(6)]
    assert xzc.tolist() == [cell_sum([*z, codes[:, i], classes], terms.shift) for i in range(6)]
    some = np.array([4, 1])
    assert [part.tolist() for part in partition.sums(terms, some)] == [xz[some].tolist(), xzc[some].tolist()]


def test_one_condition_is_a_pair():
    """The partition by one feature has its codes for parts, and the sums of the pair."""
    codes, classes = build(500, 4, 3, 1)
    source = PackedSource(codes, classes)
    terms = make_entropy_terms(source.n_samples)
    for pivot in range(6):
        sums = source.partition().refine(pivot).sums(terms, np.arange(6))
        pair = sums_of(source).pair_sums(terms, pivot, None, True)
        assert [part.tolist() for part in sums] == [part.tolist() for part in pair]


def test_parts_of_one_sample_are_dropped():
    codes = np.array([[0], [0], [1], [2]], np.uint8)
    partition = PackedSource(codes, np.array([0, 1, 0, 1])).partition().refine(0)
    assert len(partition.order) == 2
    assert len(partition.refine(0).order) == 2
    assert partition.keys.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_same_integers_for_any_number_of_threads(n_jobs):
    codes, classes = build(40_000, 3, 4, 2)
    seeds = np.arange(64, dtype=np.uint64)
    terms = make_entropy_terms(40_000)
    one, several = (refined(PackedSource(codes, classes, n_jobs=n).partition(), [1, 2]) for n in (1, n_jobs))
    assert one.shuffled_sums(terms, 0, seeds).tolist() == several.shuffled_sums(terms, 0, seeds).tolist()
    sums = [[part.tolist() for part in partition.sums(terms, np.arange(6))] for partition in (one, several)]
    assert sums[0] == sums[1]


def test_tables_are_the_same_whether_those_of_fewer_members_were_counted_or_not():
    random = np.random.default_rng(2)
    source = PackedSource(random.integers(0, 4, (40, 5)), random.integers(0, 2, 40))
    partition = source.partition()
    members = []
    for feature in (3, 0, 4):
        partition = partition.refine(feature)
        members.append(feature)
        fresh = refined(source.partition(), members)
        assert partition.keys.tolist() == fresh.keys.tolist()
        for table, fresh_table in zip(partition.tables(None, True), fresh.tables(None, True), strict=True):
            assert table.counts.tolist() == fresh_table.counts.tolist()
