"""The estimator of a greedy selection: what it changes, what it shares, and where there is none."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve import Constraints, ForwardSelector, select
from bitsieve.cli import main
from bitsieve.dataset.read import read_xy
from bitsieve.information import ESTIMATORS
from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.pipeline.discretize import count_table


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :12], data.target


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_a_selector_agrees_with_the_measures(estimator, tumours):
    X, y = tumours
    fitted = ForwardSelector(4, criterion="mim", estimator=estimator).fit(X, y)
    relevance = bitsieve.mutual_information(X, y, estimator=estimator)
    matrix = bitsieve.mutual_information_matrix(X, y, estimator=estimator)
    assert fitted.relevance_.tolist() == relevance.tolist()
    assert fitted.scores_.tolist() == relevance[fitted.selected_].tolist()
    assert np.diag(matrix).tolist() == bitsieve.entropy(X, y, estimator=estimator).tolist()
    # A row and the matrix may take either of a pair as the pivot: three floats, added in another order.
    assert fitted.overlap_[1] == pytest.approx(matrix[fitted.selected_[1], fitted.selected_[0]], abs=1e-13)


def test_estimates_differ(tumours):
    X, y = tumours
    found = {name: bitsieve.conditional_mutual_information_matrix(X, y, estimator=name).sum() for name in ESTIMATORS}
    assert found["miller-madow"] < found["plug-in"]
    assert len(set(found.values())) == len(ESTIMATORS)


@pytest.mark.parametrize(
    "criterion", [name for name, criterion in CRITERIA.items() if criterion.required_tables == "joint"]
)
@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if not ESTIMATORS[name].conditions_on_sets])
def test_an_estimator_without_joint_entropies_names_those_that_have_them(criterion, estimator, tumours):
    with pytest.raises(
        ValueError, match=f"^estimator='{estimator}' .* use 'plug-in' or 'corrected' or 'miller-madow'$"
    ):
        ForwardSelector(5, criterion=criterion, estimator=estimator).fit(*tumours)


def test_one_count_serves_every_estimator(tumours):
    X, y = tumours
    counted = count_table(read_xy(X, y), "mdl")
    for estimator in ESTIMATORS:
        shared = ForwardSelector(4, estimator=estimator).fit_counted(counted)
        assert shared.scores_.tolist() == ForwardSelector(4, estimator=estimator).fit(X, y).scores_.tolist()
        assert counted.estimated(estimator) is counted.estimated(estimator)
    assert counted.estimated("plug-in") is counted.information


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_groups(estimator, tumours):
    X, y = tumours
    wish = Constraints(groups=[["mean radius", "mean area"]], must_include=["mean area"])
    fitted = ForwardSelector(2, constraints=wish, estimator=estimator).fit(X, y)
    assert fitted.selected_[:2].tolist() == [0, 3]
    both = fitted.binner_.transform(X)[:, [0, 3]].astype(int) @ [100, 1]
    expected = bitsieve.mutual_information(both[:, None], y, binning="none", estimator=estimator)
    assert fitted.scores_[0] == expected[0]


def test_significance_does_not_depend_on_the_estimator(tumours):
    """The rule tests the plug-in information, whatever the estimator of the scores."""
    X, y = tumours
    plain, corrected = (
        ForwardSelector("auto", criterion="mim", estimator=name).fit(X[["mean area", "mean texture"]], y)
        for name in ("plug-in", "corrected")
    )
    assert plain.selected_.tolist() == corrected.selected_.tolist()
    assert plain.stopping_values_.tolist() == corrected.stopping_values_.tolist()


def test_where_there_is_no_such_estimate(tumours):
    X, y = tumours
    with pytest.raises(
        ValueError, match="this criterion conditions on more: use 'plug-in' or 'corrected' or 'miller-madow'"
    ):
        ForwardSelector(2, criterion="cmi", estimator="shrinkage").fit(X, y)
    with pytest.raises(ValueError, match="estimator='plugin' is not known: did you mean plug-in"):
        ForwardSelector(2, estimator="plugin").fit(X, y)
    with pytest.raises(ValueError, match="estimator=None is not known"):
        bitsieve.entropy(X, y, estimator=None)
    with pytest.raises(ValueError, match="does not take estimator"):
        select(X, y, method="speccmi", n_features_to_select=2, estimator="shrinkage")


def test_command_line(tumours, tmp_path, capsys):
    X, y = tumours
    path = tmp_path / "data.csv"
    X.assign(kind=y).to_csv(path, index=False)
    arguments = ["select", str(path), "--target", "kind", "--features", "2", "--json"]
    assert main([*arguments, "--method", "jmi", "--estimator", "shrinkage"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["parameters"]["estimator"] == "shrinkage"
    fitted = ForwardSelector(2, criterion="jmi", estimator="shrinkage").fit(pd.read_csv(path).drop(columns="kind"), y)
    assert [feature["score"] for feature in document["features"]] == fitted.scores_.tolist()
    assert main([*arguments, "--method", "speccmi", "--estimator", "shrinkage"]) == 2
    assert "--estimator is not for method 'speccmi': leave it out, or use --method" in capsys.readouterr().err
