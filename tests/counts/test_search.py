"""Codes that shuffles of the classes are held against: parts, shuffles, dependence cell by cell, groups of columns."""

from __future__ import annotations

from math import comb, log, prod
from types import SimpleNamespace

import numpy as np
import pytest

from bitsieve.counts import search as search_module
from bitsieve.counts.reference import term
from bitsieve.counts.search import ExchangeableUnits, FixedCodes, JoinedSearch, Parts, joint_codes, shuffled
from bitsieve.counts.tables import make_entropy_terms

N = 60
SEEDS = np.arange(6, dtype=np.uint64)
COLUMNS = np.arange(5)


@pytest.fixture
def made():
    """Columns of few codes, the last constant, classes that the first follows, and parts of the samples."""
    random = np.random.default_rng(1)
    classes = random.integers(0, 3, N)
    codes = random.integers(0, 4, (N, 5))
    codes[:, 0] = np.where(random.random(N) < 0.7, classes, codes[:, 0])
    codes[:, 4] = 0
    return SimpleNamespace(codes=codes.astype(np.uint8), classes=classes, part=random.integers(0, 3, N))


def dependence(codes, classes, part, shift):
    """By the definition: in each part degrees of freedom, and N I(X;C|Z) of whole numbers."""
    freedom = total = 0
    for z in np.unique(part):
        x, c = codes[part == z].astype(np.int64), classes[part == z]
        freedom += (len(np.unique(x)) - 1) * (len(np.unique(c)) - 1)
        sizes = [np.unique(values, return_counts=True)[1] for values in (x * 1000 + c, x, c, c * 0)]
        total += sum(sign * term(int(n), shift) for sign, some in zip((1, -1, -1, 1), sizes, strict=True) for n in some)
    return freedom, total


def assert_dependence(found, columns, classes, part, shift):
    """Of each column of codes on each row of classes."""
    for place, codes in enumerate(columns):
        for vector, labels in enumerate(classes):
            of_one = found.freedom[place, vector], found.sums[place, vector]
            assert of_one == dependence(codes, labels, part, shift)


def test_parts_are_the_samples_in_their_order(made):
    parts = Parts.of(made.part)
    assert parts.part_of_sample().tolist() == made.part.tolist()
    pieces = np.split(parts.order, parts.starts[1:-1])
    assert [piece.tolist() for piece in pieces] == [np.flatnonzero(made.part == z).tolist() for z in range(3)]
    assert (parts.starts[0], parts.starts[-1]) == (0, N)


def test_a_shuffle_keeps_the_classes_of_each_stratum_and_is_that_of_its_seed(made):
    rows = shuffled(made.classes.astype(np.int32), Parts.of(made.part), SEEDS)
    for row in rows:
        for z in range(3):
            assert sorted(row[made.part == z]) == sorted(made.classes[made.part == z])
    assert len(np.unique(rows, axis=0)) == len(SEEDS)
    np.testing.assert_array_equal(shuffled(made.classes.astype(np.int32), Parts.of(made.part), SEEDS[4:5]), rows[4:5])


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("of_thread", [1 << 15, 1])
def test_the_kth_sample_of_a_part_gets_the_class_of_the_kth_smallest_key(made, monkeypatch, n_jobs, of_thread):
    """On any number of threads."""
    monkeypatch.setattr(search_module, "LABELS_OF_THREAD", of_thread)
    order = np.argsort(made.part, kind="stable")
    seeds = np.array([0, 1, 2**32 - 1, 2**32, 2**64 - 1], np.uint64)
    found = shuffled(made.classes.astype(np.int32), Parts.of(made.part), seeds, n_jobs)
    for row, seed in zip(found, seeds.tolist(), strict=True):
        by_key = np.lexsort((np.random.default_rng(seed).random(N), made.part))
        assert row[order].tolist() == made.classes[by_key].tolist()


def test_strata_of_one_sample_stay_as_they_are(made):
    rows = shuffled(made.classes.astype(np.int32), Parts.of(np.arange(N)), SEEDS)
    assert (rows == made.classes).all()


@pytest.mark.parametrize("seed", range(20))
def test_units_are_those_of_the_definition(seed):
    random = np.random.default_rng(seed)
    n = random.integers(1, 12)
    groups, classes = random.integers(0, 5, n), random.integers(0, 2, n)
    units = ExchangeableUnits.of(groups, classes)
    whole = np.array([len(set(classes[groups == group].tolist())) == 1 for group in groups])
    for i in range(n):
        alike = (groups == groups[i]) if whole[i] else np.arange(n) == i
        assert ((units.unit_of_sample == units.unit_of_sample[i]) == alike).all()
        assert units.stratum[units.unit_of_sample[i]] == (0 if whole[i] else groups[i] + 1)
        assert units.first_sample[units.unit_of_sample[i]] == np.flatnonzero(alike)[0]
    assert (
        sorted(set(units.unit_of_sample.tolist()))
        == list(range(len(units.first_sample)))
        == list(range(len(units.stratum)))
    )


def test_units_are_whole_groups_and_samples_of_groups_of_several_classes():
    groups, classes = np.array([3, 3, 0, 0, 3, 2]), np.array([1, 1, 0, 1, 1, 0])
    units = ExchangeableUnits.of(groups, classes)
    assert units.unit_of_sample.tolist() == [1, 1, 2, 3, 1, 0]  # groups 2 and 3 as wholes, then the samples of group 0
    assert units.stratum.tolist() == [0, 0, 1, 1]
    assert units.first_sample.tolist() == [5, 0, 2, 3]
    rows = units.shuffled(classes, np.zeros(6, np.int64), np.arange(20, dtype=np.uint64))
    assert {tuple(row[[0, 5]]) for row in rows} == {(1, 0), (0, 1)}  # the wholes exchange their classes
    assert (rows[:, [0, 1, 4]] == rows[:, :1]).all()
    assert {tuple(row[2:4]) for row in rows} == {(0, 1), (1, 0)}


@pytest.mark.each_value
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lazy", [False, True], ids=["an array", "column by column"])
def test_dependence_of_fixed_codes_is_counted_cell_by_cell(made, weighted, lazy):
    weights = np.arange(N) % 3 if weighted else None
    rows = np.repeat(np.arange(N), 1 if weights is None else weights)
    codes = SimpleNamespace(column=lambda j: made.codes[:, j]) if lazy else made.codes
    search = FixedCodes(codes, made.classes, 3, weights)
    assert search.classes.tolist() == made.classes[rows].tolist()
    part = made.part[rows]
    terms, parts = make_entropy_terms(len(rows)), Parts.of(part)
    classes = np.vstack([search.classes, search.shuffled(parts, SEEDS)])
    found = search.dependence(classes, COLUMNS, parts, terms)
    assert_dependence(found, made.codes[rows].T, classes, part, terms.shift)
    assert not found.sums[4].any()
    assert [search.log_codings(column) for column in COLUMNS] == [0.0] * 5  # they cost no search
    again = dict(search.recoded(classes[1], COLUMNS))
    assert sorted(again) == [0, 1, 2, 3]  # of several codes
    for column, one in again.items():
        np.testing.assert_array_equal(one, made.codes[rows, column])


@pytest.mark.parametrize("seed", range(10))
def test_columns_of_several_codes_are_made_again_and_no_others(seed):
    random = np.random.default_rng(seed)
    codes = np.stack([random.integers(0, arity, 9) for arity in random.integers(1, 4, 7)], axis=1)
    several = np.flatnonzero(codes.max(axis=0) > 0)
    search = FixedCodes(codes, np.zeros(9, np.int32), 1)
    some = random.permutation(7)[:5]
    assert [column for column, _ in search.recoded(search.classes, some)] == [j for j in some if j in several]
    groups = [some[:2], some[2:3], some[3:]]
    again = JoinedSearch(search, groups).recoded(search.classes, np.arange(3))
    assert [column for column, _ in again] == [g for g in range(3) if np.isin(groups[g], several).any()]


def test_a_search_with_units_shuffles_them(made):
    search = FixedCodes(made.codes, made.classes, 3)
    parts, groups = Parts.of(made.part), np.arange(N) // 4
    search.exchangeable_units = ExchangeableUnits.of(groups, made.classes)
    np.testing.assert_array_equal(
        search.shuffled(parts, SEEDS), search.exchangeable_units.shuffled(search.classes, made.part, SEEDS)
    )
    joined = JoinedSearch(search, [np.array([0, 1])])
    np.testing.assert_array_equal(joined.shuffled(parts, SEEDS), search.shuffled(parts, SEEDS))


def test_a_whole_group_is_shuffled_within_the_part_of_most_of_it():
    """Of equally many samples in several parts the lowest; the other parts do not see the group."""
    groups = np.repeat(np.arange(12), 3)
    classes = np.repeat(np.arange(12) // 3 % 2, 3)  # groups of one class each
    part = np.repeat(np.arange(12) % 3, 3)
    part[::9] = (part[::9] + 1) % 3  # one sample of three elsewhere
    of_group = np.arange(12) % 3
    part[:3], of_group[0] = [2, 0, 1], 0
    units = ExchangeableUnits.of(groups, classes)
    rows = units.shuffled(classes, part, np.arange(60, dtype=np.uint64))[:, ::3]
    for z in range(3):
        inside = of_group == z
        assert (np.sort(rows[:, inside], axis=1) == np.sort(classes[::3][inside])).all()
        assert len(np.unique(rows[:, inside], axis=0)) == comb(inside.sum(), classes[::3][inside].sum())


def test_joint_codes_number_the_combinations_in_lexicographic_order(made):
    chosen = made.codes[:, [2, 0, 1]].astype(np.int64)
    expected = np.unique(chosen, axis=0, return_inverse=True)[1].reshape(-1)
    assert joint_codes(list(chosen.T), N).tolist() == expected.tolist()
    assert joint_codes([], N).tolist() == [0] * N


def test_dependence_of_groups_is_that_of_their_joint_codes(made):
    class Costly(FixedCodes):
        def log_codings(self, column):
            return column + 1.0

    groups = [np.array(group) for group in ([0, 1], [2], [4, 4], [3, 4, 0], [4])]
    search = Costly(made.codes, made.classes, 3)
    joined = JoinedSearch(search, groups)
    terms, parts = make_entropy_terms(N), Parts.of(made.part)
    classes = np.vstack([search.classes, search.shuffled(parts, SEEDS)])
    codes = [joined.codes(column) for column in COLUMNS]
    for group, joint in zip(groups, codes, strict=True):
        np.testing.assert_array_equal(joint, joint_codes([search.codes(j) for j in group], N))
    assert_dependence(joined.dependence(classes, COLUMNS, parts, terms), codes, classes, made.part, terms.shift)
    some = joined.dependence(classes, np.array([3, 1]), parts, terms)
    assert_dependence(some, [codes[3], codes[1]], classes, made.part, terms.shift)
    only = [joined.dependence(classes, np.array(place), parts, terms).sums for place in ([1], [0])]
    assert_of = [dependence(codes[place], made.classes, made.part, terms.shift)[1] for place in (1, 0)]
    assert [int(sums[0, 0]) for sums in only] == assert_of
    assert [column for column, _ in joined.recoded(classes[1], COLUMNS)] == [0, 1, 3]
    assert [joined.log_codings(column) for column in COLUMNS] == [3.0, 3.0, 10.0, 10.0, 5.0]


@pytest.mark.parametrize("n_parts", [1, 2, 3, 4])
def test_arrangements_of_units_are_counted(n_parts):
    """In a part of n units, of which k are of one class, there are n over k."""
    classes = np.arange(24) % 3 % 2
    parts = np.arange(24) // 3 % n_parts
    units = ExchangeableUnits.of(np.arange(24), classes)
    arrangements = [comb(int((parts == part).sum()), int(classes[parts == part].sum())) for part in range(n_parts)]
    assert units.log_arrangements(classes, parts) == pytest.approx(log(prod(arrangements)), abs=1e-12)
