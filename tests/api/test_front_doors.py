"""select of arrays, of a frame and of a file, the command, and fit give one answer where nothing is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import datasets

import bitsieve
from bitsieve.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def with_gaps(frame):
    """The table with a tenth of the values of its features gone."""
    gone = np.random.default_rng(0).random((len(frame), frame.shape[1])) < 0.1
    gone[:, frame.columns.get_loc("target")] = False
    return frame.mask(gone)


def with_an_identifier(frame):
    """The table with a number for every row, by which the classes, which come in order, could be known."""
    return frame.assign(number=np.arange(len(frame)) + 1_000)


TABLES = {
    "wine": datasets.load_wine(as_frame=True).frame,
    "wine with gaps": with_gaps(datasets.load_wine(as_frame=True).frame),
    "wine with an identifier": with_an_identifier(datasets.load_wine(as_frame=True).frame),
    "tumours with gaps": with_gaps(datasets.load_breast_cancer(as_frame=True).frame),
    "a quantity with gaps": with_gaps(datasets.load_diabetes(as_frame=True).frame),
}


@pytest.mark.parametrize("n_features_to_select", [None, 3])
@pytest.mark.parametrize("name", TABLES)
def test_one_answer(name, n_features_to_select, tmp_path, capsys):
    frame, path = TABLES[name], tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    X, y = frame.drop(columns="target"), frame["target"]
    asked = {"n_features_to_select": n_features_to_select}
    expected = bitsieve.select(frame, "target", **asked).features
    assert "number" not in expected
    assert bitsieve.select(X, y, **asked).features == expected
    assert bitsieve.select(path, "target", **asked).features == expected
    assert X.columns[bitsieve.ForwardSelector(**asked).fit(X, y).selected_].tolist() == expected
    words = [] if n_features_to_select is None else ["--features", str(n_features_to_select)]
    assert main(["select", str(path), "--target", "target", "--json", *words]) == 0
    assert [feature["name"] for feature in json.loads(capsys.readouterr().out)["features"]] == expected


def test_an_identifier_is_kept_where_that_is_asked_for():
    frame = TABLES["wine with an identifier"]
    X, y = frame.drop(columns="target"), frame["target"]
    assert "number" in bitsieve.select(frame, "target", n_features_to_select=1, identifiers="keep").features
    with pytest.warns(bitsieve.BitsieveWarning, match="'number' looks like an identifier.*identifiers='keep'"):
        dropped = bitsieve.ForwardSelector(1).fit(X, y)
    kept = bitsieve.ForwardSelector(1, identifiers="keep").fit(X, y)
    assert X.columns[kept.selected_].tolist() == ["number"]
    assert X.columns[dropped.selected_].tolist() != ["number"]
    with pytest.raises(ValueError, match="identifiers='maybe' is not allowed"):
        bitsieve.ForwardSelector(1, identifiers="maybe").fit(X, y)
