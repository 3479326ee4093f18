"""Weights of samples in selectors, `select` and the command line: the same as repeated rows, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cover import methods_of_each_kind

from bitsieve import (
    RCFS,
    VMI,
    CategoricalBinner,
    Constraints,
    EqualFrequencyBinner,
    ForwardSelector,
    MDLBinner,
    ReliefF,
    SpecCMI,
    list_methods,
    make_selector,
    mutual_information,
    select,
)
from bitsieve.cli import main

ATTRIBUTES = ("selected_", "scores_", "ranking_", "relevance_", "overlap_", "overlap_with_", "classes_")
OF_SAMPLES = ("weights_", "alone_", "restarts_", "clusters_", "separability_")  # of methods on samples


@pytest.fixture(scope="module")
def weighted():
    """Measurements that follow the class each to its own degree, the class, and weights, a fifth of them 0."""
    random = np.random.default_rng(2)
    n = 300
    y = random.integers(0, 3, n)
    X = (y[:, None] * random.random(8) + random.normal(0, 0.5, (n, 8))).round(2)
    weights = random.integers(0, 5, n)
    X[weights == 0] += 100  # an absent row that is not absent would be seen in every cut
    y[np.flatnonzero(weights == 0)[:3]] = 7
    return X, np.array(list("abcdefgh"))[y], weights


def same(weighted, repeated):
    for name in (name for name in ATTRIBUTES if hasattr(repeated, name)):
        assert np.array_equal(getattr(weighted, name), getattr(repeated, name), equal_nan=name == "overlap_"), name
    for name in (name for name in OF_SAMPLES if hasattr(repeated, name)):
        assert np.array_equal(getattr(weighted, name), getattr(repeated, name)), name
    if getattr(repeated, "binner_", None) is None:
        return
    mine, theirs = weighted.binner_.bin_edges_, repeated.binner_.bin_edges_
    assert [edges.tolist() for edges in mine] == [edges.tolist() for edges in theirs]


@pytest.mark.parametrize(
    "selector",
    [
        ForwardSelector(4),
        ForwardSelector(4, criterion="cmim", n_jobs=2),
        ForwardSelector(3, criterion="cmi", binning="quantile"),
        ForwardSelector(4, estimator="miller-madow", binning="uniform"),
        ForwardSelector(4, estimator="shrinkage", binning=EqualFrequencyBinner(n_bins=3)),
        pytest.param(
            ForwardSelector("auto", criterion="mrmr", stopping="significance", binning=MDLBinner(uncut="median")),
            marks=pytest.mark.slow("shuffles the rows for every column that is tried"),
        ),
        ForwardSelector(3, constraints=Constraints(groups=[["x0", "x1"]], must_include=["x5"])),
        SpecCMI(4),
        SpecCMI(4, binning="uniform"),
        VMI(4, binning=None, decomposition="pairwise"),
        VMI(4, on_plateau="restart", n_jobs=2),
        ReliefF(4, n_samples=50, random_state=3, n_neighbors=3),
        RCFS(3, n_clusters=4, standardize=False),
    ],
    ids=repr,
)
def test_weights_are_repeated_rows(selector, weighted):
    check_weights_are_repeated_rows(selector, *weighted)


@pytest.mark.parametrize(
    "name", methods_of_each_kind(method.name for method in list_methods() if method.estimator != "ForwardSelector")
)
def test_weights_are_repeated_rows_for_a_method(name, weighted):
    check_weights_are_repeated_rows(make_selector(name, 4), *weighted)


def check_weights_are_repeated_rows(selector, X, y, weights):
    repeated = clone(selector).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    same(clone(selector).fit(X, y, sample_weight=weights), repeated)
    same(clone(selector).fit(pd.DataFrame(X).to_numpy(), list(y), sample_weight=list(weights.astype(float))), repeated)


def test_weights_are_repeated_rows_of_codes(weighted):
    X, y, weights = weighted
    codes = (X * 3).astype(int) % 5
    for binning in ("none", CategoricalBinner()):
        selector = ForwardSelector(4, binning=binning)
        repeated = clone(selector).fit(np.repeat(codes, weights, axis=0), np.repeat(y, weights))
        same(clone(selector).fit(codes, y, sample_weight=weights), repeated)


def test_weights_are_repeated_rows_of_a_continuous_target(weighted):
    X, _, weights = weighted
    value = X[:, 0] + X[:, 1]
    selector = ForwardSelector(3).fit(X, value, sample_weight=weights)
    repeated = ForwardSelector(3).fit(np.repeat(X, weights, axis=0), np.repeat(value, weights))
    same(selector, repeated)
    assert selector.target_edges_.tolist() == repeated.target_edges_.tolist()


def test_ones_change_nothing(weighted):
    X, y, _ = weighted
    same(ForwardSelector(4).fit(X, y, sample_weight=np.ones(len(X))), ForwardSelector(4).fit(X, y))


def test_relevance_of_a_selector_is_that_of_the_measure(weighted):
    X, y, weights = weighted
    fitted = ForwardSelector(2).fit(X, y, sample_weight=weights)
    expected = mutual_information(np.repeat(X, weights, axis=0), np.repeat(y, weights), estimator=fitted.estimator)
    assert fitted.relevance_.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(5), "sample_weight has 5 values but there are 300 samples"),
        (np.full(300, 0.25), r"sample_weight holds 0\.25, and frequency weights are whole numbers"),
        (np.zeros(300), "sample_weight is zero for every sample"),
        (-np.ones(300), "sample_weight holds -1, and frequency weights are whole numbers"),
    ],
)
def test_bad_weights(weights, message, weighted):
    X, y, _ = weighted
    with pytest.raises(ValueError, match=message) as caught:
        ForwardSelector(2).fit(X, y, sample_weight=weights)
    assert "\n" not in str(caught.value)


def test_one_class_left(weighted):
    X, y, weights = weighted
    with pytest.raises(ValueError, match="the target 'y' has one class only"):
        ForwardSelector(2).fit(X, y, sample_weight=np.where(y == "a", weights, 0))


def test_routing_in_a_pipeline(weighted):
    X, y, weights = weighted
    with sklearn.config_context(enable_metadata_routing=True):
        selector = ForwardSelector(3).set_fit_request(sample_weight=True)
        model = make_pipeline(selector, StandardScaler(), LogisticRegression())
        model[1].set_fit_request(sample_weight=False)
        model[2].set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        model.fit(X, y, sample_weight=weights)
        same(model[0], ForwardSelector(3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)))
        search = GridSearchCV(model, {"forwardselector__criterion": ["jmi", "mrmr"]}, cv=2)
        kept = weights > 0
        assert search.fit(X[kept], y[kept], sample_weight=weights[kept]).best_params_
        without = ForwardSelector(3).set_fit_request(sample_weight=False)
        plain = make_pipeline(without, StandardScaler(), LogisticRegression().set_fit_request(sample_weight=True))
        plain[1].set_fit_request(sample_weight=False)
        plain.fit(X, y, sample_weight=weights)
        same(plain[0], ForwardSelector(3).fit(X, y))


@pytest.fixture(scope="module")
def frame(weighted):
    X, y, weights = weighted
    return pd.DataFrame(X, columns=list("ABCDEFGH")).assign(label=y, times=weights)


def test_select_by_the_name_of_a_column(frame):
    repeated = frame.loc[frame.index.repeat(frame["times"])].drop(columns="times")
    expected = select(repeated, "label", method="jmi", n_features_to_select=3)
    found = select(frame, "label", sample_weight="times", method="jmi", n_features_to_select=3)
    assert found.features == expected.features
    assert found.scores.tolist() == expected.scores.tolist()
    assert len(found.table) == len(frame)  # the table of the selection has every row
    assert found.to_dict()["parameters"]["sample_weight"] == "times"
    values = select(
        frame.drop(columns="times"), "label", sample_weight=frame["times"], method="jmi", n_features_to_select=3
    )
    assert values.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize("method", ["relieff", "rcfs", "vmi"])
def test_select_by_a_method_on_samples(frame, method):
    repeated = frame.loc[frame.index.repeat(frame["times"])].drop(columns="times")
    expected = select(repeated, "label", method=method, n_features_to_select=3)
    found = select(frame, "label", sample_weight="times", method=method, n_features_to_select=3)
    assert found.features == expected.features
    for values, others in ((found.scores, expected.scores), (found.relevance, expected.relevance)):
        assert values.tolist() == others.tolist()


def test_select_with_a_continuous_target(frame):
    numbers = frame.assign(value=frame["A"] + frame["B"]).drop(columns="label")
    repeated = numbers.loc[numbers.index.repeat(numbers["times"])].drop(columns="times")
    options = {"method": "mim", "n_features_to_select": 3, "target_bins": 3}
    expected = select(repeated, "value", **options)
    found = select(numbers, "value", sample_weight="times", **options)
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.target.edges.tolist() == expected.target.edges.tolist()


def test_select_from_an_archive(frame, tmp_path):
    path = tmp_path / "data.npz"
    X = frame[[*"ABCDEFGH", "times"]].to_numpy()
    np.savez(path, X=X, y=frame["label"].to_numpy().astype(str), feature_names=[*"ABCDEFGH", "times"])
    found = select(path, sample_weight="times", method="jmi", n_features_to_select=3)
    expected = select(frame, "label", sample_weight="times", method="jmi", n_features_to_select=3)
    assert found.scores.tolist() == expected.scores.tolist()
    given = select(path, sample_weight=frame["times"], method="jmi", n_features_to_select=3)
    assert "times" in select(path, method="mim", n_features_to_select=9).features
    assert given.selector.n_features_in_ == 9


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("tmies", "there is no column 'tmies' for the weight: did you mean 'times'"),
        ("label", "column 'label' cannot be both the target and the weight"),
        ("A", "sample_weight has .* negative values|sample_weight holds"),
    ],
)
def test_bad_columns_of_weights(weight, message, frame):
    with pytest.raises(ValueError, match=message):
        select(frame, "label", sample_weight=weight)


def test_a_name_means_nothing_for_an_array(weighted):
    X, y, _ = weighted
    with pytest.raises(ValueError, match="the data is an array, whose columns have no names: give sample_weight"):
        select(X, y, sample_weight="times")


def test_command_line(frame, tmp_path, capsys):
    path, output = tmp_path / "data.csv", tmp_path / "out.parquet"
    frame.to_csv(path, index=False)
    options = ["--target", "label", "--method", "jmi", "--features", "3"]
    code = main(["select", str(path), *options, "--weight", "times", "--output", str(output)])
    assert code == 0, capsys.readouterr().err
    ranked = capsys.readouterr().out
    assert pd.read_parquet(output).columns.tolist()[3:] == ["label", "times"]
    frame.loc[frame.index.repeat(frame["times"])].drop(columns="times").to_csv(path, index=False)
    assert main(["select", str(path), *options]) == 0
    assert capsys.readouterr().out == ranked


def test_command_line_mistakes(frame, tmp_path, capsys):
    path = tmp_path / "data.csv"
    frame.assign(share=0.5).to_csv(path, index=False)
    assert main(["select", str(path), "--target", "label", "--weight", "share"]) == 2
    assert capsys.readouterr().err.startswith(
        "bitsieve: error: --weight holds 0.5, and frequency weights are whole numbers"
    )
