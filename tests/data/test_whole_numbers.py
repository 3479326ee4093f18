"""A target of whole numbers: classes when they are few, a quantity when they are many, unless it is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import bitsieve
from bitsieve.cli import main
from bitsieve.data.target import read_target

X, Y = load_diabetes(return_X_y=True)  # 214 different whole numbers, as floats


@pytest.mark.parametrize("kind", [np.int64, np.uint16, np.float32])
def test_more_than_a_hundred_numbers_are_a_quantity(kind):
    few, many = np.arange(1000).astype(kind) % 100, np.arange(1000).astype(kind) % 101
    assert read_target(few).kind == "classes"
    target = read_target(many)
    assert (target.kind, target.n_classes, target.n_numbers) == ("binned", 5, 101)
    assert np.array_equal(target.codes, read_target(many + 0.5).codes)


def test_repeated_samples_and_weights_agree():
    values = np.arange(150)
    weights = values % 4 + 1
    weighted = read_target(values, weights=weights)
    assert np.array_equal(np.repeat(weighted.codes, weights), read_target(np.repeat(values, weights)).codes)


def test_a_number_of_intervals_that_is_given_is_obeyed():
    digits = np.arange(90) % 9
    assert read_target(digits).n_classes == 9
    assert read_target(digits, n_bins=3).n_classes == 3
    assert read_target(digits, n_bins=9).kind == "classes"
    assert read_target(np.arange(500), n_bins="none").n_classes == 500
    assert read_target(np.arange(8) / 2, n_bins="none").n_classes == 8


def test_text_and_categories_stay_classes():
    assert read_target(np.arange(500).astype(str)).n_classes == 500


def test_select_says_so_and_how_to_keep_classes():
    selection = bitsieve.select(X, Y, method="jmi", n_features_to_select=3)
    by_fraction = bitsieve.select(X, Y + 0.25, method="jmi", n_features_to_select=3)
    assert selection.features == by_fraction.features != ["x0", "x1", "x2"]
    assert selection.notes[0].startswith("target 'target' holds 214 different whole numbers: binned into 5 equal-")
    assert selection.notes[0].endswith("if each is a class of its own, add target_bins='none'")


def test_a_selector_warns_and_bins():
    with pytest.warns(bitsieve.BitsieveWarning, match="target 'y' holds 214 different whole numbers: binned into 5"):
        selector = bitsieve.ForwardSelector(3).fit(X, Y)
    assert len(selector.target_edges_) == 4
    assert selector.selected_.tolist() == bitsieve.ForwardSelector(3).fit(X, Y + 0.25).selected_.tolist()


def test_the_command_line_obeys(tmp_path, capsys):
    path = tmp_path / "diabetes.csv"
    np.savetxt(path, np.column_stack([X, Y]), delimiter=",", header=",".join("abcdefghijy"), comments="")
    base = ["select", str(path), "--target", "y", "--method", "jmi", "--features", "3", "--json"]
    assert main([*base, "--target-bins", "4"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["target"]["n_classes"] == 4
    assert "add --target-bins none" in told.err
    assert main([*base, "--target-bins", "none", "--binning", "quantile"]) == 0
    assert json.loads(capsys.readouterr().out)["target"]["n_classes"] == 214


def test_compare_bins_them_too():
    comparison = bitsieve.compare(X, Y, methods=["mim"], features=[2], classifier="ncm", folds=3)
    assert any("holds 214 different whole numbers" in note for note in comparison.notes)
