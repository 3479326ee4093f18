"""The command ``bounds``: the bounds of standardised columns, in words and in JSON, and its mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import bitsieve
from bitsieve.cli import main

X, Y = load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("bounds") / "wine.csv"
    X.assign(kind=Y).to_csv(path, index=False)
    return str(path)


def document(capsys, *options):
    assert main(["bounds", *options, "--quiet", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("tree", ["global", "pairwise"])
@pytest.mark.parametrize("columns", [[], ["alcohol", "hue"]])
def test_bounds_of_standardised_columns(capsys, data, tree, columns):
    options = [word for column in columns for word in ("--column", column)]
    found = document(capsys, data, "--target", "kind", "--tree", tree, *options)
    standardised = StandardScaler().fit_transform(X[columns or X.columns])
    expected = bitsieve.bayes_error_bounds(standardised, Y, tree=tree)
    assert (found["lower"], found["upper"]) == expected
    assert found["columns"] == (columns or X.columns.tolist())
    assert found["majority_error"] == pytest.approx(1 - np.bincount(Y).max() / len(Y), abs=1e-15)  # one rounding


def test_the_same_as_of_the_training_part_of_a_comparison(capsys, tmp_path):
    tested = np.arange(0, len(Y), 10)
    trained = np.setdiff1d(np.arange(len(Y)), tested)
    X.iloc[trained].assign(kind=Y).to_csv(tmp_path / "trained.csv", index=False)
    found = document(capsys, str(tmp_path / "trained.csv"), "--target", "kind")
    comparison = bitsieve.compare(
        X, Y, methods="mim", features=[13], classifier="ncm", folds=[(trained, tested)], bounds=True
    )
    assert comparison.bayes_error_bounds[0].tolist() == [found["lower"], found["upper"]]


def test_categories_are_columns_of_zeros_and_ones(capsys, tmp_path):
    path = tmp_path / "colours.csv"
    colours = ["red", "green", "blue", "red"] * 10
    path.write_text("\n".join(["colour,kind", *(f"{colour},{colour == 'red'}" for colour in colours)]), "utf-8")
    found = document(capsys, str(path), "--target", "kind")
    indicators = StandardScaler().fit_transform(
        [[colour == other for other in sorted({*colours})] for colour in colours]
    )
    assert found["upper"] == bitsieve.bayes_error_bounds(indicators, np.array(colours) == "red").upper


def test_in_words(capsys, data):
    assert main(["bounds", data, "--target", "kind", "--column", "hue"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("the best possible classifier of 'kind' by 1 column errs on ")
    assert second.startswith("178 rows, 3 classes")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--target", "alcohol"], "the target 'alcohol' is a quantity"),
        (["--target", "kind", "--column", "nothing"], "--column names column 'nothing', which is not there"),
        (["--target", "kind", "--tree", "none"], "there is no --tree 'none'"),
    ],
)
def test_mistakes_are_one_line(capsys, data, options, words):
    assert main(["bounds", data, *options]) == 2
    line = capsys.readouterr().err
    assert words in line
    assert line.count("\n") == 1
