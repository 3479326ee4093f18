"""The source of sparse columns: its integers are those of the definition, whichever way the samples are visited."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from tests.sparse_codes import sparse_codes

from bitsieve.counts import sparse
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.sparse import MAX_COLUMNS, SparseCodes, SparseSource
from bitsieve.counts.tables import Sums, make_entropy_terms
from bitsieve.engines.local import make_source
from bitsieve.information.plug_in import miller_madow_terms

WAYS = {"by rows": 0, "by columns": 10**9}
every_way = pytest.mark.parametrize("way", WAYS)


def sparse_table(n_samples, n_features, *, density, n_codes, n_classes, seed=0):
    """Codes that are mostly 0, each column with a density of its own, the last one full; and classes."""
    random = np.random.default_rng(seed)
    dense = random.random((n_samples, n_features)) < random.random(n_features) * 2 * density
    dense[:, -1] = True
    codes = np.where(dense, random.integers(1, n_codes, (n_samples, n_features)), 0)
    codes[:, 0] = 0
    return codes.astype(np.uint16), random.integers(0, n_classes, n_samples)


TABLES = {
    "binary": sparse_table(300, 40, density=0.05, n_codes=2, n_classes=2),
    "few codes": sparse_table(200, 30, density=0.2, n_codes=5, n_classes=3),
    "many codes": sparse_table(150, 12, density=0.5, n_codes=400, n_classes=2),
    "many classes": sparse_table(150, 20, density=0.1, n_codes=3, n_classes=90),
}
every_table = pytest.mark.parametrize("table", TABLES)


@pytest.fixture
def both(monkeypatch):
    """``both(table, way, weights)``: the source of sparse columns and the naive one."""

    def make(table, way, weighted=False, n_jobs=None):
        monkeypatch.setattr(sparse, "COST_BY_ROWS", WAYS[way])
        monkeypatch.setattr(sparse, "BLOCK_CODES", 50)
        codes, classes = TABLES[table]
        weights = np.random.default_rng(1).integers(1, 5, len(codes)) if weighted else None
        listed = sparse_codes(codes)
        return (
            SparseSource(listed, classes, weights=weights, n_jobs=n_jobs),
            NaiveSource(codes, classes, weights=weights),
        )

    return make


def equal(found, expected):
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.each_value
@every_way
@every_table
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_the_definition(both, table, way, weighted):
    mine, naive = both(table, way, weighted)
    np.testing.assert_array_equal(mine.arities, naive.arities)
    np.testing.assert_array_equal(mine.class_sizes, naive.class_sizes)
    for terms in (
        make_entropy_terms(mine.n_samples),
        miller_madow_terms(mine.n_samples),
        make_entropy_terms(mine.n_samples, 20),
    ):
        fused, plain = mine.fused, Sums(naive)
        equal(fused.marginal_sums(terms), plain.marginal_sums(terms))
        for pivot in (0, 3, mine.n_features - 1):
            for by_class in (True, False):
                equal(fused.pair_sums(terms, pivot, None, by_class), plain.pair_sums(terms, pivot, None, by_class))
            some = np.array([pivot, 2, mine.n_features - 1])
            equal(fused.pair_sums(terms, pivot, some, True), plain.pair_sums(terms, pivot, some, True))


@every_way
@every_table
def test_partitions(both, table, way):
    mine, naive = both(table, way, weighted=True)
    terms = make_entropy_terms(mine.n_samples)
    part, expected = mine.partition(), naive.partition()
    everything = np.arange(mine.n_features)
    for feature in (5, 2, mine.n_features - 1):
        part, expected = part.refine(feature), expected.refine(feature)
        equal(part.sums(terms, everything), expected.sums(terms, everything))
        equal(part.sums(terms, everything[4:7]), expected.sums(terms, everything[4:7]))
        equal([part.keys], [expected.keys])


@every_table
def test_cells(both, table):
    mine, naive = both(table, "by rows")
    columns = np.arange(mine.n_features)
    for pivot in (None, 4, mine.n_features - 1):
        counted = (sums.cell_counts(pivot, columns, True) for sums in (mine.fused, Sums(naive)))
        for found, expected in zip(*counted, strict=True):
            for j in columns:
                assert sorted(found[j][found[j] > 0]) == sorted(expected[j][expected[j] > 0])


def test_threads_change_nothing(both):
    terms = make_entropy_terms(300)
    one, four = (both("binary", "by rows", n_jobs=n_jobs)[0] for n_jobs in (1, 4))
    equal(one.fused.pair_sums(terms, 7, None, True), four.fused.pair_sums(terms, 7, None, True))


def test_the_factory_makes_it():
    codes, classes = TABLES["binary"]
    assert isinstance(make_source(sparse_codes(codes), classes), SparseSource)


def test_what_is_listed_comes_back():
    codes, _ = TABLES["few codes"]
    listed = sparse_codes(codes)
    np.testing.assert_array_equal(np.column_stack([listed.column(j) for j in range(listed.n_features)]), codes)


@pytest.mark.parametrize("n_features", [0, MAX_COLUMNS + 1])
def test_columns_are_one_to_the_most(n_features):
    codes = SimpleNamespace(n_features=n_features, n_rows=3)
    with pytest.raises(ValueError, match=rf"^{n_features:,} columns: from 1 to {MAX_COLUMNS:,} are supported$"):
        SparseSource(codes)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("least", [1, 7, 30, 1000])
def test_columns_are_shared_in_blocks_that_list_about_as_many_codes(monkeypatch, n_jobs, least):
    """Each column is in one of them, and no block is larger than its share but for its last column."""
    codes, classes = sparse_table(200, 60, density=0.3, n_codes=3, n_classes=2)
    source = SparseSource(sparse_codes(codes), classes, n_jobs=n_jobs)
    shared = []
    monkeypatch.setattr(sparse, "run_blocks", lambda work, blocks, threads: shared.append((blocks, threads)))
    source.fused._run_on_columns(None, least)
    ((blocks, threads),) = shared
    asked = min(60, least if n_jobs == 1 else max(least, 12))
    assert threads == n_jobs
    assert [column for first, last in blocks for column in range(first, last)] == list(range(60))
    assert asked / 2 < len(blocks) <= asked
    lengths = source.listed.lengths
    for first, last in blocks:
        assert lengths[first:last].sum() <= lengths.sum() / asked + lengths[first:last].max()


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [0, 0, 1, 2], [2, 2, 2, 2], [3, 1]])
def test_sums_stand_in_the_order_of_the_columns(order):
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (90, 4)) * (random.random((90, 4)) < 0.4)
    source = SparseSource(sparse_codes(codes), random.integers(0, 2, 90))
    terms, given = make_entropy_terms(90), source.partition().refine(1)
    whole = [np.concatenate([given.sums(terms, np.array([column]))[k] for column in range(4)]) for k in (0, 1)]
    for found, expected in zip(given.sums(terms, np.array(order)), whole, strict=True):
        assert found.tolist() == expected[order].tolist()


def test_columns_of_the_same_sums_alone_need_not_be_equivalent():
    """4 rows and twice 2 have the sum of 2 rows, 4 and 2, and so have what is listed of both within the classes."""
    listed = {0: [1, 1, 2, 2], 1: [1, 1, 1, 1, 2, 2]}
    row = np.array([0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7], np.int32)
    code = np.array([*listed[0], *listed[1], 1, 1], np.uint16)
    codes = SparseCodes(8, np.array([0, 4, 10, 12]), row, code, np.zeros(3, np.uint16))
    source, terms = SparseSource(codes, np.array([0, 0, 1, 1, 0, 1, 0, 1])), make_entropy_terms(8)
    sums = source.fused
    marginals, _ = sums.marginal_sums(terms)
    assert marginals[0] == marginals[1]
    found = sums.disjoint_support(terms, marginals)
    assert found.equivalence[0] != found.equivalence[1]
    pairs, _ = sums.pair_sums(terms, 2, None, False)
    assert found.sums(2)[found.equivalence][:2].tolist() == pairs[:2].tolist()
