"""The call as a whole: what it returns, says and refuses."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier

import bitsieve
from bitsieve import make_selector
from bitsieve.metrics.choice import choose
from bitsieve.metrics.stability import kuncheva, nogueira
from bitsieve.report.comparison import comparison_report

WINE = load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def comparison():
    return bitsieve.compare(*WINE, methods=["mim", "jmi", "speccmi"], features=range(2, 13), folds=5)


def test_pooled_errors_and_their_spread(comparison):
    assert comparison.errors.shape == (3, 5, 11)
    np.testing.assert_array_equal(comparison.rates, comparison.errors.sum(axis=1) / 178)
    for row, summary in zip(comparison.rates, comparison.summary(), strict=True):
        assert summary["mean_error"] == pytest.approx(np.mean(row), abs=1e-15)
        assert summary["std_error"] == pytest.approx(np.std(row, ddof=1), abs=1e-15)
        assert summary["wins"] + summary["ties"] + summary["losses"] == 2


def test_wins_are_the_losses_of_others(comparison):
    mirrored = {"+": "-", "-": "+", "=": "="}
    for one in comparison.methods:
        for other in comparison.methods:
            assert comparison.test(one, other).outcome == mirrored[comparison.test(other, one).outcome]
    rows = comparison.summary()
    assert sum(row["wins"] for row in rows) == sum(row["losses"] for row in rows)


def test_nothing_worse_than_the_majority_class_is_recommended():
    random = np.random.default_rng(4)
    y = random.permutation(np.repeat([0, 1], [60, 40]))
    noise = bitsieve.compare(random.normal(size=(100, 3)), y, methods=["mim"], classifier="ncm", folds=5)
    choice = noise.choice()
    assert choice.to_beat == pytest.approx(0.4, abs=1e-15)  # one division
    assert choice.best_error >= 0.4
    assert not choice.is_recommended
    assert str(choice).startswith("nothing is recommended: the smallest error (mim with ")
    assert "to select them" not in str(noise)
    assert noise.to_dict()["answer"] == str(choice)


def test_the_majority_class_of_balanced_rows_is_wrong_in_half_of_them():
    """Left one out, most of the other rows are of another class: that says nothing about the class."""
    X, y = np.array([[1, 3], [2, 1], [3, 2], [4, 2], [5, 1], [6, 3]]), list("ababab")
    comparison = bitsieve.compare(X, y, methods=["mim"], folds="loo")
    assert comparison.majority.tolist() == [0, 1, 0, 1, 0, 1]
    assert comparison.choice().to_beat == 0.5  # 3 of 6, exact


def test_a_choice_within_one_standard_error_beats_the_majority_class_too():
    rates, spread = np.array([[0.45, 0.41, 0.30]]), np.array([[0.2, 0.2, 0.2]])
    assert choose(["mim"], np.array([1, 2, 3]), rates, spread).n_features == 1
    chosen = choose(["mim"], np.array([1, 2, 3]), rates, spread, 0.4)
    assert (chosen.n_features, chosen.is_recommended) == (3, True)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_to_frame_of_any_data(library):
    pandas = pytest.importorskip("pandas")
    X = WINE[0].iloc[:, :3]
    data = {"pandas": X, "numpy": X.to_numpy(), "pyarrow": pa.table(X)}.get(library)
    if data is None:
        data = pytest.importorskip("polars").DataFrame(X.to_dict("list"))
    comparison = bitsieve.compare(data, WINE[1], methods=["mim"], features=[1, 2], classifier="ncm", folds=3)
    frame = comparison.to_frame()
    assert type(frame).__module__.partition(".")[0] == pandas.__name__
    table = comparison.table()
    assert list(getattr(frame, "column_names", None) or frame.columns) == table.column_names
    for name in ("method", "fold", "n_features", "errors"):
        assert list(np.asarray(frame[name])) == table[name].to_pylist()


def test_stability_over_the_folds(comparison):
    measured = comparison.stability("jmi")
    for place, k in enumerate(comparison.counts):
        sets = [selected[:k] for selected in comparison.selected[1]]
        assert measured["nogueira"][place] == nogueira(sets, 13)
        assert measured["kuncheva"][place] == kuncheva(sets, 13)


def test_document_and_text(comparison):
    document = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert document["answer"] == str(comparison.choice())
    assert document["features"] == list(range(2, 13))
    assert document["parameters"]["classifier"] == "linear-svm"
    jmi = document["methods"][1]
    assert jmi["method"] == "jmi"
    assert jmi["errors"] == comparison.rates[1].tolist()
    assert jmi["selected"][0] == [comparison.names[j] for j in comparison.selected[1][0]]
    assert set(jmi["against"]) == {"mim", "speccmi"}
    lines = str(comparison).splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["method", "mim", "jmi", "speccmi"]
    assert [line.split("  ")[0] for line in lines[4:7]] == ["(majority class)", "(SelectKBest)", "(all columns)"]
    assert lines[8] == document["answer"]
    choice = comparison.choice()
    call = f"method={choice.method!r}, n_features_to_select={choice.n_features})"
    assert lines[9] == str(comparison.outer())
    assert document["outer_error"] == comparison.outer().error
    assert lines[10].startswith("to select them: bitsieve.select(data, ")
    assert lines[10].endswith(call)
    assert lines[11].startswith("error: 1 - accuracy")
    assert lines[12].startswith("error without columns: ")
    assert lines[13].startswith("W/T/L: ")
    headings = [heading for heading in lines[0].split("  ") if heading.strip()]
    assert len(set(headings)) == len(headings)


def test_one_selection_for_all_folds_has_no_stability():
    comparison = bitsieve.compare(*WINE, methods=["mim"], features=[3], folds=4, protocol="paper", classifier="ncm")
    assert np.isnan(comparison.stability("mim")["nogueira"]).all()
    assert comparison.summary()[0]["stability_nogueira"] is None
    assert comparison.summary()[0]["std_error"] is None
    assert comparison.parameters["binning"].startswith("MDLBinning(uncut='median'")
    first = comparison.selected[0][0].tolist()
    assert all(selected.tolist() == first for selected in comparison.selected[0])


def test_a_binning_with_missing_values_is_named():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    found = bitsieve.compare(X, y, methods="mim", features=1, classifier="ncm", folds=2, missing="bin")
    assert found.parameters["binning"] == "AutoBinning(missing='bin')"


def test_every_kind_of_table(table, tmp_path):
    from pyarrow import parquet

    path = tmp_path / "data.parquet"
    parquet.write_table(table, path)
    frame = table.to_pandas()
    asked = {"methods": ["mim", "jmi"], "features": range(1, 10), "folds": 3, "classifier": "ncm"}
    results = [
        bitsieve.compare(data, "diagnosis", **asked) for data in (table, frame, frame.set_index(frame.index + 9), path)
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].errors, other.errors)
        assert other.names == results[0].names


def test_continuous_target_and_defaults():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    comparison = bitsieve.compare(X, y + 0.5, methods=["mim"])
    assert comparison.counts.tolist() == list(range(1, 11))
    assert comparison.parameters["n_classes"] is None
    assert (comparison.parameters["classifier"], comparison.parameters["scoring"]) == ("ridge", "r2")
    assert "is a quantity" in comparison.notes[0]


def test_methods_by_label():
    methods = {"mild": make_selector("mifs", beta=0.2), "strong": make_selector("mifs", beta=2.0), "plain": "mifs"}
    comparison = bitsieve.compare(*WINE, methods=methods, features=[5], folds=3, classifier=DecisionTreeClassifier())
    assert comparison.methods == ["mild", "strong", "plain"]
    (row, *_) = comparison.to_dict()["methods"]  # one number of features leaves nothing to test
    assert [row[name] for name in ("wins", "ties", "losses", "against")] == [None] * 3 + [
        dict.fromkeys(["strong", "plain"])
    ]
    assert str(comparison).splitlines()[1].split()[3] == "-"
    assert "not those of one" in str(comparison)
    assert "Who is better than whom" not in comparison_report(comparison)
    assert comparison.parameters["classifier"] == "DecisionTreeClassifier(random_state=0)"
    with pytest.raises(ValueError, match="did you mean strong"):
        comparison.choice("stron")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"methods": ["jmj"]}, "did you mean jmi"),
        ({"methods": []}, "no method is given"),
        ({"methods": ["jmi", "JMI"]}, "given more than once"),
        ({"methods": [DecisionTreeClassifier()]}, "give a name of 'bitsieve methods' or a selector"),
        ({"classifier": "svm"}, "choose one of linear-svm"),
        ({"protocol": "nestd"}, "did you mean nested"),
        ({"binning": "mld"}, "did you mean 'mdl'"),
        ({"features": range(20, 30)}, "features begin at 20 but the table has 13 features"),
        ({"folds": 60}, "class '2' has 48 samples, fewer than the 60 folds"),
        ({"random_state": -1}, "random_state=-1 is not allowed"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_mistakes(asked, message):
    with pytest.raises(ValueError, match=message):
        bitsieve.compare(*WINE, **asked)


def test_columns_that_cannot_be_used():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="no column varies"):
        bitsieve.compare(np.ones((20, 3)), np.arange(20) % 2)
    with pytest.raises(ValueError, match="has one class only"):
        bitsieve.compare(X, np.ones(len(y)))
    X[3, 4] = np.inf
    with pytest.raises(ValueError, match="infinite"):
        bitsieve.compare(X, y, folds=2)


def test_bounds_on_the_bayes_error_of_the_chosen_features():
    asked = {"methods": ["mim", "jmi"], "features": [1, 3], "classifier": "ncm", "folds": 3}
    plain, bounded = (bitsieve.compare(*WINE, **asked, bounds=bounds, n_jobs=2) for bounds in (False, True))
    assert plain.bayes_error_bounds is None
    assert "Bayes" not in str(plain)
    assert bounded.bayes_error_bounds.shape == (2, 2)
    np.testing.assert_array_equal(plain.errors, bounded.errors)
    for row, (lower, upper) in zip(bounded.summary(), bounded.bayes_error_bounds, strict=True):
        assert (row["bayes_error_lower"], row["bayes_error_upper"]) == (lower, upper)
        assert 0 < lower < upper < 0.5
        assert f"{100 * lower:.1f} to {100 * upper:.1f}" in str(bounded)
    json.dumps(bounded.to_dict(), allow_nan=False)


def test_bounds_are_those_of_the_public_function():
    X, y = WINE[0].to_numpy().copy(), WINE[1].to_numpy()
    split = [(np.arange(0, 178, 2), np.arange(1, 178, 2))]
    asked = {"methods": ["jmi"], "features": [3], "classifier": "ncm", "folds": split, "bounds": True}
    comparison = bitsieve.compare(X, y, **asked)
    train = X[split[0][0]][:, comparison.selected[0][0]]
    alone = bitsieve.bayes_error_bounds((train - train.mean(axis=0)) / train.std(axis=0), y[split[0][0]])
    assert comparison.bayes_error_bounds[0].tolist() == list(alone)
    X[1] *= 10.0 ** np.arange(13)
    comparison = bitsieve.compare(X, y, **asked, protocol="paper")  # divided by the largest of all samples
    columns = X[:, comparison.selected[0][0]]
    alone = bitsieve.bayes_error_bounds((columns / np.abs(columns).max(axis=0))[::2], y[::2])
    assert comparison.bayes_error_bounds[0].tolist() == list(alone)
    with pytest.raises(ValueError, match="bounds='yes' is not allowed: give True or False"):
        bitsieve.compare(X, y, bounds="yes")
