"""SPECCMI's ranking against the definition of Q and LAPACK's eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise import spectral
from bitsieve.methods.by_counts.pairwise.matrices import conditional_matrix
from bitsieve.methods.by_counts.pairwise.spectral import rank_by_landmarks, rank_by_spectrum, speccmi
from bitsieve.methods.by_counts.pairwise.subsets import marginal_bound, row_bound
from bitsieve.optimize.nystrom import Nystrom
from bitsieve.utils.progress import listening

# Entries of Q differ by 1e-13 from the definition summed with logarithms; the eigenvector moves by that over the gap
# of the eigenvalues (here more than half a bit), and both eigenvalue programs add some 1e-12.
TOLERANCE = 1e-11


def q_by_definition(brute, codes, classes):
    n = codes.shape[1]
    given = np.array(
        [[brute.conditional_information(codes[:, i], classes, codes[:, j]) for j in range(n)] for i in range(n)]
    )
    q = (given + given.T) / 2
    q[np.diag_indices(n)] = [brute.mutual_information(codes[:, i], classes) for i in range(n)]
    return q


@pytest.mark.parametrize("seed", range(5))
def test_against_the_definition(information_of, brute, make_table, seed):
    codes, classes = make_table(150, 12, n_codes=4, n_classes=3, seed=seed)
    found = rank_by_spectrum(conditional_matrix(information_of(codes, classes)))
    values, vectors = np.linalg.eigh(q_by_definition(brute, codes, classes))
    assert values[-1] - values[-2] > 0.5
    assert abs(found.eigenvalue - values[-1]) <= TOLERANCE
    assert np.abs(found.weights - np.abs(vectors[:, -1])).max() <= TOLERANCE
    assert found.order.tolist() == np.argsort(-found.weights, kind="stable").tolist()


def test_weights_are_a_unit_vector_without_signs(information_of, make_table):
    codes, classes = make_table(100, 20, seed=1)
    found = rank_by_spectrum(conditional_matrix(information_of(codes, classes)))
    assert (found.weights >= 0).all()
    assert abs(np.linalg.norm(found.weights) - 1) <= 1e-15  # one rounding of the norm


def test_eigenvalue_bounds_every_subset(information_of, make_table):
    """x'Qx of a 0/1 vector with k ones is at most k times the largest eigenvalue."""
    codes, classes = make_table(100, 6, seed=2)
    information = information_of(codes, classes)
    q = information.matrix("mean_relevance")
    bound = rank_by_spectrum(conditional_matrix(information)).eigenvalue
    for subset in range(1, 2**6):
        x = np.array([subset >> i & 1 for i in range(6)])
        assert x @ q @ x <= x.sum() * bound + 1e-12  # rounding of 36 entries


def test_restriction_to_columns(information_of, make_table):
    """Some columns are ranked as if the others were not there: indices are places among them."""
    codes, classes = make_table(120, 15, seed=3)
    columns = np.array([14, 2, 9, 5, 7])
    part = rank_by_spectrum(conditional_matrix(information_of(codes, classes), columns))
    alone = rank_by_spectrum(conditional_matrix(information_of(codes[:, columns], classes)))
    assert part.weights.tobytes() == alone.weights.tobytes()
    assert part.order.tolist() == alone.order.tolist()
    assert part.eigenvalue == alone.eigenvalue


def test_ties_go_to_the_lowest_column(information_of, make_table):
    codes, classes = make_table(120, 5, seed=4)
    found = rank_by_spectrum(conditional_matrix(information_of(np.column_stack([codes, codes]), classes)))
    order = found.order.tolist()
    for i in range(5):
        assert order.index(i) + 1 == order.index(i + 5)


def test_a_constant_column_would_borrow_relevance(information_of, make_table):
    """Why callers leave constant columns out: each entry of theirs is half the relevance of the other column."""
    codes, classes = make_table(200, 4, seed=5)
    codes[:, 1] = 0
    information = information_of(codes, classes)
    q = information.matrix("mean_relevance")
    expected = information.relevance / 2
    expected[1] = 0
    assert (q[1] == expected).all()
    assert rank_by_spectrum(conditional_matrix(information)).weights[1] > 0


def test_single_precision(information_of, make_table):
    codes, classes = make_table(150, 12, seed=6)
    information = information_of(codes, classes)
    double, single = (
        rank_by_spectrum(conditional_matrix(information, dtype=dtype)) for dtype in (np.float64, np.float32)
    )
    assert single.weights.dtype == np.float64
    # Entries rounded to 2**-24 of themselves: 12 of them move the eigenvalue and the vector by some 1e-7.
    assert abs(single.eigenvalue - double.eigenvalue) <= 1e-6
    assert np.abs(single.weights - double.weights).max() <= 1e-6


def test_nothing_to_tell(information_of):
    """All of Q is 0: equal weights, in the order of the columns."""
    a, b = np.arange(4) & 1, np.arange(4) >> 1
    grid = np.column_stack([np.tile(a, 2), np.tile(b, 2)])
    found = rank_by_spectrum(conditional_matrix(information_of(grid, np.repeat([0, 1], 4))))
    assert found.order.tolist() == [0, 1]
    assert found.eigenvalue == 0
    assert np.abs(found.weights - 0.5**0.5).max() <= 1e-15  # the rounding of a square root


def test_progress(information_of, make_table):
    codes, classes = make_table(50, 10, seed=7)
    heard = []
    with listening(lambda progress: heard.append(str(progress))):
        rank_by_spectrum(conditional_matrix(information_of(codes, classes)))
    assert heard[0] == "counting pairs"
    assert heard[-2:] == ["counting pairs, 100 %", "ranking"]


@pytest.mark.parametrize("variant", [None, "paper"])
def test_landmarks_against_the_definition(variant):
    """Two vectors: that of A carried on by the rows, and that of the matrix B'A^-1 B which the rows approximate."""
    factor = np.random.default_rng(7).random((12, 6))
    q = factor @ factor.T + np.eye(12)  # clearly positive: no shift
    landmarks = np.array([2, 5, 9, 11])
    rows, inner = q[landmarks], q[np.ix_(landmarks, landmarks)]
    if variant == "paper":
        vector = np.linalg.eigh(rows.T @ np.linalg.inv(inner) @ rows)[1][:, -1]
    else:
        vector = np.linalg.eigh(inner)[1][:, -1] @ rows
    expected = np.abs(vector) / np.linalg.norm(vector)
    found = rank_by_landmarks(rows, landmarks, variant)
    assert np.abs(found.weights - expected).max() <= TOLERANCE
    known = expected[landmarks]
    assert abs(found.eigenvalue - known @ rows @ expected / (known @ known)) <= TOLERANCE
    assert found.order.tolist() == np.argsort(-found.weights, kind="stable").tolist()
    assert found.shift == 0


def test_landmarks_without_information_have_equal_weights():
    found = rank_by_landmarks(np.zeros((2, 5)), np.array([1, 3]))
    assert found.weights.tolist() == [1 / np.sqrt(5)] * 5
    assert (found.order.tolist(), found.eigenvalue) == ([0, 1, 2, 3, 4], 0)


@pytest.mark.parametrize("approximation", [None, Nystrom(0.5)])
def test_the_upper_bound_is_the_least_of_those_known(information_of, make_table, monkeypatch, approximation):
    """By the class's entropy, by the rows, and by the eigenvalue where it is no estimate."""
    information, k = information_of(*make_table(120, 12, n_codes=3, seed=1)), 4
    found = speccmi(information, k, approximation=approximation).extras
    rows = row_bound(conditional_matrix(information).values, k)
    entropy = marginal_bound(information.relevance, information.class_entropy, k)
    known = [entropy] if approximation else [entropy, rows, k * found["eigenvalue_"]]
    assert found["upper_bound_"] == pytest.approx(min(known), rel=1e-12)  # the same few sums
    between = (found["objective_"] + found["upper_bound_"]) / 2 / k
    for name in ("rank_by_spectrum", "rank_by_landmarks"):
        rank = getattr(spectral, name)
        monkeypatch.setattr(spectral, name, lambda *given, rank=rank: rank(*given)._replace(eigenvalue=between))
    low = speccmi(information, k, approximation=approximation).extras
    assert low["objective_"] == found["objective_"]
    assert low["upper_bound_"] == (found["upper_bound_"] if approximation else k * between)
