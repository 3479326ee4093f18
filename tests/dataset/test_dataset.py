"""The one value that is read once: two readers give the same, and some of its rows stay in step."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.read import read_data, read_xy
from bitsieve.options import ReadOptions

NUMBERS, WORDS = [1.5, 2.5, np.nan, 0.5, 3.5], ["b", None, "a", "b", "c"]
CLASSES, WEIGHTS = ["no", "yes", "no", "maybe", "yes"], [2, 0, 1, 3, 1]


def frame():
    return pd.DataFrame({"number": NUMBERS, "word": WORDS, "class": CLASSES, "times": WEIGHTS})


def written_out(table):
    """Everything a table holds as plain Python values, each row so often as its weight says."""
    times = np.ones(table.n_samples, int) if table.weights is None else table.weights
    values = {}
    for j, name in enumerate(table.names):
        if table.is_numeric(j):
            column = table.numeric(j)
            values[name] = [None if np.isnan(value) else value for value in np.repeat(column, times)]
        else:
            codes, categories = table.categorical(j).codes, table.categorical(j).categories
            assert sorted(set(codes) - {-1}) == list(range(len(categories)))  # every category occurs
            values[name] = [None if code < 0 else categories[code] for code in np.repeat(codes, times)]
    labels = table.target.labels[table.target.codes]
    assert sorted(set(table.target.codes)) == list(range(table.target.n_classes))  # every class occurs
    return values, np.repeat(labels, times).tolist()


def test_both_readers_give_the_same_table():
    whole = frame()
    expected = written_out(read_xy(whole[["number", "word"]], whole["class"], whole["times"]))
    assert expected == (
        {"number": [1.5, 1.5, None, 0.5, 0.5, 0.5, 3.5], "word": [*"bba", *"bbbc"]},
        ["no", "no", "no", "maybe", "maybe", "maybe", "yes"],
    )
    for data in (whole, pl.from_pandas(whole), pa.Table.from_pandas(whole)):
        table = read_data(data, ReadOptions(target="class", sample_weight="times"))
        assert written_out(table) == expected
        assert (table.target.name, table.original.weight, table.original.labels) == (
            "class",
            "times",
            ["number", "word"],
        )
        assert list(table.names) == table.feature_names.tolist() == ["number", "word"]


def test_a_file_is_the_same_table(tmp_path):
    frame().to_csv(tmp_path / "data.csv", index=False)
    table = read_data(tmp_path / "data.csv", ReadOptions(target="class", sample_weight="times"))
    assert written_out(table) == written_out(read_data(frame(), ReadOptions(target="class", sample_weight="times")))
    assert isinstance(table.original.take(np.array([0])), pa.Table)


def test_an_archive_stays_one_array(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    np.savez(tmp_path / "data.npz", X=X, y=[0, 1, 1, 0], feature_names=np.array(["a", "b", "times"]))
    table = read_data(tmp_path / "data.npz", ReadOptions())
    assert table.matrix.tolist() == X.tolist()
    assert table.names == table.feature_names.tolist() == ["a", "b", "times"]
    weighted = read_data(tmp_path / "data.npz", ReadOptions(target=["a", "y"], sample_weight="times"))
    assert weighted.matrix.ravel().tolist() == [1, 4, 7, 10]
    assert weighted.weights.tolist() == [2, 5, 8, 11]
    assert weighted.target.columns == ("a", "y")
    # y is never a feature, whatever else is the target
    assert read_data(tmp_path / "data.npz", ReadOptions(target="a", sample_weight="times")).names == ["b"]
    assert read_data(tmp_path / "data.npz", ReadOptions(target="a")).names == ["b", "times"]


def test_an_array_has_no_names_for_an_estimator():
    table = read_data([[1.5, "a"], [0.5, "b"], [2.5, "a"]], ReadOptions(target=[0, 1, 0]))
    assert (table.names, table.feature_names) == (["x0", "x1"], None)
    assert table.numeric(0).tolist() == [1.5, 0.5, 2.5]  # numbers among text stay numbers
    assert table.categorical(1).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("rows", [[3, 1, 0], [2], [0, 0, 3]])
def test_some_rows_stay_in_step(rows):
    whole = read_xy(frame()[["number", "word"]], CLASSES, [2, 5, 1, 3, 1])
    part = whole.take(np.array(rows))
    assert part.original is None
    assert part.weights.tolist() == whole.weights[rows].tolist()
    assert part.target.labels[part.target.codes].tolist() == [CLASSES[row] for row in rows]
    expected = read_xy(frame()[["number", "word"]].iloc[rows], [CLASSES[row] for row in rows], whole.weights[rows])
    assert written_out(part) == written_out(expected)


def test_some_rows_of_an_array_and_of_a_joint_binned_target():
    X = np.arange(20.0).reshape(10, 2)
    whole = read_xy(
        X,
        np.column_stack([np.arange(10) + 0.5, np.arange(10) % 2]),
        target_kind=TargetKind(n_bins=2),
        target_name="size, kind",
    )
    part = whole.take(np.array([9, 0, 2]))
    assert part.matrix.tolist() == X[[9, 0, 2]].tolist()
    assert part.weights is None
    assert part.target.n_classes == 2
    for name in ("edges", "kind", "columns", "name", "requested_kind"):
        assert getattr(part.target, name) is getattr(whole.target, name)


def test_weights_of_one_and_zero_are_rows_left_out():
    table = read_xy(np.arange(6).reshape(3, 2), [0, 1, 0], [1, 0, 1])
    assert table.weights is None
    assert table.total_weight == table.n_samples == 2
    assert read_xy([[1], [2]], None, [3, 4]).total_weight == 7


def test_a_table_cannot_be_changed():
    table = read_xy([[1], [2]], [0, 1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.weights = np.array([1, 2])


def test_a_target_that_is_not_there():
    with pytest.raises(ValueError, match="a target is needed here: give y, one class a sample"):
        _ = read_xy([[1], [2]]).target


def test_names_of_an_earlier_fit_are_forgotten():
    class Fitted:
        pass

    estimator = Fitted()
    InMemoryDataset(np.zeros((2, 1)), ["a"], np.array(["a"], object)).set_names_on(estimator)
    assert (estimator.n_features_in_, estimator.feature_names_in_.tolist()) == (1, ["a"])
    InMemoryDataset(np.zeros((2, 3)), ["x0", "x1", "x2"]).set_names_on(estimator)
    assert estimator.n_features_in_ == 3
    assert not hasattr(estimator, "feature_names_in_")


@pytest.mark.parametrize("bins", [1, 2.5, "5"])
def test_bins_of_the_target_are_a_whole_number(bins):
    with pytest.raises(ValueError, match=r"target_bins=.* is not allowed: give a whole number from 2"):
        read_data([[1], [2]], ReadOptions(target=[0, 1], target_bins=bins))


@pytest.mark.parametrize(("groups", "name"), [(None, None), ("g", "g"), ([1, 2] * 5, "groups")])
def test_the_original_data_has_the_name_of_the_groups(groups, name):
    frame = pd.DataFrame({"a": range(10), "g": [1, 2] * 5, "y": [0, 1] * 5})
    assert read_data(frame, ReadOptions(target="y", groups=groups)).original.groups == name
