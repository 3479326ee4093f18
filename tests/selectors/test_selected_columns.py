"""The transformer of a selection: in pipelines, by name and by position, in another process."""

from __future__ import annotations

import re
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import bitsieve

X, Y = load_iris(return_X_y=True, as_frame=True)
SELECTION = bitsieve.select(X, Y, n_features_to_select=2)
SELECTED = ["petal length (cm)", "petal width (cm)"]


def test_it_is_fitted_and_has_the_names():
    selector = SELECTION.to_sklearn()
    assert selector.feature_names_in_.tolist() == X.columns.tolist()
    assert selector.n_features_in_ == 4
    assert selector.get_support().tolist() == [False, False, True, True]
    assert selector.get_feature_names_out().tolist() == SELECTED
    assert selector.transform(X).equals(SELECTION.table)


def test_a_missing_column_that_may_have_another_name_now_is_named_with_it():
    renamed = X.rename(columns={SELECTED[0]: SELECTED[0].upper()})
    with pytest.raises(bitsieve.UserError, match=rf"'{re.escape(SELECTED[0].upper())}' may be '") as error:
        SELECTION.to_sklearn().transform(renamed)
    assert error.value.columns == (SELECTED[0],)


def test_columns_of_frames_are_taken_by_name_and_of_arrays_by_position():
    selector = SELECTION.to_sklearn()
    shuffled = X[X.columns[::-1]].assign(other=1)
    assert selector.transform(shuffled).equals(X[SELECTED])
    assert selector.transform(pl.from_pandas(shuffled)).columns == SELECTED
    assert selector.transform(X.to_numpy()).tolist() == X[SELECTED].to_numpy().tolist()
    with pytest.raises(bitsieve.UserError) as error:
        selector.transform(X[["petal width (cm)"]])
    assert error.value.code == "columns-missing"
    with pytest.raises(bitsieve.UserError) as error:
        selector.transform(X.to_numpy()[:, :3])
    assert error.value.code == "columns-differ"


def test_clones_and_pipelines_are_fitted_again_without_a_change():
    selector = SELECTION.to_sklearn()
    pipeline = make_pipeline(selector, LogisticRegression(max_iter=1000)).fit(X, Y)
    assert pipeline[:-1].transform(X).equals(X[SELECTED])
    assert pipeline[:-1].get_feature_names_out().tolist() == SELECTED
    assert clone(selector).fit(X).transform(X).equals(X[SELECTED])
    assert cross_val_score(pipeline, X, Y, cv=3).min() > 0.9
    assert np.array_equal(
        make_pipeline(selector, LogisticRegression(max_iter=1000)).fit(X, Y).predict(X), pipeline.predict(X)
    )


def test_set_output():
    selector = SELECTION.to_sklearn().set_output(transform="pandas")
    result = selector.transform(X.to_numpy())
    assert isinstance(result, pd.DataFrame)
    assert result.columns.tolist() == SELECTED


def test_a_selection_without_names():
    selection = bitsieve.select(X.to_numpy(), Y, n_features_to_select=2)
    selector = selection.to_sklearn()
    assert not hasattr(selector, "feature_names_in_")
    assert selector.transform(X).equals(X[SELECTED])
    assert selector.get_feature_names_out().tolist() == ["x2", "x3"]


SCRIPT = """
import joblib, sys
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True, as_frame=True)
print(joblib.load(sys.argv[1]).score(X[X.columns[::-1]], y))
"""


@pytest.mark.slow("a new process that imports scikit-learn")
def test_a_pipeline_survives_a_new_process(tmp_path):
    pipeline = make_pipeline(SELECTION.to_sklearn(), LogisticRegression(max_iter=1000)).fit(X, Y)
    joblib.dump(pipeline, tmp_path / "pipeline.joblib")
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path / "pipeline.joblib")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert float(printed) == pipeline.score(X, Y)


def test_a_loaded_selection_makes_the_same_transformer(tmp_path):
    SELECTION.save(tmp_path / "selection.json")
    selector = bitsieve.load(tmp_path / "selection.json").to_sklearn()
    assert selector.get_params() == SELECTION.to_sklearn().get_params()
    assert selector.transform(X).equals(X[SELECTED])
