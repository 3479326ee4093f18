"""SpecCMI: weights, ranking, and columns that do not vary."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from bitsieve import SpecCMI, conditional_mutual_information_matrix


def test_against_lapack():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = SpecCMI(6).fit(X, y)
    varying = np.flatnonzero(fitted.binner_.n_bins_ > 1)
    assert 20 < len(varying) < 30
    given = conditional_mutual_information_matrix(X, y)[np.ix_(varying, varying)]
    values, vectors = np.linalg.eigh((given + given.T) / 2)
    # Two programs for one eigenvector, its eigenvalue far from the next: roundings of 30 entries over that gap.
    assert np.abs(fitted.weights_[varying] - np.abs(vectors[:, -1])).max() <= 1e-11
    assert abs(fitted.eigenvalue_ - values[-1]) <= 1e-11
    assert fitted.selected_.tolist() == np.argsort(-fitted.weights_, kind="stable")[:6].tolist()


def test_attributes():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = SpecCMI(6).fit(X, y)
    assert sorted(fitted.ranking_.tolist()) == list(range(1, 31))
    assert fitted.ranking_[fitted.selected_].tolist() == [1, 2, 3, 4, 5, 6]
    assert np.flatnonzero(fitted.support_).tolist() == sorted(fitted.selected_.tolist())
    assert fitted.scores_.tobytes() == (fitted.eigenvalue_ * fitted.weights_[fitted.selected_] ** 2).tobytes()
    # All scores together are x'Qx of a unit vector: the eigenvalue, but for the roundings of 30 squares.
    assert abs((fitted.eigenvalue_ * fitted.weights_**2).sum() - fitted.eigenvalue_) <= 1e-13
    assert fitted.overlap_with_[0] == -1
    assert set(fitted.overlap_with_[1:].tolist()) <= set(fitted.selected_.tolist())
    assert (fitted.overlap_[1:] >= 0).all()


def test_example_1_of_the_paper():
    """S is one of 4 values, C = S > 2, G is C but for 5 in 100: weights 0.92 and 0.38."""
    samples = np.array([(s, int(s >= 2) ^ flip) for s in range(4) for flip in [0] * 19 + [1]])
    fitted = SpecCMI(1, binning="none").fit(samples, samples[:, 0] >= 2)
    assert [round(weight, 2) for weight in fitted.weights_.tolist()] == [0.92, 0.38]
    assert [round(bits, 4) for bits in fitted.relevance_.tolist()] == [1.0, 0.7136]
    assert fitted.selected_.tolist() == [0]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(5))
def test_constant_columns_never_come_before_an_informative_one(make_table, seed, dtype):
    codes, classes = make_table(100, 10, seed=seed)
    codes[:, [0, 4, 9]] = 3
    fitted = SpecCMI(7, binning="none", dtype=dtype).fit(codes, classes)
    assert fitted.weights_[[0, 4, 9]].tolist() == [0, 0, 0]
    assert fitted.ranking_[[0, 4, 9]].tolist() == [8, 9, 10]
    assert not fitted.support_[[0, 4, 9]].any()
    without = SpecCMI(7, binning="none", dtype=dtype).fit(np.delete(codes, [0, 4, 9], axis=1), classes)
    assert fitted.weights_[fitted.weights_ > 0].tobytes() == without.weights_.tobytes()  # as if they were not there
    assert fitted.eigenvalue_ == without.eigenvalue_
    more = SpecCMI(9, binning="none").fit(codes, classes)
    assert more.selected_[7:].tolist() == [0, 4]
    assert more.scores_[7:].tolist() == [0, 0]


def test_columns_that_mdl_leaves_whole_are_constant():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    X = random.standard_normal((200, 5))
    X[:, 3] += 3 * y
    fitted = SpecCMI(2).fit(X, y)
    assert (fitted.binner_.n_bins_ > 1).tolist() == [False, False, False, True, False]
    assert fitted.selected_.tolist() == [3, 0]


def test_nothing_varies():
    fitted = SpecCMI(2, binning="none").fit(np.ones((6, 3), int), [0, 1] * 3)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.weights_.tolist() == [0, 0, 0]
    assert fitted.eigenvalue_ == 0
    assert fitted.scores_.tolist() == [0, 0]


def test_nothing_tells():
    """Columns that vary, each and together independent of the class."""
    a, b = np.arange(8) & 1, np.arange(8) >> 1 & 1
    fitted = SpecCMI(1, binning="none").fit(np.column_stack([a, b]), np.arange(8) >> 2)
    assert fitted.selected_.tolist() == [0]
    assert np.isfinite(fitted.weights_).all()
    assert fitted.scores_.tolist() == [0]


def test_single_precision_chooses_the_same():
    X, y = load_breast_cancer(return_X_y=True)
    double, single = SpecCMI(10).fit(X, y), SpecCMI(10, dtype="float32").fit(X, y)
    assert single.selected_.tolist() == double.selected_.tolist()
    # Entries of Q rounded to 2**-24 of themselves move vector and value by some 1e-7.
    assert np.abs(single.weights_ - double.weights_).max() <= 1e-6
    assert abs(single.eigenvalue_ - double.eigenvalue_) <= 1e-6 * double.eigenvalue_


def test_equal_for_any_number_of_threads():
    X, y = load_breast_cancer(return_X_y=True)
    one = SpecCMI(5, n_jobs=1).fit(X, y)
    for n_jobs in (None, 2, 7, -1):
        other = SpecCMI(5, n_jobs=n_jobs).fit(X, y)
        assert other.weights_.tobytes() == one.weights_.tobytes()
        assert other.eigenvalue_ == one.eigenvalue_


@pytest.mark.parametrize("dtype", ["float16", "int", None, np.float64])
def test_other_types_are_refused(dtype):
    with pytest.raises(ValueError, match=r"is not allowed: give 'float64' or 'float32'"):
        SpecCMI(1, dtype=dtype).fit([[0], [1]], [0, 1])


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_bound_holds_for_every_set_in_single_precision(seed, k):
    """And for sets of columns that vary: a constant one would borrow the relevance of another."""
    random = np.random.default_rng(seed)
    codes, classes = random.integers(0, 4, (60, 7)), random.integers(0, 3, 60)
    codes[:, 1] = codes[:, 0]
    whole = np.column_stack([codes, np.zeros(60, int)])
    exact = conditional_mutual_information_matrix(codes, classes, binning="none")
    q = (exact + exact.T) / 2
    best = max(q[np.ix_(s, s)].sum() for s in combinations(range(7), k))
    for dtype, refine in product(("float32", "float64"), (None, "swap")):  # unrefined: the best set is another
        fitted = SpecCMI(k, dtype=dtype, refine=refine, binning="none").fit(whole, classes)
        assert best <= fitted.upper_bound_ * (1 + 1e-15)  # one rounding of the sum
        members = fitted.selected_
        assert fitted.objective_ == pytest.approx(q[np.ix_(members, members)].sum(), rel=1e-14)  # exact entries
