"""ModelSelector: the importances are the model's own."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from bitsieve import ModelSelector, make_selector

X, Y = load_wine(return_X_y=True)


def test_trees_rank_by_their_importances():
    selector = make_selector("extra-trees", 4).fit(X, Y)
    alone = ExtraTreesClassifier(random_state=0).fit(X, Y).feature_importances_
    assert np.array_equal(selector.importances_, alone)
    assert np.array_equal(selector.selected_, np.argsort(-alone)[:4])
    assert np.array_equal(selector.scores_, alone[selector.selected_])
    assert not np.array_equal(alone, make_selector("extra-trees", 4, random_state=1).fit(X, Y).importances_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_linear_model_ranks_by_its_weights_over_all_classes(n_classes):
    taken = n_classes > Y
    selector = make_selector("linear-svc", 4).fit(X[taken], Y[taken])
    alone = LinearSVC(dual=False).fit(StandardScaler().fit_transform(X[taken]), Y[taken])
    assert selector.importances_ == pytest.approx(np.abs(alone.coef_).sum(axis=0), rel=1e-9)


def test_any_classifier_with_importances_is_taken():
    forest = RandomForestClassifier(20, random_state=3)
    assert np.array_equal(ModelSelector(3, model=forest).fit(X, Y).importances_, forest.fit(X, Y).feature_importances_)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    importances = ModelSelector(3, model=pipeline).fit(X, Y).importances_
    # The columns lie in memory in another order, and a solver adds in the order it finds.
    assert importances == pytest.approx(np.abs(pipeline.fit(X, Y)[-1].coef_).sum(axis=0), rel=1e-6)


def test_constant_columns_are_not_fitted_and_come_last():
    numbers = X.copy()
    numbers[:, 4] = 1.0
    selector = ModelSelector(13).fit(numbers, Y)
    assert selector.selected_[-1] == 4
    assert selector.importances_[4] == 0
    assert selector.model_.n_features_in_ == 12
    assert ModelSelector(2).fit(np.ones((20, 3)), np.arange(20) % 2).selected_.tolist() == [0, 1]


@pytest.mark.parametrize("model", ["forest", 3, StandardScaler(), RandomForestClassifier])
def test_what_is_no_classifier_is_refused(model):
    with pytest.raises(ValueError, match="give 'extra-trees' or 'linear-svc' or a classifier of scikit-learn"):
        ModelSelector(2, model=model).fit(*load_iris(return_X_y=True))


def test_a_classifier_without_importances_is_refused():
    with pytest.raises(ValueError, match="coef_ or feature_importances_"):
        ModelSelector(2, model=KNeighborsClassifier()).fit(X, Y)
