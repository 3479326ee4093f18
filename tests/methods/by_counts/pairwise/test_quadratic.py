"""QPFS and EQPFS against their definition, written out."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.methods.by_counts.pairwise import quadratic
from bitsieve.methods.by_counts.pairwise.quadratic import (
    METHODS,
    approximated_ranking,
    balanced_alpha,
    eqpfs,
    extended_ranking,
    qpfs,
    quadratic_ranking,
)
from bitsieve.optimize.nystrom import Nystrom, choose_landmarks, nystrom_factor
from bitsieve.utils.progress import listening


def everything(information):
    return np.arange(information.n_features)


def check_minimum(matrix, relevance, found):
    """Karush, Kuhn and Tucker for ``(1 - a)/2 x'Hx - a f'x``, and the order that follows."""
    x, a = found.weights, found.alpha
    assert found.converged
    assert (x >= 0).all()
    assert abs(x.sum() - 1) <= 1e-13
    gradient = (1 - a) * matrix @ x - a * relevance
    # H from logarithms differs from H by 1e-13 an entry; the gap is at most 1e-10 of the terms, below a bit here.
    assert gradient @ x - gradient.min() <= 2e-10
    assert abs(found.gap - (gradient @ x - gradient.min())) <= 1e-11
    assert sorted(found.order.tolist()) == list(range(len(x)))
    inside, outside = found.order[: np.count_nonzero(x)], found.order[np.count_nonzero(x) :]
    assert (np.diff(x[inside]) <= 1e-10).all()
    assert (x[outside] == 0).all()
    assert (np.diff(gradient[outside]) >= -2e-10).all()


def pairs(function, codes):
    n = codes.shape[1]
    return np.array([[function(codes[:, i], codes[:, j]) for j in range(n)] for i in range(n)])


@pytest.mark.each_value
@pytest.mark.parametrize("alpha", [None, 0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_qpfs_by_its_definition(information_of, brute, make_table, seed, alpha):
    codes, classes = make_table(150, 12, n_codes=4, n_classes=3, seed=seed)
    redundancy = pairs(brute.mutual_information, codes)
    relevance = np.array([brute.mutual_information(column, classes) for column in codes.T])
    information = information_of(codes, classes)
    found = quadratic_ranking(information, everything(information), alpha)
    balanced = redundancy.mean() / (redundancy.mean() + relevance.mean())
    assert found.alpha == pytest.approx(balanced if alpha is None else alpha, rel=1e-12)
    assert found.shift == 0
    check_minimum(redundancy, relevance, found)


@pytest.mark.each_value
@pytest.mark.parametrize("alpha", [None, 0.3, 0.8])
@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_eqpfs_by_its_definition(information_of, brute, make_table, alpha, beta):
    codes, classes = make_table(150, 10, n_codes=3, n_classes=3, seed=7)
    within = pairs(lambda x, y: brute.conditional_information(x, y, classes), codes)
    total = pairs(brute.mutual_information, codes) - beta * within
    np.fill_diagonal(total, 0)
    relevance = np.array([brute.mutual_information(column, classes) for column in codes.T])
    information = information_of(codes, classes)
    found = extended_ranking(information, everything(information), alpha, beta)
    assert found.shift == pytest.approx(-np.linalg.eigvalsh(total)[0], abs=1e-12)
    matrix = total + found.shift * np.eye(10)
    if alpha is None:
        size = np.abs(matrix).mean()
        assert found.alpha == pytest.approx(size / (size + relevance.mean()), rel=1e-10)
    check_minimum(matrix, relevance, found)
    wider = extended_ranking(information, everything(information), alpha, beta, 3.0)
    assert wider.shift == 3
    check_minimum(total + 3 * np.eye(10), relevance, wider)


def test_shift_too_small(information_of, make_table):
    information = information_of(*make_table(100, 6, seed=1))
    least = extended_ranking(information, everything(information)).shift
    with pytest.raises(ValueError, match=rf"^shift=0.001 does not make .* give {least:.6g} or more, or None") as caught:
        extended_ranking(information, everything(information), shift=0.001)
    assert "\n" not in str(caught.value)


def exclusive_or():
    """Fair bits a and b, their exclusive or, and the pair of them: an H that is not convex."""
    a, b = np.arange(16) & 1, np.arange(16) >> 1 & 1
    return np.column_stack([a, b, a ^ b, 2 * a + b]).astype(np.uint8), np.arange(16) >> 2 & 1


def test_not_convex(information_of):
    """The least eigenvalue is (3 - root 13) / 2."""
    information = information_of(*exclusive_or())
    with pytest.raises(ValueError, match=r"4 columns is not convex.* -0.302776 bits.*convexify='shift'") as caught:
        quadratic_ranking(information, np.arange(4))
    assert "\n" not in str(caught.value)
    found = quadratic_ranking(information, np.arange(4), 0.3, convexify=True)
    assert found.shift == pytest.approx((13**0.5 - 3) / 2, abs=1e-14)
    matrix = information.matrix("redundancy") + found.shift * np.eye(4)
    check_minimum(matrix, information.relevance, found)
    three = quadratic_ranking(information, np.arange(3), convexify=True)  # without the pair it is convex
    assert three.shift == 0
    assert np.abs(three.weights - 1 / 3).max() <= 1e-9  # three independent bits


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("extended", [False, True])
def test_duplicates_share_their_weight(information_of, make_table, seed, extended):
    codes, classes = make_table(200, 8, n_codes=3, seed=seed)
    renamed = np.array([1, 2, 0], np.uint8)
    wide = np.column_stack([codes, renamed[codes[:, 2]], codes[:, 5], codes[:, 2]])
    information = information_of(wide, classes)
    rank = extended_ranking if extended else quadratic_ranking
    found = rank(information, everything(information), 0.6)
    weights, order = found.weights, found.order.tolist()
    assert weights[2] == weights[8] == weights[10]
    assert weights[5] == weights[9]
    assert order.index(2) < order.index(8) < order.index(10)
    assert order.index(5) < order.index(9)
    if not extended:  # there the shift depends on the columns
        alone = quadratic_ranking(information_of(codes, classes), np.arange(8), 0.6)
        together = np.array(
            [*weights[:2], weights[[2, 8, 10]].sum(), *weights[3:5], weights[[5, 9]].sum(), *weights[6:8]]
        )
        assert np.abs(together - alone.weights).max() <= 1e-14  # the same problem, divided and added up
    matrix = information.matrix("redundancy")
    if extended:
        matrix -= information.matrix("conditional_redundancy")
        np.fill_diagonal(matrix, found.shift)
    check_minimum(matrix, information.relevance, found)


def test_order_of_columns_does_not_matter(information_of, make_table):
    codes, classes = make_table(300, 15, n_codes=3, seed=5)
    order = np.random.default_rng(0).permutation(15)
    for rank in (quadratic_ranking, extended_ranking):
        one = rank(information_of(codes, classes), np.arange(15))
        other = rank(information_of(codes[:, order], classes), np.arange(15))
        # Both within the root of the gap, 1e-12 of a bit, over the least eigenvalue; for a shifted H that is 0.
        assert np.abs(one.weights[order] - other.weights).max() <= 1e-5
        assert other.alpha == pytest.approx(one.alpha, rel=1e-12)


def test_balance():
    assert balanced_alpha(1.0, 3.0) == 0.25
    assert balanced_alpha(1.0, 0.0) == 1
    assert balanced_alpha(0.0, 1.0) == 0
    assert balanced_alpha(0.0, 0.0) == balanced_alpha(-1e-17, -1e-17) == 0.5


def test_nothing_tells(information_of):
    """Columns that vary, independent of the class: f is 0, only redundancy counts, or nothing at all."""
    a, b = np.arange(8) & 1, np.arange(8) >> 1 & 1
    information = information_of(np.column_stack([a, b]).astype(np.uint8), np.arange(8) >> 2)
    found = quadratic_ranking(information, np.arange(2))
    assert found.alpha == 1
    assert found.order.tolist() == [0, 1]
    assert np.isfinite(found.weights).all()
    assert quadratic_ranking(information, np.arange(2), 0.5).weights.tolist() == [0.5, 0.5]


def landmarks_of(n, rate, seed=0):
    return choose_landmarks(Nystrom(rate, random_state=seed), np.arange(n), n)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("exact_diagonal", [True, False])
def test_nystrom_by_its_definition(information_of, make_table, rate, exact_diagonal):
    codes, classes = make_table(300, 20, n_codes=3, seed=3)
    information = information_of(codes, classes)
    places = landmarks_of(20, rate)
    whole = information.matrix("redundancy")
    factor = nystrom_factor(whole[places], places)
    matrix = factor.matrix @ factor.matrix.T
    if exact_diagonal:
        matrix[np.diag_indices(20)] = np.maximum(np.diag(matrix), information.entropy)
    found = approximated_ranking(information, np.arange(20), places, 0.4, exact_diagonal=exact_diagonal)
    assert (found.alpha, found.shift) == (0.4, factor.shift)
    check_minimum(matrix, information.relevance, found)


@pytest.mark.parametrize("exact_diagonal", [True, False])
def test_nystrom_is_exact_with_all_columns(information_of, make_table, exact_diagonal):
    information = information_of(*make_table(300, 20, n_codes=3, seed=3))
    columns = everything(information)
    exact = quadratic_ranking(information, columns, 0.4)
    found = approximated_ranking(information, columns, columns, 0.4, exact_diagonal=exact_diagonal)
    assert found.shift == 0
    # Two paths to one minimum: the root of the gap over the least eigenvalue, some 1e-6 over 0.3.
    assert np.abs(found.weights - exact.weights).max() <= 1e-5


def test_few_eigenvalues_of_nystrom_by_their_definition(information_of, make_table):
    information = information_of(*make_table(300, 20, n_codes=3, seed=3))
    columns = everything(information)
    landmarks = landmarks_of(20, 0.5)
    factor = nystrom_factor(information.matrix("redundancy")[landmarks], landmarks)
    eigenvalues, vectors = np.linalg.eigh(factor.matrix @ factor.matrix.T)
    matrix = (vectors[:, -4:] * eigenvalues[-4:]) @ vectors[:, -4:].T
    ranking = approximated_ranking(information, columns, landmarks, 0.4, n_eigenvalues=4)
    weights = ranking.weights
    outside = weights - vectors[:, -4:] @ (vectors[:, -4:].T @ weights)
    assert np.abs(outside).max() <= 1e-9  # the rounding of small weights to 0
    assert weights.sum() == pytest.approx(1, abs=1e-14)
    inside = weights @ matrix @ weights * 0.3 - 0.4 * information.relevance @ weights
    equal = np.full(20, 0.05)
    projected = vectors[:, -4:] @ (vectors[:, -4:].T @ equal)
    projected /= projected.sum()
    assert projected.min() >= 0
    assert inside <= projected @ matrix @ projected * 0.3 - 0.4 * information.relevance @ projected
    all_landmarks = approximated_ranking(information, columns, columns, 0.4, n_eigenvalues=20)
    exact = quadratic_ranking(information, columns, 0.4)
    assert np.abs(all_landmarks.weights - exact.weights).max() <= 1e-5  # as in the test above


def test_nystrom_counts_the_rows_of_the_landmarks_only(information_of, make_table, monkeypatch):
    information = information_of(*make_table(300, 20, n_codes=3, seed=3))
    counted = []
    pair_sums = information.sums.pair_sums

    def watched(terms, pivot, *rest):
        counted.append(pivot)
        return pair_sums(terms, pivot, *rest)

    monkeypatch.setattr(information.sums, "pair_sums", watched)
    approximated_ranking(information, everything(information), np.array([2, 11]), 0.4)
    assert counted == [2, 11]


def test_rows_of_landmarks_and_their_factor_are_said_to_take_what_they_take(information_of, make_table, monkeypatch):
    """The rows, what they are multiplied by, and the factor, of so many numbers each."""
    information, said = information_of(*make_table(300, 20, n_codes=3, seed=3)), []
    monkeypatch.setattr(quadratic, "check_room", lambda n_bytes, *_: said.append(n_bytes))
    for n_landmarks, n_columns in ((1, 20), (4, 20), (7, 7)):
        approximated_ranking(information, np.arange(n_columns), np.arange(n_landmarks), 0.4)
        assert said.pop() == 3 * np.empty((n_landmarks, n_columns)).nbytes


def test_nystrom_of_some_columns(information_of, make_table):
    codes, classes = make_table(300, 12, n_codes=3, seed=4)
    columns = np.array([1, 3, 4, 7, 8, 11])
    found = approximated_ranking(information_of(codes, classes), columns, np.array([3, 8]), 0.4)
    alone = approximated_ranking(information_of(codes[:, columns], classes), np.arange(6), np.array([1, 4]), 0.4)
    assert found.weights.tobytes() == alone.weights.tobytes()
    assert found.order.tolist() == alone.order.tolist()


def test_progress(information_of, make_table):
    heard = []
    information = information_of(*make_table(60, 8, seed=7))
    with listening(lambda progress: heard.append(str(progress))):
        quadratic_ranking(information, np.arange(8))
        extended_ranking(information, np.arange(8))
        approximated_ranking(information, np.arange(8), np.array([1, 2]), 0.5)
    assert heard[0] == "counting pairs"
    assert heard.index("counting pairs, 100 %") < heard.index("ranking")
    assert "counting pairs by class" in heard
    assert heard[-4:] == ["counting pairs", "counting pairs, 50 %", "counting pairs, 100 %", "ranking"]


def test_an_approximation_needs_a_balance_and_has_no_eigenvectors():
    (method,) = (each for each in METHODS if each.name == "qpfs")
    for alpha, approximation in ((None, None), (0.5, None), (0.5, "nystrom"), (0.5, Nystrom(0.3, variant="paper"))):
        method.check_parameters({"alpha": alpha, "approximation": approximation, "n_eigenvalues": None})
    with pytest.raises(ValueError, match="alpha=None is not allowed with an approximation"):
        method.check_parameters({"alpha": None, "approximation": "nystrom", "n_eigenvalues": None})
    nystrom = Nystrom(variant="extension")
    with pytest.raises(ValueError, match="variant='extension' is a variant about eigenvectors"):
        method.check_parameters({"alpha": 0.5, "approximation": nystrom, "n_eigenvalues": None})
    with pytest.raises(ValueError, match="n_eigenvalues=3 is for an approximation by Nystrom"):
        method.check_parameters({"alpha": 0.5, "approximation": None, "n_eigenvalues": 3})
    with pytest.raises(ValueError, match="alpha=1 looks at relevance alone"):
        method.check_parameters({"alpha": 1, "approximation": "nystrom", "n_eigenvalues": 3})


@pytest.mark.parametrize("run", [qpfs, eqpfs])
def test_what_did_not_converge_says_so_and_how_far_it_is(information_of, make_table, monkeypatch, run):
    information = information_of(*make_table(100, 6, seed=2))
    whole = run(information, 3)
    assert whole.convergence_warning is None
    solve = quadratic.minimize_on_simplex
    monkeypatch.setattr(
        quadratic, "minimize_on_simplex", lambda *given: solve(*given)._replace(converged=False, gap=0.25)
    )
    found = run(information, 3)
    assert found.order.tolist() == whole.order.tolist()
    assert found.extras["gap_"] == 0.25
    assert (
        str(found.convergence_warning)
        == f"{run.__name__.upper()} stopped 0.25 bits above the minimum at most: see gap_"
    )
