"""Weights: what is refused, and that every binner sees a weighted row as so many rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bitsieve import _native
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.target import read_target
from bitsieve.dataset.weights import read_weights
from bitsieve.discretization.transformers import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner, MDLBinner


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "sample_weight has 2 values but there are 3 samples: give one each"),
        ([[1], [2], [3]], r"sample_weight has shape \(3, 1\): it must be one weight a sample"),
        ([1, -2, -3], "sample_weight holds -2, and frequency weights are whole numbers"),
        ([1, 2 + 1j, 3], "sample_weight holds values that are no numbers: give whole numbers"),
        ([1, np.nan, 2], "sample_weight is missing in 1 of 3 samples: give each a weight"),
        ([1, np.inf, 2], "sample_weight holds inf, and frequency weights are whole numbers.*whole numbers from 0"),
        ([1, 0.5, 2], r"sample_weight holds 0\.5, and frequency weights are whole numbers.*weight_kind='sampling'"),
        ([0, 0, 0], "sample_weight is zero for every sample"),
        (["a", "b", "c"], "sample_weight holds values that are no numbers"),
        ([2**31, 1, 1], "sample_weight sums to 2,147,483,650 samples, at most 2,147,483,648 are supported"),
    ],
)
def test_bad_weights_are_refused_in_one_line(weights, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_weights(weights, 3, "frequency")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32, np.float64, object])
def test_whole_numbers_of_any_type(kind):
    weights = read_weights(np.array([3, 0, 1], kind), 3)
    assert weights.dtype == np.int64
    assert weights.tolist() == [3, 0, 1]


def test_one_each_is_no_weight():
    assert read_weights(None, 3) is None
    assert read_weights([1.0, 1.0, 1.0], 3) is None
    assert read_weights([True, True, False], 3).tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        list,
        pd.DataFrame,
        lambda rows: pl.DataFrame(rows, orient="row"),
        lambda rows: pa.table(pd.DataFrame(rows)),
    ],
)
def test_samples_of_weight_zero_are_absent_in_every_container(make):
    X = make([[1, 2], [3, 4], [5, 6]])
    table = read_xy(X, pa.array(["a", "b", "c"]), [2, 0, 1])
    assert table.weights.tolist() == [2, 1]
    assert [table.numeric(j).tolist() for j in range(2)] == [[1, 5], [2, 6]]
    assert table.target.labels[table.target.codes].tolist() == ["a", "c"]


@pytest.fixture(scope="module")
def weighted():
    """A table with ties, categories and missing values, classes that some columns follow, and weights with zeros."""
    random = np.random.default_rng(11)
    n = 400
    classes = random.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "follows": (classes + random.normal(0, 0.6, n)).round(1),
            "noise": random.normal(size=n),
            "few": random.integers(0, 4, n).astype(float),
            "words": random.choice(["x", "y", "only absent"], n, p=[0.5, 0.4, 0.1]),
            "holes": np.where(random.random(n) < 0.2, np.nan, classes + random.normal(0, 0.5, n)),
        }
    )
    weights = random.integers(0, 5, n)
    weights[frame["words"] == "only absent"] = 0
    weights[classes == 2] *= 2
    return frame, np.array(["a", "b", "c"])[classes], weights


@pytest.mark.parametrize(
    "binner",
    [
        MDLBinner(missing="bin"),
        MDLBinner(missing="bin", uncut="median", n_jobs=2),
        EqualFrequencyBinner(n_bins=4, missing="bin"),
        EqualFrequencyBinner(n_bins=100, missing="bin"),
        EqualWidthBinner(n_bins=7, missing="bin"),
    ],
    ids=repr,
)
def test_a_weighted_row_is_so_many_rows(binner, weighted):
    frame, classes, weights = weighted
    repeated = frame.loc[frame.index.repeat(weights)]
    expected = binner.fit(repeated, np.repeat(classes, weights))
    edges, categories = expected.bin_edges_, expected.categories_
    n_bins, codes = expected.n_bins_.tolist(), expected.transform(repeated)
    found = binner.fit(frame, classes, sample_weight=weights.astype(float))
    assert [edge.tolist() for edge in found.bin_edges_] == [edge.tolist() for edge in edges]
    assert [kept is None or kept.tolist() for kept in found.categories_] == [
        kept is None or kept.tolist() for kept in categories
    ]
    assert found.n_bins_.tolist() == n_bins
    assert np.array_equal(found.transform(frame[weights > 0]).repeat(weights[weights > 0], axis=0), codes)
    assert len(edges[0]) > 0


def test_categories_of_absent_rows_are_unknown():
    binner = CategoricalBinner().fit([[1], [2], [9]], sample_weight=[1, 3, 0])
    assert binner.categories_[0].tolist() == [1, 2]


@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_weighted_cuts_at_every_rank(fraction):
    random = np.random.default_rng(0)
    for _ in range(50):
        values = random.integers(0, 12, 15) + fraction  # whole numbers are counted, others are sorted
        weights = random.integers(1, 6, 15)
        repeated = np.sort(np.repeat(values, weights))
        for n_bins in (2, 3, 10):
            ranks = [int(np.floor(b * len(repeated) / n_bins + 0.5)) for b in range(1, n_bins)]
            cuts = sorted({repeated[rank - 1] for rank in ranks if rank > 0} - {repeated[-1]})
            assert _native.order_statistic_cuts([values], n_bins, weights)[0].tolist() == cuts
            assert _native.order_statistic_cuts([repeated], n_bins)[0].tolist() == cuts


def test_a_weighted_continuous_target():
    values = np.array([0.5, 1.5, 2.5, 3.5])
    weights = np.array([1, 1, 1, 9])
    target = read_target(values, target_kind=TargetKind(n_bins=3), weights=weights)
    assert (
        target.edges.tolist()
        == read_target(np.repeat(values, weights), target_kind=TargetKind(n_bins=3)).edges.tolist()
    )
    assert target.edges.tolist() != read_target(values, target_kind=TargetKind(n_bins=3)).edges.tolist()


def test_values_and_classes_of_absent_samples_do_not_matter():
    """Neither do missing and infinite ones, nor a class or a fraction that only they have."""
    X = pd.DataFrame({"a": [1.0, 2.0, np.inf, 3.0], "b": ["u", "v", None, "u"]})
    expected = read_xy(X.drop(index=2), [0, 1, 0], [1, 2, 3])
    for absent in (7.5, np.nan, np.inf, 4.0):
        table = read_xy(X, [0.0, 1.0, absent, 0.0], [1, 2, 0, 3])
        assert table.target.labels.tolist() == expected.target.labels.tolist() == [0, 1]
        assert table.target.codes.tolist() == expected.target.codes.tolist()
        assert table.weights.tolist() == expected.weights.tolist()
        assert table.numeric(0).tolist() == expected.numeric(0).tolist()
        assert table.categorical(1).categories.tolist() == expected.categorical(1).categories.tolist()
