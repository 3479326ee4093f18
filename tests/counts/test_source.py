"""What a source gives and what follows from it: the same integers from every source, and from parts of the rows."""

from __future__ import annotations

from functools import reduce
from itertools import permutations, product
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import term_sum

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.source import (
    CodedSource,
    ConditioningSource,
    CountSource,
    JoinedSource,
    MarginsOfParts,
    Partition,
    refined,
    sums_of,
)
from bitsieve.counts.tables import MinimumFormula, PairFormula, Sums, make_entropy_terms
from bitsieve.information import ESTIMATORS, make_information
from bitsieve.information.plug_in import miller_madow_terms

ARITIES = (2, 3, 1, 5, 40, 300)
EVERY = np.arange(len(ARITIES))


def single_groups(codes, classes=None, **keywords):
    """The naive source with every column as a group of its own."""
    return JoinedSource(NaiveSource(codes, classes, **keywords), [np.array([i]) for i in range(codes.shape[1])])


def build(n_samples, n_classes, seed):
    random = np.random.default_rng(seed)
    columns = [np.unique(random.integers(0, m, n_samples), return_inverse=True)[1] for m in ARITIES]
    return np.column_stack(columns).astype(np.uint16), random.integers(0, n_classes, n_samples)


tables = st.builds(build, st.integers(2, 150), st.integers(1, 4), st.integers(0, 999))


def listed(found):
    """Tables and arrays as plain lists, to be compared as integers."""
    return [[*table.shape, *(part.tolist() for part in table.occupied())] for table in found]


@settings(deadline=None, max_examples=40)
@given(table=tables, conditioning=st.lists(st.integers(0, 5), max_size=3), by_class=st.booleans())
def test_the_required_part_agrees(table, conditioning, by_class):
    codes, classes = table
    naive = NaiveSource(codes, classes)
    for source in (PackedSource(codes, classes), single_groups(codes, classes)):
        assert (source.n_samples, source.n_features, source.n_classes) == (len(codes), 6, naive.n_classes)
        assert source.arities.tolist() == naive.arities.tolist()
        assert source.class_sizes.tolist() == naive.class_sizes.tolist()
        for pivot in (None, 0, 5):
            assert listed(source.tables(pivot, EVERY, by_class)) == listed(naive.tables(pivot, EVERY, by_class))
        mine, theirs = (refined(kind.partition(), conditioning) for kind in (source, naive))
        assert mine.keys.tolist() == theirs.keys.tolist()
        assert listed(mine.tables(EVERY, by_class)) == listed(theirs.tables(EVERY, by_class))
        assert listed(mine.tables(None, by_class)) == listed(theirs.tables(None, by_class))


def test_tables_by_hand():
    codes, classes = np.array([[0, 2], [1, 0], [1, 0], [0, 2]]), np.array([0, 1, 1, 1])
    (table,) = NaiveSource(codes, classes).tables(0, np.array([1]), True)
    assert table.dense().tolist() == [[[0, 0], [0, 0], [1, 1]], [[0, 2], [0, 0], [0, 0]]]
    (table,) = NaiveSource(codes, classes).tables(None, np.array([1]), False)
    assert table.dense().tolist() == [[[2], [0], [2]]]


@settings(deadline=None, max_examples=40)
@given(table=tables, conditioning=st.lists(st.integers(0, 5), max_size=3), corrected=st.booleans())
def test_what_follows_from_tables_is_what_the_engine_counts(table, conditioning, corrected):
    """Every override of the packed engine returns the integers, and the bits, of the definition on tables."""
    codes, classes = table
    terms = (miller_madow_terms if corrected else make_entropy_terms)(len(codes))
    row, column = np.random.default_rng(1).integers(0, 2**40, (2, 6))
    some = np.array([4, 0, 5])
    found = []
    for source in (NaiveSource(codes, classes), PackedSource(codes, classes)):
        sums = sums_of(source)
        answers = [*sums.marginal_sums(terms)]
        for pivot in range(6):
            answers += [*sums.pair_sums(terms, pivot, None, True), *sums.pair_sums(terms, pivot, some, True)]
            answers += [sums.pair_sums(terms, pivot, some, False)[0]]
        for signs, symmetric in (((1, 0), False), ((-1, 1), False), ((-1, 1), True), ((0, 1), False)):
            form = PairFormula(*signs, row, column, terms.per_bit, symmetric)
            answers += [sums.matrix(terms, form, np.float64), sums.matrix(terms, form, np.float32, some)]
            rows = np.empty((2, 3))
            sums.matrix_rows(terms, form, np.array([5, 1]), some, rows)
            answers.append(rows)
        partition = refined(source.partition(), conditioning)
        answers += [np.array(partition.marginal_sums(terms)), *partition.sums(terms, some)]
        answers += [np.array([partition.degrees_of_freedom(i) for i in range(6)])]
        answers += [part for i in range(6) for part in partition.arrangement(i)]
        answers += [partition.shuffled_sums(terms, i, np.arange(3, dtype=np.uint64)) for i in range(6)]
        found.append([answer.tolist() for answer in answers])
    assert found[0] == found[1]


@settings(deadline=None, max_examples=30)
@given(table=tables, groups=st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=1, max_size=4))
def test_joined_features_of_every_source_agree(table, groups):
    """On top of tables, or made anew by the engine: one feature a group, whose codes are its joint values in order."""
    codes, classes = table
    chosen = [np.array(group) for group in groups]
    columns = [np.unique(codes[:, group], axis=0, return_inverse=True)[1].reshape(-1) for group in chosen]
    plain = NaiveSource(np.column_stack(columns), classes)
    every = np.arange(len(groups))
    for source in (NaiveSource(codes, classes).joined(chosen), PackedSource(codes, classes).joined(chosen)):
        assert source.arities.tolist() == plain.arities.tolist()
        assert listed(source.tables(0, every, True)) == listed(plain.tables(0, every, True))
        mine, theirs = (refined(kind.partition(), every) for kind in (source, plain))
        assert mine.keys.tolist() == theirs.keys.tolist()
        assert mine.n_parts == theirs.n_parts == len(theirs.keys)
        assert listed(mine.tables(every, True)) == listed(theirs.tables(every, True))


@pytest.mark.parametrize("kind", [NaiveSource, PackedSource])
def test_parts_of_one_sample_have_no_freedom(kind):
    codes = np.column_stack([np.arange(20), np.arange(20) % 2])
    partition = kind(codes, np.arange(20) % 4 > 1).partition().refine(0)
    assert partition.degrees_of_freedom(1) == 0
    assert partition.least_expected(1) == np.inf


def test_of_no_parts_no_value_is_the_smallest():
    nothing = np.empty(0, np.int64)
    assert MarginsOfParts(part=nothing, size=nothing).smallest_size().tolist() == []
    margins = MarginsOfParts(part=np.array([0, 0, 1]), size=np.array([3, 2, 5]))
    assert margins.smallest_size().tolist() == [2, 5]


@pytest.mark.parametrize("kind", [NaiveSource, PackedSource])
def test_more_joint_values_than_a_feature_may_have_codes(kind):
    codes = np.column_stack([np.arange(66_000) // 300, np.arange(66_000) % 300])
    with pytest.raises(ValueError, match=r"a group of 2 columns has 66,000 combinations: at most 65,536"):
        kind(codes).joined([np.array([0, 1])])


def test_tables_of_portions_of_the_rows_add_up(source):
    """Given the same codes: a last row of the highest codes makes the arities agree, and is taken off again."""
    codes, classes = build(120, 3, 4)
    top = np.array(codes.max(axis=0), ndmin=2), np.array([2])
    portions = [slice(0, 50), slice(50, 51), slice(51, 120)]
    whole = source(np.vstack([codes, *[top[0]] * 3]), np.r_[classes, [2, 2, 2]])
    parts = [source(np.vstack([codes[p], top[0]]), np.r_[classes[p], top[1]], n_classes=3) for p in portions]
    for pivot in (None, 1, 5):
        tables = [part.tables(pivot, EVERY, True) for part in parts]
        summed = [reduce(add, same) for same in zip(*tables, strict=True)]
        assert listed(summed) == listed(whole.tables(pivot, EVERY, True))


def test_degrees_of_freedom_by_their_definition(source):
    codes, classes = build(200, 3, 1)
    partition = refined(source(codes, classes).partition(), [1, 3])
    expected = 0
    for key in {tuple(row) for row in codes[:, [1, 3]].tolist()}:
        inside = (codes[:, [1, 3]] == key).all(axis=1)
        expected += (len(set(codes[inside, 4])) - 1) * (len(set(classes[inside])) - 1)
    assert partition.degrees_of_freedom(4) == expected


def test_order_of_conditioning_features_does_not_matter(source):
    terms = make_entropy_terms(200)
    counts = source(*build(200, 3, 5))
    one, other = refined(counts.partition(), [0, 3, 4]), refined(counts.partition(), [4, 0, 3])
    assert one.marginal_sums(terms) == other.marginal_sums(terms)
    assert [part.tolist() for part in one.sums(terms, EVERY)] == [part.tolist() for part in other.sums(terms, EVERY)]


def test_shuffles_depend_on_the_table_alone(source):
    """The rows in another order have the same table, and the same shuffles."""
    codes, classes = build(300, 3, 6)
    order, seeds = np.random.default_rng(0).permutation(300), np.arange(20, dtype=np.uint64)
    partitions = [refined(source(codes[o], classes[o]).partition(), [1, 3]) for o in (np.arange(300), order)]
    sums = [partition.shuffled_sums(make_entropy_terms(300), 4, seeds).tolist() for partition in partitions]
    assert sums[0] == sums[1]
    assert len(set(sums[0])) > 1


def all_shuffles(codes, classes, shift):
    """The sum over (part, code, class) after each of the permutations of codes within the parts by column 0."""
    parts = [np.flatnonzero(codes[:, 0] == z) for z in np.unique(codes[:, 0])]
    sums = []
    for orders in product(*(permutations(part.tolist()) for part in parts)):
        shuffled = codes[:, 1].copy()
        for part, order in zip(parts, orders, strict=True):
            shuffled[part] = codes[list(order), 1]
        cells = np.unique(np.column_stack([codes[:, 0], shuffled, classes]), axis=0, return_counts=True)[1]
        sums.append(term_sum(cells, shift))
    return sums


def test_shuffles_are_uniform(source):
    """Their sums occur as often as among all permutations within the parts."""
    codes = np.array([[0, 0], [0, 1], [0, 1], [0, 2], [1, 0], [1, 0], [1, 1]], np.uint8)
    classes = np.array([0, 0, 1, 1, 0, 1, 1])
    terms = make_entropy_terms(7)
    expected = all_shuffles(codes, classes, terms.shift)
    n = 20_000
    drawn = source(codes, classes).partition().refine(0).shuffled_sums(terms, 1, np.arange(n, dtype=np.uint64))
    assert set(drawn.tolist()) == set(expected)
    for value in set(expected):
        share = expected.count(value) / len(expected)
        # five standard deviations of a share of n independent draws
        assert abs((drawn == value).mean() - share) < 5 * np.sqrt(share * (1 - share) / n)


def test_what_is_not_fused_follows_from_tables():
    """The naive source gives the required part only; of costs and quicker ways nothing is known."""
    naive = NaiveSource(np.zeros((3, 2), int))
    sums = sums_of(naive)
    assert naive.fused is None
    assert type(sums) is Sums
    assert sums.row_seconds == 0
    nothing = np.zeros(2, np.int64)
    assert sums.minima(make_entropy_terms(3), MinimumFormula(np.zeros(2), nothing, np.zeros(2), 1.0)) is None
    assert sums.disjoint_support(make_entropy_terms(3), nothing) is None


@pytest.mark.parametrize("columns", [None, np.array([4, 1, 3])])
def test_a_matrix_made_of_tables_says_how_far_it_is(columns):
    reports, naive = [], NaiveSource(*build(50, 2, 1))
    nothing = np.zeros(6, np.int64)
    form = PairFormula(1, 0, nothing, nothing, 1.0, False)
    sums_of(naive).matrix(make_entropy_terms(50), form, np.float64, columns, lambda *counts: reports.append(counts))
    n = 6 if columns is None else 3
    assert reports == [(done, n) for done in range(1, n + 1)]


class PairsOnly(CountSource):
    """The required part of a source that does not count given several columns: facts and tables."""

    def __init__(self, codes, classes):
        self.known = NaiveSource(codes, classes)
        self.n_samples, self.n_features, self.n_classes = len(codes), self.known.n_features, self.known.n_classes
        self.arities, self.class_sizes = self.known.arities, self.known.class_sizes

    def tables(self, pivot, columns, by_class):
        return self.known.tables(pivot, columns, by_class)


def test_a_source_declares_what_it_offers():
    codes, classes = build(60, 3, 0)
    source = PairsOnly(codes, classes)
    assert source.capabilities == {"tables"}
    assert NaiveSource(codes, classes).capabilities == {"tables", "partition", "joined", "codes"}
    for estimator in ESTIMATORS:
        mine, naive = (make_information(estimator, one) for one in (source, NaiveSource(codes, classes)))
        assert mine.relevance.tobytes() == naive.relevance.tobytes()
        assert mine.matrix("redundancy").tobytes() == naive.matrix("redundancy").tobytes()
    with pytest.raises(ValueError, match="hold tables of pairs of columns, and this method needs tables of more"):
        make_information("plug-in", source).conditional()


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Partition, {"keys", "refine", "tables"}),
        (CountSource, {"tables"}),
        (ConditioningSource, {"tables", "partition"}),
        (CodedSource, {"codes", "relabelled"}),
    ],
)
def test_a_source_that_lacks_what_only_it_can_know_is_refused(kind, names):
    """All of the names are needed: with every one but one an object is not made."""
    for name in names:
        given = dict.fromkeys(names - {name})
        with pytest.raises(TypeError, match=f"abstract method '?{name}"):
            type("Lacking", (kind,), given)()


def test_where_nothing_varies_no_cell_expects_few():
    codes = np.column_stack([np.zeros(9, np.uint8), np.arange(9) % 3])
    partition = NaiveSource(codes, np.zeros(9, int)).partition()
    assert [partition.least_expected(column) for column in (0, 1)] == [np.inf, np.inf]
    partition = NaiveSource(codes, np.arange(9) % 2).partition()
    assert partition.least_expected(0) == np.inf
    assert partition.least_expected(1) == 3 * 4 / 9


@pytest.mark.each_value
@pytest.mark.parametrize("make", [PackedSource, NaiveSource], ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(12))
def test_parts_are_judged_one_by_one(make, seed):
    """Degrees of freedom and expected samples by their definitions, down to one row, and to parts of one sample."""
    random = np.random.default_rng(seed)
    n = int(random.choice([1, 2, 3, 8, 65, 130]))
    codes = np.stack([np.unique(random.integers(0, m, n), return_inverse=True)[1] for m in (3, 2, 1, 9)], axis=1)
    codes[:, 3] = np.arange(n) if seed % 2 else codes[:, 3]
    classes = random.integers(0, 3, n)
    source = make(codes, classes)
    for members in ((), (0,), (3,), (0, 1), (2, 1, 3)):
        given = refined(source.partition(), members)
        parts = np.unique(codes[:, list(members)], axis=0, return_inverse=True)[1].reshape(-1)
        for feature in range(4):
            freedom, least = 0, np.inf
            for part in range(parts.max() + 1):
                inside = parts == part
                of_codes = np.bincount(codes[inside, feature])
                of_classes = np.bincount(classes[inside])
                of_codes, of_classes = of_codes[of_codes > 0], of_classes[of_classes > 0]
                freedom += (len(of_codes) - 1) * (len(of_classes) - 1)
                if len(of_codes) > 1 and len(of_classes) > 1:
                    least = min(least, of_codes.min() * of_classes.min() / inside.sum())
            assert given.degrees_of_freedom(feature) == freedom
            assert given.least_expected(feature) == least
