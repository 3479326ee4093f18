"""The same numbers give the same bins and codes, however they lie in memory and whatever their type."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from tests.cover import quick_and_slow

from bitsieve import _native
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.transformers import CategoricalBinner, EqualFrequencyBinner, EqualWidthBinner, MDLBinner
from bitsieve.engines.local import make_source

TYPES = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)] + ["float32", "float64"]
QUICK_TYPES = ("int8", "uint32", "float32", "float64")
BINNERS = [CategoricalBinner(), EqualFrequencyBinner(n_bins=4), EqualWidthBinner(n_bins=5), MDLBinner(uncut="median")]


def numbers(kind, n_samples=203, n_features=75):
    """More columns than a cache line holds, some of few numbers and some of many, with gaps."""
    random = np.random.default_rng(4)
    most = random.integers(1, 120, n_features)
    return (random.integers(0, most, (n_samples, n_features)) * random.integers(1, 3, n_features) % 127).astype(kind)


@pytest.mark.each_value
@pytest.mark.parametrize("binner", BINNERS, ids=repr)
@pytest.mark.parametrize(
    "kind", quick_and_slow(TYPES, quick=QUICK_TYPES, reason="whole numbers or floats of another size")
)
def test_every_type_and_order_gives_the_same_codes(binner, kind):
    X = numbers(kind)
    y = np.digitize(X[:, 3].astype(float) + X[:, 5], [40, 80])
    expected = binner.fit(numbers("float64"), y).transform(numbers("float64"))
    wide = np.zeros((2 * len(X), X.shape[1] + 5), kind)
    wide[::2, 2:-3] = X
    others = [X, np.asfortranarray(X), wide[::2, 2:-3], X[:, ::-1][:, ::-1], pl.DataFrame(X)]
    for threads, table in enumerate(others, 1):
        codes = binner.set_params(n_jobs=threads).fit(table, y).transform(table)
        assert codes.flags.f_contiguous
        assert np.array_equal(codes, expected)
    if isinstance(binner, CategoricalBinner):
        assert all(np.array_equal(binner.categories_[j], np.unique(X[:, j])) for j in range(X.shape[1]))
        assert np.array_equal(expected[:, 7], np.unique(X[:, 7], return_inverse=True)[1])


def test_codes_stay_where_they_are():
    X = np.tile(np.arange(4, dtype=np.uint8), (5, 1)).T.copy()
    table = read_xy(X)
    binner = CategoricalBinner().fit_table(table)
    assert binner.codes(table) is table.matrix
    copied = binner.transform(X)
    copied[:] = 9
    assert X.max() == 3


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_codes_of_columns_that_will_be_packed(kind):
    """Columns of bytes that are their own codes stay where they are; other numbers are written to the buffer."""
    columns = [np.arange(6, dtype=kind) % 3, np.arange(6, dtype=kind) % 2]
    table = read_xy(pl.DataFrame({"a": columns[0], "b": columns[1]}))
    buffer = np.empty(2 * 6 * 2, np.uint8)
    codes = CategoricalBinner().fit_table(table).codes(table, buffer)
    if kind is np.uint8:
        assert [column.tolist() for column in codes] == [column.tolist() for column in columns]
        assert not any(np.shares_memory(column, buffer) for column in codes)
    else:
        assert codes.T.tolist() == [column.tolist() for column in columns]
        assert np.shares_memory(codes, buffer)


@pytest.mark.parametrize(
    "column",
    [
        np.array([0, 70_000, 3]),
        np.array([-(2**62), 2**62, 3]),
        np.array([2**63 - 100, 2**64 - 1, 3], np.uint64),
        np.array([2**63 - 1, 2**63 + 1, 2**63 + 9], np.uint64),
    ],
)
def test_numbers_far_apart_and_near_the_ends_of_their_type(column):
    X = column[:, None]
    binner = CategoricalBinner()
    assert binner.fit_transform(X).ravel().tolist() == np.argsort(np.argsort(column)).tolist()
    assert binner.categories_[0].tolist() == np.sort(column).tolist()
    with pytest.raises(ValueError, match="not there when fitting"):
        binner.transform(X - X.dtype.type(1))


def test_repeated_and_mixed_columns_are_packed_alike_in_every_order():
    random = np.random.default_rng(2)
    codes = random.integers(0, random.integers(1, 6, 75), (300, 75)).astype(np.uint8)
    codes[:, [3, 40]] = 0
    classes, weights = random.integers(0, 3, 300), random.integers(1, 4, 300)
    ordered = np.repeat(np.argsort(classes, kind="stable"), weights[np.argsort(classes, kind="stable")])
    for order in "CF":
        source = make_source(np.asarray(codes, order=order), classes, weights=weights)
        assert all(np.array_equal(source.codes(j), codes[ordered, j]) for j in range(75))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ends": np.array([2])}, "ends do not reach"),
        ({"ends": np.array([5])}, "an end"),
        ({"position": np.array([1])}, "position is 1"),
        ({"missing_code": np.array([256])}, "missing_code is 256"),
        ({"out": np.zeros((2, 1), np.uint8, order="F")}, "one row a row"),
    ],
)
def test_native_refuses_what_does_not_fit(change, message):
    zero = np.zeros(1, np.int64)
    given = {
        "ends": np.array([3]),
        "missing_code": zero,
        "position": zero,
        "out": np.zeros((3, 1), np.uint8, order="F"),
    }
    given |= change
    with pytest.raises(ValueError, match=message):
        _native.code_by_cuts("portable", np.zeros((3, 1)), cuts=np.arange(3.0), left=True, **given)
    with pytest.raises(ValueError, match=message):
        _native.code_categories(np.zeros((3, 1)), categories=np.arange(3), are_unsigned=False, **given)


@pytest.mark.parametrize("n_samples", [569, 3000])
def test_cuts_of_long_columns_are_those_of_any_order(n_samples):
    """Columns that are longer than what is read of many of them in passing."""
    X = np.random.default_rng(0).normal(size=(n_samples, 70))
    for binner in (EqualFrequencyBinner(), EqualWidthBinner(), MDLBinner()):
        y = None if not isinstance(binner, MDLBinner) else (X[:, 0] > X[:, 1])
        found = [clone(binner).fit(table, y) for table in (X, np.asfortranarray(X))]
        assert [edges.tolist() for edges in found[0].bin_edges_] == [edges.tolist() for edges in found[1].bin_edges_]
        assert (found[0].transform(X) == found[1].transform(np.asfortranarray(X))).all()
