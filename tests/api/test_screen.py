"""A screen: the method on the columns of the largest relevance, explanations of all columns."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.methods import registry

METHODS = ("cmim", "fcbf", "koller-sahami", "sdpcmi", "rcfs", "gmi", "svm-rfe", "dominant-set-mii", "vmi")


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 90)
    X = random.normal(size=(90, 24))
    X[:, ::3] += np.linspace(0.3, 1.5, 8) * y[:, None]
    return X, y


@pytest.mark.parametrize("method", METHODS)
def test_the_method_runs_on_the_columns_that_are_kept_alone(data, method):
    X, y = data
    how = {"method": method, "n_features_to_select": 4, "binning": "quantile", "n_bins": 3}
    found = bitsieve.select(X, y, screen=10, **how)
    estimator = registry.parameters_of(method).get("estimator", "plug-in")
    by_relevance = bitsieve.select(X, y, **{**how, "method": "mim", "estimator": estimator})
    relevance = by_relevance.fit.evidence.relevance
    kept = np.sort(np.argsort(-relevance, kind="stable")[:10])
    alone = bitsieve.select(X[:, kept], y, **how)
    assert found.indices.tolist() == kept[alone.indices].tolist()
    # But for svm-rfe, which rests on BLAS: its sums depend on how the table lies in memory.
    assert np.allclose(found.scores, alone.scores, rtol=1e-9 if method == "svm-rfe" else 0, atol=0)
    assert sorted(found.evidence.screened_out) == np.setdiff1d(np.arange(24), kept).tolist()
    assert any(
        "on the 10 columns of the largest relevance, and 14 others were left out" in note for note in found.notes
    )
    assert found.parameters["screen"] == 10


def test_explanations_are_of_all_columns(data):
    X, y = data
    whole = bitsieve.select(X, y, method="jmi", n_features_to_select=4, binning="quantile")
    found = bitsieve.select(X, y, method="jmi", n_features_to_select=4, binning="quantile", screen=4)
    assert found.fit.evidence.relevance.tolist() == whole.fit.evidence.relevance.tolist()
    column = found.evidence.screened_out[0]
    explained = found.explain(column)
    assert "the columns of the largest relevance, and it is not one of them" in explained.reason
    assert explained.relevance == whole.fit.evidence.relevance[column] > 0
    assert found.evidence.chance.columns.tolist() == whole.evidence.chance.columns.tolist()


def test_a_screen_of_all_columns_changes_nothing(data):
    X, y = data
    for screen in (24, 1000):
        found, whole = (bitsieve.select(X, y, method="gmi", **how) for how in ({"screen": screen}, {}))
        assert found.indices.tolist() == whole.indices.tolist()
        assert found.scores.tolist() == whole.scores.tolist()
        assert found.notes == whole.notes


def test_included_columns_are_kept(data):
    X, y = data
    found = bitsieve.select(X, y, include=[1], n_features_to_select=3, screen=3, binning="quantile")
    assert found.indices[0] == 1
    assert 1 not in found.evidence.screened_out


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"screen": 0}, "screen=0 is not allowed: give a whole number of 4 or more"),
        ({"screen": 3}, "screen=3 is not allowed: give a whole number of 4 or more .as many as are selected"),
        ({"screen": "few"}, "screen='few' is not allowed: give a whole number"),
        ({"screen": 5, "n_features_to_select": 0.5}, "give a whole number of 12 or more"),
        ({"screen": 9, "stopping": "fdr"}, "screen=9 is not allowed: leave it out: a stopping rule must look at all"),
        ({"screen": 9, "n_features_to_select": "auto"}, "a stopping rule must look at all columns"),
        ({"screen": 9, "constraints": bitsieve.Constraints(groups=[[0, 1]])}, "groups of columns are not screened"),
    ],
)
def test_mistakes(data, how, message):
    with pytest.raises(ValueError, match=message):
        bitsieve.select(*data, **{"n_features_to_select": 4, **how})


def test_a_long_method_says_so_beforehand_and_offers_a_screen(data, monkeypatch):
    X, y = data
    method = registry.find_method("gmi")
    described = (method.__class__(**{**vars(method), "seconds": lambda n, d, k: n**2 * d * k / 24}),)
    monkeypatch.setattr("bitsieve.methods.by_samples.spanning_tree.dependency.METHODS", described)
    monkeypatch.setattr("bitsieve.pipeline.run.PROPOSED_SCREENS", (50, 10, 5))
    line = (
        "gmi of 24 columns and 90 rows takes about 2.4 h on one thread: screen=5 keeps the 5 most relevant columns "
        "first, about 7 min"
    )
    monkeypatch.setattr("bitsieve.pipeline.run.SCREENED_JOB_SECONDS", 400)
    with pytest.warns(bitsieve.BitsieveWarning, match=line):
        bitsieve.select(X, y, method="gmi", n_features_to_select=4)
    monkeypatch.setattr("bitsieve.pipeline.run.SCREENED_JOB_SECONDS", 20)
    with pytest.warns(bitsieve.BitsieveWarning, match="takes about 2.4 h on one thread: fewer rows take less"):
        bitsieve.select(X, y, method="gmi", n_features_to_select=4)


@pytest.mark.filterwarnings("default::bitsieve.BitsieveWarning")
def test_the_command(data, tmp_path, capsys, monkeypatch):
    X, y = data
    path = tmp_path / "rows.csv"
    names = ",".join([*(f"c{j}" for j in range(24)), "y"])
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=names, comments="", fmt="%.6g")
    monkeypatch.setattr("bitsieve.pipeline.run.LONG_JOB_SECONDS", 0)
    monkeypatch.setattr("bitsieve.pipeline.run.PROPOSED_SCREENS", (8,))
    asked = ["select", str(path), "-t", "y", "--method", "koller-sahami", "-k", "4", "--binning", "quantile", "--json"]
    assert main([*asked, "--screen", "10"]) == 0
    out, said = capsys.readouterr()
    found = bitsieve.select(path, "y", method="koller-sahami", n_features_to_select=4, binning="quantile", screen=10)
    assert [feature["name"] for feature in json.loads(out)["features"]] == found.features
    assert "a larger --screen keeps more" in said
    assert "koller-sahami of 10 columns and 90 rows takes about 1 s on one thread: --screen 8 keeps" in said
