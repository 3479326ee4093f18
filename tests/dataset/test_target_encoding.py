"""The decimals to which numbers were rounded."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.dataset.target_encoding import _half_unit


@pytest.mark.parametrize(
    ("numbers", "half_unit"),
    [([0.0, 1.0], 0.5), ([0.5, 0.2], 0.05), ([0.25, 0.123], 0.0005), ([0.1, 1 / 3], 0.0)],
)
def test_half_a_unit_of_the_last_decimal(numbers, half_unit):
    assert _half_unit(np.array(numbers)) == pytest.approx(half_unit, rel=1e-12)
