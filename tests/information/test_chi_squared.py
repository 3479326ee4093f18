import numpy as np
import pytest
from scipy import special

from bitsieve.information.chi_squared import log_chi_squared_tail, log_tail_bound_of_one_degree


def test_what_is_below_the_tail_of_one_degree_is_so_by_little():
    """``exp(-a^2) / (a + sqrt(a^2 + 2)) < erfc(a) sqrt(pi) / 2 < exp(-a^2) / (a + sqrt(a^2 + 4 / pi))``."""
    x = np.concatenate([[0.0], np.geomspace(1e-6, 1200, 400)])
    tail, below = log_chi_squared_tail(1, x), log_tail_bound_of_one_degree(x)
    half = x / 2
    gap = np.log(np.sqrt(half) + np.sqrt(half + 2)) - np.log(np.sqrt(half) + np.sqrt(half + 4 / np.pi))
    assert (below <= tail).all()
    # The margin for rounding is 1e-12 of the logarithm, which are 600 here at most; twice, for that of the bound above.
    assert (tail - below <= gap + 2e-12 * (1 + half)).all()


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 57, 1200])
def test_the_tail_of_chi_squared_is_that_of_scipy(freedom):
    x = freedom * np.concatenate([[0.0], np.geomspace(1e-3, 3, 50)])
    expected = np.log(special.chdtrc(freedom, x))
    found = log_chi_squared_tail(np.full((3, len(x)), freedom), np.stack([x, x, x]))
    np.testing.assert_allclose(
        found, [expected] * 3, rtol=1e-10, atol=1e-10
    )  # 600 terms, each rounded to 1e-16 of 1,000


@pytest.mark.parametrize("freedom", [1100, 1101, 4000, 4001])
def test_a_tail_is_the_same_beside_another_one_whose_terms_fall_later(freedom):
    x = np.array([0.0, 40.0, 900.0, 1000.0, 3000.0])
    alone = [log_chi_squared_tail(freedom, x[[j]])[0] for j in range(len(x))]
    assert log_chi_squared_tail(freedom, np.append(x, 1e5))[:-1].tolist() == alone


def test_a_tail_of_chi_squared_too_small_for_a_float():
    x = np.array([1400.0, 5000.0, 1e6])
    exact = np.log(2) + special.log_ndtr(-np.sqrt(x))
    np.testing.assert_allclose(log_chi_squared_tail(1, x), exact, rtol=1e-13)  # sums of some ten terms
    assert log_chi_squared_tail(2, np.array([5000.0])).tolist() == [-2500.0]
