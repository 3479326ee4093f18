"""Counts within strata that follow from one count, beside those of samples in memory."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.source import CountSource, refined
from bitsieve.counts.strata import (
    CountsWithinStrata,
    MergedClasses,
    SourceInStrata,
    StrataAndClasses,
    SumsOfOneCount,
    SumsOfPlanes,
    SumsWithinStrata,
    check_combinations,
    partition_by_strata,
)
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.diagnostics import UserError


class Counted(CountSource):
    """A source of tables alone, which says how many it has counted."""

    def __init__(self, source):
        self.source = source
        self.n_tables = 0
        for name in ("n_samples", "n_features", "n_classes", "arities", "class_sizes", "n_jobs"):
            setattr(self, name, getattr(source, name))

    def tables(self, pivot, columns, by_class):
        self.n_tables += len(columns)
        return self.source.tables(pivot, columns, by_class)


def samples(seed=0, n_samples=90):
    random = np.random.default_rng(seed)
    strata = random.integers(0, 4, n_samples)
    classes = np.where(strata == 3, 1, random.integers(0, 3, n_samples))  # stratum 3 has one class
    return random.integers(0, 3, (n_samples, 4)), classes, strata


def in_memory(codes, classes, strata):
    source = NaiveSource(codes, classes)
    source.strata = strata
    return source


def by_combination(codes, classes, strata, n_classes=3):
    numbers, labels = np.unique(strata * n_classes + classes, return_inverse=True)
    return NaiveSource(codes, labels), StrataAndClasses.of_numbers(numbers, n_classes)


def same_tables(first, second):
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.dense(), other.dense())


@pytest.mark.parametrize("pivot", [None, 2])
@pytest.mark.parametrize("by_class", [True, False])
def test_tables_by_class_are_those_of_samples_in_memory(pivot, by_class):
    rows = samples()
    source = SourceInStrata(*by_combination(*rows))
    columns = np.arange(4)
    same_tables(source.tables(pivot, columns, by_class), in_memory(*rows).tables(pivot, columns, by_class))
    assert source.class_sizes.tolist() == np.bincount(rows[1]).tolist()
    assert source.n_strata == 4


def test_tables_by_stratum_are_those_of_samples_in_memory():
    rows = samples()
    one_count = CountsWithinStrata.of_source(SourceInStrata(*by_combination(*rows)))
    two_counts = CountsWithinStrata.of_source(in_memory(*rows))
    assert one_count.stratum_source is None
    assert two_counts.stratum_source is not None
    columns = np.arange(4)
    merged = [one_count.table_by_stratum(table) for table in one_count.combination_source.tables(1, columns, True)]
    same_tables(merged, two_counts.stratum_source.tables(1, columns, True))
    assert one_count.stratum_sizes.tolist() == two_counts.stratum_sizes.tolist() == np.bincount(rows[2]).tolist()


@pytest.mark.parametrize("kernel", ["portable:planes", "portable:counters", "table"])
@pytest.mark.parametrize("columns", [None, np.array([0, 3])])
@pytest.mark.parametrize("by_class", [True, False])
def test_packed_sums_are_those_of_tables(kernel, columns, by_class):
    codes, classes, strata = samples()
    source = PackedSource(codes, classes, kernel=kernel)
    source.strata = strata[np.argsort(classes, kind="stable")]
    counts = CountsWithinStrata.of_source(source)
    sums = SumsWithinStrata.of_counts(counts)
    assert isinstance(sums, SumsOfPlanes) == (kernel == "portable:planes")
    assert (counts.stratum_source is None) == isinstance(sums, SumsOfPlanes)
    expected = SumsWithinStrata.of_counts(
        CountsWithinStrata.of_source(SourceInStrata(*by_combination(codes, classes, strata)))
    )
    assert isinstance(expected, SumsOfOneCount)
    terms = make_entropy_terms(90)
    for found, other in zip(sums.marginal_sums(terms), expected.marginal_sums(terms), strict=True):
        assert found.tolist() == other.tolist()
    found = sums.pair_sums(terms, 1, columns, by_class)
    other = expected.pair_sums(terms, 1, columns, True)
    assert found.pooled.tolist() == other.pooled.tolist()
    if by_class:
        assert found.by_class.tolist() == other.by_class.tolist()


def test_strata_of_one_class_each_keep_their_classes():
    codes, _, _ = samples()
    strata = np.arange(90) % 2
    classes = 1 - strata
    source = SourceInStrata(*by_combination(codes, classes, strata, n_classes=2))
    same_tables(source.tables(None, np.arange(4), True), NaiveSource(codes, classes).tables(None, np.arange(4), True))
    assert source.fused is None


def test_one_stratum_costs_what_none_costs():
    codes, classes, _ = samples()
    base, combinations = by_combination(codes, classes, np.zeros(90, int))
    source = SourceInStrata(base, combinations)
    table = source.tables(None, np.arange(1), True)[0]
    assert source.merged(table) is table


def test_sums_are_counted_once():
    rows = samples()
    base, combinations = by_combination(*rows)
    counted = Counted(base)
    sums = SumsWithinStrata.of_counts(CountsWithinStrata.of_source(SourceInStrata(counted, combinations)))
    expected = SumsWithinStrata.of_counts(CountsWithinStrata.of_source(in_memory(*rows)))
    terms = make_entropy_terms(90)
    for found, other in zip(sums.marginal_sums(terms), expected.marginal_sums(terms), strict=True):
        assert found.tolist() == other.tolist()
    assert counted.n_tables == 4
    columns = np.array([0, 2, 3])
    for found, other in zip(
        sums.pair_sums(terms, 1, columns, True), expected.pair_sums(terms, 1, columns, True), strict=True
    ):
        assert found.tolist() == other.tolist()
    assert counted.n_tables == 7
    assert sums.total(terms) == expected.total(terms)
    assert sums.class_sum(terms) == expected.class_sum(terms)


@pytest.mark.parametrize("conditions", [(), (2,), (3, 0)])
def test_partitions_are_those_of_samples_in_memory(conditions):
    rows = samples()
    found = refined(partition_by_strata(SourceInStrata(*by_combination(*rows))), conditions)
    expected = refined(partition_by_strata(in_memory(*rows)), conditions)
    assert found.keys.tolist() == expected.keys.tolist()
    assert found.n_parts == expected.n_parts
    for by_class in (True, False):
        same_tables(found.tables(np.arange(4), by_class), expected.tables(np.arange(4), by_class))
        same_tables(found.tables(None, by_class), expected.tables(None, by_class))
    terms = make_entropy_terms(90)
    seeds = np.arange(5, dtype=np.uint64)
    assert found.shuffled_sums(terms, 1, seeds).tolist() == expected.shuffled_sums(terms, 1, seeds).tolist()


def test_partitions_without_strata_have_the_classes():
    rows = samples()
    found = refined(SourceInStrata(*by_combination(*rows)).partition(), (1, 2))
    expected = refined(in_memory(*rows).partition(), (1, 2))
    assert found.keys.tolist() == expected.keys.tolist()
    same_tables(found.tables(np.arange(4), True), expected.tables(np.arange(4), True))


def test_groups_of_columns_are_counted_within_strata():
    rows = samples()
    groups = [np.array([0, 1]), np.array([3])]
    found = SourceInStrata(*by_combination(*rows)).joined(groups)
    expected = in_memory(*rows).joined(groups)
    assert found.n_strata == expected.n_strata
    same_tables(found.tables(0, np.array([1]), True), expected.tables(0, np.array([1]), True))


def test_too_many_combinations_are_refused():
    with pytest.raises(UserError) as raised:
        check_combinations((1 << 16) + 1)
    assert raised.value.code == "too-many-strata"


def test_sums_are_those_of_the_source_only_where_its_classes_stay():
    random = np.random.default_rng(0)
    source = PackedSource(random.integers(0, 3, (50, 4)).astype(np.uint16), np.arange(50) % 3)
    assert source.fused is not None
    assert type(MergedClasses(source, np.array([0, 1, 2]), 3).fused) is type(source.fused)
    assert MergedClasses(source, np.array([0, 0, 1]), 2).fused is None
    assert MergedClasses(source, np.array([0, 2, 1]), 3).fused is None
