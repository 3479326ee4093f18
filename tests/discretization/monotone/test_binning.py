"""``binning="monotone"``: the cuts of MonotoneBinner for every method."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

import bitsieve
from bitsieve import MonotoneBinner
from bitsieve.counts.search import Parts, dependence_of_codes
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.separate_zero import SeparateZeroBinning


def made_table(gaps: bool = True):
    random = np.random.default_rng(2)
    n = 400
    y = random.integers(0, 2, n)
    near = np.round(random.normal(size=n) + 1.5 * y, 1)
    if gaps:
        near[random.random(n) < 0.1 + 0.2 * y] = np.nan
    return pa.table({"near": near, "noise": random.normal(size=n), "word": np.array(["a", "b"])[y]}), y


@pytest.mark.parametrize("n_bins", [2, 10])
def test_the_cuts_are_those_of_monotone_binner(n_bins):
    X, y = made_table()
    binner = make_binner("monotone", n_bins=n_bins).for_table(read_xy(X, y))
    binner.fit_table(read_xy(X, y))
    expected = MonotoneBinner(max_n_bins=n_bins).fit(X, y)
    for j in range(2):
        assert binner.bin_edges_[j].tolist() == expected.edges_[j].tolist()
    assert binner.categories_of(2).tolist() == ["a", "b"]


def test_a_column_that_separates_the_classes_is_cut_between_them():
    y = np.arange(40) >= 20
    selector = bitsieve.ForwardSelector(1, binning="monotone").fit(np.arange(40.0).reshape(-1, 1), y)
    assert selector.binner_.bin_edges_[0].tolist() == [19.0]
    assert selector.binner_.transform([[19.0], [20.0], [100.0]]).ravel().tolist() == [0, 1, 1]


def test_of_equally_good_cuts_the_rate_of_the_second_class_rises():
    values = np.repeat([0.0, 1.0, 2.0], 40)
    y = np.tile(np.arange(40), 3) < np.repeat([10, 30, 10], 40)  # the same rate of the first and the last value
    for target, cut in ((y, 0.0), (~y, 1.0)):
        table = read_xy(values[:, None], target)
        binner = make_binner("monotone").for_table(table).fit_table(table)
        assert binner.bin_edges_[0].tolist() == [cut]


def test_weights_stand_for_repeated_rows():
    X, y = made_table()
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    binner = make_binner("monotone", missing="bin")
    weighted = binner.unfitted().fit_table(read_xy(X, y, weights))
    repeated = binner.unfitted().fit_table(read_xy(X.take(rows), y[rows]))
    assert [edges.tolist() for edges in weighted.bin_edges_] == [edges.tolist() for edges in repeated.bin_edges_]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_search_with_the_classes_of_the_table_makes_the_fitted_codes(is_sparse):
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 300)
    numbers = np.round(random.normal(size=(300, 3)) + y[:, None], 1)
    numbers[random.random((300, 3)) < 0.3] = 0
    table = read_xy(csr_array(numbers) if is_sparse else numbers, y)
    binner = make_binner("monotone", missing="bin").for_table(table)
    if is_sparse:
        binner = SeparateZeroBinning(binner)
    search = binner.fit_table(table).search(table)
    classes = np.stack([search.classes, random.permutation(search.classes)])
    columns = np.arange(3)
    recoded = dict(search.recoded(classes[0], columns))
    for j in range(3):  # zeros of a sparse table have the last code here, and the first in the table
        assert len(set(zip(recoded[j].tolist(), search.codes(j).tolist(), strict=True))) == binner.n_bins_[j] - 1
    all_rows = Parts.of(np.zeros(300, np.int64))
    terms = make_entropy_terms(300)
    dependence = search.dependence(classes, columns, all_rows, terms)
    for j in range(3):
        expected = dependence_of_codes(search.codes(j), classes[:1], 2, all_rows, terms)
        assert dependence.sums[j, 0] == expected.sums[0, 0]
        assert dependence.sums[j, 0] > dependence.sums[j, 1]


@pytest.mark.slow("shuffles for every column")
def test_a_test_by_shuffles_selects_no_noise():
    random = np.random.default_rng(5)
    selection = bitsieve.select(
        random.normal(size=(100, 3)),
        random.integers(0, 2, 100),
        binning="monotone",
        method="mim",
        stopping="permutation",
    )
    assert selection.features == []


@pytest.mark.parametrize("target_kind", ["classes", "quantity"])
def test_a_target_of_more_than_two_classes_is_refused(target_kind):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="needs a target of two classes") as caught:
        bitsieve.select(X, y if target_kind == "classes" else X[:, 0], binning="monotone", target_kind=target_kind)
    assert caught.value.code == "wrong-kind-of-target"


def test_a_selection_is_saved_and_applied(tmp_path):
    X, y = made_table()
    selection = bitsieve.select(X, y, binning="monotone", n_features_to_select=2)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded.features == selection.features
    selector = bitsieve.ForwardSelector(2, binning="monotone").fit(X, y)
    assert list(selector.get_feature_names_out()) == sorted(selection.features, key=X.column_names.index)
