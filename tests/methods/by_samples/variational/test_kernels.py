"""The native sums: 2^x and log2 are as good as they say, and every instruction set gives the same bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.cover import quick_and_slow

from bitsieve import _native
from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE
from bitsieve.methods.by_samples.variational import codes as variational_codes
from bitsieve.methods.by_samples.variational.bounds import variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.methods.by_samples.variational.densities import DensityBound, DensityTable

KERNELS = _native.kernel_names()


@pytest.mark.parametrize("kernel", KERNELS)
def test_exp2(kernel):
    random = np.random.default_rng(0)
    x = np.concatenate([-random.random(5000) * 60, -random.random(500) * 900, [-0.5, -1.5, -0.0]])
    exact = np.exp2(x)
    # The polynomial is right to 3.7e-14, its evaluation to some 4 roundings of 1.1e-16.
    assert (np.abs(_native.exp2(kernel, x) - exact) <= 4e-14 * exact).all()
    whole = -np.arange(900.0)
    assert _native.exp2(kernel, whole).tolist() == np.exp2(whole).tolist()
    assert _native.exp2(kernel, np.array([-np.inf, -1001.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_exp2_has_the_same_bits(kernel):
    x = -np.random.default_rng(1).random(1001) * 100
    assert _native.exp2(kernel, x).tobytes() == _native.exp2("portable", x).tobytes()


def test_log2():
    assert [_native.log2(2.0**e) for e in range(-300, 300)] == [float(e) for e in range(-300, 300)]
    assert _native.log2(0.0) == -np.inf
    for x in np.random.default_rng(0).lognormal(0, 20, 2000):
        # The series is right to 1e-17, its dozen roundings and that of the sum remain.
        assert abs(_native.log2(x) - math.log2(x)) <= 4e-16 * max(1, abs(math.log2(x)))


def random_codes(seed, n_samples, arities, n_classes):
    random = np.random.default_rng(seed)
    classes = np.sort(random.integers(0, n_classes, n_samples))
    codes = np.column_stack([(random.integers(0, m, n_samples) + classes * (j % 2)) % m for j, m in enumerate(arities)])
    return codes, np.bincount(classes, minlength=n_classes).astype(np.int64)


ARITIES = {
    "fours": [1, 2, 3, 4] * 3,  # tables in one register
    "eights": [5, 6, 7, 8] * 2 + [2],
    "threes": [3] * 10,  # nine cells a pair
    "many": [9, 30, 300, 2, 12, 13],
}


@pytest.mark.each_value
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", [NaiveBound, PairwiseBound])
@pytest.mark.parametrize("arities", ARITIES.values(), ids=ARITIES.keys())
@pytest.mark.parametrize(
    "n_samples", quick_and_slow([64, 65, 1003], quick={1003}, reason="1003 rows have full blocks and one that is not")
)
def test_any_instruction_set_any_number_of_threads(kernel, kind, arities, n_samples, monkeypatch):
    monkeypatch.setattr(variational_codes, "LIKELIHOODS_A_THREAD", 1)  # threads even for microseconds of work
    codes, sizes = random_codes(n_samples, n_samples, arities, 4)
    codes = codes.astype(np.uint16 if max(arities) > 256 else np.uint8)

    def run(kernel, n_jobs):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
        return variational_select(kind(CodeTable(codes, sizes, n_jobs)), len(arities))

    plain, other = run("portable", None), run(kernel, 3)
    assert other.selected.tolist() == plain.selected.tolist()
    assert other.scores.tobytes() == plain.scores.tobytes()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("pairwise", [False, True])
def test_densities_on_any_instruction_set(kernel, pairwise, monkeypatch):
    random = np.random.default_rng(0)
    sizes = np.array([23, 40, 18])
    classes = np.repeat(np.arange(3), sizes)
    values = np.vstack([random.standard_normal((3, 81)) + classes, random.integers(0, 3, (2, 81))])
    numeric = np.array([True] * 3 + [False] * 2)

    def run(kernel, n_jobs):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
        table = DensityTable(values, numeric, sizes, "scott", n_jobs)
        return variational_select(DensityBound(table, pairwise=pairwise), 5)

    plain, other = run("portable", None), run(kernel, 3)
    assert other.selected.tolist() == plain.selected.tolist()
    assert other.scores.tobytes() == plain.scores.tobytes()
