"""The support vector machines that select against scikit-learn's own way of saying it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, l1_min_c

from bitsieve import L1SVM, SVMRFE, ModelSelector
from bitsieve.methods.by_samples import svm_rfe
from bitsieve.methods.by_samples.l1_svm import PENALTY_GROWTH
from papers.data.sparse_groups import make_sparse_groups


@pytest.fixture(params=[load_breast_cancer, load_iris], ids=["two classes", "three"])
def data(request):
    X, y = request.param(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("k", [1, 3])
def test_l1_svm_is_select_from_model(data, k):
    X, y = data
    model = LinearSVC(penalty="l1", dual=False, C=0.05, random_state=0)
    expected = SelectFromModel(model, threshold=1e-300, max_features=k).fit(X, y)
    fitted = L1SVM(k, C=0.05).fit(X, y)
    assert (fitted.support_ == expected.get_support()).all()
    assert fitted.C_ == 0.05
    assert (np.diff(fitted.scores_) <= 0).all()


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("k", [2, 4])
def test_the_penalty_that_leaves_as_many(data, k):
    X, y = data
    fitted = L1SVM(k).fit(X, y)
    assert len(fitted.selected_) == k
    for C, enough in ((fitted.C_, True), (fitted.C_ / PENALTY_GROWTH, l1_min_c(X, y) >= fitted.C_)):
        weights = LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y).coef_
        assert (np.count_nonzero(weights.any(axis=0)) >= k) == enough


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_first_penalty_of_the_series(seed):
    """Of full fits one after the other; small penalties are tried on some of the columns alone."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2 + seed % 2, 80)
    X = random.normal(size=(80, 400)) + y[:, None] * random.random(400) ** 4
    values = StandardScaler().fit_transform(X)
    if seed % 3:
        X = values = sparse.csc_array(np.where(random.random(X.shape) < 0.3, X, 0.0))
    k, C, weights = 8, l1_min_c(values, y), np.zeros((1, 400))
    while np.count_nonzero(weights.any(axis=0)) < k:
        weights = LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(values, y).coef_
        C *= PENALTY_GROWTH
    fitted = L1SVM(k).fit(X, y)
    assert fitted.C_ * PENALTY_GROWTH == C
    strength = np.abs(weights).sum(axis=0)
    assert fitted.scores_.tolist() == strength[fitted.selected_].tolist()
    assert strength[fitted.selected_].min() >= np.sort(strength)[-k] - 1e-10  # ties


@pytest.mark.parametrize("step", [1, 2, 0.3])
def test_rfe(data, step):
    X, y = data
    expected = RFE(SVC(kernel="linear"), n_features_to_select=2, step=step).fit(X, y)
    fitted = SVMRFE(2, step=step).fit(X, y)
    assert (fitted.support_ == expected.support_).all()
    assert (np.diff(fitted.scores_) <= 0).all()


def test_products_made_at_once_give_the_weights_of_libsvm(data, monkeypatch):
    X, y = data
    fitted = SVMRFE(2).fit(X, y)
    monkeypatch.setattr(svm_rfe, "MAX_KERNEL_BYTES", 0)
    by_libsvm = SVMRFE(2).fit(X, y)
    assert fitted.selected_.tolist() == by_libsvm.selected_.tolist()
    # Products differ by rounding, and the solver's steps follow them to their last bits.
    assert np.allclose(fitted.scores_, by_libsvm.scores_, rtol=1e-9, atol=0)


@pytest.mark.slow("many fits of a support vector machine")
@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_of_equal_features_rfe_drops_the_last(data, scale):
    X, y = data
    fitted = SVMRFE(X.shape[1], step=1, C=scale).fit(np.hstack([-X, X, X[:, ::-1]]), y)
    first, second, third = fitted.support_.reshape(3, -1)
    assert (first >= second).all()
    assert (second >= third[::-1]).all()
    assert not second.all()


@pytest.mark.each_value
@pytest.mark.parametrize("selector", [L1SVM(3), SVMRFE(3)], ids=["l1", "rfe"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_columns_are_taken_as_they_are(selector, form):
    made = make_sparse_groups(300, 120, n_nonzeros=15, n_groups=5, n_present=2, random_state=0)
    fitted = selector.fit(form(made.X), made.y)
    assert (made.groups[fitted.selected_] >= 0).all()
    wide = form(made.X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert selector.fit(wide, made.y).selected_.tolist() == fitted.selected_.tolist()


def test_mistakes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"^C=0 is not allowed: give a number above 0$"):
        L1SVM(1, C=0).fit(X, y)
    with pytest.raises(ValueError, match=r"^no column has weight at C=1e-06: give a larger C$"):
        L1SVM(1, C=1e-6).fit(X, y)
    with pytest.raises(ValueError, match=r"^no column has weight at C=\S+: give columns of like size that vary with"):
        L1SVM(1).fit(np.ones_like(X), y)
    for selector in (L1SVM(1), SVMRFE(1), ModelSelector(1, model="linear-svc")):  # the solvers would never end
        with pytest.raises(ValueError, match=r"^values of up to 7.9e\+200 are too large to be added up: divide their"):
            selector.fit(X * 1e200, y)
    with pytest.raises(ValueError, match="too large to be added up"):
        L1SVM(1).fit(sparse.csr_array(X * 1e200), y)
    for step in (0, 1.5, 0.0, "few"):
        with pytest.raises(ValueError, match=r"^step="):
            SVMRFE(1, step=step).fit(X, y)
    with pytest.raises(ValueError, match=r"^C=-1 is not allowed"):
        SVMRFE(1, C=-1).fit(X, y)
