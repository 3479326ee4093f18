"""Information corrected for chance: its means over all shuffles, against plug-in, and what it ranks first."""

from __future__ import annotations

from itertools import permutations
from math import log2

import numpy as np
import pytest
from tests.information.test_margins import mean_term

from bitsieve.counts.packed import PackedSource
from bitsieve.information import make_information
from bitsieve.information import margins as margins_module
from bitsieve.information.margins import DENSE_NODES, expected_terms
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward_select

ROUNDING = 1e-13  # a quantity is a sum of some hundred terms, each right to 2^-52 of itself
CODES = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [2, 1, 0], [0, 2, 0], [0, 2, 1], [1, 0, 0]])
CLASSES = np.array([0, 1, 1, 0, 1, 0, 0])


def test_the_mean_over_all_shuffles_of_the_class_is_0(information_of):
    orders = set(permutations(CLASSES.tolist()))
    total = sum(information_of(CODES, np.array(order), estimator="corrected").relevance for order in orders)
    assert len(orders) == 35
    assert total / len(orders) == pytest.approx(np.zeros(CODES.shape[1]), abs=ROUNDING)


def test_the_mean_over_all_shuffles_of_a_column_is_0(information_of):
    total, orders = np.zeros(5), set(permutations(CODES[:, 1].tolist()))
    for column in orders:
        information = information_of(np.column_stack([CODES[:, 0], column]), CLASSES, estimator="corrected")
        pair, joint = information.pair(0), information.relevance[0]
        given = information.conditional().refine(0).conditional_relevance(np.array([1]))[0]
        total += [
            values[1] for values in (pair.redundancy, pair.conditional_relevance, pair.conditional_redundancy)
        ] + [
            pair.joint_relevance[1] - joint,
            given,
        ]
    assert len(orders) == 210
    assert total / len(orders) == pytest.approx(np.zeros(5), abs=ROUNDING)


def test_each_is_plug_in_less_its_mean(information_of):
    random = np.random.default_rng(2)
    codes = np.column_stack([random.integers(0, m, 120) for m in (2, 3, 9, 40, 1)])
    classes = random.integers(0, 3, 120)
    codes[:, 1] = np.where(random.random(120) < 0.7, classes, codes[:, 1])
    plain, corrected = (information_of(codes, classes, estimator=name) for name in ("plug-in", "corrected"))

    def by_chance(column, other):
        """The mean of their mutual information over shuffles of the column."""
        counts = [np.unique(values, return_counts=True)[1].tolist() for values in (column, other)]
        entropies = [log2(120) - sum(n * log2(n) for n in some) / 120 for some in counts]
        both = log2(120) - sum(mean_term(120, a, b) for a in counts[0] for b in counts[1]) / 120
        return sum(entropies) - both

    ours, theirs = corrected.pair(2), plain.pair(2)
    for x in range(codes.shape[1]):
        column, pivot = codes[:, x], codes[:, 2]
        relevance = plain.relevance[x] - by_chance(column, classes)
        redundancy = theirs.redundancy[x] - by_chance(column, pivot)
        # I(Xi;C|Xj) = I(Xi;Xj,C) - I(Xi;Xj), and shuffles of Xi leave Xj and C as they are
        given = theirs.conditional_relevance[x] - by_chance(column, pivot * 3 + classes) + by_chance(column, pivot)
        found = [corrected.relevance[x], ours.conditional_relevance[x], ours.redundancy[x]]
        assert found == pytest.approx([relevance, given, redundancy], abs=ROUNDING)
        assert ours.joint_relevance[x] == pytest.approx(corrected.relevance[2] + given, abs=ROUNDING)
        assert ours.conditional_redundancy[x] == pytest.approx(redundancy + given - relevance, abs=ROUNDING)
    assert np.array_equal(corrected.entropy, plain.entropy)
    assert corrected.class_entropy == plain.class_entropy
    assert np.array_equal(corrected.varies, plain.varies)


def test_given_one_feature_is_given_a_set_of_one(information_of):
    random = np.random.default_rng(4)
    codes, classes = random.integers(0, 6, (90, 5)), random.integers(0, 2, 90)
    information = information_of(codes, classes, estimator="corrected")
    given = information.conditional().refine(3)
    assert given.conditional_relevance() == pytest.approx(information.pair(3).conditional_relevance, abs=ROUNDING)
    assert given.class_entropy == information_of(codes, classes).conditional().refine(3).class_entropy


def test_redundancies_are_those_of_the_pairs(information_of):
    random = np.random.default_rng(6)
    codes, classes = random.integers(0, 7, (60, 9)), random.integers(0, 2, 60)
    information = information_of(codes, classes, estimator="corrected")
    columns, matrix = np.array([7, 2, 0, 5]), information.matrix("redundancy")
    found = information.matrix("redundancy", columns=columns)
    for i in range(4):
        for j in range(i):
            assert found[i, j] == pytest.approx(matrix[columns[i], columns[j]], abs=ROUNDING)
    assert np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize("n_classes", [2, 60])
def test_counts_between_those_that_are_computed(n_classes):
    """Means of counts from 1,024 on are those of a cubic through others: right to 1e-7 bits."""
    random = np.random.default_rng(0)
    n = 9_000
    codes = np.column_stack(
        [random.choice(3, n, p=[0.2, 0.3, 0.5]), random.integers(0, 2, n), random.integers(0, 9, n)]
    )
    classes = random.integers(0, n_classes, n)
    ours, plain = (make_information(name, PackedSource(codes, classes)) for name in ("corrected", "plug-in"))
    bit = plain.entropy_terms.per_bit
    labels = np.unique(codes[:, 2] * n_classes + classes, return_counts=True)[1]
    pivot = np.bincount(codes[:, 2])
    for x in range(3):
        margins = np.bincount(codes[:, x])
        assert x == 2 or margins.min() > DENSE_NODES
        after = int(expected_terms(n, margins, labels).sum()) - int(expected_terms(n, margins, pivot).sum())
        mean = (after + plain.entropy_terms.sum(pivot) - plain.entropy_terms.sum(labels)) / bit
        wanted = plain.pair(2).conditional_relevance[x] - mean
        assert ours.pair(2).conditional_relevance[x] == pytest.approx(wanted, abs=1e-7)


def test_beyond_the_table_of_terms():
    """Cells of more than 131,072 samples: right to 1e-4 bits, and a constant column has exactly none."""
    n = 300_000
    classes = np.arange(n) % 3 % 2
    codes = np.column_stack([np.arange(n) % 7 > 4, np.arange(n) // 299_000, np.zeros(n)]).astype(np.uint8)
    information = make_information("corrected", PackedSource(codes, classes))
    plain = make_information("plug-in", PackedSource(codes, classes))
    assert information.relevance == pytest.approx(plain.relevance, abs=1e-4)  # by chance they have 2e-6
    assert information.relevance[2] == 0


def trap(seed):
    """A binary column that agrees with the class in 70 %, in a random place among 50 of noise of 2 to 50 codes."""
    random = np.random.default_rng(seed)
    classes = np.repeat([0, 1], 100)
    columns = [random.integers(0, m, 200) for m in random.integers(2, 51, 50)]
    place = int(random.integers(51))
    columns.insert(place, np.where(random.random(200) < 0.7, classes, 1 - classes))
    return np.column_stack(columns), classes, place


def test_many_values_do_not_win_by_luck():
    """By plug-in the true column is first in none of 40 sets; corrected in 99 of 100, and 38 of 40 here."""
    first = {"plug-in": 0, "corrected": 0}
    for seed in range(40):
        codes, classes, place = trap(seed)
        for name in first:
            information = make_information(name, PackedSource(codes, classes))
            found = forward_select(information, make_criterion("mim"), 1)
            first[name] += int(found.order[0] == place)
            assert found.scores[0] == information.relevance[found.order[0]]
    assert first["plug-in"] == 0
    assert first["corrected"] >= 38


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if name != "minred"])
def test_every_criterion_finds_the_column_among_many_values(criterion):
    codes, classes, place = trap(3)
    information = make_information("corrected", PackedSource(codes, classes))
    parameters = {"eps": 0.01} if criterion == "miq" else {}  # corrected redundancy may be 0 or less
    found = forward_select(information, make_criterion(criterion, **parameters), 3)
    assert found.order[0] == place
    assert np.isfinite(found.scores).all()


@pytest.mark.parametrize("most", [0, 4096])
def test_what_is_kept_changes_no_bit(monkeypatch, make_table, most):
    """Rows of mean terms that are kept or dropped."""
    codes, classes = make_table(90, 6, n_codes=4, n_classes=3, seed=4)

    def answers():
        information = make_information("corrected", PackedSource(codes, classes))
        information._row_limit = 1 if most == 0 else 10**6
        pairs = [information.pair(pivot) for pivot in (0, 1, 2, 0)]
        named = ("redundancy", "conditional_relevance", "conditional_redundancy", "joint_relevance")
        return [getattr(pair, name).tobytes() for pair in pairs for name in named]

    expected = answers()
    monkeypatch.setattr(margins_module, "MAX_CACHED_ROWS", most)
    assert answers() == expected


def test_shuffles_are_corrected_as_the_column_is(make_table):
    """By the same amount, which no shuffle of the classes changes."""
    codes, classes = make_table(60, 4, n_codes=4, seed=6)
    source, seeds = PackedSource(codes, classes), np.arange(20, dtype=np.uint64)
    plain, found = (make_information(name, source).conditional().refine(1) for name in ("plug-in", "corrected"))
    for feature in (0, 2):
        shuffled = plain.shuffled_relevance(feature, seeds)
        chance = plain.conditional_relevance(np.array([feature])) - found.conditional_relevance(np.array([feature]))
        assert chance > 0
        assert found.shuffled_relevance(feature, seeds) == pytest.approx(shuffled - chance, abs=ROUNDING)


def test_a_matrix_reports_every_row(make_table):
    codes, classes = make_table(50, 5, seed=1)
    reports = []
    make_information("corrected", PackedSource(codes, classes)).matrix(
        "conditional_relevance", progress=lambda *counts: reports.append(counts)
    )
    assert reports == [(row, 5) for row in range(1, 6)]


@pytest.mark.parametrize("columns", [None, np.arange(40), np.array([39, 2, 17, 30, 8])])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_matrix_of_redundancies_is_that_of_its_pairs(make_table, columns, dtype):
    """Bit for bit, where the pairs were counted before and where they were not."""
    codes, classes = make_table(90, 40, seed=2)
    information, fresh = (make_information("corrected", PackedSource(codes, classes)) for _ in range(2))
    chosen = np.arange(40) if columns is None else columns
    found = information.matrix("redundancy", dtype, columns)
    wanted = np.diag(fresh.entropy[chosen]).astype(dtype)
    for i, pivot in enumerate(chosen.tolist()):
        wanted[i, i + 1 :] = fresh.pair(pivot, chosen[i + 1 :]).redundancy
        wanted[i + 1 :, i] = wanted[i, i + 1 :]
    assert found.tobytes() == wanted.tobytes()
    assert fresh.matrix("redundancy", dtype, columns).tobytes() == wanted.tobytes()


def test_what_chance_gives_is_kept_for_so_many_pivots(information_of, make_table, monkeypatch):
    """Asking again for one computes nothing; where there are as many as rows may be, all are dropped."""
    codes, classes = make_table(80, 9, seed=4)
    information, fresh = (information_of(codes, classes, estimator="corrected") for _ in range(2))
    information._row_limit = 3
    made, counts_with_class = [], information.counts_with_class
    monkeypatch.setattr(information, "counts_with_class", lambda pivot: made.append(pivot) or counts_with_class(pivot))
    for pivot in (0, 1, 2, 3, 0, 8, 7, 6, 5):
        for _ in range(2):
            found = information.chance_given_feature(pivot)
            assert len(information._chance_by_feature) <= 3
        assert found.sum_of_count.tolist() == fresh.chance_given_feature(pivot).sum_of_count.tolist()
    assert len(made) == 9
    for pivot in (7, 6, 5):
        information.chance_given_feature(pivot)
    assert len(made) == 9
