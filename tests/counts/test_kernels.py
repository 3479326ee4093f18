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
from bitsieve.counts.tables import PairFormula, make_entropy_terms

KERNELS = available_kernels()
# Planes, packed counters and table increments, each forced: what a kernel chooses by itself depends on measured costs.
FORCED = [f"{name}:{form}" for name in KERNELS if name != TABLE for form in STORAGE_FORMS] + [TABLE]
term = lru_cache(maxsize=None)(reference.term)


def terms_of(source):
    return make_entropy_terms(source.n_samples)


def cell_sum(keys, shift):
    """Sum of the reference's terms over the cells of a table, given the cell of every sample."""
    counts, times = np.unique(np.unique(keys, return_counts=True)[1], return_counts=True)
    return sum(term(int(c), shift) * int(k) for c, k in zip(counts, times, strict=True))


class Expected:
    """The reference's sums over the cells of pairs of columns, each computed once for all kernels."""

    def __init__(self, codes, classes):
        self.codes, self.classes = np.asarray(codes).astype(np.int64), np.asarray(classes)
        self.n_columns, self.known = self.codes.shape[1], {}

    def sums(self, pivot, other, shift):
        """The sums of two columns without and with the class; pivot -1 is a constant."""
        pair = (min(pivot, other), max(pivot, other), shift)
        if pair not in self.known:
            x = np.zeros(len(self.codes), np.int64) if pivot < 0 else self.codes[:, pivot]
            key = x * 65536 + self.codes[:, other]
            with_class = key * (int(self.classes.max()) + 1) + self.classes
            self.known[pair] = cell_sum(key, shift), cell_sum(with_class, shift)
        return self.known[pair]

    def row(self, pivot, shift):
        return [self.sums(pivot, j, shift) for j in range(self.n_columns)]

    def matrices(self, shift):
        """The sums of all pairs of columns without and with the class, as integers of Python."""
        sums = np.array([self.row(pivot, shift) for pivot in range(self.n_columns)], dtype=object)
        return sums[:, :, 0], sums[:, :, 1]


def check_rows(source, expected, pivots):
    shift, case = terms_of(source).shift, source.kernel
    for pivot in pivots:
        pooled, within = sums_of(source).pair_sums(terms_of(source), pivot, None, True)
        alone, nothing = sums_of(source).pair_sums(terms_of(source), pivot, None, False)
        assert nothing is None, case
        assert alone.tolist() == pooled.tolist() == [sums[0] for sums in expected.row(pivot, shift)], (case, pivot)
        assert within.tolist() == [sums[1] for sums in expected.row(pivot, shift)], (case, pivot)
    alone, with_class = sums_of(source).marginal_sums(terms_of(source))
    assert list(zip(alone.tolist(), with_class.tolist(), strict=True)) == expected.row(-1, shift), case


def check_matrix(sources, expected, seed=0):
    """Any form of the sums: the integer part is exact, so the one division gives the very float."""
    random = np.random.default_rng(seed)
    terms = make_entropy_terms(len(expected.codes))
    pooled, within = expected.matrices(terms.shift)
    row, column = random.integers(0, 2**59, (2, expected.n_columns))
    for weights, parts, symmetric in [
        ((1, 0), (row, -row), False),
        ((1, 0), (row, column), False),
        ((-1, 1), (row, column), False),
        ((-1, 1), (row, column), True),
        ((0, 1), (row, row + 5), False),
    ]:
        form = PairFormula(*weights, *parts, terms.per_bit, symmetric)
        of_row, of_column = (part.astype(object) for part in parts)
        sums = weights[0] * pooled + weights[1] * within + of_row[:, np.newaxis] + of_column
        exact = sums.astype(np.float64) / terms.per_bit
        if symmetric:
            exact = (exact + exact.T) * 0.5
        for source in sources:
            double = sums_of(source).matrix(terms, form, np.float64, None)
            assert double.tobytes() == exact.tobytes(), source.kernel
            single = sums_of(source).matrix(terms, form, np.float32, None)
            assert single.dtype == np.float32, source.kernel
            assert single.tobytes() == exact.astype(np.float32).tobytes(), source.kernel


def check(codes, classes, pivots=None, kernels=FORCED, **keywords):
    """Every kernel counts what the reference does; returns the source of each."""
    expected = Expected(codes, classes)
    sources = {kernel: PackedSource(codes, classes, kernel=kernel, **keywords) for kernel in kernels}
    for source in sources.values():
        check_rows(source, expected, range(expected.n_columns) if pivots is None else pivots)
    check_matrix(sources.values(), expected)
    return sources


def dense(source, i, j):
    """The counts of two features and the class as one array."""
    return source.tables(i, np.array([j]), True)[0].dense()


def random_codes(random, n_samples, arities, dtype=np.uint8):
    return np.column_stack([random.integers(0, arity, n_samples) for arity in arities]).astype(dtype)


@settings(deadline=None, max_examples=15)
@given(
    st.integers(1, 200),
    st.lists(st.one_of(st.integers(1, 5), st.integers(1, 70)), min_size=1, max_size=12),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
)
def test_random_tables(n_samples, arities, n_classes, seed):
    random = np.random.default_rng(seed)
    codes = random_codes(random, n_samples, arities)
    classes = random.integers(0, n_classes, n_samples)
    for kernel, source in check(codes, classes, pivots=range(min(4, len(arities)))).items():
        table = dense(source, 0, len(arities) - 1)
        assert (table == joint_table(codes[:, 0], codes[:, -1], classes, table.shape)).all(), kernel


def test_every_arity():
    """Every number of planes a group can have, and the first arities that are stored as codes."""
    random = np.random.default_rng(1)
    codes = random_codes(random, 150, range(1, 71))
    classes = random.integers(0, 2, 150)
    check(codes, classes, pivots=[0, 1, 2, 16, 33, 62, 63, 64, 69])


@pytest.mark.parametrize("size", [63, 64, 65, 127, 128, 129])
def test_class_sizes_at_word_boundaries(size):
    random = np.random.default_rng(size)
    classes = random.permutation(np.repeat([0, 1, 2], [size, 1, size + 1]))
    codes = random_codes(random, len(classes), [1, 2, 2, 3, 3, 4, 5, 7, 10, 10])
    check(codes, classes, pivots=[0, 1, 4, 9])
    check(codes, np.zeros(len(codes), int), pivots=[1, 4])


def test_one_sample():
    codes = np.array([[0, 1, 7, 200, 65535]], np.uint16)
    for kernel, source in check(codes, np.array([0])).items():
        assert sums_of(source).marginal_sums(terms_of(source))[0].tolist() == [0] * 5, kernel


def test_constant_columns():
    random = np.random.default_rng(2)
    codes = random_codes(random, 100, [1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 2])
    codes[:, 4] = 6  # constant, but not at 0
    check(codes, random.integers(0, 2, 100))


def test_empty_classes():
    random = np.random.default_rng(3)
    codes = random_codes(random, 130, [2, 3, 3, 9, 40])
    classes = random.choice([1, 4], 130)
    for kernel, source in check(codes, classes, n_classes=7).items():
        assert source.n_classes == 7, kernel
        assert source.class_sizes.tolist() == np.bincount(classes, minlength=7).tolist(), kernel
        table = dense(source, 1, 3)
        assert table.shape == (3, 9, 7), kernel
        assert (table == joint_table(codes[:, 1], codes[:, 3], classes, table.shape)).all(), kernel


@pytest.mark.slow("the random trials have many classes")
def test_many_classes_of_few_samples():
    random = np.random.default_rng(4)
    codes = random_codes(random, 700, [2, 3, 5, 10, 64, 70])
    check(codes, random.integers(0, 300, 700))
    check(codes, random.permutation(700), pivots=[0, 5])


def test_more_classes_than_sixteen_bits():
    random = np.random.default_rng(5)
    classes = random.permutation(70_000)
    codes = random_codes(random, 70_000, [2, 3])
    expected = Expected(codes, classes)
    for kernel in KERNELS:
        source = PackedSource(codes, classes, kernel=kernel)
        assert source.n_classes == 70_000, kernel
        check_rows(source, expected, [0])


def test_wide_columns():
    """Columns of codes beside bit planes; a pair of the last two has more than 2**16 cells and is walked sorted."""
    random = np.random.default_rng(6)
    n_samples = 3000
    codes = random_codes(random, n_samples, [2, 3, 300, 256, 5000, 3, 700, 65536], np.uint16)
    classes = random.integers(0, 3, n_samples)
    classes[:5] = 3  # a class smaller than any arity
    for kernel, source in check(codes, classes, pivots=[0, 1, 2, 4, 6, 7], kernels=KERNELS).items():
        for i, j in [(0, 4), (4, 0), (2, 3), (2, 2)]:
            table = dense(source, i, j)
            assert (table == joint_table(codes[:, i], codes[:, j], classes, table.shape)).all(), (kernel, i, j)


@pytest.mark.slow("more rows for the same kernels")
def test_more_words_than_a_chunk():
    """70,000 samples of one class: planes are walked and packed in several chunks."""
    random = np.random.default_rng(7)
    codes = random_codes(random, 70_000, [3] * 9 + [2, 10, 11])
    check(codes, np.zeros(70_000, int), pivots=[0, 11])
    check(codes, random.integers(0, 2, 70_000), pivots=[10])


def test_counts_beyond_the_table_of_terms():
    random = np.random.default_rng(8)
    n_samples = 2**17 + 70
    codes = (random.random((n_samples, 4)) < 0.001).astype(np.uint8)
    codes[:, 3] *= 3
    check(codes, (random.random(n_samples) < 0.001).astype(int))


# For packed counters: many samples a class word would waste, classes whose samples of one code pass the 63 of a
# counter, and one that passes the 2,048 samples put into buckets at once; also none and one.
COUNTER_SIZES = [[90] * 100, [60] * 100 + [3000, 0, 1, 63, 64], [400] * 5 + [2048] + [2049] + [70] * 60]


@pytest.mark.each_value
@pytest.mark.parametrize("sizes", COUNTER_SIZES, ids=["small", "mixed", "chunks"])
@pytest.mark.parametrize("skewed", [False, True])
def test_packed_counters(sizes, skewed):
    random = np.random.default_rng(len(sizes))
    classes = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    codes = random_codes(random, len(classes), [10, 10, 1, 9, 10, 10, 10, 2, 10, 10])
    if skewed:
        codes[random.random(codes.shape) < 0.8] = 0
    for kernel, source in check(codes, classes, pivots=[0, 2, 9], n_classes=len(sizes)).items():
        assert source.packed.uses_counters == kernel.endswith(":counters"), kernel


def test_packed_counters_beside_wide_columns():
    random = np.random.default_rng(8)
    classes = random.permutation(np.repeat(np.arange(100), 90))
    codes = random_codes(random, 9000, [10] * 9 + [12, 200, 10])
    expected, reference_sums = joint_table(codes[:, 3], codes[:, 10], classes, (10, 200, 100)), Expected(codes, classes)
    for kernel, source in check(codes, classes, pivots=[0, 9, 10]).items():
        assert source.packed.uses_counters == kernel.endswith(":counters"), kernel
        assert (dense(source, 3, 10) == expected).all(), kernel
        assert sums_of(source).pair_sums(terms_of(source), 0, np.array([10, 3]), True)[1].tolist() == [
            reference_sums.sums(0, j, terms_of(source).shift)[1] for j in (10, 3)
        ], kernel


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.uint32, bool])
def test_types_and_layouts(dtype):
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
        expected = Expected(codes, classes)
        for kernel in KERNELS:
            check_rows(PackedSource(codes, classes, kernel=kernel), expected, [0, 7])
    locked = np.ascontiguousarray(big[:200, :10])
    locked.flags.writeable = False
    expected = Expected(locked, classes)
    for kernel in KERNELS:
        check_rows(PackedSource(locked, classes, kernel=kernel), expected, [3])


def test_wide_columns_in_rows():
    random = np.random.default_rng(10)
    codes = np.ascontiguousarray(random.integers(0, 500, (300, 12)).astype(np.uint16))
    check(codes, random.integers(0, 4, 300), pivots=[0, 11], kernels=KERNELS)


SCRIPT = """
import numpy as np
from bitsieve.counts.kernels import show_kernel
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.counts.source import sums_of
codes = np.random.default_rng(0).integers(0, 5, (500, 20)).astype(np.uint8)
source = PackedSource(codes, codes[:, 0] % 2)
sums = sums_of(source).pair_sums(make_entropy_terms(500), 3, None, True)
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
