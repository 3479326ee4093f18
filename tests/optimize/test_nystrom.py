"""Nystrom's approximation: exact where it must be, and its two ways to make weights."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve import Nystrom
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.optimize.nystrom import (
    choose_landmarks,
    extended_weights,
    make_nystrom,
    nystrom_factor,
    nystrom_weights,
    top_eigenpair,
)

RATES = [0.03, 0.2, 0.5, 1.0]


def symmetric(n, seed):
    """Entries >= 0, dependence of a few factors and a diagonal that stands out, as matrices of information have."""
    random = np.random.default_rng(seed)
    loads = random.random((n, 4)) ** 2
    return loads @ loads.T + 0.1 * random.random((n, 1)) * np.eye(n)


def landmarks_of(n, rate, seed=0):
    return choose_landmarks(Nystrom(rate, random_state=seed), np.arange(n), n)


def approximated(matrix, places):
    found = nystrom_factor(matrix[places], places)
    return found.matrix @ found.matrix.T, found


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seed", range(3))
def test_the_landmark_rows_are_kept_but_for_the_shift(rate, seed):
    matrix = symmetric(60, seed)
    places = landmarks_of(60, rate, seed)
    whole, found = approximated(matrix, places)
    expected = matrix[places].copy()
    expected[np.arange(len(places)), places] += found.shift
    # A is conditioned to 20 at worst, so 60 roundings of entries of some 4 stay below 1e-12.
    assert np.abs(whole[places] - expected).max() <= 1e-12


@pytest.mark.parametrize("rate", RATES)
def test_the_rest_is_as_defined(rate):
    matrix = symmetric(50, 3)
    places = landmarks_of(50, rate)
    rest = np.setdiff1d(np.arange(50), places)
    whole, found = approximated(matrix, places)
    inner = matrix[np.ix_(places, places)] + found.shift * np.eye(len(places))
    beside = matrix[np.ix_(places, rest)]
    # Two ways to solve with a matrix of condition 20.
    assert np.abs(whole[np.ix_(rest, rest)] - beside.T @ np.linalg.solve(inner, beside)).max(initial=0) <= 1e-11


def test_shift():
    clear = np.diag([1.0, 2.0, 3.0])
    assert nystrom_factor(clear, np.arange(3)).shift == 0
    # Eigenvalues 3 and -1: 0.05 * 3 + 1, but for LAPACK's rounding of them.
    assert nystrom_factor(np.array([[1.0, 2.0], [2.0, 1.0]]), np.arange(2)).shift == pytest.approx(1.15, abs=1e-14)


@pytest.mark.each_value
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seed", range(5))
def test_eigenpair(rate, seed):
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((40, 40))
    whole, found = approximated(matrix + matrix.T, landmarks_of(40, rate, seed))
    pair = top_eigenpair(found.matrix)
    assert abs(pair.vector @ pair.vector - 1) <= 1e-14  # one rounding of the norm, 40 of the product
    # The residual is at most 1e-13 of the value; the product with the formed matrix adds 40 roundings.
    assert np.abs(whole @ pair.vector - pair.value * pair.vector).max() <= 1e-12 * pair.value
    assert pair.value == pytest.approx(np.linalg.eigvalsh(whole)[-1], rel=1e-12)


@pytest.mark.parametrize("rate", RATES)
def test_the_small_matrix_has_the_same_eigenpair(rate):
    places = landmarks_of(30, rate)
    found = nystrom_factor(symmetric(30, 1)[places], places)
    values, vectors = np.linalg.eigh(found.matrix.T @ found.matrix)
    vector = found.matrix @ vectors[:, -1] / np.sqrt(values[-1])
    # The top eigenvalue stands apart by its half, so vectors agree to some ten residuals of 1e-13.
    assert np.abs(np.abs(vector) - np.abs(top_eigenpair(found.matrix).vector)).max() <= 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_exact_where_every_column_is_a_landmark(seed):
    matrix = symmetric(40, seed)
    exact = dominant_eigenvector(matrix)
    every = np.arange(40)
    whole, found = approximated(matrix, every)
    assert np.abs(whole - matrix - found.shift * np.eye(40)).max() <= 1e-13  # a factor multiplied out again
    # A shift leaves eigenvectors as they are; all are right to their residual over the gap.
    assert np.abs(nystrom_weights(found.matrix) - exact.vector).max() <= 1e-11
    assert top_eigenpair(found.matrix).value == pytest.approx(exact.value + found.shift, rel=1e-12)
    assert np.abs(extended_weights(matrix, every) - exact.vector).max() <= 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_extension_as_defined(seed):
    matrix = symmetric(40, seed)
    places = landmarks_of(40, 0.3, seed)
    rest = np.setdiff1d(np.arange(40), places)
    values, vectors = np.linalg.eigh(matrix[np.ix_(places, places)])
    vector = np.empty(40)
    vector[places] = np.abs(vectors[:, -1])
    vector[rest] = matrix[np.ix_(rest, places)] @ np.abs(vectors[:, -1]) / values[-1]
    found = extended_weights(matrix[places], places)
    assert np.abs(found - vector / np.linalg.norm(vector)).max() <= 1e-11  # two programs for one eigenvector
    assert (found >= 0).all()


def test_rank_one_is_known_from_one_row():
    loads = np.random.default_rng(0).random(80) + 0.1
    matrix = np.outer(loads, loads)
    exact = dominant_eigenvector(matrix).vector
    for place in (0, 17, 79):
        rows, places = matrix[[place]], np.array([place])
        # A single positive number needs no shift; what is left are roundings of 80 products.
        assert np.abs(nystrom_weights(nystrom_factor(rows, places).matrix) - exact).max() <= 1e-13
        assert np.abs(extended_weights(rows, places) - exact).max() <= 1e-13


def test_mixed_signs_are_ranked_by_the_bipolar_problem():
    """Against the (n + 1) x (n + 1) matrix of the definition."""
    mixed = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        factor = random.standard_normal((12, 3))
        whole = factor @ factor.T
        vector = top_eigenpair(factor).vector
        weights = nystrom_weights(factor)
        if vector.min() >= -1e-12:
            assert weights.tobytes() == np.maximum(vector, 0).tobytes()
            continue
        mixed += 1
        ones = np.ones((12, 1))
        bordered = np.block([[ones.T @ whole @ ones, ones.T @ whole], [whole @ ones, whole]])
        top = np.linalg.eigh(bordered)[1][:, -1]
        # Two programs for one eigenvector; the gaps of these random matrices are a few percent.
        assert np.abs(weights - top[1:] * np.sign(top[0])).max() <= 1e-9
    assert mixed > 5


def test_nothing_to_tell():
    found = nystrom_factor(np.zeros((2, 5)), np.array([1, 3]))
    assert found.shift == 0
    assert found.matrix.shape == (5, 2)
    assert not found.matrix.any()
    assert np.abs(nystrom_weights(found.matrix) - 5**-0.5).max() <= 1e-15  # the rounding of a square root
    assert np.abs(extended_weights(np.zeros((2, 5)), np.array([1, 3])) - 5**-0.5).max() <= 1e-15


def test_draws():
    columns = np.array([2, 3, 5, 8, 9])
    drawn = choose_landmarks(Nystrom(0.5, random_state=4), columns, 10)
    assert drawn.tolist() == choose_landmarks(Nystrom(0.5, random_state=4), columns, 10).tolist()
    assert sorted(set(drawn.tolist())) == drawn.tolist()
    assert set(drawn.tolist()) <= set(columns.tolist())
    assert len(drawn) == round(2.5)
    assert len(choose_landmarks(Nystrom(1e-9), columns, 10)) == 1
    assert choose_landmarks(Nystrom(1.0), columns, 10).tolist() == columns.tolist()
    others = {tuple(choose_landmarks(Nystrom(0.5, random_state=s), np.arange(100), 100)) for s in range(5)}
    assert len(others) == 5


def test_given_landmarks():
    columns = np.array([2, 3, 5, 8, 9])
    assert choose_landmarks(Nystrom(landmarks=[9, 0, 3]), columns, 10).tolist() == [3, 9]
    assert Nystrom(landmarks=np.array([9, 0])) == Nystrom(landmarks=(9, 0))
    with pytest.raises(ValueError, match=r"^landmark 10 is not a column: the table has 10, give indices from 0 to 9$"):
        choose_landmarks(Nystrom(landmarks=[1, 10]), columns, 10)
    with pytest.raises(ValueError, match=r"^none of the 2 landmarks varies"):
        choose_landmarks(Nystrom(landmarks=[0, 1]), columns, 10)


@pytest.mark.parametrize("rate", [0, 0.0, -0.1, 1.5, float("nan"), "0.5", None, True])
def test_rates_that_are_none(rate):
    with pytest.raises(ValueError, match=r"^sampling_rate=.* is not allowed: give a share of the columns"):
        Nystrom(rate)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"landmarks": [1, 2, 1]}, r"^landmarks hold column 1 more than once"),
        ({"landmarks": [-1, 2]}, r"^landmarks=\[-1, 2\] is not allowed: give a list of column indices"),
        ({"landmarks": []}, r"^landmarks=\[\] is not allowed"),
        ({"landmarks": [0.5]}, r"^landmarks=\[0.5\] is not allowed"),
        ({"landmarks": 3}, r"^landmarks=3 is not allowed"),
        ({"landmarks": [True, False]}, r"^landmarks=\[True, False\] is not allowed"),
        ({"variant": "papr"}, r"^variant='papr' is not known: did you mean paper\? choose one of extension, paper$"),
        ({"random_state": "x"}, r"^random_state='x' is not allowed: give a whole number"),
        ({"random_state": -1}, r"^random_state=-1 is not allowed: give a whole number"),
    ],
)
def test_mistakes(settings, message):
    with pytest.raises(ValueError, match=message):
        Nystrom(**settings)


def test_meant_by_a_parameter():
    assert make_nystrom(None) is None
    assert make_nystrom("nystrom") == Nystrom()
    assert make_nystrom(Nystrom(0.1)) == Nystrom(0.1)
    for wrong in ("Nystrm", 0.5, True):
        with pytest.raises(ValueError, match=r"^approximation=.* is not allowed: give None, 'nystrom' or Nystrom"):
            make_nystrom(wrong)
