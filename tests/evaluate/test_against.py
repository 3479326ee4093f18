"""What a comparison is measured against, by which score, with which columns: baselines, scoring, parameters."""

from __future__ import annotations

import inspect
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import bitsieve
from bitsieve.cli import main
from bitsieve.dataset.target import read_target
from bitsieve.evaluate.folds import make_folds
from bitsieve.evaluate.methods import _magnitudes
from bitsieve.evaluate.plan import DEFAULT_METHODS
from bitsieve.results.comparison import Comparison, baseline_summaries

WINE = load_wine(return_X_y=True, as_frame=True)


def test_where_the_least_error_is_only_of_what_takes_a_number():
    """SelectKBest always does; others do where the errors of some fold differ."""
    flat, varied = np.array([[3, 3, 3], [1, 1, 1]]), np.array([[3, 1, 3], [1, 3, 1]])
    errors = {"all features": flat, "SelectKBest": flat, "RFE": varied, "late": np.array([[3, 3, 2], [1, 1, 1]])}
    curves = SimpleNamespace(baselines=errors, n_test=np.array([6, 4]), counts=np.array([2, 5, 9]))
    found = {row.baseline: (row.least_error_at, row.least_error) for row in baseline_summaries(curves)}
    assert found == {"all features": (None, 0.4), "SelectKBest": (2, 0.4), "RFE": (2, 0.4), "late": (9, 0.3)}


def test_baselines_by_hand():
    X, y = WINE[0].to_numpy(), WINE[1].to_numpy()
    comparison = bitsieve.compare(X, y, methods=["mim"], features=[2, 13], classifier="ncm", folds=3)
    assert list(comparison.baselines) == ["majority class", "SelectKBest", "all columns"]
    everything = comparison.errors[0, :, 1]
    for name in ("SelectKBest", "all columns"):
        assert comparison.baselines[name][:, 1].tolist() == everything.tolist()
    wrong = 0
    for fold in make_folds(read_target(y), 3)[0]:
        wrong += (y[fold.test] != np.bincount(y[fold.train]).argmax()).sum()
    assert comparison.baselines["majority class"][:, 0].sum() == wrong
    assert bitsieve.compare(X, y, methods=["mim"], features=[2], folds=3, baselines=False).baselines == {}


def test_selectors_of_scikit_learn_are_methods():
    X, y = WINE[0].to_numpy(), WINE[1].to_numpy()
    methods = {
        "best": SelectKBest(f_classif, k=3),
        "rfe": RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=1),
        "model": SelectFromModel(DecisionTreeClassifier(random_state=0)),
    }
    comparison = bitsieve.compare(X, y, methods=methods, features=[1, 4], classifier="ncm", folds=3, baselines=False)
    first = make_folds(read_target(y), 3)[0][0].train
    scores = f_classif(X[first], y[first])[0]
    assert comparison.selected[0][0][:4].tolist() == np.argsort(-scores)[:4].tolist()
    tree = DecisionTreeClassifier(random_state=0).fit(X[first], y[first])
    assert comparison.selected[2][0][0] == tree.feature_importances_.argmax()


@pytest.mark.parametrize(
    ("scoring", "score"),
    [("balanced_accuracy", balanced_accuracy_score), ("f1_macro", partial(f1_score, average="macro"))],
)
def test_scores_are_those_of_scikit_learn(scoring, score):
    random = np.random.default_rng(0)
    y = (random.random(90) < 0.2).astype(int)
    X = random.normal(size=(90, 3)) + y[:, None]
    split = [(np.arange(0, 90, 2), np.arange(1, 90, 2))]
    asked = {"methods": ["mim"], "features": [3], "classifier": "knn", "folds": split, "binning": "quantile"}
    found = bitsieve.compare(X, y, scoring=scoring, **asked)
    scaled = (X - X[::2].mean(axis=0)) / X[::2].std(axis=0)
    predicted = KNeighborsClassifier(3).fit(scaled[::2], y[::2]).predict(scaled[1::2])
    assert found.rates[0, 0] == pytest.approx(1 - score(y[1::2], predicted), abs=1e-14)  # a mean of two
    with pytest.raises(ValueError, match="scoring='accurcy' is not known: did you mean accuracy"):
        bitsieve.compare(X, y, scoring="accurcy", **asked)


def test_parameters_and_columns_that_are_left_out():
    X, y = WINE
    table = X.assign(number=np.random.default_rng(0).permutation(len(X)), empty=np.nan)
    asked = {"features": [2], "classifier": "ncm", "folds": 3, "baselines": False}
    comparison = bitsieve.compare(
        table, y, methods=["mifs", "mim"], parameters={"beta": 0.1}, exclude=["proline"], **asked
    )
    gone = {comparison.names.index(name) for name in ("number", "empty", "proline")}
    assert not gone & {int(j) for folds in comparison.selected for fold in folds for j in fold[:2]}
    assert any("'number' looks like an identifier" in note for note in comparison.notes)
    assert any("'empty' has no values" in note for note in comparison.notes)
    with pytest.raises(ValueError, match="none of the methods takes 'beta'"):
        bitsieve.compare(X, y, methods=["mim"], parameters={"beta": 0.1}, **asked)
    holed = X.assign(alcohol=X["alcohol"].where(X.index % 50 > 0))
    with pytest.raises(ValueError, match="set missing='bin'"):
        bitsieve.compare(holed, y, methods=["mim"], missing="error", **asked)
    bitsieve.compare(holed, y, methods=["mim"], **asked)


def test_many_rows_have_the_fast_classifier_and_forests_have_names():
    random = np.random.default_rng(0)
    y = np.arange(12_000) % 2
    X = random.normal(size=(len(y), 3)) + y[:, None] * [1, 0, 0]
    comparison = bitsieve.compare(X, y, methods=["mim"], folds=2, baselines=False)
    assert comparison.parameters["classifier"] == "lda"
    assert any("add classifier='linear-svm'" in note for note in comparison.notes)
    assert 0.25 < comparison.rates[0, 0] < 0.35  # two normals one deviation apart: 30.9 %
    for name in ("forest", "boosting"):
        few = bitsieve.compare(X[:60], y[:60], methods=["mim"], features=[1], classifier=name, folds=2, baselines=False)
        assert few.parameters["classifier"] == name


def test_the_command_line_says_what_to_run(tmp_path, capsys):
    X, y = WINE
    path = tmp_path / "wine data.csv"
    X.assign(kind=y, person=np.arange(len(y)) // 3).to_csv(path, index=False)
    command = ["compare", str(path), "--target", "kind", "--methods", "mifs,mim", "--features", "2:4"]
    command += ["--classifier", "lda", "--set", "beta=0.5", "--groups", "person", "--scoring", "f1_macro"]
    assert main([*command, "--exclude", "proline", "--folds", "4"]) == 0
    out = capsys.readouterr().out
    (line,) = (line for line in out.splitlines() if line.startswith("to select them: "))
    assert line.startswith(f"to select them: bitsieve select '{path}' --target kind --method mi")
    assert line.endswith(" --exclude proline --exclude person")
    assert ("--set beta=0.5" in line) == ("--method mifs" in line)  # mim has no beta
    assert "(majority class)" in out
    assert main([*command[:4], "--groups", "nobody"]) == 2
    assert "there is no column 'nobody' for the groups" in capsys.readouterr().err


def test_hints_on_names_of_parameters():
    assert inspect.signature(bitsieve.compare).parameters["methods"].default == DEFAULT_METHODS
    for given, right in (
        ({"method": "mim"}, "methods='mim'"),
        ({"n_features_to_select": 3}, "features=3"),
        ({"cv": 5}, "folds=5"),
    ):
        with pytest.raises(ValueError, match=f"'{next(iter(given))}': did you mean {right}\\?$"):
            bitsieve.compare(*WINE, **given)
    with pytest.raises(ValueError, match=r"there is no parameter 'clasifier': did you mean classifier='knn'\?$"):
        bitsieve.compare(*WINE, clasifier="knn")
    with pytest.raises(TypeError, match="qwertz"):
        bitsieve.compare(*WINE, qwertz=1)


def test_the_recommended_number_stands_in_the_table():
    # The best of all is "two" with 3 features, 15 % +- 15 over the folds: "one" with one feature is near enough.
    # Of "one" alone the least is 20 % +- 0 with 3 features, and nothing else is near.
    errors = np.array([[[3, 3, 2], [3, 3, 2]], [[9, 9, 0], [9, 9, 3]]])
    shape = errors.shape
    curves = Comparison(
        methods=["one", "two"],
        counts=np.array([1, 2, 3]),
        n_test=np.array([10, 10]),
        errors=errors,
        redundancy=np.zeros(shape),
        separability=np.zeros(shape),
        seconds_selecting=np.zeros((2, 2)),
        seconds_classifying=np.zeros((2, 2)),
        selected=[[np.arange(3)] * 2] * 2,
        names=["a", "b", "c"],
        parameters={"protocol": "nested", "target": "y", "scoring": "accuracy"},
        diagnostics=[],
        majority=np.array([5, 5]),
    )
    assert (curves.choice().method, curves.choice().n_features) == ("one", 1)
    assert curves.choice("one").n_features == 3
    rows = {row["method"]: row for row in curves.summary()}
    assert (rows["one"]["chosen_features"], rows["one"]["chosen_error"]) == (1, 0.3)
    assert (rows["one"]["least_error"], rows["one"]["least_error_at"]) == (0.2, 3)
    assert rows["two"]["chosen_features"] == 3


@pytest.mark.parametrize(
    ("coefficients", "magnitudes"),
    [([1.0, -2.0], [1, 2]), ([[3.0, 0.0], [-4.0, 1.0]], [5, 1]), ([[-3.0, 2.0]], [3, 2])],
)
def test_magnitudes_of_coefficients_are_norms_over_the_classes(coefficients, magnitudes):
    assert _magnitudes(coefficients).tolist() == magnitudes
