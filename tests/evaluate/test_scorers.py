"""Every scorer of scikit-learn is a measure, and a rare class is judged by one that shows what columns are worth."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.metrics import get_scorer
from tests.cover import quick_and_slow
from tests.diagnosed import raises_code, warns_code

import bitsieve
from bitsieve.cli import main
from bitsieve.metrics.measures import MEASURES, default_measure, make_measure
from bitsieve.metrics.scorers import QUANTITY_SCORERS, TWO_CLASS_SCORERS, scorer_names

SPLIT = [(np.arange(0, 200, 2), np.arange(1, 200, 2))]
OF_CLASSES = [name for name in scorer_names() if name not in QUANTITY_SCORERS and name not in MEASURES]


def rare_positives(seed=0, n_samples=3000):
    """Two of eight columns are informative about a class of 0.6 % of the rows."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_samples, 8))
    log_odds = 1.1 * X[:, 0] + 0.9 * X[:, 1] - 6.2
    y = (random.random(n_samples) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return X, y


def classes(n_classes):
    random = np.random.default_rng(n_classes)
    y = random.integers(0, n_classes, 200)
    X = random.normal(size=(200, 4)) + 0.6 * y[:, None]
    train = X[::2]
    return X, y, (X - train.mean(axis=0)) / train.std(axis=0)


def error_of(scoring, score):
    """The error that a comparison shows: losses are shown as such, other scores as what they fall short of 1."""
    return 1 - score if make_measure_of_any_kind(scoring).is_share else -score


def make_measure_of_any_kind(scoring):
    predicts = "quantity" if scoring in QUANTITY_SCORERS else "classes"
    return make_measure(scoring, predicts, 3 if scoring == "top_k_accuracy" else 2)


@pytest.mark.parametrize(
    "scoring", quick_and_slow(OF_CLASSES, quick=OF_CLASSES[::3], reason="the same errors by another scorer")
)
def test_errors_are_those_of_the_scorer_with_a_fitted_estimator(scoring):
    # Scores of three classes are probabilities here, where scikit-learn's average_precision takes decision_function.
    n_classes = 2 if scoring in TWO_CLASS_SCORERS or scoring == "average_precision" else 3
    X, y, scaled = classes(n_classes)
    model = LinearDiscriminantAnalysis()
    comparison = bitsieve.compare(
        X, y, methods=["mim"], features=[4], folds=SPLIT, binning="quantile", classifier=model, scoring=scoring
    )
    scaled = scaled[:, comparison.selected[0][0]]
    score = get_scorer(scoring)(model.fit(scaled[::2], y[::2]), scaled[1::2], y[1::2])
    assert comparison.rates[0, 0] == pytest.approx(error_of(scoring, score), abs=1e-9)  # one order of columns, two sums
    assert comparison.measure.name == scoring
    assert scoring in str(comparison)


@pytest.mark.parametrize("scoring", sorted(QUANTITY_SCORERS - set(MEASURES)))
def test_errors_of_a_quantity_are_those_of_the_scorer(scoring):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = 20 + X @ [1.0, 2.0, 3.0] + random.normal(size=200)
    model = LinearRegression()
    options = {"methods": ["mim"], "features": [3], "folds": SPLIT, "target_kind": "quantity"}
    comparison = bitsieve.compare(X, y, classifier=model, scoring=scoring, **options)
    score = get_scorer(scoring)(model.fit(X[::2], y[::2]), X[1::2], y[1::2])
    assert comparison.rates[0, 0] == pytest.approx(error_of(scoring, score), abs=1e-9)  # scaled columns, other rounding


def test_lda_gives_the_probabilities_of_scikit_learn():
    X, y, scaled = classes(3)
    options = {"methods": ["mim"], "features": [4], "folds": SPLIT, "scoring": "neg_log_loss"}
    comparison = bitsieve.compare(X, y, classifier="lda", **options)
    scaled = scaled[:, comparison.selected[0][0]]
    expected = -get_scorer("neg_log_loss")(LinearDiscriminantAnalysis().fit(scaled[::2], y[::2]), scaled[1::2], y[1::2])
    assert comparison.rates[0, 0] == pytest.approx(
        expected, abs=2e-3
    )  # the covariance is over N - 3, scikit-learn's over N
    shares = np.bincount(y[::2]) / 100
    assert comparison.outer().majority == pytest.approx(-np.log(shares[y[1::2]]).mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("sizes", "name"),
    [([80, 20], "accuracy"), ([81, 19], "roc_auc"), ([10, 81, 9], "balanced_accuracy"), ([40, 30, 30], "accuracy")],
)
def test_the_default_measure_follows_the_largest_class(sizes, name):
    assert default_measure("classes", np.array(sizes)).name == name
    assert default_measure("quantity", np.array(sizes)).name == "r2"


@pytest.mark.slow("many folds")
@pytest.mark.parametrize("seed", quick_and_slow(range(3), quick={0}, reason="other tables"))
def test_columns_that_are_informative_about_rare_positives_are_better_than_none(seed):
    X, y = rare_positives(seed)
    with warns_code("unequal-classes"):
        comparison = bitsieve.compare(X, y, methods=["jmi"], features=[1, 2])
    assert comparison.measure.name == "roc_auc"
    assert comparison.outer().is_better
    assert comparison.rates.min() < 0.2
    by_accuracy = bitsieve.compare(X, y, methods=["jmi"], features=[1, 2], scoring="accuracy")
    assert not by_accuracy.outer().is_better


@pytest.mark.slow("nested cross-validations")
def test_how_many_and_the_command_name_the_measure_and_its_value_without_columns(tmp_path, capsys):
    X, y = rare_positives()
    path = tmp_path / "fraud.csv"
    lines = [",".join(f"c{j}" for j in range(8)) + ",fraud"]
    lines += [",".join(f"{value:.6f}" for value in row) + f",{label}" for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(lines))
    command = ["how-many", str(path), "--target", "fraud", "--pairs", "5"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "error: 1 - roc_auc; error without columns: 50.0 %" in out
    assert "not shown to do better" not in out
    assert main([*command, "--scoring", "neg_brier_score", "--classifier", "lda"]) == 0
    assert "neg_brier_score" in capsys.readouterr().out


def test_selector_cv_takes_a_scorer():
    X, y = load_iris(return_X_y=True)
    selector = bitsieve.SelectorCV(methods=["mim"], classifier="ncm", folds=5, scoring="f1_weighted").fit(X, y)
    assert selector.comparison_.measure.name == "f1_weighted"


def test_small_tables_of_unequal_classes_have_stratified_folds():
    random = np.random.default_rng(1)
    y = np.r_[np.zeros(80, int), np.ones(8, int)]
    X = random.normal(size=(88, 3)) + y[:, None] * [2.0, 0, 0]
    comparison = bitsieve.compare(X, y, methods=["mim"], baselines=False)
    assert (comparison.measure.name, len(comparison.n_test)) == ("roc_auc", 8)
    assert bitsieve.compare(X[60:], y[60:], methods=["mim"], folds="loo", classifier="ncm").measure.name == "accuracy"


@pytest.mark.parametrize(
    ("scoring", "n_classes", "code"),
    [
        ("f1", 3, "wrong-kind-of-target"),
        ("top_k_accuracy", 2, "wrong-kind-of-target"),
        ("neg_max_error", 2, "wrong-kind-of-target"),
        ("f1_samples", 2, "unknown-name"),
        ("roc-auc", 2, "unknown-name"),
    ],
)
def test_a_measure_that_does_not_fit_is_refused(scoring, n_classes, code):
    with raises_code(code):
        make_measure(scoring, "classes", n_classes)


def test_a_score_without_a_value_is_one_clear_error():
    X, y, _ = classes(2)
    with raises_code("undefined-score"):
        bitsieve.compare(
            X, y - 0.5, methods=["mim"], features=[2], scoring="neg_mean_poisson_deviance", target_kind="quantity"
        )
    with raises_code("classifier-without-scores"):
        bitsieve.compare(X, y, methods=["mim"], features=[2], classifier="linear-svm", scoring="neg_log_loss")
