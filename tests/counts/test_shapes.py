"""Tables of every shape against numpy: each number of codes that native code searches beside every other.

What each way of counting has met, here and in the random trials of tests/native (marked +).
Nightly runs add 200,000 rows.

| way of counting                  | codes              | classes    | weights   | rows          |
|----------------------------------|--------------------|------------|-----------|---------------|
| pairs and triples by planes      | 2 to 16, all       | 1 to 40    | 1 to 40   | 64 to 20,000  |
| a pivot by planes                | 2 to 16; to 64 +   | to 300 +   | 1 to 40   | 64 to 20,000  |
| a pivot by packed counters       | 2 to 10; tables beyond | to 300 + | 1 to 40 | 64 to 20,000  |
| a pivot by a table of cells      | 2 to 16; to 65,536 + | to 300 + | 1 to 40   | 64 to 20,000  |
| sparse columns                   | 2 to 16            | 1 to 40    | 1 to 40   | 64 to 20,000  |
| partitions by two columns        | 3 and 13 beside 2 to 16 | 1 to 40 | 1 to 40 | 64 to 20,000  |
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from tests.cover import quick_and_slow
from tests.sparse_codes import sparse_codes

from bitsieve import _native, interactions
from bitsieve.counts.kernels import STORAGE_FORMS, TABLE
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import conditioning, sums_of
from bitsieve.counts.sparse import SparseSource
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.counts.tuples import MAX_NATIVE_CODES, ORDERS, search_tuples

EVERY_NUMBER_OF_CODES = tuple(range(2, MAX_NATIVE_CODES + 1))
LANES = 8  # columns of a vector: so many of one number of codes fill a group of their own


def table_of_groups(codes_of_groups, n_rows, n_classes, seed):
    """Eight columns of each number of codes, the last code of each present, and classes that depend on the first."""
    random = np.random.default_rng([seed, n_rows, n_classes])
    arities = np.repeat(codes_of_groups, LANES)
    codes = (random.random((n_rows, len(arities))) ** 1.5 * arities).astype(np.uint8)
    codes[0] = arities - 1
    classes = (codes[:, 0] + random.integers(0, n_classes, n_rows)) % n_classes
    return codes, classes, random


def information(columns, classes, weights, terms):
    """I(columns; classes) in units of the terms, by counting every cell with numpy."""
    cell = np.zeros(len(classes), np.int64)
    for column in columns:
        cell = cell * MAX_NATIVE_CODES + column
    both = cell * (classes.max() + 1) + classes
    n_samples = weights.sum()
    pooled, within, of_class = (np.bincount(key, weights).astype(np.int64) for key in (cell, both, classes))
    return int(terms[within].sum() - terms[pooled].sum() + terms[n_samples] - terms[of_class].sum())


@cache  # the same for every kernel
def expected_information(codes_of_groups, n_rows, n_classes, order, most_weight):
    """A weighted table, and the information of a tuple of columns of each combination of groups, by numpy."""
    codes, classes, random = table_of_groups(codes_of_groups, n_rows, n_classes, seed=0)
    weights = random.integers(1, most_weight + 1, n_rows)
    n_samples = int(weights.sum())
    terms = np.asarray(_native.term_table(n_samples, n_samples + 1))
    expected = {}
    for groups in combinations_with_replacement(range(len(codes_of_groups)), order):
        lanes = random.permutation(LANES)[:order]
        columns = sorted(group * LANES + int(lane) for group, lane in zip(groups, lanes, strict=True))
        expected[tuple(columns)] = information([codes[:, column] for column in columns], classes, weights, terms)
    return codes, classes, weights, expected


def check_every_shape(codes_of_groups, n_rows, n_classes, kernel, order, most_weight=1):
    codes, classes, weights, expected = expected_information(codes_of_groups, n_rows, n_classes, order, most_weight)
    source = PackedSource(codes, classes, n_classes=n_classes, weights=weights, kernel=f"{kernel}:planes")
    tuples = search_tuples(source, order, "joint", 10**6)
    values = np.full((codes.shape[1],) * order, -1)
    values[tuple(tuples.columns.T)] = tuples.values
    for columns, units in expected.items():
        assert values[columns] == units, [codes_of_groups[column // LANES] for column in columns]


every_kernel = pytest.mark.parametrize("kernel", _native.kernel_names())
every_order = pytest.mark.parametrize("order", ORDERS)


@every_kernel
@pytest.mark.parametrize(
    ("order", "n_classes"),
    quick_and_slow(product(ORDERS, [1, 2, 3]), quick={(2, 1), (2, 2)}, reason="more classes, or triples"),
)
def test_every_number_of_codes_beside_every_other(kernel, order, n_classes):
    check_every_shape(EVERY_NUMBER_OF_CODES, 64, n_classes, kernel, order)


@every_kernel
@pytest.mark.parametrize(
    ("order", "n_rows", "n_classes", "most_weight"),
    quick_and_slow(
        [(order, *size) for order in ORDERS for size in ((2_000, 2, 1), (500, 3, 40), (2_000, 40, 1), (20_000, 2, 1))],
        quick={(2, 2_000, 2, 1), (2, 500, 3, 40), (2, 2_000, 40, 1)},
        reason="more triples, more rows or classes of them",
    ),
)
def test_few_codes_beside_many_at_every_size(kernel, order, n_rows, n_classes, most_weight):
    check_every_shape((2, 3, 12, 13, 16), n_rows, n_classes, kernel, order, most_weight)


@pytest.mark.nightly
@every_kernel
@every_order
@pytest.mark.parametrize("n_rows", [2_000, 20_000])
@pytest.mark.parametrize(("n_classes", "most_weight"), [(1, 1), (2, 1), (2, 40), (17, 3), (40, 1)])
def test_every_shape_at_every_size(kernel, order, n_rows, n_classes, most_weight):
    check_every_shape(EVERY_NUMBER_OF_CODES, n_rows, n_classes, kernel, order, most_weight)


@pytest.mark.nightly
@every_kernel
@every_order
@pytest.mark.parametrize("n_classes", [2, 40])
def test_many_rows(kernel, order, n_classes):
    check_every_shape((2, 3, 12, 13, 16), 200_000, n_classes, kernel, order)


def test_triples_of_twelve_columns_of_two_codes_beside_eight_of_thirteen():
    """The public interface, on a table whose columns say nothing of the classes."""
    random = np.random.default_rng(0)
    arities = np.array([2] * 12 + [13] * 8)
    codes = random.integers(0, arities, (20_000, 20)).astype(np.uint8)
    classes = random.integers(0, 2, 20_000)
    names = [f"x{column}" for column in range(20)]
    strongest = interactions(codes, classes, order=3, binning="none", statistic="joint", top=1140, n_shuffles=0)
    assert len(strongest.tuples) == 1140
    terms, weights = make_entropy_terms(20_000), np.ones(20_000, np.int64)
    table = np.asarray(_native.term_table(20_000, 20_001))
    for triple, bits in zip(strongest.tuples[::10], strongest.values[::10], strict=True):
        columns = [codes[:, names.index(name)] for name in triple]
        assert bits == information(columns, classes, weights, table) / terms.per_bit  # the one division of both


@pytest.mark.each_value
@every_kernel
@pytest.mark.parametrize("form", STORAGE_FORMS)
@pytest.mark.parametrize("order_of_columns", ["C", "F"])
@pytest.mark.parametrize("n_selected", [32_700, 32_800])
def test_rows_beyond_the_number_of_samples_are_packed(kernel, form, order_of_columns, n_selected):
    random = np.random.default_rng(n_selected)
    arities = np.tile([2, 3, 5, 9], 5).astype(np.int32)
    codes = np.array(random.integers(0, arities, (32_800, 20)), np.uint8, order=order_of_columns)
    rows = random.permutation(32_800)[:n_selected].astype(np.uint32)
    sizes = np.array([n_selected // 3, n_selected - n_selected // 3])
    in_order = np.r_[np.sort(rows[: sizes[0]]), np.sort(rows[sizes[0] :])]
    packed = _native.PackedTable(sizes, in_order, arities, kernel, form)
    packed.pack(codes, 0, packed.n_simd_groups)
    unpacked = np.empty(n_selected, np.uint16)
    for column in range(20):
        packed.codes(column, unpacked)
        assert (unpacked == codes[in_order, column]).all()


def sums_of_table(columns, classes, weights, terms):
    """The sums of terms over the cells of a table, pooled and within the classes."""
    cell = np.zeros(len(classes), np.int64)
    for column in columns:
        cell = cell * MAX_NATIVE_CODES + column
    both = cell * (classes.max() + 1) + classes
    return tuple(int(terms[np.bincount(key, weights).astype(np.int64)].sum()) for key in (cell, both))


def sources_of(codes, classes, n_classes, weights, kernel):
    """The table in every form that counts pairs and partitions."""
    keywords = {"n_classes": n_classes, "weights": weights}
    for form in STORAGE_FORMS:
        yield PackedSource(codes, classes, kernel=f"{kernel}:{form}", **keywords)
    yield PackedSource(codes, classes, kernel=TABLE, **keywords)
    yield SparseSource(sparse_codes(codes), classes, **keywords)


def check_pairs_and_partitions(n_rows, n_classes, most_weight, kernel):
    """Every number of codes as a pivot beside every other, and divisions by two columns."""
    random = np.random.default_rng([n_rows, n_classes, most_weight])
    arities = np.array(EVERY_NUMBER_OF_CODES)
    codes = (random.random((n_rows, len(arities))) ** 1.5 * arities).astype(np.uint8)
    codes[0] = arities - 1
    classes, weights = random.integers(0, n_classes, n_rows), random.integers(1, most_weight + 1, n_rows)
    n_samples = int(weights.sum())
    table, terms = np.asarray(_native.term_table(n_samples, n_samples + 1)), make_entropy_terms(n_samples)
    every = np.arange(len(arities))
    for source in sources_of(codes, classes, n_classes, weights, kernel):
        sums = sums_of(source)
        for pivot in every.tolist():
            pooled, within = sums.pair_sums(terms, pivot, every, True)
            expected = [sums_of_table([codes[:, pivot], codes[:, j]], classes, weights, table) for j in every]
            assert list(zip(pooled.tolist(), within.tolist(), strict=True)) == expected, (source, pivot)
        division = conditioning(source).partition().refine(1).refine(11)
        pooled, within = division.sums(terms, every)
        expected = [sums_of_table([codes[:, 1], codes[:, 11], codes[:, j]], classes, weights, table) for j in every]
        assert list(zip(pooled.tolist(), within.tolist(), strict=True)) == expected, source


@pytest.mark.each_value
@every_kernel
@pytest.mark.parametrize(
    ("n_rows", "n_classes", "most_weight"),
    quick_and_slow(
        [(64, 1, 1), (64, 40, 40), (2_000, 2, 40), (2_000, 40, 1), (20_000, 3, 1)],
        quick={(64, 1, 1), (64, 40, 40), (2_000, 2, 40)},
        reason="more rows",
    ),
)
def test_every_form_beside_numpy(kernel, n_rows, n_classes, most_weight):
    check_pairs_and_partitions(n_rows, n_classes, most_weight, kernel)


@pytest.mark.nightly
@every_kernel
@pytest.mark.parametrize("n_classes", [2, 17, 40])
def test_every_form_of_many_rows_beside_numpy(kernel, n_classes):
    check_pairs_and_partitions(200_000, n_classes, 3, kernel)
