"""The picture of interactions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bitsieve


def test_the_columns_of_the_picture_are_corners_of_a_regular_polygon():
    X, y = load_iris(return_X_y=True, as_frame=True)
    axes = bitsieve.interactions(X, y).plot()
    corners = np.array([line.get_xydata()[0] for line in axes.lines if line.get_marker() == "o"])
    assert len(corners) > 2
    assert corners.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)  # sines and cosines
    distances = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    assert distances == pytest.approx(np.full(len(corners), distances[0]), abs=1e-12)


def test_labels_and_rates_of_false_discoveries_as_json():
    X, y = load_iris(return_X_y=True)
    tested = bitsieve.interactions(pd.DataFrame(X, columns=[1, "b", ("c", 1), 2.5]), y, n_shuffles=20)
    columns = tested.to_dict()["columns"]
    assert sorted(map(repr, (column["name"] for column in columns))) == ["\"('c', 1)\"", "'2.5'", "'b'", "1"]
    rates = [column["false_discovery"] for column in columns]
    assert rates == tested.false_discovery.tolist()
    untested = bitsieve.interactions(X, y, n_shuffles=0)
    assert [column["false_discovery"] for column in untested.to_dict()["columns"]] == [None] * 4


def test_the_printed_tuples_are_numbered_from_one():
    X, y = load_iris(return_X_y=True, as_frame=True)
    lines = str(bitsieve.interactions(X, y, top=4)).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "4"]


def test_tuples_that_are_not_printed_are_counted(monkeypatch):
    X, y = load_iris(return_X_y=True, as_frame=True)
    result = bitsieve.interactions(X, y)
    assert "more" not in result.table_text()
    monkeypatch.setattr("bitsieve.results.interactions.MAX_PRINTED", 2)
    lines = result.table_text().splitlines()
    assert (len(lines), lines[-1]) == (4, "... and 4 more")


def test_rates_of_false_discoveries_are_in_the_frame_where_they_are_known():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tested = bitsieve.interactions(X, y, n_shuffles=20)
    assert tested.to_column_frame()["false_discovery"].tolist() == tested.false_discovery.tolist()
    assert "false_discovery" not in bitsieve.interactions(X, y, n_shuffles=0).to_column_frame()


def test_the_library_of_frames_makes_no_difference():
    X, y = load_iris(return_X_y=True, as_frame=True)
    result = bitsieve.interactions(X, y)
    assert replace(result, library="polars") == result
    assert hash(replace(result, library="polars")) == hash(result)
