"""Every kernel of this machine against the reference: equal integers, and from them equal bits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.definitions import joint_table

from bitsieve.counts import reference
from bitsieve.counts.kernels import (
    CHEAPEST,
    ENVIRONMENT_VARIABLE,
    STORAGE_FORMS,
    TABLE,
    available_kernels,
    choose_kernel,
    show_kernel,
)
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import sums_of
from bitsieve.counts.tables import PairForm, entropy_terms

KERNELS = available_kernels()
# Planes, packed counters and table increments, each forced: what a kernel chooses by itself depends on measured costs.
FORCED = [f"{name}:{form}" for name in KERNELS if name != TABLE for form in STORAGE_FORMS] + [TABLE]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)
every_form = pytest.mark.parametrize("kernel", FORCED)
term = lru_cache(maxsize=None)(reference.term)


def terms_of(source):
    return entropy_terms(source.n_samples)


def cell_sum(keys, shift):
    """Sum of the reference's terms over the cells of a table, given the cell of every sample."""
    counts, times = np.unique(np.unique(keys, return_counts=True)[1], return_counts=True)
    return sum(term(int(c), shift) * int(k) for c, k in zip(counts, times, strict=True))


def expected_sums(codes, classes, pivot, other, shift):
    """``S_xy`` and ``S_xyc`` of two columns; pivot -1 is a constant."""
    x = np.zeros(len(codes), np.int64) if pivot < 0 else codes[:, pivot].astype(np.int64)
    key = x * 65536 + codes[:, other]
    return cell_sum(key, shift), cell_sum(key * (int(classes.max()) + 1) + classes, shift)


def check_rows(source, codes, classes, pivots):
    shift = terms_of(source).shift
    for pivot in pivots:
        xy, xyc = sums_of(source).pair_sums(terms_of(source), pivot, None, True)
        alone, nothing = sums_of(source).pair_sums(terms_of(source), pivot, None, False)
        expected = [expected_sums(codes, classes, pivot, j, shift) for j in range(codes.shape[1])]
        assert nothing is None
        assert alone.tolist() == xy.tolist() == [pooled for pooled, _ in expected]
        assert xyc.tolist() == [within for _, within in expected]
    alone, with_class = sums_of(source).marginal_sums(terms_of(source))
    expected = [expected_sums(codes, classes, -1, j, shift) for j in range(codes.shape[1])]
    assert list(zip(alone.tolist(), with_class.tolist(), strict=True)) == expected


def check_matrix(source, codes, classes, columns=None, seed=0):
    """Any form of the sums: the integer part is exact, so the one division gives the very float."""
    random = np.random.default_rng(seed)
    n = codes.shape[1]
    chosen = range(n) if columns is None else columns
    shift = terms_of(source).shift
    pairs = {(i, j): expected_sums(codes, classes, i, j, shift) for a, i in enumerate(chosen) for j in list(chosen)[a:]}
    pairs |= {(j, i): sums for (i, j), sums in pairs.items()}
    row, column = random.integers(0, 2**59, (2, n))
    for weights, parts, symmetric in [
        ((1, 0), (row, -row), False),
        ((1, 0), (row, column), False),
        ((-1, 1), (row, column), False),
        ((-1, 1), (row, column), True),
        ((0, 1), (row, row + 5), False),
    ]:
        form = PairForm(*weights, *parts, terms_of(source).per_bit, symmetric)
        got = sums_of(source).matrix(terms_of(source), form, np.float64, columns)

        def value(i, j, weights=weights, parts=parts):
            pooled, within = pairs[i, j]
            return float(weights[0] * pooled + weights[1] * within + int(parts[0][i]) + int(parts[1][j]))

        exact = np.array([[value(i, j) for j in chosen] for i in chosen]) / terms_of(source).per_bit
        if symmetric:
            exact = (exact + exact.T) * 0.5
        assert got.tobytes() == exact.tobytes()
        single = sums_of(source).matrix(terms_of(source), form, np.float32, columns)
        assert single.dtype == np.float32
        assert single.tobytes() == exact.astype(np.float32).tobytes()


def check(codes, classes, kernel, pivots=None, **keywords):
    source = PackedSource(codes, classes, kernel=kernel, **keywords)
    values = np.asarray(codes).astype(np.int64)
    pivots = range(values.shape[1]) if pivots is None else pivots
    check_rows(source, values, np.asarray(classes), pivots)
    check_matrix(source, values, np.asarray(classes))
    return source


def dense(source, i, j):
    """The counts of two features and the class as one array."""
    return source.tables(i, np.array([j]), True)[0].dense()


def random_codes(random, n_samples, arities, dtype=np.uint8):
    return np.column_stack([random.integers(0, arity, n_samples) for arity in arities]).astype(dtype)


@every_form
@settings(deadline=None, max_examples=15)
@given(
    st.integers(1, 200),
    st.lists(st.one_of(st.integers(1, 5), st.integers(1, 70)), min_size=1, max_size=12),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
)
def test_random_tables(kernel, n_samples, arities, n_classes, seed):
    random = np.random.default_rng(seed)
    codes = random_codes(random, n_samples, arities)
    classes = random.integers(0, n_classes, n_samples)
    check(codes, classes, kernel, pivots=range(min(4, len(arities))))
    (table,) = PackedSource(codes, classes, kernel=kernel).tables(0, np.array([len(arities) - 1]), True)
    i, j = codes[:, 0], codes[:, -1]
    assert (table.dense() == joint_table(i, j, classes, table.shape)).all()


@every_form
def test_every_arity(kernel):
    """Every number of planes a group can have, and the first arities that are stored as codes."""
    random = np.random.default_rng(1)
    codes = random_codes(random, 150, range(1, 71))
    classes = random.integers(0, 2, 150)
    check(codes, classes, kernel, pivots=[0, 1, 2, 16, 33, 62, 63, 64, 69])


@every_form
@pytest.mark.parametrize("size", [63, 64, 65, 127, 128, 129])
def test_class_sizes_at_word_boundaries(kernel, size):
    random = np.random.default_rng(size)
    classes = random.permutation(np.repeat([0, 1, 2], [size, 1, size + 1]))
    codes = random_codes(random, len(classes), [1, 2, 2, 3, 3, 4, 5, 7, 10, 10])
    check(codes, classes, kernel, pivots=[0, 1, 4, 9])
    check(codes, np.zeros(len(codes), int), kernel, pivots=[1, 4])


@every_form
def test_one_sample(kernel):
    codes = np.array([[0, 1, 7, 200, 65535]], np.uint16)
    source = check(codes, np.array([0]), kernel)
    assert sums_of(source).marginal_sums(terms_of(source))[0].tolist() == [0] * 5


@every_form
def test_constant_columns(kernel):
    random = np.random.default_rng(2)
    codes = random_codes(random, 100, [1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 2])
    codes[:, 4] = 6  # constant, but not at 0
    check(codes, random.integers(0, 2, 100), kernel)


@every_form
def test_empty_classes(kernel):
    random = np.random.default_rng(3)
    codes = random_codes(random, 130, [2, 3, 3, 9, 40])
    classes = random.choice([1, 4], 130)
    source = check(codes, classes, kernel, n_classes=7)
    assert source.n_classes == 7
    assert source.class_sizes.tolist() == np.bincount(classes, minlength=7).tolist()
    table = dense(source, 1, 3)
    assert table.shape == (3, 9, 7)
    assert (table == joint_table(codes[:, 1], codes[:, 3], classes, table.shape)).all()


@every_form
def test_many_classes_of_few_samples(kernel):
    random = np.random.default_rng(4)
    codes = random_codes(random, 700, [2, 3, 5, 10, 64, 70])
    check(codes, random.integers(0, 300, 700), kernel)
    check(codes, random.permutation(700), kernel, pivots=[0, 5])


@every_kernel
def test_more_classes_than_sixteen_bits(kernel):
    random = np.random.default_rng(5)
    classes = random.permutation(70_000)
    codes = random_codes(random, 70_000, [2, 3])
    source = PackedSource(codes, classes, kernel=kernel)
    assert source.n_classes == 70_000
    check_rows(source, codes.astype(np.int64), classes, [0])


@every_kernel
def test_wide_columns(kernel):
    """Columns of codes beside bit planes; a pair of the last two has more than 2**16 cells and is walked sorted."""
    random = np.random.default_rng(6)
    n_samples = 3000
    codes = random_codes(random, n_samples, [2, 3, 300, 256, 5000, 3, 700, 65536], np.uint16)
    classes = random.integers(0, 3, n_samples)
    classes[:5] = 3  # a class smaller than any arity
    source = check(codes, classes, kernel, pivots=[0, 1, 2, 4, 6, 7])
    for i, j in [(0, 4), (4, 0), (2, 3), (2, 2)]:
        table = dense(source, i, j)
        assert (table == joint_table(codes[:, i], codes[:, j], classes, table.shape)).all()


@every_form
def test_more_words_than_a_chunk(kernel):
    """70,000 samples of one class: planes are walked and packed in several chunks."""
    random = np.random.default_rng(7)
    codes = random_codes(random, 70_000, [3] * 9 + [2, 10, 11])
    check(codes, np.zeros(70_000, int), kernel, pivots=[0, 11])
    check(codes, random.integers(0, 2, 70_000), kernel, pivots=[10])


@every_form
def test_counts_beyond_the_table_of_terms(kernel):
    random = np.random.default_rng(8)
    n_samples = 2**17 + 70
    codes = (random.random((n_samples, 4)) < 0.001).astype(np.uint8)
    codes[:, 3] *= 3
    check(codes, (random.random(n_samples) < 0.001).astype(int), kernel)


# For packed counters: many samples a class word would waste, classes whose samples of one code pass the 63 of a
# counter, and one that passes the 2,048 samples put into buckets at once; also none and one.
COUNTER_SIZES = [[90] * 100, [60] * 100 + [3000, 0, 1, 63, 64], [400] * 5 + [2048] + [2049] + [70] * 60]


@every_form
@pytest.mark.parametrize("sizes", COUNTER_SIZES, ids=["small", "mixed", "chunks"])
@pytest.mark.parametrize("skewed", [False, True])
def test_packed_counters(kernel, sizes, skewed):
    random = np.random.default_rng(len(sizes))
    classes = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    codes = random_codes(random, len(classes), [10, 10, 1, 9, 10, 10, 10, 2, 10, 10])
    if skewed:
        codes[random.random(codes.shape) < 0.8] = 0
    source = PackedSource(codes, classes, kernel=kernel, n_classes=len(sizes))
    assert source.packed.uses_counters == kernel.endswith(":counters")
    check_rows(source, codes, classes, [0, 2, 9])
    check_matrix(source, codes, classes)


@every_form
def test_packed_counters_beside_wide_columns(kernel):
    random = np.random.default_rng(8)
    classes = random.permutation(np.repeat(np.arange(100), 90))
    codes = random_codes(random, 9000, [10] * 9 + [12, 200, 10])
    source = check(codes, classes, kernel, pivots=[0, 9, 10])
    assert source.packed.uses_counters == kernel.endswith(":counters")
    expected = joint_table(codes[:, 3], codes[:, 10], classes, (10, 200, 100))
    assert (dense(source, 3, 10) == expected).all()
    assert sums_of(source).pair_sums(terms_of(source), 0, np.array([10, 3]), True)[1].tolist() == [
        expected_sums(codes.astype(np.int64), classes, 0, j, terms_of(source).shift)[1] for j in (10, 3)
    ]


@every_kernel
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.uint32, bool])
def test_types_and_layouts(kernel, dtype):
    """The same table however it lies in memory."""
    random = np.random.default_rng(9)
    high = 2 if dtype is bool else 12
    big = random.integers(0, high, (400, 30)).astype(dtype)
    classes = random.integers(0, 3, 200)
    for codes in (
        np.ascontiguousarray(big[:200, :10]),
        np.asfortranarray(big[:200, :10]),
        big[::2, ::3],
        big[399:199:-1, 20:10:-1],
        np.asfortranarray(big)[::2, 1::3],
    ):
        check_rows(PackedSource(codes, classes, kernel=kernel), codes.astype(np.int64), classes, [0, 7])
    locked = np.ascontiguousarray(big[:200, :10])
    locked.flags.writeable = False
    check_rows(PackedSource(locked, classes, kernel=kernel), locked.astype(np.int64), classes, [3])


@every_kernel
def test_wide_columns_in_rows(kernel):
    random = np.random.default_rng(10)
    codes = np.ascontiguousarray(random.integers(0, 500, (300, 12)).astype(np.uint16))
    check(codes, random.integers(0, 4, 300), kernel, pivots=[0, 11])


SCRIPT = """
import numpy as np
from bitsieve.counts.kernels import show_kernel
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.tables import entropy_terms
from bitsieve.counts.source import sums_of
codes = np.random.default_rng(0).integers(0, 5, (500, 20)).astype(np.uint8)
source = PackedSource(codes, codes[:, 0] % 2)
sums = sums_of(source).pair_sums(entropy_terms(500), 3, None, True)
print(*source.kernel, [s.tolist() for s in sums])
print(show_kernel())
"""


def run_forced(name):
    environment = {**os.environ, ENVIRONMENT_VARIABLE: name}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)


def test_forcing_a_kernel_by_the_environment():
    sums = set()
    for name in [*KERNELS, "portable:planes", "portable:counters"]:
        done = run_forced(name)
        assert done.returncode == 0, done.stderr
        numbers, line = done.stdout.splitlines()
        used, storage, numbers = numbers.split(" ", 2)
        assert (used, storage) == tuple(choose_kernel(name))
        assert f"with the {name.partition(':')[0]} kernel" in line
        sums.add(numbers)
    assert len(sums) == 1


def test_unknown_kernel_in_the_environment():
    done = run_forced("sse9")
    assert done.returncode != 0
    message = f"BITSIEVE_FORCE_KERNEL='sse9' is not a kernel of this machine: it has {', '.join(KERNELS)}"
    assert done.stderr.splitlines()[-1] == f"bitsieve.diagnostics.UserError: {message}"


def test_choice_of_kernel(monkeypatch):
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    assert KERNELS[-2:] == ["portable", "table"]
    assert choose_kernel() == (KERNELS[0], CHEAPEST)
    assert choose_kernel("portable") == ("portable", CHEAPEST)
    assert choose_kernel("portable:counters") == ("portable", "counters")
    assert choose_kernel("table") == (KERNELS[0], TABLE)
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "portable")
    assert choose_kernel() == ("portable", CHEAPEST)
    assert choose_kernel("table") == (KERNELS[0], TABLE)  # what the call asks for goes first
    for kernel in KERNELS:
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
        used, others = re.fullmatch(r"bitsieve counts with the (.*) kernel; also here: (.*)", show_kernel()).groups()
        assert used == kernel
        assert others.split(", ") == [other for other in KERNELS if other != kernel]
    with pytest.raises(ValueError, match=r"'fast' is not a kernel of this machine: it has .*portable, table"):
        choose_kernel("fast")
    for name in ("portable:fast", "portable:table", "table:planes", "portable:"):
        with pytest.raises(ValueError, match="is not a kernel of this machine"):
            choose_kernel(name)
