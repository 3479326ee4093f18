"""Several targets in selectors, `select` and the command line: the same as their joint code."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bitsieve import ForwardSelector, mutual_information, select
from bitsieve.cli import main


@pytest.fixture(scope="module")
def frame():
    """Measurements of which two follow one class each, and both classes and a quantity."""
    random = np.random.default_rng(6)
    n = 400
    shape, colour = random.integers(0, 2, n), random.integers(0, 3, n)
    X = random.normal(0, 0.5, (n, 5))
    X[:, 1] += shape
    X[:, 3] += colour
    columns = {f"m{j}": X[:, j] for j in range(5)}
    return pd.DataFrame({**columns, "shape": shape, "colour": np.array(["r", "g", "b"])[colour], "size": X[:, 1] * 2})


@pytest.fixture(scope="module")
def measures(frame):
    return frame[[f"m{j}" for j in range(5)]]


def test_several_targets_are_their_joint_code(frame, measures):
    joint = frame["shape"].astype(str) + frame["colour"]
    expected = ForwardSelector(2, criterion="jmi").fit(measures, joint)
    for y in (frame[["shape", "colour"]], pl.from_pandas(frame[["shape", "colour"]])):
        fitted = ForwardSelector(2, criterion="jmi").fit(measures, y)
        assert fitted.selected_.tolist() == expected.selected_.tolist() == [3, 1]
        assert fitted.scores_.tolist() == expected.scores_.tolist()
        assert [f"{shape}{colour}" for shape, colour in fitted.classes_] == expected.classes_.tolist()
        assert fitted.target_edges_ is None
    array = np.column_stack([frame["shape"], frame["colour"].map({"r": 0, "g": 1, "b": 2})])
    assert ForwardSelector(2, criterion="jmi").fit(measures, array).scores_.tolist() == expected.scores_.tolist()
    assert mutual_information(measures, array, estimator="corrected").tolist() == expected.relevance_.tolist()


def test_cuts_of_several_targets_are_written_as_dates(frame, measures):
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["size"].rank() - 1, unit="D")
    found = select(measures, pd.DataFrame({"when": when, "size": frame["size"]}), n_features_to_select=1, target_bins=2)
    edge = found.target.edges[1][0]
    assert f"'when' is a quantity: cut at 2024-07-18; 'size' is a quantity: cut at {edge:g}" in found.notes[0]


def test_select_by_names(frame, measures):
    expected = ForwardSelector(2, criterion="jmi").fit(measures, frame[["shape", "colour"]])
    found = select(frame.drop(columns="size"), ["shape", "colour"], method="jmi", n_features_to_select=2)
    assert found.scores.tolist() == expected.scores_.tolist()
    assert found.features == ["m3", "m1"]
    assert found.target_name == "shape, colour"
    assert found.notes[0] == "the targets 'shape', 'colour' are combined into one: 6 combinations occur"
    document = json.loads(json.dumps(found.to_dict()))
    assert document["target"]["kind"] == "joint"
    assert document["target"]["labels"][0] == [0, "b"]
    values = select(measures, frame[["shape", "colour"]].to_numpy(), method="jmi", n_features_to_select=2)
    assert values.scores.tolist() == expected.scores_.tolist()


def test_a_continuous_target_among_them(frame):
    found = select(frame, ["colour", "size"], method="mim", n_features_to_select=2, target_bins=2)
    edges = found.selector.target_edges_
    assert edges[0] is None
    assert len(edges[1]) == 1
    assert found.target.n_classes == 6
    assert "'size' is a quantity: cut at" in found.notes[0]
    assert found.to_dict()["target"]["edges"] == [None, [float(edges[1][0])]]
    assert len(found.selector.classes_) == 6


def test_a_list_of_one_is_that_one(frame):
    assert select(frame, ["colour"], n_features_to_select=2).target.kind == "classes"


def test_a_list_of_labels_is_the_target_itself(measures):
    labels = ["m0", "other"] * 200
    found = select(measures, labels, method="mim", n_features_to_select=2, binning="quantile")
    assert found.target.labels.tolist() == ["m0", "other"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (["shape", "color"], "there is no column 'color' for the target: did you mean 'colour'"),
        (["shape", "shape"], "the targets 'shape', 'shape' name a column twice"),
        (["id", "colour", "m0", "m1"], r"'id' \(400 classes\), 'colour' \(3 classes\), .* together: at most 65,536"),
    ],
)
def test_bad_targets(target, message, frame):
    table = frame.assign(**{name: [str(row) for row in range(400)] for name in ("id", "m0", "m1")})
    with pytest.raises(ValueError, match=message) as caught:
        select(table, target)
    assert "\n" not in str(caught.value)


def test_several_targets_of_an_archive(frame, measures, tmp_path):
    path = tmp_path / "data.npz"
    X = np.column_stack([measures, frame["shape"]])
    np.savez(path, X=X, y=frame["colour"].to_numpy().astype(str), feature_names=[*measures.columns, "shape"])
    found = select(path, ["shape", "y"], method="jmi", n_features_to_select=2)
    expected = select(frame.drop(columns="size"), ["shape", "colour"], method="jmi", n_features_to_select=2)
    assert found.scores.tolist() == expected.scores.tolist()


def test_several_targets_of_a_comparison(frame, tmp_path, capsys):
    path = tmp_path / "data.csv"
    frame.drop(columns=["m0", "m2", "size"]).to_csv(path, index=False)
    arguments = [str(path), "-t", "shape", "-t", "colour", "--classifier", "ncm", "--folds", "3"]
    assert main(["compare", *arguments, "--methods", "mim", "--features", "1"]) == 0
    assert main(["how-many", *arguments, "--pairs", "2"]) == 0
    assert (
        capsys.readouterr().err.count("the targets 'shape', 'colour' are combined into one: 6 combinations occur") == 2
    )


def test_command_line(frame, tmp_path, capsys):
    path, output = tmp_path / "data.csv", tmp_path / "out.csv"
    frame.drop(columns="size").to_csv(path, index=False)
    arguments = ["select", str(path), "--target", "shape", "--target", "colour", "--method", "jmi", "--features", "2"]
    assert main([*arguments, "--output", str(output)]) == 0
    printed = capsys.readouterr()
    assert "the targets 'shape', 'colour' are combined into one: 6 combinations occur" in printed.err
    assert "saved 2 features and the target 'shape, colour'" in printed.err
    assert pd.read_csv(output).columns.tolist() == ["m3", "m1", "shape", "colour"]
    assert main([*arguments, "--output", str(tmp_path / "out.npz")]) == 2
    assert "a .npz holds one target, not several: write .parquet" in capsys.readouterr().err
