"""Equal frequency against its definition, one order statistic at a time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csc_array

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.equal import EqualFrequencyBinning
from bitsieve.discretization.separate_zero import SeparateZeroBinning
from bitsieve.discretization.transformers import EqualFrequencyBinner


def reference(values, n_bins):
    ordered = sorted(values)
    d = len(ordered)
    cuts = set()
    for j in range(1, n_bins):
        rank = math.floor(Fraction(j * d, n_bins) + Fraction(1, 2))
        if rank >= 1:
            cuts.add(ordered[rank - 1])
    return sorted(cut for cut in cuts if cut < ordered[-1])  # a bin above the maximum would be empty


@pytest.mark.parametrize("seed", range(40))
def test_definition(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, rng.integers(2, 60), rng.integers(1, 80)).astype(float)
    n_bins = int(rng.integers(2, 15))
    binner = EqualFrequencyBinner(n_bins=n_bins).fit(values[:, None])
    edges = binner.bin_edges_[0].tolist()
    assert edges == reference(values.tolist(), n_bins)
    codes = binner.transform(values[:, None]).ravel()
    assert codes.tolist() == [sum(value > edge for edge in edges) for value in values]
    assert sorted(set(codes.tolist())) == list(range(int(binner.n_bins_[0])))  # no empty bin


def test_worked_by_hand():
    # d = 10, 4 bins: r = round(2.5), round(5), round(7.5) = 3, 5, 8
    binner = EqualFrequencyBinner(n_bins=4).fit(np.arange(10.0)[:, None])
    assert binner.bin_edges_[0].tolist() == [2, 4, 7]
    assert binner.transform([[2.0], [2.1], [7.0], [-5.0], [99.0]]).ravel().tolist() == [0, 1, 2, 0, 3]


def test_constant_column_and_one_sample_are_one_bin():
    binner = EqualFrequencyBinner().fit([[3.0, 1.0], [3.0, 2.0]])
    assert binner.n_bins_.tolist() == [1, 2]
    assert EqualFrequencyBinner().fit([[3.0]]).n_bins_.tolist() == [1]


def test_missing_values_have_the_last_code():
    X = np.array([[1, np.nan, 2, 3, 4], [np.nan] * 5, [1, 1, 1, 2, 2]]).T
    binner = EqualFrequencyBinner(n_bins=2, missing="bin").fit(X)
    assert [edges.tolist() for edges in binner.bin_edges_] == [[2.0], [], [1.0]]
    assert binner.n_bins_.tolist() == [3, 1, 3]  # all missing: one code; none missing: reserved
    assert binner.transform(X).T.tolist() == [[0, 2, 0, 1, 1], [0] * 5, [0, 0, 0, 1, 1]]
    assert binner.transform([[5.0, 1.0, np.nan]]).tolist() == [[1, 0, 2]]


def test_more_than_256_codes_need_two_bytes():
    X = np.arange(1000.0)[:, None]
    assert EqualFrequencyBinner(n_bins=256).fit_transform(X).dtype == np.uint8
    codes = EqualFrequencyBinner(n_bins=257).fit_transform(X)
    assert codes.dtype == np.uint16
    assert codes.max() == 256
    assert EqualFrequencyBinner(n_bins=256, missing="bin").fit_transform(X).dtype == np.uint16


def test_codes_are_in_fortran_order():
    assert EqualFrequencyBinner().fit_transform(np.ones((5, 3))).flags.f_contiguous


@pytest.mark.parametrize("n_bins", [1, 65_536, 2.5, "ten", True, None])
def test_number_of_bins_is_checked(n_bins):
    with pytest.raises(ValueError, match=r"n_bins=.* give a whole number from 2 to 65535"):
        EqualFrequencyBinner(n_bins=n_bins).fit([[1.0], [2.0]])


def test_threads_change_nothing():
    X = np.random.default_rng(0).normal(size=(200, 33))
    one = EqualFrequencyBinner().fit_transform(X)
    assert (EqualFrequencyBinner(n_jobs=7).fit_transform(X) == one).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_bins", [2, 5])
@pytest.mark.parametrize("first", [0, 5, 11])
def test_columns_without_a_cut_have_their_largest_value_apart(weighted, n_bins, first):
    """Where most samples hold one value; the others are cut as ever, in dense tables and in sparse ones."""
    random = np.random.default_rng(n_bins)
    X = random.normal(size=(90, 12)).round(1) * (random.random((90, 12)) < np.linspace(0, 1, 12))
    X[:, 3], X[:, 4] = 5.0, np.where(np.arange(90) == 7, 2.0, np.where(np.arange(90) == 9, 1.5, 3.0))
    X[:, 5] = np.where(np.arange(90) % 30 == 0, X[:, 5] + 9, 4.0)
    X, weights = np.roll(X, -first, axis=1), random.integers(1, 4, 90) if weighted else None
    for table, kind in ((read_xy(X, None, weights), lambda rule: rule), (read_xy(csc_array(X), None, weights), apart)):
        plain, made = (
            kind(EqualFrequencyBinning(n_bins=n_bins, uncut=uncut)).fit_table(table) for uncut in ("leave", "apart")
        )
        cut_so = 0
        for j, column in enumerate(X.T):
            numbers = np.unique(column if kind is not apart else column[column != 0])
            lowest = numbers[-2:-1].tolist() if not len(plain.bin_edges_[j]) else plain.bin_edges_[j].tolist()
            assert made.bin_edges_[j].tolist() == lowest
            cut_so += not len(plain.bin_edges_[j]) and len(numbers) > 1
        assert cut_so
        assert (made.n_bins_ >= plain.n_bins_).all()


def apart(rule):
    return SeparateZeroBinning(rule)
