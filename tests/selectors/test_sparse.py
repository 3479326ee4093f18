"""Sparse tables in every method: as its dense table, bit for bit, or refused in one line."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from tests.cover import methods_of_each_kind

import bitsieve
from bitsieve import ZeroApartBinner
from bitsieve.dataset.sparse import StoredColumns
from bitsieve.information import ESTIMATORS
from bitsieve.methods.registry import list_methods
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.selectors.making import make_selector
from bitsieve.utils.column_names import NumberedNames

METHODS = [info.name for info in list_methods() if not info.same_as]
TAKING = [name for name in METHODS if make_selector(name).__sklearn_tags__().input_tags.sparse]
COUNTING = [name for name in TAKING if isinstance(make_selector(name), CountSelector)]


@pytest.fixture(scope="module")
def data():
    """Word counts by rate: of 40 columns every eighth follows one of three classes."""
    random = np.random.default_rng(7)
    y = random.integers(0, 3, 250)
    rate = np.full((250, 40), 0.3)
    rate[:, ::8] += (y[:, None] == np.arange(5) % 3) * 1.2
    X = random.poisson(rate).astype(float)
    X[:, 3] = 0
    return X, y, random.integers(0, 3, 250)


def assert_equal(mine, theirs):
    np.testing.assert_array_equal(mine.selected_, theirs.selected_)
    np.testing.assert_array_equal(mine.scores_, theirs.scores_)
    np.testing.assert_array_equal(mine.ranking_, theirs.ranking_)


def fitted(name, X, y, weights=None, binning="mdl", **parameters):
    return make_selector(name, 5, binning=binning, **parameters).fit(X, y, weights)


@pytest.mark.parametrize("name", methods_of_each_kind(COUNTING))
def test_as_the_dense_table(data, name):
    X, y, weights = data
    for rule in ("mdl", "quantile"):
        mine = fitted(name, sparse.csr_array(X), y, binning=rule)
        theirs = fitted(name, X, y, binning=ZeroApartBinner(rule))
        assert_equal(mine, theirs)
        np.testing.assert_array_equal(mine.relevance_, theirs.relevance_)
        np.testing.assert_array_equal(mine.overlap_, theirs.overlap_)
    mine = fitted(name, sparse.csc_matrix(X), y, weights, binning="none", n_jobs=2)
    assert_equal(mine, fitted(name, X, y, weights, binning="none"))


@pytest.mark.parametrize("stopping", ["significance", "permutation"])
@pytest.mark.parametrize("rule", ["mdl", "none"])
def test_stopping(data, stopping, rule):
    X, y = data[0][:100, :16], data[1][:100]
    mine = fitted("jmi", sparse.csr_array(X), y, binning=rule, stopping=stopping)
    theirs = fitted("jmi", X, y, binning=ZeroApartBinner(rule), stopping=stopping)
    assert_equal(mine, theirs)
    np.testing.assert_array_equal(mine.stopping_values_, theirs.stopping_values_)


@pytest.mark.slow("every estimator on dense and sparse tables")
def test_constraints_and_estimators(data):
    X, y, _ = data
    wish = bitsieve.Constraints(must_include=["x9"], exclude=[0], groups=[[1, 8], [2, 24, 5]])
    assert_equal(
        fitted("jmi", sparse.csr_array(X), y, binning="none", constraints=wish),
        fitted("jmi", X, y, binning="none", constraints=wish),
    )
    for estimator in ESTIMATORS:
        assert_equal(
            fitted("jmi", sparse.csr_array(X), y, binning="none", estimator=estimator),
            fitted("jmi", X, y, binning="none", estimator=estimator),
        )


@pytest.mark.parametrize("name", [name for name in METHODS if name not in TAKING])
def test_refused_where_rows_are_needed(data, name):
    X, y, _ = data
    selector = make_selector(name, 3)
    message = "^the table is sparse, but {} needs dense rows: use a method on counts"
    with pytest.raises(ValueError, match=message.format(type(selector).__name__)):
        selector.fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match=message.format(f"method '{name}'")):
        bitsieve.select(sparse.csr_array(X), y, method=name)


@pytest.mark.slow("every estimator on dense and sparse tables")
def test_information(data):
    X, y, weights = data
    for of in ("entropy", "mutual_information", "mutual_information_matrix", "conditional_mutual_information_matrix"):
        function = getattr(bitsieve, of)
        for estimator in ESTIMATORS:
            keywords = {"binning": "none", "sample_weight": weights + 1, "estimator": estimator}
            np.testing.assert_array_equal(function(sparse.csr_array(X), y, **keywords), function(X, y, **keywords))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_select(data, form):
    X, y, _ = data
    given = sparse.csr_array(X).asformat(form)
    found = bitsieve.select(given, y, method="jmi", n_features_to_select=4)
    theirs = bitsieve.select(X, y, method="jmi", n_features_to_select=4, binning=ZeroApartBinner())
    assert (str(found), found.features) == (str(theirs), theirs.features)
    assert found.table.format == form
    np.testing.assert_array_equal(found.table.toarray(), X[:, np.sort(found.indices)])
    assert found.notes == ["column 'x3' is constant"]
    assert found.to_dict()["n_features"] == 40


def test_transform_keeps_sparse_tables_sparse(data):
    X, y, _ = data
    selector = fitted("mrmr", sparse.csr_array(X), y)
    for given in (sparse.csr_array(X), sparse.csc_array(X)):
        np.testing.assert_array_equal(selector.transform(given).toarray(), X[:, selector.support_])
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])


def test_mistakes(data):
    X, y, _ = data
    given = sparse.csr_array(X)
    for mistaken, message in (
        (lambda: bitsieve.select(given, "class"), "give the target as an array"),
        (lambda: bitsieve.select(given, y[:5]), "the target has 5 values but the data has 250 rows"),
        (lambda: bitsieve.select(given * 0, y), "no column varies"),
        (lambda: bitsieve.select(given * 0.5, y, binning="none"), "binning 'none' takes whole numbers"),
        (
            lambda: fitted("jmi", given * np.nan, y, missing="error"),
            r"missing values \(NaN\): 'x0', 'x1', 'x2', 'x4', 'x5' and 34 more",
        ),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            mistaken()
        assert "\n" not in str(caught.value)


def test_columns_are_not_gone_through_one_by_one(data, monkeypatch):
    """Neither their names are made nor the columns themselves, but for those that are shown."""
    X, y, _ = data
    wide = sparse.hstack([sparse.csr_array(X), sparse.csr_array((250, 50_000))], format="csr")
    made = []
    for kind, method in ((NumberedNames, "__getitem__"), (StoredColumns, "__getitem__")):
        of_kind = getattr(kind, method)

        def counting(self, place, of_kind=of_kind):
            made.append(place)
            return of_kind(self, place)

        monkeypatch.setattr(kind, method, counting)
    wish = bitsieve.Constraints(must_include=["x9"])
    with pytest.warns(bitsieve.BitsieveWarning, match="50,001 columns are constant: 'x3', 'x40', 'x41'"):
        found = bitsieve.select(wide, y, method="jmi", n_features_to_select=4, constraints=wish)
    assert found.features[0] == "x9"
    assert len(made) < 100


@pytest.mark.parametrize("binning", ["quantile", "none"])
def test_select_with_bins_that_do_not_look_at_the_class(binning):
    """The shuffles that tell which columns carry information take listed codes, too."""
    random = np.random.default_rng(0)
    X, y = random.integers(0, 4, (100, 10)) * (random.random((100, 10)) < 0.2).astype(float), random.integers(0, 2, 100)
    found = bitsieve.select(sparse.csr_array(X), y, n_features_to_select=3, binning=binning)
    expected = bitsieve.select(X, y, n_features_to_select=3, binning=ZeroApartBinner(binning))
    assert found.notes == expected.notes
    assert any("more informative than chance" in note for note in found.notes)
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_clusters_of_sparse_columns_are_refused(data):
    with pytest.raises(ValueError, match=r"^the table is sparse, but DominantSetClusters needs dense rows"):
        bitsieve.DominantSetClusters().fit(sparse.csr_array(data[0]))
