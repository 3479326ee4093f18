"""RCFS as an estimator: its attributes, units, and what it refuses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import StandardScaler

import bitsieve
from bitsieve import RCFS
from bitsieve.methods.by_samples import rcfs

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def separability(X, y, columns):
    """trace(S_b) / trace(S_w) of some columns."""
    X = np.asarray(X)[:, list(columns)]
    groups = [X[y == c] for c in np.unique(y)]
    between = sum(len(group) * (group.mean(axis=0) - X.mean(axis=0)) ** 2 for group in groups)
    return between.sum() / sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


@pytest.mark.parametrize("standardize", [True, False])
def test_no_set_is_better(tumours, standardize):
    X, y = tumours
    X = X.iloc[:, 10:20]
    fitted = RCFS(3, n_clusters=5, standardize=standardize).fit(X, y)
    values = StandardScaler().fit_transform(X) if standardize else X
    allowed = [s for s in combinations(range(10), 3) if len(set(fitted.clusters_[list(s)])) == 3]
    best = max(allowed, key=lambda s: separability(values, y, s))
    assert sorted(fitted.selected_.tolist()) == list(best)
    assert fitted.separability_ == pytest.approx(separability(values, y, best), rel=1e-12)  # rounding of 569 squares


def test_attributes(tumours):
    X, y = tumours
    fitted = RCFS(4).fit(X, y)
    clusters = fitted.clusters_[fitted.selected_]
    assert len(set(clusters)) == 4
    assert set(fitted.clusters_) == set(range(fitted.clusters_.max() + 1))
    for column, group in zip(fitted.selected_, fitted.groups_, strict=True):
        cluster = np.flatnonzero(fitted.clusters_ == fitted.clusters_[column])
        assert sorted([column, *group]) == cluster.tolist()
        assert f_share(X, y)[column] == f_share(X, y)[cluster].max()  # in units of their standard deviation
    assert (np.diff(fitted.scores_) <= 0).all()
    assert sorted(fitted.ranking_.tolist()) == [1, 2, 3, 4, *[5] * 26]
    assert fitted.get_feature_names_out().tolist() == X.columns[np.sort(fitted.selected_)].tolist()


def f_share(X, y):
    """The share of variance that two classes explain, from the F statistic."""
    f = f_classif(X, y)[0]
    return f / (f + len(y) - 2)


def test_scores_are_shares_of_variance(tumours):
    X, y = tumours
    fitted = RCFS(30, n_clusters=30).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, f_share(X, y)[fitted.selected_], rtol=1e-9)  # another program's sums


def test_tiles_change_no_cluster(tumours, monkeypatch):
    X, y = tumours
    whole = RCFS(4).fit(X, y)
    monkeypatch.setattr(rcfs, "TILE_COLUMNS", 7)
    tiled = RCFS(4).fit(X, y)
    assert tiled.clusters_.tolist() == whole.clusters_.tolist()
    assert tiled.selected_.tolist() == whole.selected_.tolist()


def test_clusters_keep_copies_apart(tumours):
    X, y = tumours
    twice = pandas.concat([X, X.add_prefix("again ") * -2.5 + 7], axis=1)
    fitted = RCFS(5).fit(twice, y)
    assert (fitted.clusters_[:30] == fitted.clusters_[30:]).all()
    assert fitted.selected_.tolist() == RCFS(5).fit(X, y).selected_.tolist()


def test_units_matter_only_where_asked(tumours):
    X, y = tumours
    scaled = X * np.logspace(-6, 6, 30)
    assert RCFS(5).fit(scaled, y).selected_.tolist() == RCFS(5).fit(X, y).selected_.tolist()
    plain, other = (RCFS(5, standardize=False).fit(table, y) for table in (X, scaled))
    assert plain.selected_.tolist() != other.selected_.tolist()


def test_columns_of_vastly_different_sizes():
    X = np.column_stack([[0.0, 1, 0, 1, 1, 0], [3, 3, 3, 5, 5, 5], [1, 2, 1, 2, 1, 1]]) * [1e150, 1e-200, 1]
    fitted = RCFS(2, n_clusters=3, standardize=False).fit(X, [0, 0, 0, 1, 1, 1])
    assert fitted.selected_[0] == 1
    assert np.isfinite(fitted.scores_).all()


def test_columns_that_do_not_vary_come_last(tumours):
    X, y = tumours
    X = X.iloc[:, :3].assign(one=1.0, two=2.0)[["one", "mean radius", "two", "mean texture", "mean perimeter"]]
    fitted = RCFS(5).fit(X, y)
    assert fitted.selected_[3:].tolist() == [0, 2]
    assert fitted.scores_[3:].tolist() == [0, 0]
    assert fitted.clusters_[[0, 2]].tolist() == [-1, -1]
    assert fitted.groups_[3].tolist() == []


def test_nothing_varies():
    fitted = RCFS(2).fit(np.ones((6, 3)), [0, 1] * 3)
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.separability_ == 0


def test_a_column_that_is_the_class():
    X = np.column_stack([[0.0, 1, 0, 1, 1, 0], [3, 3, 3, 5, 5, 5]])
    fitted = RCFS(1).fit(X, [0, 0, 0, 1, 1, 1])
    assert fitted.selected_.tolist() == [1]
    assert fitted.scores_.tolist() == [1.0]
    assert fitted.separability_ == np.inf


def test_two_categories_are_numbers(tumours):
    X, y = tumours
    with_flag = X.iloc[:, :4].assign(flag=X["mean area"] > 700)
    as_number = with_flag.astype({"flag": float})
    fitted = RCFS(3).fit(with_flag, y)
    assert fitted.scores_.tobytes() == RCFS(3).fit(as_number, y).scores_.tobytes()
    assert fitted.selected_.tolist() == RCFS(3).fit(polars.from_pandas(with_flag), y).selected_.tolist()


def test_by_name(tumours):
    selection = bitsieve.select(*tumours, method="rcfs", n_features_to_select=3, n_clusters=6, n_jobs=2)
    assert selection.indices.tolist() == RCFS(3, n_clusters=6).fit(*tumours).selected_.tolist()
    assert selection.unit == "ratio"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 2}, r"^n_clusters=2 is not allowed: give a whole number from 3 to 30 \(at most one of each"),
        ({"n_clusters": 31}, r"^n_clusters=31 is not allowed"),
        ({"n_clusters": "3"}, r"^n_clusters='3' is not allowed"),
        ({"standardize": "yes"}, r"^standardize='yes' is not allowed: give True or False$"),
        ({"n_features_to_select": 0}, r"^n_features_to_select=0 is not allowed"),
    ],
)
def test_mistakes(tumours, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        RCFS(**{"n_features_to_select": 3, **parameters}).fit(*tumours)
    assert "\n" not in str(caught.value)


def test_bad_tables(tumours):
    X, y = tumours
    holes = X.copy()
    holes.iloc[3] = np.nan
    with pytest.raises(ValueError, match=r"30 columns hold missing values .* and 25 more; impute them first, or drop"):
        RCFS(1).fit(holes, y)
    with pytest.raises(ValueError, match=r"1 column holds infinite values"):
        RCFS(1).fit(X.assign(size=np.inf), y)
    sizes = X.assign(size=np.resize(["small", "middle", "large"], 569))
    with pytest.raises(ValueError, match=r"RCFS needs numbers, .* more than two categories: 'size'; encode them"):
        RCFS(1).fit(sizes, y)
