"""Features, target and weights from the names of the columns, with every message."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bitsieve.dataset.read import read_data
from bitsieve.dataset.roles import Roles, split_columns
from bitsieve.diagnostics import UserError
from bitsieve.io.annotated import AnnotatedMatrix
from bitsieve.options import ReadOptions

LABELS = ["a", "b", "times", "y"]


def test_columns_by_their_names():
    assert split_columns(LABELS, "y", "times") == Roles(["a", "b"], ["y"], "times", None, [], "y", "times")
    assert split_columns(LABELS, ["y", "a"], None) == Roles(["b", "times"], ["y", "a"], None, None, [], "y, a", None)
    assert split_columns(LABELS, "y", "times").others == ["y", "times"]
    assert split_columns(LABELS, "y", None, never=["a"]).features == ["b", "times"]
    assert split_columns([0, 1, 2], 2, None).features == [0, 1]
    assert split_columns([0, 1, 2], 2, 0) == Roles([1], [2], 0, None, [], "2", "0")
    assert split_columns(LABELS, "y", "times", "a") == Roles(["b"], ["y"], "times", "a", [], "y", "times")
    assert split_columns(LABELS, "y", None, strata="a") == Roles(["b", "times"], ["y"], None, None, ["a"], "y", None)
    assert split_columns(LABELS, "y", None, strata=["b", "a"]).strata == ["b", "a"]
    assert split_columns([("a", 1), ("b", 1), ("y", 1)], ("y", 1), ("b", 1)).features == [("a", 1)]


@pytest.mark.parametrize("values", [[0, 1, 0], np.array([0, 1, 0]), pd.Series([0, 1, 0]), ["u", "v", "u"], (0, 1, 0)])
def test_a_target_of_values(values):
    roles = split_columns(LABELS, values, np.ones(3), n_samples=3, unnamed="y of fit")
    assert roles == Roles(LABELS, [], None, None, [], "y of fit", "sample_weight")
    assert roles.others == []


def test_the_name_of_a_series_names_the_target():
    assert split_columns(LABELS, pd.Series([0, 1], name="sold"), None).target_name == "sold"


def test_as_many_names_as_rows_are_names_where_all_are_columns():
    assert split_columns(LABELS, ["a", "y"], None, n_samples=2).target == ["a", "y"]
    assert split_columns(LABELS, ["a", "x"], None, n_samples=2).target == []


def test_white_space_around_a_name_does_not_count_where_one_column_is_meant():
    assert split_columns(["a", "y ", "w"], "y", " w") == Roles(["a"], ["y "], "w", None, [], "y ", "w")
    assert split_columns(["y", "y "], "y ", None).target == ["y "]
    with pytest.raises(ValueError, match="there is no column ' y' for the target"):
        split_columns(["a", "y", "y "], " y", None)


def test_an_array_has_no_names():
    assert split_columns((), ["u", "v"], None).target == []
    assert split_columns((), np.arange(3), None).features == []


@pytest.mark.parametrize(
    ("labels", "target", "weight", "message"),
    [
        (LABELS, ["y", "y"], None, r"^the targets 'y', 'y' name a column twice: name each once$"),
        (
            LABELS,
            "y",
            "y",
            r"^column 'y' cannot be both the target and the weight: name another column",
        ),
        (["y"], "y", None, r"^the data holds only the target 'y': at least one feature is needed$"),
        (LABELS, "z", None, r"^there is no column 'z' for the target: .*'a'"),
        (LABELS, ["y", "z"], None, r"^there is no column 'z' for the target: "),
        (LABELS, 7, None, r"^there is no column '7' for the target: "),
        (LABELS, "y", "time", r"^there is no column 'time' for the weight: .*'times'"),
        ((), "y", None, r"^the data is an array, whose columns have no names: give the target as an array of its val"),
        ((), np.arange(3), "w", r"^the data is an array, whose columns have no names: give sample_weight as an array"),
    ],
)
def test_messages(labels, target, weight, message):
    with pytest.raises(ValueError, match=message):
        split_columns(labels, target, weight)


def test_an_unknown_target_proposes_the_last_column_if_no_name_is_alike():
    with pytest.raises(UserError) as caught:
        split_columns(LABELS, "qqqq", None)
    assert caught.value.diagnostic.fix == {"target": "y"}
    with pytest.raises(UserError) as caught:
        split_columns(LABELS, "y", "qqqq")
    assert caught.value.diagnostic.fix == {}


def test_text_as_long_as_an_annotated_matrix_is_the_values_of_its_target():
    annotations = pa.table({"kind": ["x", "y", "x"], "site": ["1", "2", "3"]})
    matrix = AnnotatedMatrix(np.arange(6.0).reshape(3, 2), ["a", "b"], annotations)
    for target, labels in ((["no", "yes", "no"], ["no", "yes"]), (["kind"], ["x", "y"])):
        assert read_data(matrix, ReadOptions(target=target)).target.labels.tolist() == labels
