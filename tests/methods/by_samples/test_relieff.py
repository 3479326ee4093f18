"""ReliefF against a case by hand and against its formula in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve import _native
from bitsieve.counts.kernels import available_kernels, choose_kernel
from bitsieve.methods.by_samples import relieff
from bitsieve.methods.by_samples.differences import Differences
from bitsieve.methods.by_samples.relieff import relieff_weights, rrelieff_weights
from bitsieve.methods.by_samples.rows import Rows

NOTHING = -1  # a missing value, in these tests' tables of whole numbers


def rows_of(numbers, codes):
    """Numeric columns first, then categorical ones; NOTHING is missing in both."""
    numbers, codes = np.asarray(numbers, float), np.asarray(codes, np.int32)
    numbers = np.where(numbers == NOTHING, np.nan, numbers)
    n, m = numbers.shape[1], codes.shape[1]
    return Rows(numbers, codes, np.arange(n), np.arange(n, n + m))


def run(rows, classes, k, samples=None, n_jobs=None, **options):
    classes = np.asarray(classes)
    differences = Differences(rows, classes, int(classes.max()) + 1)
    samples = np.arange(len(classes)) if samples is None else np.asarray(samples)
    return relieff_weights(differences, classes, samples, n_neighbors=k, n_jobs=n_jobs, **options)


def exact_differences(column, classes, numeric):
    """[i][j] in fractions; a missing value is all known ones of its class in turn (of the column, if none is)."""
    known = [v for v in column if v != NOTHING]
    if len(set(known)) < 2:
        return [[Fraction(0)] * len(column) for _ in column]
    span = max(known) - min(known)

    def apart(a, b):
        return Fraction(abs(a - b), span) if numeric else Fraction(int(a != b))

    def stand_ins(i):
        if column[i] != NOTHING:
            return [column[i]]
        return [v for v, c in zip(column, classes, strict=True) if c == classes[i] and v != NOTHING] or known

    def expected(i, j):
        pairs = [apart(a, b) for a in stand_ins(i) for b in stand_ins(j)]
        return sum(pairs) / len(pairs)

    everyone = range(len(column))
    return [[expected(i, j) for j in everyone] for i in everyone]


def by_the_formula(numbers, codes, classes, k, samples=None):
    columns = [(list(map(int, c)), True) for c in np.transpose(numbers)]
    columns += [(list(map(int, c)), False) for c in np.transpose(codes)]
    classes = [int(c) for c in classes]
    diffs = [exact_differences(column, classes, numeric) for column, numeric in columns]
    everyone = range(len(classes))
    samples = everyone if samples is None else samples
    weights = [Fraction(0)] * len(columns)
    for i in samples:
        for c in set(classes):
            others = [j for j in everyone if classes[j] == c and j != i]
            near = sorted(others, key=lambda j: (sum(d[i][j] for d in diffs), j))[:k]
            prior = Fraction(classes.count(c), len(classes) - classes.count(classes[i]))
            for f, d in enumerate(diffs):
                if near:
                    mean = sum(d[i][j] for j in near) / len(near)
                    weights[f] += -mean if c == classes[i] else prior * mean
    return [float(w / len(samples)) for w in weights]


def random_table(seed, n_samples, n_classes, missing):
    """Whole numbers, so that distances tie; some columns follow the class, one does not vary."""
    random = np.random.default_rng(seed)
    classes = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n_samples - n_classes)])
    numbers = random.integers(0, 6, (n_samples, 3))
    numbers[:, 0] += 2 * classes
    codes = random.integers(0, 3, (n_samples, 2))
    codes[:, 1] = np.where(random.random(n_samples) < 0.7, classes % 3, codes[:, 1])
    numbers[random.random(numbers.shape) < missing] = NOTHING
    codes[random.random(codes.shape) < missing] = NOTHING
    return np.column_stack([numbers, np.full(n_samples, 4)]), codes, classes


def test_by_hand():
    """Numbers 0 2 6 10 and letters p p q p of classes 0 0 1 1, one neighbour; all priors P(c)/(1-P(y)) are 1.

    Numbers differ by .2 (0,1), .6 (0,2), 1 (0,3), .4 (1,2), .8 (1,3), .4 (2,3); letters by 1 in every pair with
    sample 2. Distances: .2, 1.6, 1, 1.4, .8, 1.4. So

        sample  hit  miss  numbers           letters
        0       1    3     -.2 + 1   =  .8   0 + 0
        1       0    3     -.2 +  .8 =  .6   0 + 0
        2       3    1     -.4 +  .4 =   0   -1 + 1
        3       2    1     -.4 +  .8 =  .4   -1 + 0

    and the means are 1.8 / 4 and -1 / 4.
    """
    weights = run(rows_of([[0], [2], [6], [10]], [[0], [0], [1], [0]]), [0, 0, 1, 1], k=1)
    # Tenths and their sums in floating point.
    assert np.abs(weights - [0.45, -0.25]).max() <= 1e-15


def test_priors_by_hand():
    """One number, 0 1 4 10 of classes 0 0 1 2: P(1)/(1-P(0)) = P(2)/(1-P(0)) = 1/2; for the others 2/3 and 1/3.

    Differences over 10, one neighbour: sample 0: -.1 + (.4 + 1)/2 = .6; sample 1: -.1 + (.3 + .9)/2 = .5; sample 2,
    no hit: 2/3 * .3 + 1/3 * .6 = .4; sample 3, no hit: 2/3 * .9 + 1/3 * .6 = .8. The mean is 2.3 / 4.
    """
    weights = run(rows_of([[0], [1], [4], [10]], np.empty((4, 0))), [0, 0, 1, 2], k=1)
    assert np.abs(weights - [0.575]).max() <= 1e-15  # rounding of a few sums


def test_missing_by_hand():
    """Numbers 0 4 ? of class 0 and 8 6 of class 1; two neighbours are all of every class.

    The missing one stands for 0 or 4: from 0 and 4 it differs by (0 + 4)/2 = 2, from 8 by (8 + 4)/2 = 6, from 6 by
    (6 + 2)/2 = 4, all over 8.

        sample  hits            misses          eighths
        0       4, 2 -> 3       8, 6 -> 7       4
        1       4, 2 -> 3       4, 2 -> 3       0
        2       2, 2 -> 2       6, 4 -> 5       3
        3       2               6, 4            of 8, 4, 6 the nearest two: 5 - 2 = 3
        4       2               of 6, 2, 4 the nearest two: 3 - 2 = 1
    """
    rows = rows_of([[0], [4], [NOTHING], [8], [6]], np.empty((5, 0)))
    weights = run(rows, [0, 0, 0, 1, 1], k=2)
    assert np.abs(weights - [(4 + 0 + 3 + 3 + 1) / 8 / 5]).max() <= 1e-15  # rounding of a few sums


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_samples=st.integers(5, 16),
    n_classes=st.integers(2, 4),
    k=st.integers(1, 6),
    missing=st.sampled_from([0.0, 0.2]),
)
def test_against_the_formula(seed, n_samples, n_classes, k, missing):
    numbers, codes, classes = random_table(seed, n_samples, n_classes, missing)
    weights = run(rows_of(numbers, codes), classes, k)
    # A few dozen roundings of numbers below 1; neighbours that are mistaken would show in the second place.
    assert np.abs(weights - by_the_formula(numbers, codes, classes, k)).max() <= 1e-14
    assert weights[3] == 0


def test_some_samples_only():
    numbers, codes, classes = random_table(7, 14, 3, 0.1)
    weights = run(rows_of(numbers, codes), classes, 2, samples=[1, 5, 6, 12])
    expected = by_the_formula(numbers, codes, classes, 2, samples=[1, 5, 6, 12])
    assert np.abs(weights - expected).max() <= 1e-14  # as above


def test_order_of_the_columns_changes_no_bit():
    random = np.random.default_rng(0)
    numbers, classes = random.standard_normal((60, 30)), random.integers(0, 3, 60)
    numbers[random.random(numbers.shape) < 0.1] = np.nan
    order = random.permutation(30)
    none = np.empty((60, 0), np.int32)
    weights = run(Rows(numbers, none, np.arange(30), np.arange(0)), classes, 5)
    permuted = run(Rows(numbers[:, order], none, np.arange(30), np.arange(0)), classes, 5)
    assert permuted.tobytes() == weights[order].tobytes()


def test_twins_weigh_the_same_and_change_nothing():
    """Every distance doubles."""
    numbers, codes, classes = random_table(3, 40, 3, 0.1)
    weights = run(rows_of(numbers, codes), classes, 4)
    twice = run(rows_of(np.column_stack([numbers] * 2), np.column_stack([codes] * 2)), classes, 4)
    assert twice[:4].tobytes() == twice[4:8].tobytes() == weights[:4].tobytes()
    assert twice[8:10].tobytes() == twice[10:].tobytes() == weights[4:].tobytes()


def test_units_do_not_matter():
    random = np.random.default_rng(1)
    numbers, classes = random.random((50, 6)), random.integers(0, 2, 50)
    none = np.empty((50, 0), np.int32)
    weights = run(Rows(numbers, none, np.arange(6), np.arange(0)), classes, 5)
    scaled = run(Rows(numbers * 2.0 ** np.arange(-300, 300, 100), none, np.arange(6), np.arange(0)), classes, 5)
    assert scaled.tobytes() == weights.tobytes()
    moved = run(Rows(numbers * [-3, 7, 0.1, 11, 1e9, -1e-9] + 5, none, np.arange(6), np.arange(0)), classes, 5)
    # Adding 5 to a column that spans 1e-9 leaves seven digits of it; the distances shift by as little.
    assert np.abs(moved - weights).max() <= 1e-6


def test_the_largest_numbers_do_not_overflow():
    numbers = np.array([[-1.0], [-0.5], [0.5], [1.0]])
    none, where = np.empty((4, 0), np.int32), (np.arange(1), np.arange(0))
    plain = run(Rows(numbers, none, *where), [0, 0, 1, 1], 1)
    huge = run(Rows(numbers * 1.7e308, none, *where), [0, 0, 1, 1], 1)
    assert np.abs(huge - plain).max() <= 1e-15  # 1.7e308 is no power of two


def test_names_of_classes_and_categories_do_not_matter():
    numbers, codes, classes = random_table(5, 50, 3, 0.1)
    weights = run(rows_of(numbers, codes), classes, 4)
    codes = np.where(codes == NOTHING, NOTHING, np.array([2, 0, 1])[codes])
    renamed = run(rows_of(numbers, codes), np.array([1, 2, 0])[classes], 4)
    assert np.abs(renamed - weights).max() <= 1e-14  # the same terms, summed in another order


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_no_bit(monkeypatch, n_jobs):
    monkeypatch.setattr(relieff, "MAX_BLOCK_SAMPLES", 7)
    numbers, codes, classes = random_table(6, 90, 3, 0.1)
    heard = []
    one = run(rows_of(numbers, codes), classes, 4, progress=lambda *step: heard.append(step))
    assert heard == [(done, 13) for done in range(1, 14)]
    assert run(rows_of(numbers, codes), classes, 4, n_jobs=n_jobs).tobytes() == one.tobytes()


def test_blocks_do_not_matter(monkeypatch):
    numbers, codes, classes = random_table(8, 60, 2, 0.2)
    whole = run(rows_of(numbers, codes), classes, 3)
    monkeypatch.setattr(relieff, "BLOCK_DISTANCES", 1)  # a sample at a time
    assert np.abs(run(rows_of(numbers, codes), classes, 3) - whole).max() <= 1e-15  # sums in another order


def test_what_is_not_remembered_is_taken_afresh(monkeypatch):
    numbers, codes, classes = random_table(9, 40, 2, 0.3)
    remembered = run(rows_of(numbers, codes), classes, 3)
    monkeypatch.setattr(
        "bitsieve.methods.by_samples.differences.MAX_CACHED_BYTES", 8 * 2 * 40
    )  # of the first column only
    assert run(rows_of(numbers, codes), classes, 3).tobytes() == remembered.tobytes()


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30), levels=st.integers(1, 5), data=st.data())
def test_nearest_are_those_of_a_stable_sort(seed, n, levels, data):
    """Of any distances that other columns give; whoever is looked at is no neighbour of itself."""
    k = data.draw(st.integers(1, n))
    random = np.random.default_rng(seed)
    distances = random.integers(0, levels, (4, n + 4)) + random.uniform(-1e-10, 1e-10, (4, n + 4))
    samples = np.sort(random.permutation(n + 4)[:4])
    members = np.sort(np.append(random.choice(np.delete(np.arange(n + 4), samples), n, replace=False), samples[:1]))
    found = np.empty((4, k), np.int64)
    no_numbers = np.empty((n + 4, 0)), np.empty((4, 0), np.float32)
    _native.nearest_samples(
        choose_kernel().name, *no_numbers, distances + 1, samples, np.arange(4), members, 1e-9, found
    )
    for row, sample, of_sample in zip(found, samples, distances, strict=True):
        others = members[members != sample]
        expected = others[np.argsort(np.rint(of_sample[others]), kind="stable")[:k]]
        assert row.tolist() == np.sort(expected).tolist()


@pytest.mark.parametrize("n_columns", [1, 63, 64, 200])
def test_distances_in_single_precision_find_the_nearest_of_all(n_columns):
    """Near ties in more columns than a chunk: what single precision mixes up, double precision decides."""
    random = np.random.default_rng(n_columns)
    numbers = np.repeat(random.random((10, n_columns)), 9, axis=0) + random.uniform(0, 1e-8, (90, n_columns))
    differences = Differences(
        Rows(numbers, np.empty((90, 0), np.int32), np.arange(n_columns), np.arange(0)), np.zeros(90, int), 1
    )
    samples, members = np.arange(0, 90, 7), np.arange(1, 90)
    exact = np.rint((numbers - numbers.min(axis=0)) / np.ptp(numbers, axis=0) * 2.0**32) / 2.0**32
    found = differences.nearest(differences.distances(samples), np.arange(len(samples)), members, 6)
    for sample, row in zip(samples, found, strict=True):
        others = members[members != sample]
        apart = np.abs(exact[others] - exact[sample]).sum(axis=1)
        limit = np.sort(apart)[5]
        clear = others[apart < limit - differences.tolerance]
        assert set(clear) <= set(row)
        assert (np.abs(exact[row] - exact[sample]).sum(axis=1) <= limit + differences.tolerance).all()


@pytest.mark.parametrize("kernel", [name for name in available_kernels() if name != "table"])
def test_kernels_change_no_bit(monkeypatch, kernel):
    random = np.random.default_rng(3)
    numbers, classes = random.random((150, 70)), random.integers(0, 3, 150)
    rows = Rows(numbers, np.empty((150, 0), np.int32), np.arange(70), np.arange(0))
    expected = run(rows, classes, 5)
    monkeypatch.setenv("BITSIEVE_FORCE_KERNEL", kernel)
    assert run(rows, classes, 5).tobytes() == expected.tobytes()


@pytest.mark.parametrize("n", [5, 64, 65, 150])
def test_distances_counted_once_are_those_of_every_block(n):
    """Of all pairs at once, the second of which has the distance of the first, and of some samples from all."""
    random = np.random.default_rng(n)
    rows = Rows(random.random((n, 70)), np.empty((n, 0), np.int32), np.arange(70), np.arange(0))
    differences, some = Differences(rows, np.zeros(n, np.int32), 1), np.arange(1, n, 2)
    expected = differences.distances(some).in_complete_numbers[:, :n]
    differences.compute_all_distances(2)
    assert np.array_equal(differences.distances(some).in_complete_numbers, expected)


def quantity_by_the_formula(numbers, codes, y, k, samples=None):
    """RReliefF in fractions: what columns differ by between near samples, by what the quantity differs by."""
    columns = [(list(map(int, c)), True) for c in np.transpose(numbers)]
    columns += [(list(map(int, c)), False) for c in np.transpose(codes)]
    of_all = [0] * len(y)
    diffs = [exact_differences(column, of_all, numeric) for column, numeric in columns]
    gaps = exact_differences(list(map(int, y)), of_all, True)
    everyone = range(len(y))
    pairs = []
    for i in everyone if samples is None else samples:
        near = sorted((j for j in everyone if j != i), key=lambda j: (sum(d[i][j] for d in diffs), j))[:k]
        pairs += [(i, j) for j in near]
    apart = sum(gaps[i][j] for i, j in pairs)
    weights = []
    for d in diffs:
        both = sum(gaps[i][j] * d[i][j] for i, j in pairs)
        alone = sum(d[i][j] for i, j in pairs) - both
        weights.append(both / (apart or 1) - alone / ((len(pairs) - apart) or 1))
    return [float(w) for w in weights]


def run_on_quantity(rows, y, k, samples=None, n_jobs=None):
    differences = Differences(rows, np.zeros(len(y), np.int32), 1)
    samples = np.arange(len(y)) if samples is None else np.asarray(samples)
    return rrelieff_weights(differences, np.asarray(y, float), samples, n_neighbors=k, n_jobs=n_jobs)


def test_a_quantity_by_hand():
    """Numbers 0 1 2 4 with y 0 0 2 4, one neighbour: 1, 0 (of two as far the first), 1, 2.

    diff(y) of these pairs: 0, 0, 1/2, 1/2, in all 1 of 4; diff of the numbers: 1/4, 1/4, 1/4, 1/2. So W =
    (1/8 + 1/4) / 1 - (1/4 + 1/4 + 1/8 + 1/4) / 3 = 3/8 - 7/24 = 1/12.
    """
    weights = run_on_quantity(rows_of([[0], [1], [2], [4]], np.empty((4, 0))), [0, 0, 2, 4], k=1)
    assert np.abs(weights - [1 / 12]).max() <= 1e-15  # rounding of a few sums


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 14), st.integers(1, 6), st.sampled_from([0.0, 0.3]))
def test_a_quantity_by_the_formula(seed, n_samples, k, missing):
    numbers, codes, y = random_table(seed, n_samples, 3, missing)
    weights = run_on_quantity(rows_of(numbers, codes), y, k)
    # Sums of at most 84 differences of at most 1, twice, divided by their number.
    np.testing.assert_allclose(weights, quantity_by_the_formula(numbers, codes, y, k), rtol=0, atol=1e-12)


def test_of_a_quantity_the_unit_and_the_threads_do_not_count(monkeypatch):
    numbers, codes, _ = random_table(5, 300, 2, 0.1)
    y = np.random.default_rng(1).integers(0, 50, 300)
    weights = run_on_quantity(rows_of(numbers, codes), y, 10)
    # 2**k y + 2**m: exact in floating point but for the last bit of the quotient.
    np.testing.assert_allclose(run_on_quantity(rows_of(numbers, codes), 4.0 * y + 256, 10), weights, rtol=0, atol=1e-12)
    monkeypatch.setattr(relieff, "MAX_BLOCK_SAMPLES", 37)
    one = run_on_quantity(rows_of(numbers, codes), y, 10)
    assert run_on_quantity(rows_of(numbers, codes), y, 10, n_jobs=2).tobytes() == one.tobytes()
    np.testing.assert_allclose(one, weights, rtol=0, atol=1e-12)  # other blocks, other order of the sums
    largest = run_on_quantity(rows_of(numbers, codes), np.where(y > 25, 1.7e308, -1.7e308), 10)
    assert np.isfinite(largest).all()
