"""A target of whole numbers: classes when they look like codes, a quantity when they are many, unless it is said."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import bitsieve
from bitsieve.cli import main
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.target import read_target

X, Y = load_diabetes(return_X_y=True)  # 214 different whole numbers, as floats


@pytest.mark.parametrize("kind", [np.int64, np.uint16, np.float32])
def test_codes_are_classes_and_other_numbers_a_quantity(kind):
    codes, ages = np.arange(1000).astype(kind) % 100, 18 + np.arange(1000).astype(kind) % 60
    assert read_target(codes).kind == "classes"
    target = read_target(ages)
    assert (target.kind, target.n_classes, target.n_numbers) == ("binned", 4, 60)
    assert np.array_equal(target.codes, read_target(ages + 0.5).codes)
    assert read_target(ages, target_kind=TargetKind("classes")).n_classes == 60
    assert read_target(codes, target_kind=TargetKind("quantity")).n_classes == 4


def test_repeated_samples_and_weights_agree():
    values = np.arange(150)
    weights = values % 4 + 1
    weighted = read_target(values, weights=weights)
    assert np.array_equal(np.repeat(weighted.codes, weights), read_target(np.repeat(values, weights)).codes)


def test_a_number_of_intervals_that_is_given_is_obeyed():
    digits = np.arange(90) % 9
    assert read_target(digits).n_classes == 9
    assert read_target(digits, target_kind=TargetKind(n_bins=3)).n_classes == 3
    assert read_target(digits, target_kind=TargetKind(n_bins=9)).kind == "classes"
    assert read_target(digits, target_kind=TargetKind("quantity", 9)).kind == "binned"
    assert read_target(np.arange(500), target_kind=TargetKind("classes")).n_classes == 500
    assert read_target(np.arange(8) / 2, target_kind=TargetKind("classes")).n_classes == 8


def test_text_and_categories_stay_classes():
    assert read_target(np.arange(500).astype(str)).n_classes == 500


def test_select_says_so_and_how_to_keep_classes():
    selection = bitsieve.select(X, Y, method="jmi", n_features_to_select=3)
    by_fraction = bitsieve.select(X, Y + 0.25, method="jmi", n_features_to_select=3)
    assert selection.features == by_fraction.features != ["x0", "x1", "x2"]
    assert selection.notes[0].startswith("target 'target' is a quantity (214 different whole numbers): cut into 3")
    assert selection.notes[0].endswith("to keep its values, add target_kind='classes'")


def test_a_selector_warns_and_cuts():
    with pytest.warns(bitsieve.BitsieveWarning, match=r"target 'y' is a quantity \(214 different whole numbers\): cut"):
        selector = bitsieve.ForwardSelector(3).fit(X, Y)
    assert len(selector.target_edges_) == 2
    assert selector.selected_.tolist() == bitsieve.ForwardSelector(3).fit(X, Y + 0.25).selected_.tolist()


def test_the_command_line_obeys(tmp_path, capsys):
    path = tmp_path / "diabetes.csv"
    np.savetxt(path, np.column_stack([X, Y]), delimiter=",", header=",".join("abcdefghijy"), comments="")
    base = ["select", str(path), "--target", "y", "--method", "jmi", "--features", "3", "--json"]
    assert main([*base, "--target-bins", "4"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["target"]["n_classes"] == 4
    assert "add --target-kind classes" in told.err
    assert main([*base, "--target-bins", "none", "--binning", "quantile"]) == 0
    none = json.loads(capsys.readouterr().out)
    assert none["target"]["n_classes"] == 214
    assert main([*base, "--target-kind", "classes", "--binning", "quantile"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == none["target"]
    assert main([*base, "--target-kind", "quantity", "--target-bins", "none"]) == 2
    assert (
        "--target-bins none and --target-kind quantity contradict each other: leave one of them out"
        in capsys.readouterr().err
    )


def test_compare_cuts_them_too():
    comparison = bitsieve.compare(X, Y, methods=["mim"], features=[2], classifier="ridge", folds=3)
    assert any("(214 different whole numbers)" in note for note in comparison.notes)
