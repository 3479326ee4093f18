"""The public measures: definition, binning, tables, types and threads."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import mutual_info_score

import bitsieve
from bitsieve import (
    MDLBinner,
    conditional_mutual_information_matrix,
    entropy,
    mutual_information,
    mutual_information_matrix,
)
from bitsieve.information import ESTIMATORS

# Some hundred cells, each with a logarithm right to 1e-16.
DEFINITION = 1e-13


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 120)
    X = (y[:, None] * (random.random((120, 6)) < 0.4) + random.integers(0, 3, (120, 6))) * 5 - 4  # any integers
    return X, np.array(["a", "c", "b"])[y]


def test_definition(brute, table):
    X, y = table
    columns = list(X.T)
    assert np.abs(entropy(X, binning="none") - [brute.entropy(x) for x in columns]).max() <= DEFINITION
    expected = [brute.mutual_information(x, y) for x in columns]
    assert np.abs(mutual_information(X, y, binning="none") - expected).max() <= DEFINITION
    pairs = [[brute.mutual_information(a, b) for b in columns] for a in columns]
    assert np.abs(mutual_information_matrix(X, binning="none") - pairs).max() <= DEFINITION
    given = np.array([[brute.conditional_information(a, y, b) for b in columns] for a in columns])
    given[np.diag_indices(6)] = expected
    assert np.abs(conditional_mutual_information_matrix(X, y, binning="none") - given).max() <= DEFINITION


def test_against_scikit_learn(table):
    X, y = table
    expected = [mutual_info_score(x, y) / np.log(2) for x in X.T]
    # It sums differences of logarithms, which cancel to some 1e-15.
    assert np.abs(mutual_information(X, y, binning="none") - expected).max() <= 1e-12


def test_bins_by_the_target_of_mdl():
    X, y = load_breast_cancer(return_X_y=True)
    codes = MDLBinner().fit_transform(X, y)
    assert entropy(X, y).tobytes() == entropy(codes, binning="none").tobytes()
    assert mutual_information(X, y).tobytes() == mutual_information(codes, y, binning="none").tobytes()
    matrix = mutual_information_matrix(codes, binning="none")
    assert mutual_information_matrix(X, y).tobytes() == matrix.tobytes()


def test_tables_are_as_good_as_arrays(table):
    X, y = table
    arrow = pa.table({f"c{j}": X[:, j] for j in range(6)})
    assert mutual_information(arrow, pa.array(y.tolist()), binning="none").tobytes() == (
        mutual_information(X, y, binning="none").tobytes()
    )


@pytest.mark.parametrize("matrix", [mutual_information_matrix, conditional_mutual_information_matrix])
def test_single_precision_and_threads(matrix):
    X, y = load_iris(return_X_y=True)
    double = matrix(X, y, binning="quantile")
    assert double.dtype == np.float64
    single = matrix(X, y, binning="quantile", dtype="float32", n_jobs=2)
    assert single.dtype == np.float32
    assert single.tobytes() == double.astype(np.float32).tobytes()
    assert matrix(X, y, binning="quantile", n_jobs=7).tobytes() == double.tobytes()
    with pytest.raises(ValueError, match=r"dtype='float16' is not allowed: give 'float64' or 'float32'"):
        matrix(X, y, dtype="float16")


def test_diagonals(table):
    X, y = table
    assert np.diag(mutual_information_matrix(X, binning="none")).tobytes() == entropy(X, binning="none").tobytes()
    diagonal = np.diag(conditional_mutual_information_matrix(X, y, binning="none"))
    assert diagonal.tobytes() == mutual_information(X, y, binning="none").tobytes()


def test_one_sample_tells_nothing():
    assert entropy([[3, 1]], binning="none").tolist() == [0, 0]
    assert mutual_information([[3, 1]], [0], binning="none").tolist() == [0, 0]
    assert mutual_information_matrix([[3, 1]], binning="none").tolist() == [[0, 0], [0, 0]]


def test_every_sample_its_own_code():
    """n codes in n samples: log2 n bits, however many the codes are beyond the bit planes."""
    codes = np.random.default_rng(0).permutation(1024).reshape(-1, 1)
    assert entropy(codes, binning="none").tolist() == [10]
    assert mutual_information(codes, np.arange(1024) % 2, binning="none").tolist() == [1]


FUNCTIONS = [entropy, mutual_information, mutual_information_matrix, conditional_mutual_information_matrix]


@pytest.mark.each_value
@pytest.mark.parametrize("estimator", list(ESTIMATORS))
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_weighted_row_is_so_many_rows(function, estimator):
    random = np.random.default_rng(3)
    n = 150
    y = random.integers(0, 3, n)
    X = np.column_stack([y + random.normal(0, 0.7, n), random.normal(size=n), random.integers(0, 4, n), y % 2])
    weights = random.integers(0, 5, n)
    for binning in ("mdl", "quantile"):
        try:
            expected = function(X.repeat(weights, axis=0), y.repeat(weights), binning=binning, estimator=estimator)
        except ValueError as error:  # what an estimator does not define is refused, weights or not
            with pytest.raises(ValueError, match=re.escape(str(error))):
                function(X, y, sample_weight=weights, binning=binning, estimator=estimator)
            continue
        found = function(X, y, sample_weight=weights.astype(float), binning=binning, estimator=estimator)
        assert found.tobytes() == expected.tobytes()
        assert found.tobytes() != function(X, y, binning=binning, estimator=estimator).tobytes()
    with pytest.raises(ValueError, match="sample_weight has 2 values but there are 150 samples"):
        function(X, y, sample_weight=[1, 2])


@pytest.mark.parametrize(
    "call",
    [
        lambda: mutual_information([[0], [1]], None),
        lambda: conditional_mutual_information_matrix([[0], [1]], None),
    ],
)
def test_target_is_needed(call):
    with pytest.raises(ValueError, match=r"a target is needed here: give y, one class a sample"):
        call()


def test_mistakes():
    with pytest.raises(ValueError, match=r"binning='mdk' is not known: give one of .* did you mean 'mdl'"):
        entropy([[0.5], [1.5]], binning="mdk")
    with pytest.raises(ValueError, match=r"X has 2 rows but y has 3 values"):
        mutual_information([[0], [1]], [0, 1, 1], binning="none")
    with pytest.raises(ValueError, match=r"^binning 'mdl' needs a target"):
        bitsieve.entropy([[0.5], [1.5]])  # MDL cuts by a class
    with pytest.raises(ValueError, match=r"NaN"):
        mutual_information([[0], [1]], [0.0, float("nan")], binning="none")


def test_an_unknown_estimator_is_refused_with_all_that_there_are():
    for quantity in (bitsieve.mutual_information, bitsieve.conditional_mutual_information_matrix):
        with pytest.raises(ValueError, match=r"estimator='ksk' is not known: .*ksg"):
            quantity([[0], [1]] * 5, [0, 1] * 5, estimator="ksk")
    with pytest.raises(ValueError, match="estimator='ksg' is not known"):
        bitsieve.entropy([[0], [1]] * 5, [0, 1] * 5, estimator="ksg")


def test_the_relevance_of_a_selection_is_the_corrected_information():
    X, y = load_breast_cancer(return_X_y=True)
    selection = bitsieve.select(X, y, n_features_to_select=30, estimator="corrected")
    corrected = bitsieve.mutual_information(X, y, estimator="corrected")
    assert selection.relevance.tolist() == corrected[selection.indices].tolist()
    assert bitsieve.select(X, y, n_features_to_select=30).relevance.tolist() == selection.relevance.tolist()
    plug_in = bitsieve.select(X, y, n_features_to_select=30, estimator="plug-in")
    assert plug_in.relevance.tolist() == bitsieve.mutual_information(X, y)[plug_in.indices].tolist()


@pytest.mark.parametrize("estimator", ["plug-in", "corrected"])
def test_half_of_the_conditional_entropy_bounds_the_error(table, estimator):
    X, y = table
    found = bitsieve.hellman_raviv_bound(X, y, binning="none", estimator=estimator)
    class_entropy = entropy(y[:, None], binning="none")[0]
    expected = (class_entropy - mutual_information(X, y, binning="none", estimator=estimator)) / 2
    assert found == pytest.approx(expected, abs=DEFINITION)


def test_no_classifier_of_the_bins_errs_more_often_than_the_bound():
    random = np.random.default_rng(3)
    for _ in range(50):
        X = random.integers(0, 4, (60, 3))
        y = random.integers(0, 2, 60)
        bounds = bitsieve.hellman_raviv_bound(X, y, binning="none")
        for column, bound in zip(X.T, bounds, strict=True):
            n_right = sum(np.bincount(y[column == value]).max() for value in np.unique(column))
            assert 1 - n_right / 60 <= bound + DEFINITION
