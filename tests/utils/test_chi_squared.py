from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtrc

from bitsieve.utils.chi_squared import MAX_SUMMED_FREEDOM, chi_squared_tail


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 50, 99, MAX_SUMMED_FREEDOM, MAX_SUMMED_FREEDOM + 1, 5000])
def test_it_is_the_tail_of_scipy(freedom):
    statistics = [0.0, 1e-300, 1e-9, 0.1, 1.0, 3.84, 10.0, 100.0, 700.0, 1400.0]
    tails = [chi_squared_tail(freedom, x) for x in statistics]
    # The exponents of the terms reach 700, and so many roundings of 2^-53 are the relative error of a term.
    np.testing.assert_allclose(tails, chdtrc(freedom, statistics), rtol=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 9])
def test_it_falls_to_zero(freedom):
    assert chi_squared_tail(freedom, 1e5) == 0.0
