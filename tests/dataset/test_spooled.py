"""Sparse tables in a spool: whatever they are asked, they answer as the table in memory does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from bitsieve.counts.sparse import SparseSource
from bitsieve.dataset import sparse
from bitsieve.dataset.column_info import empty_columns
from bitsieve.dataset.read import read_xy
from bitsieve.dataset.value_ranges import Advice
from bitsieve.diagnostics import UserError
from bitsieve.discretization.registry import RULES, make_binner
from bitsieve.discretization.transformers import ZeroApartBinner
from bitsieve.io.spool import SpoolAllocator
from bitsieve.io.spooled_columns import SpooledColumns
from bitsieve.pipeline.discretize import count_table


@pytest.fixture(scope="module")
def values():
    """Whole numbers in columns of all densities: one full of one number, one of missing values, one of zeros."""
    random = np.random.default_rng(2)
    X = random.integers(-3, 4, (90, 15)) * (random.random((90, 15)) < np.linspace(0, 1, 15)).astype(float)
    X[:, 3], X[:, 7], X[::4, 9] = 5, np.nan, np.nan
    return X


@pytest.fixture
def both(values, tmp_path, monkeypatch):
    """``both(X, y, weights)``: the tables in memory and in a spool, of which a few values are looked at at once."""
    monkeypatch.setattr(sparse, "BLOCK_VALUES", 25)

    def make(X=values, y=None, weights=None):
        y = np.arange(len(X)) % 2 if y is None else y
        of = csc_array(X)
        columns = SpooledColumns(of.shape, of.indptr.astype(np.int64), of.indices, of.data, SpoolAllocator(tmp_path))
        return read_xy(of, y, weights), read_xy(columns, y, weights)

    return make


def same(spooled, expected):
    assert "rows" not in spooled.capabilities
    assert "rows" in expected.capabilities
    assert (spooled.n_samples, list(spooled.names), spooled.dropped) == (
        expected.n_samples,
        list(expected.names),
        expected.dropped,
    )
    for name in ("start", "row", "value", "has_zeros", "has_numbers", "constant"):
        np.testing.assert_array_equal(getattr(spooled.stored, name), getattr(expected.stored, name))
    np.testing.assert_array_equal(spooled.stored.bounds, expected.stored.bounds)
    np.testing.assert_array_equal(spooled.target.codes, expected.target.codes)
    assert spooled.target.labels.tolist() == expected.target.labels.tolist()
    assert (spooled.weights is None) == (expected.weights is None)
    if spooled.weights is not None:
        np.testing.assert_array_equal(spooled.weights, expected.weights)


def test_what_the_columns_hold(both):
    expected, spooled = both()
    same(spooled, expected)
    assert empty_columns(spooled.summarize()) == empty_columns(expected.summarize()) == [7]
    for j in range(15):
        np.testing.assert_array_equal(spooled.numeric(j), expected.numeric(j))


def test_rows_and_columns_that_are_left_out(both):
    random = np.random.default_rng(0)
    expected, spooled = both()
    for rows in (np.arange(0, 90, 7), random.permutation(90), random.integers(0, 90, 200), np.repeat(np.arange(90), 3)):
        same(spooled.take(rows), expected.take(rows))
    same(spooled.without([7, 0, 3]), expected.without([7, 0, 3]))
    weights = random.integers(0, 3, 90)
    expected, spooled = both(weights=weights)
    assert spooled.n_samples == np.count_nonzero(weights)
    same(spooled, expected)


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_values_that_are_refused(both, values, wrong):
    X = np.nan_to_num(values)
    X[[3, 80, 81], [2, 12, 12]] = wrong
    messages = []
    for table in both(X):
        with pytest.raises(UserError) as caught:
            table.stored.check_finite(table.names, allow_missing=False, advice_on_missing=Advice(""))
        assert caught.value.code == ("missing-values" if np.isnan(wrong) else "infinite-values")
        assert list(caught.value.columns) == ["x2", "x12"]
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("binning", RULES)
def test_codes_lie_in_the_spool(both, values, binning, monkeypatch):
    given = []  # what was allocated in the spool
    monkeypatch.setattr(
        SpoolAllocator, "__call__", lambda *of, call=SpoolAllocator.__call__: given.append(call(*of)) or given[-1]
    )
    expected, spooled = both()
    rule = make_binner(binning, missing="bin")
    mine, theirs = (count_table(table, rule) for table in (spooled, expected))
    assert isinstance(mine.information.source, SparseSource)
    found, wanted = (of.information.source.listed for of in (mine, theirs))
    for name in ("start", "row", "code", "common"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert found.code is given[0]
    assert [(array.dtype, len(array)) for array in given[1:]] == [
        (np.int32, len(found.code)),
        (np.uint16, len(found.code)),
    ]
    assert mine.information.relevance.tobytes() == theirs.information.relevance.tobytes()


def test_numbers_that_were_not_there_when_fitting(both, values):
    X = np.nan_to_num(values)
    binner = ZeroApartBinner("none").fit(csc_array(X), np.arange(90) % 2)
    X[85, 13] = 77
    messages = []
    for table in both(X):
        with pytest.raises(ValueError, match=r"^column 'x13' holds 77.0, which was not there when fitting") as caught:
            binner.codes(table)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
