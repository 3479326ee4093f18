"""Selectors among the tools of scikit-learn: arrays, support masks, pipelines and searches."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline

from bitsieve import EqualFrequencyBinner, ForwardSelector
from bitsieve.methods.by_counts.criteria.linear import MIFS


def test_arrays_and_lists():
    X, y = load_iris(return_X_y=True)
    fitted = ForwardSelector(2).fit(X, y)
    assert fitted.n_features_in_ == 4
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.get_feature_names_out().tolist() == ["x2", "x3"]
    assert fitted.get_feature_names_out(["a", "b", "c", "d"]).tolist() == ["c", "d"]
    out = fitted.transform(X)
    assert isinstance(out, np.ndarray)
    assert out.dtype == X.dtype
    assert (out == X[:, 2:]).all()
    assert (fitted.transform(X.tolist()) == X[:, 2:]).all()
    assert (ForwardSelector(2).fit(X.tolist(), y.tolist()).transform(X) == out).all()
    single = X.astype(np.float32)
    assert ForwardSelector(2).fit(single, y).transform(single).dtype == np.float32
    whole = (10 * X).astype(np.int16)
    assert ForwardSelector(2).fit(whole, y).transform(whole).dtype == np.int16


def test_support():
    X, y = load_iris(return_X_y=True)
    fitted = ForwardSelector(2).fit(X, y)
    assert fitted.get_support().tolist() == [False, False, True, True]
    assert fitted.get_support(indices=True).tolist() == [2, 3]
    back = fitted.inverse_transform(fitted.transform(X))
    assert (back[:, 2:] == X[:, 2:]).all()
    assert not back[:, :2].any()


def test_continuous_target_is_binned_and_tells_its_edges():
    X, _ = load_iris(return_X_y=True)
    fitted = ForwardSelector(1, binning="quantile").fit(X[:, :3], X[:, 3] + 0.05)
    assert len(fitted.classes_) == 3
    assert len(fitted.target_edges_) == 2
    assert fitted.selected_.tolist() == [2]
    assert ForwardSelector(1).fit(X, np.arange(150) // 50).target_edges_ is None


def test_pipeline_and_cross_validation():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(ForwardSelector(5), GaussianNB())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    pipeline.fit(X, y)
    kept = pipeline[:-1].get_feature_names_out().tolist()
    assert pipeline[-1].feature_names_in_.tolist() == kept
    assert len(kept) == 5


def test_grid_search():
    X, y = load_iris(return_X_y=True, as_frame=True)
    search = GridSearchCV(
        Pipeline([("keep", ForwardSelector()), ("learn", GaussianNB())]),
        {"keep__n_features_to_select": [1, 2], "keep__criterion": ["mim", "jmi", MIFS(beta=0.5)]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_score_ > 0.9
    assert search.best_params_["keep__n_features_to_select"] in (1, 2)


def test_parameters_of_a_binner_are_reached_through_the_selector():
    X, y = load_iris(return_X_y=True)
    selector = ForwardSelector(1, binning=EqualFrequencyBinner(n_bins=3))
    selector.set_params(binning__n_bins=4).fit(X, y)
    assert selector.binner_.n_bins_.max() == 4
    assert not hasattr(selector.binning, "bin_edges_")  # the one given stays unfitted
