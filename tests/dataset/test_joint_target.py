"""Several target columns: one code of the combinations that occur."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import read_target

COLOURS, SIZES = ["red", "blue", "red", "red"], [3, 1, 1, 3]
LABELS = [("blue", 1), ("red", 1), ("red", 3)]


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda columns: np.array(list(zip(*columns.values(), strict=True)), dtype=object),
        lambda columns: list(map(list, zip(*columns.values(), strict=True))),
    ],
)
def test_every_container(make):
    target = read_target(make({"colour": COLOURS, "size": SIZES}))
    assert target.kind == "joint"
    assert target.codes.tolist() == [2, 0, 1, 2]
    assert target.labels.tolist() == LABELS
    assert target.edges is None


def test_names():
    assert read_target(pd.DataFrame({"colour": COLOURS, "size": SIZES})).columns == ("colour", "size")
    assert read_target(np.array([[0, 1], [1, 1]])).columns == ("y0", "y1")
    assert read_target([0, 1]).columns == ()


def test_it_is_the_manual_joint_code():
    random = np.random.default_rng(0)
    y = random.integers(0, [3, 5, 2], (200, 3))
    manual = read_target([f"{a} {b} {c}" for a, b, c in y.tolist()])
    target = read_target(y)
    assert target.n_classes == manual.n_classes
    assert target.codes.tolist() == manual.codes.tolist()  # one digit each: the text sorts as the tuples do
    assert [f"{a} {b} {c}" for a, b, c in target.labels] == manual.labels.tolist()


def test_continuous_columns_are_binned_first():
    y = pd.DataFrame({"class": [0, 1] * 10, "value": np.arange(20) + 0.5})
    target = read_target(y, target_kind=TargetKind(n_bins=2))
    assert target.kind == "joint"
    assert target.edges[0] is None
    assert target.edges[1].tolist() == read_target(y["value"], target_kind=TargetKind(n_bins=2)).edges.tolist()
    assert target.labels.tolist()[0] == (0, f"(-inf, {target.edges[1][0]:g}]")
    assert target.n_classes == 4


def test_a_single_column_of_a_table_is_a_plain_target():
    assert read_target(pl.DataFrame({"size": SIZES})).labels.tolist() == [1, 3]
    assert read_target(pa.table({"size": SIZES})).kind == "classes"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            pd.DataFrame({"id": map(str, range(400)), "other": map(str, range(400))}),
            r"the targets 'id' \(400 classes\), 'other' \(400 classes\) could have 160,000 classes together",
        ),
        (pd.DataFrame({"a": [1.0, np.nan], "b": [1, 2]}), "the target 'a' has 1 missing value"),
        (pl.DataFrame({"a": [1, 2], "b": [1.0, np.inf]}), r"the target 'b' has 1 infinite value \(inf\)"),
        (np.empty((0, 2)), "the target 'y0' is empty"),
        (pd.DataFrame(index=range(3)), r"the target has the columns \(none\)"),
        (pd.DataFrame({1: [0, 1], "1": [0, 1]}), "the target has the columns '1', '1': give each a different name"),
        (pl.LazyFrame({"a": [1, 2], "b": [1, 2]}), "the target is a lazy frame"),
    ],
)
def test_bad_targets_are_refused_in_one_line(y, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_target(y)
    assert "\n" not in str(caught.value)


def test_as_many_classes_as_are_allowed():
    y = np.array([(a, b) for a in range(256) for b in range(256)])
    assert read_target(y, target_kind=TargetKind("classes")).n_classes == 65_536
