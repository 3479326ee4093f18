"""What the columns of a table hold, and the columns that are kept as bytes to be read faster."""

from itertools import product

import numpy as np
import pytest
from tests.cover import quick_and_slow

import bitsieve.dataset.value_ranges as looking
from bitsieve import _native
from bitsieve.dataset.encoding import Encoded
from bitsieve.dataset.value_ranges import FRACTIONS, INFINITE, MISSING, NUMBERS, find_value_ranges

TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
SHAPES = [(1, 1), (17, 3), (63, 130), (64, 65), (65, 33), (300, 200)]  # about the blocks of rows and columns


def numbers_of(extents, j):
    return np.asarray(extents.column(j))


@pytest.mark.each_value
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(
    ("order", "n_jobs"),
    quick_and_slow(product("CF", [1, 2]), quick={("C", 2), ("F", 1)}, reason="the same layout by other threads"),
)
def test_the_columns_are_those_of_the_table(monkeypatch, kind, order, n_jobs):
    monkeypatch.setattr(looking, "_MIN_BLOCK_SIZE", 64)
    rng = np.random.default_rng(0)
    for n_samples, n_features in SHAPES:
        X = np.array(rng.integers(0, 120, (n_samples, n_features)), kind, order=order)
        wider = np.flatnonzero(rng.random(n_features) < 0.3)
        if np.dtype(kind).itemsize > 1:  # some columns that bytes do not hold
            X[-1, wider] = 256
        for columns in (X, [X[:, j] for j in range(n_features)]):
            found = find_value_ranges(columns, n_jobs, find_fractions=True)
            assert sorted(np.concatenate([block.indices for block, _, _ in found.blocks]).tolist()) == list(
                range(n_features)
            )
            for block, low, high in found.blocks:
                assert low.dtype == high.dtype == (np.float64 if X.dtype.kind == "f" else X.dtype)
                assert (low == X[:, block.indices].min(axis=0)).all()
                assert (high == X[:, block.indices].max(axis=0)).all()
            assert all((numbers_of(found, j) == X[:, j]).all() for j in range(n_features))
            assert (found.content == NUMBERS).all()


@pytest.mark.parametrize("kind", ["int16", "int64", "uint32", "float32", "float64"])
def test_bytes_are_taken_where_every_number_is_one(kind):
    rng = np.random.default_rng(1)
    X = np.array(rng.integers(0, 256, (5_000, 6)), kind, order="F")
    X[-1, 0], X[0, 1] = 255, 0
    others = {2: 256, 3: -1 if X.dtype.kind != "u" else 300}
    if X.dtype.kind == "f":
        others |= {4: 0.5, 5: np.nan}
    for j, value in others.items():
        X[-1, j] = value  # found at the end, after many bytes
    found = find_value_ranges(X, 1, find_fractions=True)
    assert [numbers_of(found, j).dtype == np.uint8 for j in range(6)] == [j not in others for j in range(6)]
    assert all(np.array_equal(numbers_of(found, j), X[:, j], equal_nan=X.dtype.kind == "f") for j in range(6))


def test_columns_in_rows_are_bytes_together_or_not_at_all():
    """Else the columns that are left would be read one by one, each with the memory of its neighbours."""
    X = np.ones((300, 40))
    assert find_value_ranges(X, 1, find_fractions=False).blocks[0].block.values.dtype == np.uint8
    X[299, 39] = 1e9
    assert find_value_ranges(X, 1, find_fractions=False).blocks[0].block.values.dtype == np.float64


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.int16])
def test_of_many_columns_in_rows_only_those_near_one_that_is_no_byte_are_none(kind):
    X = np.arange(130 * 700, dtype=np.int64).reshape(130, 700) % 256
    X[129, 300] = 256
    X = X.astype(kind)
    out = np.empty(X.shape, np.uint8, order="F")
    fits = np.asarray(_native.as_bytes(X, out), bool)
    assert not fits[300]
    assert fits.sum() >= 700 - 64
    assert np.array_equal(out[:, fits], X[:, fits])


@pytest.mark.parametrize("value", [-0.5, 255.5, 256.0, -1.0, np.nan, np.inf, -np.inf, 1e300, -1e-300, 2.0**31, 2.0**63])
@pytest.mark.parametrize("rows", [False, True])
def test_other_floats_are_no_bytes(value, rows):
    X = np.zeros((70, 2), order="C" if rows else "F")
    X[69, 1] = value
    out = np.empty(X.shape, np.uint8, order="F")
    fits = _native.as_bytes(X, out).tolist()
    assert fits == [not rows, False]


def test_as_bytes_refuses_another_shape():
    with pytest.raises(ValueError, match="out has the shape of the columns"):
        _native.as_bytes(np.zeros((3, 2)), np.empty((2, 3), np.uint8, order="F"))


def test_what_is_held_is_found_in_every_column():
    X = np.array([[1, 0.5, np.nan, np.inf, np.nan], [2, 1, 3, 4, np.nan]])
    found = find_value_ranges(
        [*X.T, Encoded(np.array([0, -1], np.int32), np.array(["a"], object))], 1, find_fractions=True
    )
    assert found.columns_with(NUMBERS) == [0, 1, 2, 3, 5]
    assert found.columns_with(MISSING) == [2, 4, 5]
    assert found.columns_with(INFINITE) == [3]
    assert 1 in found.columns_with(FRACTIONS)
    assert 0 not in found.columns_with(FRACTIONS)


@pytest.mark.parametrize("base", [0.0, 2.0**40])
def test_whole_columns_beside_fractions_are_whole(base):
    X = np.full((70, 6), base)
    X[:, 1::2] += 0.5
    for order in "CF":
        holds, _, _ = _native.extent(np.asarray(X, order=order), True)
        assert (holds & FRACTIONS > 0).tolist() == 3 * [False, True]


def test_what_native_code_does_not_take_is_converted():
    values = np.array([1.5, -2.0, 3.25])
    unaligned = np.ndarray(3, np.float64, bytearray(25), offset=1)
    unaligned[:] = values
    swapped = values.astype(values.dtype.newbyteorder())
    for given in (unaligned, swapped, values.astype(np.float16), values.astype(np.longdouble)):
        converted = looking._native_type(given)
        assert converted.dtype.isnative
        assert converted.flags.aligned
        assert converted.itemsize in (4, 8)
        assert converted.tolist() == values.tolist()
    assert looking._native_type(values) is values
