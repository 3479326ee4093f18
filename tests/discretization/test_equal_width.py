"""Equal width against its formula in float64, also where rounding matters most."""

import numpy as np
import pytest

from bitsieve.discretization.equal import _from_ordinals, _to_ordinals
from bitsieve.discretization.transformers import EqualWidthBinner


def formula(values, low, high, n_bins):
    return np.minimum(np.floor((values - low) / (high - low) * n_bins), n_bins - 1).astype(int)


@pytest.mark.parametrize("seed", range(40))
def test_codes_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    n_bins = int(rng.integers(2, 40))
    scale, shift = 10.0 ** rng.integers(-8, 8), rng.normal() * 10.0 ** rng.integers(-3, 6)
    values = rng.integers(-50, 50, 60) * scale + shift
    binner = EqualWidthBinner(n_bins=n_bins).fit(values[:, None])
    low, high = values.min(), values.max()
    edges = binner.bin_edges_[0]
    # every edge itself, its neighbours on both sides, and points between
    near = np.concatenate([values, edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
    near = np.concatenate([near[(near >= low) & (near <= high)], np.linspace(low, high, 997)])
    codes = binner.transform(near[:, None]).ravel()
    assert codes.tolist() == formula(near, low, high, n_bins).tolist()


def test_worked_by_hand():
    binner = EqualWidthBinner(n_bins=4).fit([[0.0], [8.0]])
    assert binner.bin_edges_[0].tolist() == [2, 4, 6]
    # a value on a cut goes right; the maximum belongs to the last bin; values beyond go to the outer bins
    assert binner.transform([[2.0], [1.9], [8.0], [-3.0], [50.0]]).ravel().tolist() == [1, 0, 3, 0, 3]


def test_ranges_around_zero_beyond_the_largest_float_and_of_one_step():
    largest = np.finfo(float).max
    binner = EqualWidthBinner(n_bins=2).fit([[-1.0, -largest], [1.0, largest]])
    assert binner.transform([[-1e-300, -1.0], [0.0, 0.0]]).tolist() == [[1, 1], [1, 1]]  # -1e-300 - (-1) is 1
    assert binner.transform([[-1e-10, -1e300]]).tolist() == [[0, 0]]
    step = EqualWidthBinner(n_bins=3).fit([[1.0], [np.nextafter(1.0, 2)]])
    assert step.transform([[1.0], [np.nextafter(1.0, 2)]]).ravel().tolist() == [0, 2]


def test_constant_column_is_one_bin_and_bins_may_be_empty():
    binner = EqualWidthBinner(n_bins=5).fit([[3.0, 0.0], [3.0, 10.0], [3.0, 9.9]])
    assert binner.n_bins_.tolist() == [1, 5]
    assert binner.transform([[3.0, 9.9]]).tolist() == [[0, 4]]


def test_missing_values_have_the_last_code():
    X = np.array([[0.0, np.nan, 4.0], [np.nan] * 3, [1.0, 1.0, np.nan]]).T
    binner = EqualWidthBinner(n_bins=2, missing="bin").fit(X)
    assert binner.n_bins_.tolist() == [3, 1, 2]
    assert binner.transform(X).T.tolist() == [[0, 2, 1], [0, 0, 0], [0, 0, 1]]


def test_many_columns_and_threads():
    X = np.random.default_rng(0).normal(size=(50, 300))
    binner = EqualWidthBinner(n_bins=1000)
    one = binner.fit_transform(X)
    assert (one == formula(X, X.min(axis=0), X.max(axis=0), 1000)).all()
    assert (EqualWidthBinner(n_bins=1000, n_jobs=3).fit_transform(X) == one).all()


def test_number_of_bins_is_checked():
    with pytest.raises(ValueError, match="n_bins=0 is not allowed"):
        EqualWidthBinner(n_bins=0).fit([[1.0], [2.0]])


def test_ordinals_are_ordered_and_adjacent_as_the_floats_are():
    values = np.array(
        [-np.inf, -1.7e308, -2.0, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, np.nextafter(1, 2), 1.7e308, np.inf]
    )
    found = _to_ordinals(values)
    assert found[values == 0].tolist() == [0, 0]
    assert (np.diff(found)[values[1:] != 0] > 0).all()
    assert found[4:8].tolist() == [-1, 0, 0, 1]
    assert found[9] - found[8] == 1
    np.testing.assert_array_equal(_from_ordinals(found), values)
    np.testing.assert_array_equal(_to_ordinals(-values), -found)
