"""A quantity is predicted by regressors: as scikit-learn's do, with the selection and the cuts inside the folds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from threadpoolctl import threadpool_limits

import bitsieve
from bitsieve import SelectorCV, make_selector
from bitsieve.dataset.target import read_target
from bitsieve.evaluate.folds import make_folds
from bitsieve.evaluate.models import MODELS, make_model
from bitsieve.metrics.measures import MEASURES, make_measure

STOPS = np.array([1, 2, 5, 12])


def table(seed, n=150, d=12):
    """Columns of which the second and the last decide a quantity."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    return X, 2 * X[:, 1] + np.sin(2 * X[:, -1]) + 0.3 * random.normal(size=n)


@pytest.mark.parametrize(
    ("name", "regressor"),
    [
        ("ridge", Ridge()),
        ("knn", KNeighborsRegressor(10)),
        pytest.param("forest", RandomForestRegressor(random_state=0), marks=pytest.mark.slow("forests of 100 trees")),
        ("boosting", HistGradientBoostingRegressor(random_state=0)),
    ],
)
def test_named_regressors_predict_what_scikit_learn_does(name, regressor):
    X, y = table(0, 60)
    train, test = X[:40], X[40:]
    stops = STOPS if name in MODELS else STOPS[:2]
    with threadpool_limits(1):  # threads take longer to meet than to grow such small trees
        grown = list(make_model(name, "quantity")[1].regress(train, y[:40], test, stops))
    for stop, predicted in zip(stops, grown, strict=True):
        with threadpool_limits(1):
            wanted = regressor.fit(train[:, :stop], y[:40]).predict(test[:, :stop])
        np.testing.assert_allclose(predicted, wanted, rtol=0, atol=1e-10)  # sums of 40 numbers near 1 in another order


def test_ridge_on_more_columns_than_samples():
    X, y = table(1, 30, 80)
    (predicted,) = MODELS["ridge"].regress(X[:20], y[:20], X[20:], np.array([80]))
    wanted = Ridge().fit(X[:20], y[:20]).predict(X[20:])
    np.testing.assert_allclose(predicted, wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("mae", mean_absolute_error),
        ("rmse", lambda truth, predicted: mean_squared_error(truth, predicted) ** 0.5),
        ("rank_correlation", lambda truth, predicted: 1 - spearmanr(truth, predicted)[0]),
    ],
)
def test_measures_are_those_of_other_libraries(name, score):
    random = np.random.default_rng(3)
    truth, predicted = random.integers(0, 9, (2, 40)).astype(float)  # with ties
    error = MEASURES[name].loss_for(truth)(predicted, truth) / 40
    assert error == pytest.approx(score(truth, predicted), abs=1e-14)  # a few sums of 40 terms


def test_r2_is_pooled_over_the_folds():
    X, y = table(4)
    folds = list(KFold(5).split(X))
    found = bitsieve.compare(X, y, methods=["mim"], features=[12], folds=folds)
    predicted = np.empty(len(y))
    for train, test in folds:
        mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
        model = Ridge().fit((X[train] - mean) / spread, y[train])
        predicted[test] = model.predict((X[test] - mean) / spread)
    r2 = 1 - np.square(y - predicted).sum() / np.square(y - y.mean()).sum()
    assert found.rates[0, 0] == pytest.approx(1 - r2, abs=1e-10)  # a solution of 12 equations


def test_all_is_learned_inside_the_folds():
    X, y = table(5)
    folds, _ = make_folds(read_target(y), 4)
    found = bitsieve.compare(X, y, methods=["jmi"], features=[1, 3], folds=4, classifier=Lasso(0.1), scoring="mae")
    whole, edges = make_selector("jmi", 3).fit(X, y).target_edges_.tolist(), []
    for number, fold in enumerate(folds):
        alone = make_selector("jmi", 3).fit(X[fold.train], y[fold.train])
        assert found.selected[0][number].tolist() == alone.selected_.tolist()
        edges.append(alone.target_edges_.tolist())
        mean, spread = X[fold.train].mean(axis=0), X[fold.train].std(axis=0)
        scaled = ((X - mean) / spread)[:, alone.selected_]
        predicted = Lasso(0.1).fit(scaled[fold.train], y[fold.train]).predict(scaled[fold.test])
        error = np.abs(predicted - y[fold.test]).sum()
        assert found.errors[0, number, 1] == pytest.approx(error, abs=1e-12)  # the same steps
        assert found.majority[number] == pytest.approx(np.abs(y[fold.test] - y[fold.train].mean()).sum(), abs=1e-12)
    assert found.baselines["mean"][:, 0].tolist() == found.majority.tolist()
    assert any(of_fold != whole for of_fold in edges)  # two edges of three classes may stay where they are


def test_folds_are_stratified_by_rank():
    values = np.random.default_rng(6).normal(size=107)
    for fold in make_folds(read_target(values), 10)[0]:
        tenths = np.searchsorted(np.sort(values), values[fold.test]) // 10
        assert (np.bincount(np.minimum(tenths, 9), minlength=10)[:9] == 1).all()


def test_nothing_worse_than_the_mean_is_recommended():
    random = np.random.default_rng(2)
    noise = bitsieve.compare(random.normal(size=(120, 4)), random.normal(size=120), methods=["mim"], classifier="knn")
    choice = noise.choice()
    assert choice.best_error >= choice.to_beat
    assert not choice.is_recommended
    assert "is not below that of the mean (" in str(choice)
    assert not noise.outer().is_better
    assert "to select them" not in str(noise)


def test_it_is_shown_in_its_own_words():
    X, y = table(7)
    found = bitsieve.compare(X, y, features=[1, 2, 4], methods=["mim", "jmi"], folds=3, scoring="rmse")
    lines = str(found).splitlines()
    assert lines[0].split("  ")[0] == "method"
    assert "mean error  " in lines[0]
    assert "%" not in lines[0]
    assert lines[3].startswith("(mean)")
    assert "error: the root mean square error" in lines
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["parameters"]["scoring"] == "rmse"
    assert document["methods"][0]["separability"] is None
    assert found.choice().is_recommended
    assert found.outer().is_better
    assert np.isnan(found.separability).all()
    pytest.importorskip("matplotlib")
    assert found.plot().get_ylabel() == "error (rmse)"


def test_errors_of_times_have_their_unit_in_a_note():
    X, y = table(3)
    times, asked = (86_400_000_000 * y).astype("m8[us]"), {"methods": ["mim"], "features": [2], "folds": 3}
    found = bitsieve.compare(X, times, scoring="mae", **asked)
    assert "the target is durations: errors are in microseconds (a day is 8.64e+10)" in found.notes
    assert not any("microseconds" in note for note in bitsieve.compare(X, times, **asked).notes)
    days = bitsieve.compare(X, times / np.timedelta64(1, "D"), scoring="mae", **asked).rates
    np.testing.assert_allclose(found.rates, 86_400_000_000 * days, rtol=1e-9)  # whole microseconds, and rounding


def test_finished_folds_are_taken_again(tmp_path):
    X, y = table(8, 90)
    asked = {"methods": ["mim"], "features": [1, 2], "folds": 3, "classifier": "knn"}
    whole = bitsieve.compare(X, y, **asked, checkpoint=tmp_path / "kept")
    (tmp_path / "kept" / "fold-1.npz").unlink()
    again = bitsieve.compare(X, y, **asked, checkpoint=tmp_path / "kept", n_jobs=2)
    assert again.errors.tobytes() == whole.errors.tobytes()
    other = np.where(np.arange(90) == y.argmax(), 2 * y, y)  # the same ranks, another quantity
    with pytest.raises(ValueError, match="of another comparison"):
        bitsieve.compare(X, other, **asked, checkpoint=tmp_path / "kept")


def test_selector_cv_chooses_by_ridge():
    X, y = table(9)
    selector = SelectorCV(methods=["mim", "jmi"], features=range(1, 6), folds=5).fit(X, y)
    found = bitsieve.compare(X, y, methods=["mim", "jmi"], features=range(1, 6), folds=5)
    assert selector.comparison_.errors.tobytes() == found.errors.tobytes()
    assert selector.selected_[0] == 1
    classes = SelectorCV(methods=["mim"], features=[2], folds=3).fit(X, y > 0)
    assert classes.comparison_.parameters["classifier"] == "linear-svm"


def test_selectors_of_scikit_learn_get_the_quantity():
    X, y = table(10)
    best = SelectKBest(f_regression, k=3)
    found = bitsieve.compare(X, y, methods={"best": best}, features=[2], folds=4)
    fold = make_folds(read_target(y), 4)[0][0]
    scores = f_regression(X[fold.train], y[fold.train])[0]
    assert found.selected[0][0].tolist() == np.argsort(-scores).tolist()
    assert found.errors.tolist() == found.baselines["SelectKBest"][None].tolist()
    with pytest.raises(ValueError, match="give f_regression"):
        bitsieve.compare(X, y, methods={"best": SelectKBest()}, features=[2], folds=4)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"classifier": "linear-svm"},
            "'linear-svm' does not fit, as the target is a quantity: choose one of knn, ridge",
        ),
        ({"classifier": LogisticRegression()}, "its kind is 'classifier': give one of knn, ridge, forest, boosting or"),
        ({"classifier": "rigde"}, "did you mean ridge"),
        ({"scoring": "accuracy"}, "'accuracy' does not fit, as the target is a quantity: choose one of r2, mae, rmse"),
        ({"scoring": "r22"}, "did you mean r2"),
        ({"bounds": True}, "bounds=True needs classes, and the target is a quantity"),
        ({"scoring": "rmse", "folds": "loo"}, "fold 1 tests on one sample only, which has no rmse: give fewer folds"),
    ],
)
def test_what_needs_classes_is_refused(asked, message):
    with pytest.raises(ValueError, match=message) as caught:
        bitsieve.compare(*table(11), **{"features": [2], **asked})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"classifier": "ridge"}, "'ridge' does not fit, as the target has classes: choose one of linear-svm, knn"),
        ({"classifier": Ridge()}, "its kind is 'regressor'"),
        ({"scoring": "mae"}, "'mae' does not fit, as the target has classes: choose one of accuracy"),
    ],
)
def test_what_needs_a_quantity_is_refused_for_classes(asked, message):
    X, y = table(12)
    with pytest.raises(ValueError, match=message):
        bitsieve.compare(X, y > 0, **{"features": [2], **asked})


def test_a_quantity_of_one_value_is_refused():
    with pytest.raises(ValueError, match=r"has one value only \('1.5'\): give one with at least two"):
        bitsieve.compare(table(13)[0], np.full(150, 1.5), features=[2])


def test_values_that_cannot_be_squared_are_refused():
    with pytest.raises(ValueError, match="give it in another unit"):
        make_measure("r2", "quantity").loss_for(np.array([1e200, -1e200]))
    assert make_measure("mae", "quantity").loss_for(np.array([1e200, 0.0]))(np.zeros(1), np.ones(1)) == 1.0
