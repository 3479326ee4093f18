"""QPFS and EQPFS as estimators: the paper's example, constant columns, parameters that are refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning

from bitsieve import EQPFS, QPFS, Nystrom, mutual_information, mutual_information_matrix
from bitsieve.optimize.simplex_qp import minimize_on_simplex

both = pytest.mark.parametrize("make", [QPFS, EQPFS])


def example_1():
    """S is one of 4 values, C = S > 2, G is C but for 5 in 100."""
    samples = np.array([(s, int(s >= 2) ^ flip) for s in range(4) for flip in [0] * 19 + [1]])
    return samples, samples[:, 0] >= 2


def test_example_1_of_the_paper():
    fitted = QPFS(1, binning="none").fit(*example_1())
    assert [round(weight, 4) for weight in fitted.weights_.tolist()] == [0.4173, 0.5827]
    assert round((1 - fitted.alpha_) / (2 * fitted.alpha_), 5) == 0.38706
    assert fitted.selected_.tolist() == [1]  # the feature of lower entropy, though it tells less
    as_printed = QPFS(1, alpha=1 / 3, binning="none").fit(*example_1())  # alpha_2 = 1
    assert [round(weight, 2) for weight in as_printed.weights_.tolist()] == [0.27, 0.73]


def test_eqpfs_does_not_punish_entropy():
    fitted = EQPFS(1, binning="none").fit(*example_1())
    assert fitted.selected_.tolist() == [0]
    # I(S;G) - I(S;G|C) = 0.7136 on both sides of the diagonal: eigenvalues 0.7136 and -0.7136.
    assert round(fitted.shift_, 4) == 0.7136


@both
def test_attributes(make):
    X, y = load_breast_cancer(return_X_y=True)
    fitted = make(6).fit(X, y)
    assert sorted(fitted.ranking_.tolist()) == list(range(1, 31))
    assert fitted.ranking_[fitted.selected_].tolist() == [1, 2, 3, 4, 5, 6]
    assert np.flatnonzero(fitted.support_).tolist() == sorted(fitted.selected_.tolist())
    assert fitted.scores_.tolist() == fitted.weights_[fitted.selected_].tolist()
    assert (np.diff(fitted.scores_) <= 0).all()
    assert abs(fitted.weights_.sum() - 1) <= 1e-14  # 30 roundings
    assert 0 <= fitted.gap_ <= 1e-10
    assert 0 < fitted.alpha_ < 1
    assert fitted.overlap_with_[0] == -1


def test_against_the_conditions_of_a_minimum():
    X, y = load_digits(return_X_y=True)
    fitted = QPFS(10, binning="quantile", alpha=0.5).fit(X, y)
    varying = np.flatnonzero(fitted.binner_.n_bins_ > 1)
    matrix = mutual_information_matrix(X, binning="quantile")[np.ix_(varying, varying)]
    x = fitted.weights_[varying]
    gradient = (matrix @ x - fitted.relevance_[varying]) / 2
    assert 5 < np.count_nonzero(x) < 60
    assert gradient @ x - gradient.min() <= fitted.gap_ + 1e-14  # the rounding of 64 products
    # All that have a weight have one gradient, to the gap over the least weight, and the others no smaller one.
    assert np.ptp(gradient[x > 1e-6]) <= 1e-6
    assert gradient[x == 0].min() >= gradient[x > 0].min() - 1e-9


@both
@pytest.mark.parametrize("seed", range(3))
def test_constant_columns_come_last(make, make_table, seed):
    codes, classes = make_table(100, 10, seed=seed)
    codes[:, [0, 4, 9]] = 3
    fitted = make(9, binning="none").fit(codes, classes)
    assert fitted.weights_[[0, 4, 9]].tolist() == [0, 0, 0]
    assert fitted.ranking_[[0, 4, 9]].tolist() == [8, 9, 10]
    assert fitted.selected_[7:].tolist() == [0, 4]
    without = make(7, binning="none").fit(np.delete(codes, [0, 4, 9], axis=1), classes)
    assert np.delete(fitted.weights_, [0, 4, 9]).tobytes() == without.weights_.tobytes()  # as if they were not there
    assert fitted.alpha_ == without.alpha_


@both
def test_nothing_varies(make):
    fitted = make(2, binning="none").fit(np.ones((6, 3), int), [0, 1] * 3)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.weights_.tolist() == [0, 0, 0]
    assert np.isnan(fitted.alpha_)
    assert (fitted.shift_, fitted.gap_) == (0, 0)
    assert make(1, alpha=0.3, binning="none").fit(np.ones((6, 3), int), [0, 1] * 3).alpha_ == 0.3


@both
def test_one_column(make):
    fitted = make(1, binning="none").fit([[0], [1], [0], [1]], [0, 1, 1, 1])
    assert fitted.weights_.tolist() == [1]
    assert fitted.gap_ == 0


def test_relevance_alone():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = QPFS(5, alpha=1).fit(X, y)
    order = np.argsort(-fitted.relevance_, kind="stable")[:5]
    assert fitted.selected_.tolist() == order.tolist()
    assert fitted.weights_[order[0]] == 1


def test_columns_of_weight_0_are_ranked_by_what_they_lack():
    X, y = load_digits(return_X_y=True)
    fitted = QPFS(64, alpha=0.9, binning="quantile").fit(X, y)
    varying = np.flatnonzero(fitted.binner_.n_bins_ > 1)
    matrix = mutual_information_matrix(X, binning="quantile")[np.ix_(varying, varying)]
    gradient = np.full(64, np.inf)
    gradient[varying] = 0.1 * matrix @ fitted.weights_[varying] - 0.9 * fitted.relevance_[varying]
    outside = [j for j in fitted.selected_ if fitted.weights_[j] == 0]
    assert len(outside) > 30
    assert (np.diff(gradient[[j for j in outside if np.isfinite(gradient[j])]]) >= -1e-9).all()


@both
def test_equal_for_any_number_of_threads(make):
    X, y = load_digits(return_X_y=True)
    one = make(5, n_jobs=1).fit(X, y)
    for n_jobs in (None, 2, -1):
        assert make(5, n_jobs=n_jobs).fit(X, y).weights_.tobytes() == one.weights_.tobytes()


def test_convexify(make_table):
    a, b = np.arange(16) & 1, np.arange(16) >> 1 & 1
    X, y = np.column_stack([a, b, a ^ b, 2 * a + b]), np.arange(16) >> 2 & 1
    with pytest.raises(ValueError, match=r"is not convex, its smallest eigenvalue is -0.302776 bits"):
        QPFS(1, binning="none").fit(X, y)
    fitted = QPFS(1, convexify="shift", binning="none").fit(X, y)
    assert fitted.shift_ == pytest.approx((13**0.5 - 3) / 2, abs=1e-14)
    H = mutual_information_matrix(X, binning="none") + fitted.shift_ * np.eye(
        4
    )  # both terms are balanced with the shift in H
    relevance = mutual_information(X, y, binning="none")
    assert fitted.alpha_ == pytest.approx(H.mean() / (H.mean() + relevance.mean()), abs=1e-14)  # roundings of two means
    # The weights are a minimum for that very shift: what it costs to move along any pair of them is equal.
    slope = (1 - fitted.alpha_) * H @ fitted.weights_ - fitted.alpha_ * relevance
    inside = fitted.weights_ > 1e-9
    assert np.ptp(slope[inside]) <= 1e-9  # of the solver
    assert slope[~inside].min(initial=np.inf) >= slope[inside].min() - 1e-9
    codes, classes = make_table(200, 6, seed=0)
    plain = QPFS(1, binning="none").fit(codes, classes)
    shifted = QPFS(1, convexify="shift", binning="none").fit(codes, classes)
    assert shifted.shift_ == 0  # convex as it is
    assert shifted.weights_.tobytes() == plain.weights_.tobytes()


@pytest.mark.parametrize("variant", [None, "paper"])
def test_nystrom(variant):
    X, y = load_digits(return_X_y=True)
    settings = Nystrom(0.4, random_state=3, variant=variant)
    fitted = QPFS(10, alpha=0.5, approximation=settings).fit(X, y)
    n_varying = int((fitted.binner_.n_bins_ > 1).sum())
    assert len(fitted.landmarks_) == round(0.4 * n_varying)
    assert (fitted.binner_.n_bins_[fitted.landmarks_] > 1).all()
    assert fitted.weights_.tobytes() == clone(fitted).fit(X, y).weights_.tobytes()
    again = Nystrom(landmarks=fitted.landmarks_[::-1], variant=variant)
    assert QPFS(10, alpha=0.5, approximation=again).fit(X, y).weights_.tobytes() == fitted.weights_.tobytes()
    other = QPFS(10, alpha=0.5, approximation=Nystrom(0.4, random_state=4, variant=variant)).fit(X, y)
    assert other.landmarks_.tolist() != fitted.landmarks_.tolist()


def test_few_eigenvalues_of_nystrom():
    X, y = load_digits(return_X_y=True)
    fitted = QPFS(10, alpha=0.5, approximation=Nystrom(0.4, random_state=3), n_eigenvalues=8).fit(X, y)
    assert fitted.weights_.min() >= 0
    assert fitted.weights_.sum() == pytest.approx(1, abs=1e-14)
    assert fitted.weights_.tobytes() == clone(fitted).fit(X, y).weights_.tobytes()
    with pytest.raises(ValueError, match=r"^n_eigenvalues=0 is not allowed"):
        QPFS(10, alpha=0.5, approximation="nystrom", n_eigenvalues=0).fit(X, y)


def test_nystrom_by_name_and_its_quality():
    X, y = load_digits(return_X_y=True)
    exact = QPFS(10, alpha=0.5).fit(X, y)
    fitted = QPFS(10, alpha=0.5, approximation="nystrom").fit(X, y)
    assert exact.landmarks_ is None
    literal = QPFS(10, alpha=0.5, approximation=Nystrom(variant="paper")).fit(X, y)
    varying = np.flatnonzero(fitted.binner_.n_bins_ > 1)
    matrix = mutual_information_matrix(X, y)[np.ix_(varying, varying)]

    def objective(selector):
        x = selector.weights_[varying]
        return (x @ matrix @ x / 2 - selector.relevance_[varying] @ x) / 2

    assert objective(exact) < objective(fitted) < objective(exact) + 0.03
    # By the letter nothing but landmarks has an entropy on the diagonal: a few others take all the weight.
    assert objective(literal) > objective(exact) + 0.03
    assert np.count_nonzero(literal.weights_) < np.count_nonzero(fitted.weights_)


def test_a_minimum_not_reached_is_warned_of(monkeypatch):
    monkeypatch.setattr(
        "bitsieve.methods.by_counts.pairwise.quadratic.minimize_on_simplex",
        lambda *problem: minimize_on_simplex(*problem, max_rounds=0),
    )
    X, y = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"^QPFS stopped .* bits above the minimum at most: see gap_$"):
        fitted = QPFS(5).fit(X, y)
    assert fitted.gap_ > 1e-6


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (QPFS(1, alpha=-0.1), r"^alpha=-0.1 is not allowed: give a number from 0 to 1, or None to balance both terms$"),
        (QPFS(1, alpha=1.1), r"^alpha=1.1 is not allowed"),
        (QPFS(1, alpha=float("nan")), r"^alpha=nan is not allowed"),
        (QPFS(1, alpha="0.5"), r"^alpha='0.5' is not allowed"),
        (QPFS(1, alpha=True), r"^alpha=True is not allowed"),
        (EQPFS(1, alpha=2), r"^alpha=2 is not allowed"),
        (QPFS(1, convexify="shft"), r"^convexify='shft' is not allowed: give None or 'shift'$"),
        (QPFS(1, convexify=True), r"^convexify=True is not allowed"),
        (QPFS(1, alpha=0.5, approximation="nys"), r"^approximation='nys' is not allowed: give None, 'nystrom' or Nys"),
        (QPFS(1, approximation="nystrom"), r"^alpha=None is not allowed with an approximation"),
        (
            QPFS(1, alpha=0.5, approximation=Nystrom(variant="extension")),
            r"^variant=.extension. is a variant about eigen",
        ),
        (QPFS(1, alpha=0.5, approximation=Nystrom(landmarks=[0, 99])), r"^landmark 99 is not a column"),
        (EQPFS(1, beta=-1), r"^beta=-1 is not allowed: give a number of 0 or more, 0 for the redundancy without"),
        (EQPFS(1, beta=float("inf")), r"^beta=inf is not allowed"),
        (EQPFS(1, shift=-1), r"^shift=-1 is not allowed: give a number of 0 or more, or None for the smallest"),
        (EQPFS(1, shift=0), r"^shift=0 does not make the redundancy of these .* columns convex: give "),
        (QPFS(0), r"^n_features_to_select=0 is not allowed"),
        (EQPFS(0), r"^n_features_to_select=0 is not allowed: give a whole number from 1 to 30"),
    ],
    ids=str,
)
def test_mistakes(selector, message):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=message) as caught:
        selector.fit(X, y)
    assert "\n" not in str(caught.value)
