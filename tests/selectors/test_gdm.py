"""GDM and FGM: groups, the classifier, every kind of table, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from bitsieve import GDM, make_selector
from papers.data.sparse_groups import make_sparse_groups

pandas = pytest.importorskip("pandas")

SPARSE = [
    sparse.csr_matrix,
    sparse.csc_matrix,
    sparse.coo_matrix,
    sparse.csr_array,
    sparse.csc_array,
    sparse.coo_array,
]


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def made():
    """600 samples, 800 columns, 12 of 800 not 0 in each sample; six groups of up to eight columns."""
    found = make_sparse_groups(600, 800, n_nonzeros=20, n_groups=6, n_present=2, random_state=3)
    return found.X, found.y, found.groups


def correlations(X):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(np.corrcoef(X, rowvar=False)))


@pytest.mark.each_value
@pytest.mark.parametrize("tau", [0.05, 0.25, 0.5])
@pytest.mark.parametrize("C", [1.0, 500.0])
def test_no_two_support_features_are_correlated_and_groups_are(cancer, tau, C):
    X, y = cancer
    rho = np.corrcoef(X, rowvar=False)
    fitted = GDM(6, tau=tau, C=C).fit(X, y)
    among = np.abs(rho[np.ix_(fitted.selected_, fitted.selected_)]) - np.eye(len(fitted.selected_))
    assert among.max() < 1 - tau
    assert len(fitted.groups_) == len(fitted.correlations_) == len(fitted.selected_)
    for j, group, correlation in zip(fitted.selected_, fitted.groups_, fitted.correlations_, strict=True):
        assert not set(group) & set(fitted.selected_)
        np.testing.assert_allclose(correlation, rho[j, group], atol=1e-12)
        assert (np.abs(correlation) >= 1 - tau - 1e-9).all()


def test_fewer_where_all_others_are_correlated(cancer):
    X, y = cancer
    fitted = GDM(30, tau=0.5).fit(X, y)
    assert 1 < len(fitted.selected_) < 30
    assert sorted(np.concatenate([fitted.selected_, *fitted.groups_]).tolist()) == list(range(30))
    assert fitted.transform(X).shape[1] == len(fitted.selected_)


def test_fgm_is_gdm_without_tau(cancer):
    X, y = cancer
    fgm = make_selector("fgm", 6).fit(X, y)
    assert fgm.tau is None
    np.testing.assert_array_equal(fgm.selected_, GDM(6, tau=None).fit(X, y).selected_)
    assert [len(group) for group in fgm.groups_] == [0] * 6
    assert len(fgm.selected_) == 6
    rho = correlations(X)[np.ix_(fgm.selected_, fgm.selected_)]
    assert (rho - np.eye(6)).max() > 0.75


def test_attributes_of_the_loop(cancer):
    X, y = cancer
    fitted = GDM(20, tau=0.1, features_per_cut=4, max_cuts=6).fit(X, y)
    assert len(fitted.cuts_) == len(fitted.objective_) <= 6
    assert sorted(set(np.concatenate(fitted.cuts_).tolist())) == sorted(fitted.selected_.tolist())
    assert (np.diff(fitted.objective_) >= -1e-8 * fitted.objective_[1:]).all()
    assert fitted.duality_gap_ <= 1e-8
    assert np.isnan(fitted.matching_gap_)
    assert ((fitted.scores_ > 0) & (fitted.scores_ <= 1)).all()
    exact = GDM(5, matching="exact").fit(X, y)
    assert exact.matching_gap_ == 0
    few = GDM(30, tau=0.3, features_per_cut=30).fit(X, y)
    assert few.converged_ == (few.violation_ <= 1e-4)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_it_is_a_classifier(load):
    X, y = load(return_X_y=True)
    fitted = GDM(4, C=float(len(y))).fit(X, y)
    decision = fitted.decision_function(X)
    expected = X @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(decision, expected[:, 0] if len(expected[0]) == 1 else expected, atol=1e-12)
    assert decision.shape == ((len(y),) if len(np.unique(y)) == 2 else (len(y), 3))
    np.testing.assert_allclose(np.atleast_2d(decision.T).mean(axis=1), 0, atol=1e-9)  # 0 at the mean of the columns
    assert (np.flatnonzero(fitted.coef_.any(axis=0)) == np.sort(fitted.selected_)).all()
    assert fitted.score(X, y) > 0.75
    assert fitted.score(X, y) == (fitted.predict(X) == y).mean()
    assert cross_val_score(GDM(4, C=float(len(y))), X, y).mean() > 0.7


def test_labels_of_any_kind(cancer):
    X, y = cancer
    words = np.array(["benign", "malign"])[1 - y]
    fitted = GDM(3).fit(X, words)
    assert fitted.classes_.tolist() == ["benign", "malign"]
    assert set(fitted.predict(X)) == {"benign", "malign"}
    assert fitted.predict(X[fitted.decision_function(X) > 0]).tolist()[:1] == ["malign"]
    np.testing.assert_allclose(fitted.decision_function(X), -GDM(3).fit(X, y).decision_function(X), atol=1e-12)


@pytest.mark.each_value
@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_sparse_kind_is_as_dense(made, kind, dtype):
    X, y, groups = made
    values = kind(X.astype(dtype))
    fitted, dense = GDM(6).fit(values, y), GDM(6).fit(X.toarray().astype(dtype), y)
    assert fitted.selected_.tolist() == dense.selected_.tolist()
    assert [group.tolist() for group in fitted.groups_] == [group.tolist() for group in dense.groups_]
    np.testing.assert_allclose(fitted.coef_, dense.coef_, atol=1e-9)
    np.testing.assert_allclose(fitted.decision_function(values), dense.decision_function(X.toarray()), atol=1e-9)
    taken = fitted.transform(values)
    assert sparse.issparse(taken)
    assert (taken.toarray() == X.toarray().astype(dtype)[:, fitted.support_]).all()
    for j, group in zip(fitted.selected_, fitted.groups_, strict=True):
        if groups[j] >= 0:
            assert sorted([j, *group]) == np.flatnonzero(groups == groups[j]).tolist()


def test_the_matrix_that_is_given_is_not_changed(made):
    X, y, _ = made
    start = X.indptr
    doubled = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * start), shape=X.shape
    )  # every entry twice
    values, columns = np.concatenate([X.data, np.zeros(50)]), np.concatenate([X.indices, np.arange(50)])
    with_zeros = sparse.csr_array((values, columns, np.append(start[:-1], start[-1] + 50)), shape=X.shape)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = GDM(6).fit(X, y)
    for matrix in (doubled, doubled.tocsc(), with_zeros, wide, wide.tocsc()):
        before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
        fitted = GDM(6).fit(matrix, y)
        assert fitted.selected_.tolist() == expected.selected_.tolist()
        np.testing.assert_allclose(fitted.coef_, expected.coef_, atol=1e-12)
        assert all((a == b).all() for a, b in zip(before, (matrix.data, matrix.indices, matrix.indptr), strict=True))


def test_permuted_columns_give_the_permuted_answer(cancer, made):
    order = np.random.default_rng(0).permutation(30)
    first, other = GDM(8).fit(*cancer), GDM(8).fit(cancer[0][:, order], cancer[1])
    assert order[other.selected_].tolist() == first.selected_.tolist()
    X, y, _ = made
    order = np.random.default_rng(0).permutation(X.shape[1])
    first, other = GDM(6).fit(X, y), GDM(6).fit(X[:, order], y)
    assert order[other.selected_].tolist() == first.selected_.tolist()
    assert [sorted(order[group]) for group in other.groups_] == [sorted(group) for group in first.groups_]


def test_weights_are_repetitions(cancer, made):
    random = np.random.default_rng(0)
    for X, y in (cancer, made[:2]):
        weights = random.integers(0, 3, len(y))
        weighted = GDM(5).fit(X, y, sample_weight=weights)
        repeated = GDM(5).fit(X[np.repeat(np.arange(len(y)), weights)], np.repeat(y, weights))
        assert weighted.selected_.tolist() == repeated.selected_.tolist()
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-12)
        ones = GDM(5).fit(X, y, sample_weight=np.ones(len(y)))
        assert ones.coef_.tobytes() == GDM(5).fit(X, y).coef_.tobytes()


def test_tables_with_names_and_two_categories():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    table = pandas.DataFrame(
        {
            "size": random.standard_normal(200) + y,
            "colour": np.where((random.random(200) < 0.8) == y, "red", "blue"),
            "whole": random.integers(0, 5, 200),
            "flag": (random.random(200) < 0.7) == y,
        }
    )
    fitted = GDM(3, C=200.0).fit(table, y)
    assert {"size", "colour", "flag"} == set(fitted.get_feature_names_out())
    assert list(fitted.transform(table).columns) == ["size", "colour", "flag"]
    numbers = table.assign(colour=table["colour"] == "red").astype(float)
    same = GDM(3, C=200.0).fit(numbers, y)
    np.testing.assert_allclose(fitted.decision_function(table), same.decision_function(numbers), atol=1e-12)
    one_colour = table[table["colour"] == "red"]
    expected = same.decision_function(numbers[table["colour"] == "red"])
    np.testing.assert_allclose(fitted.decision_function(one_colour), expected, atol=1e-12)


def test_words_of_groups():
    """From text to groups of words that occur together."""
    texts = [
        f"{'offer money winner' if i % 2 else 'meeting agenda'} {'lunch' if i % 3 else 'coffee'}" for i in range(60)
    ]
    labels = [i % 2 for i in range(60)]
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(texts)
    fitted = GDM(2).fit(X, labels)
    words = vectorizer.get_feature_names_out()
    groups = {words[j]: set(words[group]) for j, group in zip(fitted.selected_, fitted.groups_, strict=True)}
    first = words[fitted.selected_[0]]
    assert {first, *groups[first]} == {"offer", "money", "winner", "meeting", "agenda"}
    assert make_pipeline(TfidfVectorizer(), GDM(2)).fit(texts, labels).score(texts, labels) == 1.0
    assert fitted.get_feature_names_out(words).tolist() == words[fitted.support_].tolist()


X6 = np.array([[0.0, 5.0, 1.0], [1.0, 5.0, 0.0], [0.0, 5.0, 0.5], [1.0, 5.0, 0.25], [0.0, 5.0, 2.0], [1.0, 5.0, 3.0]])
Y6 = np.array([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_columns_that_do_not_vary_are_never_selected(form):
    table = np.column_stack([X6, np.zeros(6)])
    fitted = GDM(4, tau=0.01).fit(form(table), Y6)
    assert set(fitted.selected_) == {0, 2}
    assert np.isfinite(fitted.coef_).all()
    assert (fitted.coef_[:, [1, 3]] == 0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau": 0}, "tau=0 is not allowed: give a number inside 0 and 1, such as 0.25, or None"),
        ({"tau": 1.0}, "tau=1.0 is not allowed: give a number inside 0 and 1"),
        ({"tau": -0.1}, "tau=-0.1 is not allowed: give a number from 0 to 1"),
        ({"tau": "much"}, "tau='much' is not allowed"),
        ({"C": 0}, "C=0 is not allowed: give a number above 0"),
        ({"C": -1.0}, "C=-1.0 is not allowed: give a number above 0"),
        ({"features_per_cut": 3}, "features_per_cut=3 is not allowed: give a whole number from 1 to 2"),
        ({"features_per_cut": 0}, "features_per_cut=0 is not allowed"),
        ({"max_cuts": 0}, "max_cuts=0 is not allowed: give a whole number of 1 or more"),
        ({"matching": "best"}, "matching='best' is not allowed: give 'disjoint' or 'greedy' or 'exact'"),
        ({"n_jobs": 0}, "n_jobs=0 is not a number of threads"),
    ],
)
def test_parameters_that_are_not_allowed(parameters, message):
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=message) as caught:
            GDM(2, **parameters).fit(form(X6), Y6)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_data_that_cannot_be_used(form):
    def refused(X, y, message, k=1, **parameters):
        with pytest.raises(ValueError, match=message) as caught:
            GDM(k, **parameters).fit(X, y)
        assert "\n" not in str(caught.value)

    refused(form(X6), np.zeros(6, int), r"the target 'y' has one class only \('0'\)")
    refused(form(X6), None, "requires y to be passed")
    refused(form(X6), Y6, "n_features_to_select=0 is not allowed: give a whole number from 1 to 3", k=0)
    refused(form(X6), Y6, "features_per_cut=4 is not allowed: give a whole number from 1 to 2", k=2, features_per_cut=4)
    for value, words in ((np.nan, r"1 column holds missing values \(NaN\): 'x2'"), (np.inf, "infinite values")):
        spoiled = X6.copy()
        spoiled[1, 2] = value
        refused(form(spoiled), Y6, words)
        with pytest.raises(ValueError, match=words):
            GDM(1).fit(form(X6), Y6).predict(form(spoiled))
    refused(form(X6 * 1e305), Y6, "are too large to be added up: divide their columns first")
    refused(form(np.ones((6, 3))), Y6, "no column is correlated with the classes")
    with pytest.raises(ValueError, match=r"rows but y has . values: both must have the same number of rows"):
        GDM(1).fit(form(X6), Y6[:5])
    with pytest.raises(ValueError, match="X has 2 features, but GDM is expecting 3"):
        GDM(1).fit(form(X6), Y6).decision_function(form(X6[:, :2]))


def test_three_categories_are_refused():
    table = pandas.DataFrame({"a": [1.0, 2, 3, 4], "b": ["x", "y", "z", "x"]})
    with pytest.raises(ValueError, match="GDM needs numbers, and 1 of the columns hold more than two categories: 'b'"):
        GDM(1).fit(table, [0, 1, 0, 1])
