"""The search through pairs and triples: brute force by entropies, and the same integers from every source."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from tests.cover import quick_and_slow
from tests.sparse_codes import sparse_codes

from bitsieve import _native
from bitsieve.counts import tuples
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.sparse import SparseSource
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.counts.tuples import ORDERS, STATISTICS, search_tuples

ARITIES = ([3] * 11, [2] * 7 + [3] * 5, [2, 3, 4, 5] * 3, [1, 2, 3] * 4)
EVERYTHING = 10**4


def made(arities, n_classes, n=137, seed=0):
    random = np.random.default_rng([seed, len(arities), n_classes])
    codes = np.column_stack([random.integers(0, arity, n) for arity in arities]).astype(np.uint8)
    codes[:, 5] = codes[:, 4] % arities[5]  # ties, and redundancy
    return codes, random.integers(0, n_classes, n)


def entropy(columns):
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    share = counts / counts.sum()
    return -(share * np.log2(share)).sum()


def bits_of_tuples(codes, classes, order):
    """What each set of up to so many columns tells of the class, by entropies."""
    bits = {(): 0.0}
    varying = [j for j in range(codes.shape[1]) if codes[:, j].any()]
    for size in range(1, order + 1):
        for tuple_ in combinations(varying, size):
            columns = [codes[:, j] for j in tuple_]
            bits[tuple_] = entropy(columns) + entropy([classes]) - entropy([*columns, classes])
    return bits


def by_hand(statistic, bits, order):
    """What every tuple counts for each of its columns, by the definitions."""

    def without(tuple_, j):
        return bits[tuple(i for i in tuple_ if i != j)]

    def counted(tuple_):
        whole = bits[tuple_]
        if statistic == "joint":
            return [whole] * order
        if statistic == "gain":
            return [whole - without(tuple_, j) for j in tuple_]
        alone = sum(bits[j,] for j in tuple_)
        if statistic == "interaction":
            signed = [(-1) ** (order - size) * bits[s] for size in range(order + 1) for s in combinations(tuple_, size)]
            return [sum(signed)] * order
        parts = [without(tuple_, j) + bits[j,] for j in tuple_]
        return [whole - max(*parts, alone)] * order

    return {tuple_: counted(tuple_) for tuple_ in bits if len(tuple_) == order}


def check_by_hand(statistic, bits, codes, source, order):
    found, per_bit = search_tuples(source, order, statistic, EVERYTHING), make_entropy_terms(len(codes)).per_bit
    expected = by_hand(statistic, bits, order)
    values = dict(zip(map(tuple, found.columns.tolist()), found.values / per_bit, strict=True))
    assert values.keys() == expected.keys(), statistic
    for tuple_, own in expected.items():
        # float sums of some dozen terms below 8 bits
        assert values[tuple_] == pytest.approx(max(own), abs=1e-12), (statistic, tuple_)
    assert (np.diff(found.values) <= 0).all(), statistic
    for column in range(codes.shape[1]):
        mine = [own[tuple_.index(column)] for tuple_, own in expected.items() if column in tuple_]
        if mine:
            assert found.best[column] / per_bit == pytest.approx(max(mine), abs=1e-12), (statistic, column)  # as above
            assert column in found.best_columns[column], statistic
        else:
            assert (found.best_columns[column] == -1).all(), statistic


@pytest.mark.each_value
@pytest.mark.parametrize(
    ("n_classes", "order"),
    quick_and_slow(
        product([1, 2, 3], [2, 3]), quick={(1, 2), (2, 2), (3, 2), (3, 3)}, reason="triples within fewer classes"
    ),
)
@pytest.mark.parametrize("arities", ARITIES, ids=str)
def test_every_tuple_is_what_its_definition_says(arities, n_classes, order):
    codes, classes = made(arities, n_classes)
    source = PackedSource(codes, classes, n_classes=n_classes)
    bits = bits_of_tuples(codes, classes, order)
    for statistic in STATISTICS:
        check_by_hand(statistic, bits, codes, source, order)


def listed(found):
    return [each.tolist() for each in (found.values, found.columns, found.best, found.best_columns)]


@pytest.mark.each_value
@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("arities", ARITIES, ids=str)
def test_every_kernel_and_source_gives_the_same_integers(arities, order):
    codes, classes = made(arities, 2)
    forms = [*_native.kernel_names(), "table", f"{_native.kernel_names()[0]}:counters"]
    sources = [PackedSource(codes, classes, kernel=form, n_jobs=threads) for form in forms for threads in (1, 3)]
    sources += [SparseSource(sparse_codes(codes), classes), NaiveSource(codes, classes)]
    for statistic in STATISTICS:
        expected = listed(search_tuples(sources[0], order, statistic, 13))
        for source in sources[1:]:
            assert listed(search_tuples(source, order, statistic, 13)) == expected


@pytest.mark.parametrize(
    "n", [63, 1100, 3000]
)  # counts that are looked up for both classes at once, and too large ones
def test_large_counts_are_what_tables_give(n):
    random = np.random.default_rng(n)
    codes = np.minimum(random.geometric(0.6, (n, 9)) - 1, 2).astype(np.uint8)
    classes = (random.random(n) < 0.2).astype(int)
    planes, table = PackedSource(codes, classes), PackedSource(codes, classes, kernel="table")
    for statistic in STATISTICS:
        assert listed(search_tuples(planes, 3, statistic, 20)) == listed(search_tuples(table, 3, statistic, 20))


def test_blocks_of_many_columns_hold_every_triple_once():
    random = np.random.default_rng(3)
    codes, classes = random.integers(0, 2, (64, 70), dtype=np.uint8), random.integers(0, 2, 64)
    found = search_tuples(PackedSource(codes, classes), 3, "joint", 10**5)
    assert len(found.columns) == len(set(map(tuple, found.columns.tolist()))) == 70 * 69 * 68 // 6
    assert (np.diff(found.columns, axis=1) > 0).all()


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_parity_is_one_bit_of_the_whole_and_nothing_of_a_part(statistic, order):
    rows = np.array([[*bits, 0] for bits in np.ndindex(*[2] * order)] * 4, np.uint8)
    rows[:, -1] = np.arange(len(rows)) // 2**order % 2
    classes = rows[:, :order].sum(axis=1) % 2
    found = search_tuples(PackedSource(rows, classes), order, statistic, 1)
    assert found.values[0] == make_entropy_terms(len(rows)).per_bit
    assert found.columns[0].tolist() == list(range(order))


def test_three_copies_are_synergy_by_interaction_information_alone():
    bit = np.arange(8) % 2
    source = PackedSource(np.column_stack([bit] * 3), bit)
    bits = {statistic: search_tuples(source, 3, statistic, 1).values[0] for statistic in STATISTICS}
    per_bit = make_entropy_terms(8).per_bit
    assert bits == {"synergy": -2 * per_bit, "interaction": per_bit, "gain": 0, "joint": per_bit}


@pytest.mark.parametrize("order", [2, 3])
def test_the_order_of_columns_and_the_names_of_codes_change_nothing_but_names(order):
    codes, classes = made([3] * 9, 2)
    moved = np.random.default_rng(1).permutation(9)
    others = np.array(list(permutations(range(3))))[np.arange(9) % 6]
    renamed = np.column_stack([others[j][codes[:, j]] for j in range(9)])[:, moved]
    for statistic in STATISTICS:
        first = search_tuples(PackedSource(codes, classes), order, statistic, EVERYTHING)
        again = search_tuples(PackedSource(renamed, 1 - classes), order, statistic, EVERYTHING)
        assert again.values.tolist() == first.values.tolist()
        assert again.best.tolist() == first.best[moved].tolist()


def test_ties_go_to_the_lower_columns():
    bit = np.arange(16) % 2
    found = search_tuples(PackedSource(np.column_stack([bit] * 20), bit), 2, "joint", 3)
    assert found.columns.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert found.best_columns[:3].tolist() == [[0, 1], [0, 1], [0, 2]]
    assert found.best_columns[19].tolist() == [0, 19]


def test_tables_that_take_too_long_are_refused_with_their_steps():
    codes = np.random.default_rng(0).integers(0, 40, (400, 700))
    with pytest.raises(ValueError, match=r"700 columns of up to 40 codes take 2\.3e\+10 steps"):
        search_tuples(PackedSource(codes, codes[:, 0] % 2), 3, "gain", 1)


@pytest.mark.parametrize(
    "most_codes",
    [2, pytest.param(20, marks=pytest.mark.slow("72,010 pairs by tables, one at a time"))],
    ids=["planes", "tables"],
)
def test_the_strongest_of_very_many(most_codes):
    """Now and then the weakest are dropped, which leaves the strongest as they are."""
    random = np.random.default_rng(3)
    codes, classes = random.integers(0, 2, (30, 380)).astype(np.uint8), random.integers(0, 2, 30)
    codes[:, 7] = np.arange(30) % most_codes
    few, many = (search_tuples(PackedSource(codes, classes), 2, "joint", n_top) for n_top in (5, 380 * 379 // 2))
    assert few.values.tolist() == many.values[:5].tolist()
    assert few.columns.tolist() == many.columns[:5].tolist()
    assert few.best.tolist() == many.best.tolist()


def test_triples_from_tables_are_reported():
    codes, classes = made(ARITIES[3], 2)
    reports = []
    search_tuples(NaiveSource(codes, classes), 3, "gain", 4, lambda *counts: reports.append(counts))
    assert [done for done, _ in reports] == list(range(1, reports[-1][1] + 1))


def test_orders_are_those_of_pairs_and_triples():
    """Native code has a search for each, and the tuples found have as many columns."""
    assert {order for order, name in ((2, "pairs"), (3, "triples")) if hasattr(_native.TupleSearch, name)} == set(
        ORDERS
    )
    for order in range(ORDERS[0], ORDERS[1] + 1):
        assert search_tuples(PackedSource(*made(*ARITIES[0:1], 2)), order, "gain", 3).columns.shape == (3, order)


@pytest.mark.parametrize("n_codes", [15, 16, 17, 18])
@pytest.mark.parametrize("order", ORDERS)
def test_columns_of_about_as_many_codes_as_native_code_takes(n_codes, order):
    codes, classes = made([n_codes, 3, 2, n_codes, 2, 4, 2], 2, n=400)
    assert codes.max() == n_codes - 1
    found, expected = (search_tuples(kind(codes, classes), order, "gain", 9) for kind in (PackedSource, NaiveSource))
    assert found.values.tolist() == expected.values.tolist()
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.best.tolist() == expected.best.tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n_groups", [1, 2, 7, 30])
@pytest.mark.parametrize("steps", [1.0, 3e6, 1e9, 1e30])
def test_blocks_hold_every_pair_of_groups_once(monkeypatch, order, n_groups, steps):
    """However few steps are allowed: a rectangle of first and second groups, of which those below the diagonal."""
    monkeypatch.setattr(tuples, "BLOCK_STEPS", steps)
    held = np.zeros((n_groups, n_groups), int)
    for first, last, start, end in tuples._blocks(n_groups, 5, 2, order):
        assert 0 <= first < last <= n_groups
        assert first <= start < end <= n_groups
        held[first:last, start:end] += 1
    assert (held[np.triu_indices(n_groups)] == 1).all()
    assert held.max() == 1


@pytest.mark.parametrize("seed", range(10))
def test_synergy_is_the_whole_less_the_most_that_a_division_adds_up_to(seed):
    """Into two parts or three, whichever; and the other statistics by their formulas."""
    random = np.random.default_rng(seed)
    whole, pairs, alone = random.integers(0, 99, 20), random.integers(0, 60, (3, 20)), random.integers(0, 60, (3, 20))
    most = np.max([*(pairs[m] + alone[m] for m in range(3)), alone.sum(axis=0)], axis=0)
    found = {name: np.array(tuples.tuple_values(name, whole, pairs, alone)).tolist() for name in STATISTICS}
    assert found["synergy"] == [(whole - most).tolist()] * 3
    assert found["interaction"] == [(whole - pairs.sum(axis=0) + alone.sum(axis=0)).tolist()] * 3
    assert found["gain"] == (whole - pairs).tolist()
    assert found["joint"] == [whole.tolist()] * 3


def test_the_search_of_sparse_pairs_says_how_far_it_is():
    codes, classes = made(ARITIES[3], 2)
    heard = []
    search_tuples(SparseSource(sparse_codes(codes), classes), 2, "joint", 3, lambda *step: heard.append(step))
    n_varying = sum(column.any() for column in codes.T)
    assert [total for _, total in heard] == [n_varying * (n_varying - 1) // 2] * (n_varying - 1)
    assert heard[0][0] == n_varying - 1
    assert heard[-1][0] == heard[-1][1]
