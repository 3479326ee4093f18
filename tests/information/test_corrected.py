"""Information corrected for chance: its means over all shuffles, against plug-in, and what it ranks first."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import comb, log, log2, sqrt

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.cover import quick_and_slow
from tests.definitions import expected_term_by_series, expected_term_by_summation

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.information import corrected, make_information
from bitsieve.information.corrected import (
    DENSE_NODES,
    CubicInterpolation,
    expected_terms,
    nodes_of,
)
from bitsieve.methods.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.methods.by_counts.forward import forward_select

SERIES_FROM = 64  # samples expected in a cell
ROUNDING = 1e-13  # a quantity is a sum of some hundred terms, each right to 2^-52 of itself
CODES = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [2, 1, 0], [0, 2, 0], [0, 2, 1], [1, 0, 0]])
CLASSES = np.array([0, 1, 1, 0, 1, 0, 0])


def mean_term(n_samples, a, b):
    """The mean of ``n log2 n`` over all draws of a of N samples, b of them marked: by the letter of the definition."""
    draws = Fraction(0)
    for n in range(max(0, a + b - n_samples), min(a, b) + 1):
        chance = Fraction(comb(b, n) * comb(n_samples - b, a - n), comb(n_samples, a))
        draws += chance * Fraction(n * log2(n) if n else 0.0)
    return float(draws)


@pytest.mark.parametrize("n_samples", [1, 2, 7, 40])
def test_mean_terms_by_their_definition(n_samples):
    margins = np.arange(n_samples + 1)
    found = expected_terms(n_samples, margins, margins)
    per_unit = 2.0 ** make_entropy_terms(n_samples).shift
    wanted = [[mean_term(n_samples, a, b) for b in margins.tolist()] for a in margins.tolist()]
    assert found / per_unit == pytest.approx(np.array(wanted), abs=ROUNDING * n_samples)
    assert np.array_equal(found, found.T)


@pytest.mark.parametrize("n_samples", [300, 5_000])
def test_the_series_has_the_moments_of_the_hypergeometric_distribution(n_samples):
    """Mean, variance, skewness and kurtosis are those of scipy."""
    a, b = np.array([n_samples // 2, n_samples // 3, n_samples - 7]), np.array([n_samples // 2, 280, n_samples // 2])
    mean, second, skewness, kurtosis = hypergeom.stats(n_samples, a, b, moments="mvsk")
    third, fourth = skewness * second**1.5, (kurtosis + 3) * second**2
    beyond = second / (2 * mean) - third / (6 * mean**2) + fourth / (12 * mean**3)
    found = [expected_terms(n_samples, a[[i]], b[[i]])[0, 0] for i in range(3)]
    wanted = mean * np.log2(mean) + beyond / log(2)
    # The terms are rounded to 2^-shift; a kurtosis that is wrong by a tenth of a normal one moves them by 1e-6.
    assert np.array(found) / 2.0 ** make_entropy_terms(n_samples).shift == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("n_samples", [300, 5_000, 200_000])
def test_the_series_is_as_right_as_the_page_on_numbers_says(n_samples):
    """From 64 samples expected in a cell: the remainder of Taylor's series, by the moments of a binomial variable."""
    a = np.unique(np.geomspace(SERIES_FROM + 1, n_samples - 1, 12).astype(np.int64))
    b = np.minimum(np.ceil(SERIES_FROM * n_samples / a).astype(np.int64), n_samples - 1)
    expected = a * b / n_samples
    kept = expected >= SERIES_FROM
    found = np.array([expected_terms(n_samples, a[[i]], b[[i]])[0, 0] for i in np.flatnonzero(kept)])
    found = found / 2.0 ** make_entropy_terms(n_samples).shift
    for i, (x, y, mean) in enumerate(zip(a[kept].tolist(), b[kept].tolist(), expected[kept].tolist(), strict=True)):
        fourth, sixth = 3 * mean**2 + mean, 15 * mean**3 + 25 * mean**2 + mean
        bound = sqrt(fourth * sixth) / (4 * mean**4) / log(2)
        low = max(0, x + y - n_samples)
        chances = np.ones(min(x, y) - low + 1)
        for n in range(low, min(x, y)):  # of n + 1, relative to that of the least
            ratio = (x - n) * (y - n) / ((n + 1) * (n_samples - x - y + n + 1))
            chances[n - low + 1] = chances[n - low] * ratio
            if chances[n - low + 1] > 1e200:
                chances[: n - low + 2] /= chances[n - low + 1]
        counts = np.arange(low, min(x, y) + 1)
        exact = (chances * counts * np.log2(np.maximum(counts, 1))).sum() / chances.sum()
        assert abs(found[i] - exact) < bound / 50  # measured: a hundredth of the bound


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
    monkeypatch.setattr(corrected, "MAX_CACHED_ROWS", most)
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


@pytest.mark.parametrize("n_samples", quick_and_slow([640, 1000, 4099], quick={640}, reason="more cells"))
def test_a_series_takes_over_where_64_samples_are_expected_in_a_cell(n_samples):
    """As the documents say: there exactly, and nowhere below."""
    b = np.arange(1, n_samples, n_samples // 40)
    a = -(-64 * n_samples // b)  # the least with 64 expected
    shift = make_entropy_terms(n_samples).shift
    for first, way in ((a, expected_term_by_series), (a - 1, expected_term_by_summation)):
        inside = (first > 0) & (first < n_samples)
        for x, y in zip(first[inside].tolist(), b[inside].tolist(), strict=True):
            found = expected_terms(n_samples, np.array([x]), np.array([y]))
            assert found.tolist() == [[int(np.rint(way(n_samples, x, y, shift)))]]


def test_interpolation_is_exact_for_cubics():
    nodes = np.array([0, 1, 2, 3, 5, 8, 13, 21])
    counts = np.arange(1, 22)
    interpolation = CubicInterpolation.between(nodes, counts)
    assert counts[interpolation.is_node].tolist() == nodes[1:].tolist()

    def cubic(x):
        return 2 * x**3 - 5 * x**2 + x - 7

    values = (interpolation.weights * cubic(interpolation.nodes[interpolation.stencil])).sum(axis=0)
    assert values == pytest.approx(cubic(counts), rel=1e-12)  # a few products of rounded quotients


@pytest.mark.parametrize("n_samples", [1, 1023, 1024, 1025, 4096, 10**6 + 3, 2**30])
def test_every_small_count_is_a_node_and_32_of_every_doubling_are(n_samples):
    nodes = nodes_of(n_samples)
    small = min(n_samples, 1023) + 1
    assert nodes[:small].tolist() == list(range(small))
    assert nodes[-1] == n_samples
    assert (np.diff(nodes) > 0).all()
    # a rounding at each end; past the first doubling few are more than the 32
    assert (nodes[small:] <= np.floor(nodes[small - 1 : -1] * 2 ** (1 / 32)) + 1).all()
    assert len(nodes) <= 1024 + 6 + 32 * max(0.0, np.log2(n_samples / 1024)) + 1
