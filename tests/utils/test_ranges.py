"""Ranges of integers that are joined are those of a loop."""

import numpy as np
import pytest

from bitsieve.utils.ranges import joined_ranges


@pytest.mark.parametrize(
    ("starts", "lengths"),
    [
        ([], []),
        ([4], [0]),
        ([7, 0, 3, 3], [2, 3, 0, 1]),
        ([0, 10, 20], [1, 1, 1]),
    ],
)
def test_ranges_are_those_of_a_loop(starts, lengths):
    expected = [i for start, length in zip(starts, lengths, strict=True) for i in range(start, start + length)]
    joined = joined_ranges(np.array(starts, np.int64), np.array(lengths, np.int64))
    assert joined.tolist() == expected
    assert joined.dtype == np.int64
