"""Values of results that are equal, and those that are not."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.results.equality import equal_values

NAN = float("nan")


@pytest.mark.parametrize(
    ("first", "second", "are_equal"),
    [
        (np.array([1.0, NAN]), np.array([1.0, NAN]), True),
        (np.array([1.0, NAN], object), np.array([1.0, NAN]), True),
        (np.array([1.0, NAN]), np.array([1.0, NAN], object), True),
        (np.array(["a", None], object), np.array(["a", None], object), True),
        (np.array([1.0, 2.0]), np.array([1.0, NAN]), False),
        (np.array([1.0]), np.array([1.0, 1.0]), False),
        (np.array([1.0]), [1.0], False),
        ({"a": NAN}, {"a": NAN}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1, (2.0, NAN)], (1, [2.0, NAN]), True),
        ([1], [1, 1], False),
    ],
)
def test_nan_equals_nan_in_arrays_and_containers(first, second, are_equal):
    assert equal_values(first, second) == are_equal
    assert equal_values(second, first) == are_equal
