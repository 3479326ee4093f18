import numpy as np
import pytest
from scipy.stats import poisson

from bitsieve.information.poisson_excess import poisson_excess


def test_the_series_of_a_poisson_count_continues_the_sum():
    below, above = poisson_excess(np.array([128 - 1e-9, 128.0]))
    assert below == pytest.approx(above, abs=1e-9)
    assert poisson_excess(np.array([0.0])).tolist() == [0.0]


@pytest.mark.parametrize("mean", [0.01, 0.5, 1.0, 7.25, 100.0])
def test_the_excess_of_a_poisson_count_is_its_definition(mean):
    count = np.arange(1, 400)
    excess = (poisson.pmf(count, mean) * (count * np.log2(count / mean))).sum()  # as E[k] = mean
    assert poisson_excess(np.array([mean]))[0] == pytest.approx(excess, abs=1e-11)  # sums of about 700 are rounded


def test_the_excess_of_a_poisson_count_has_the_same_bits_on_every_processor():
    bits = {0.01: "0x1.108a859bd3108p-4", 1.0: "0x1.a78cb5285b9f3p-1", 7.25: "0x1.7ba268ab1dd40p-1"}
    bits |= {100.0: "0x1.71f3a64c61000p-1", 1000.0: "0x1.71643c6ebeb98p-1"}
    means = np.array(list(bits))
    assert [excess.hex() for excess in poisson_excess(means).tolist()] == list(bits.values())


@pytest.mark.parametrize("mean", [128.0, 200.0, 1000.0])
def test_the_series_of_a_poisson_count_is_the_sum(mean):
    count = np.arange(1, int(mean + 15 * np.sqrt(mean)))
    excess = (poisson.pmf(count, mean) * (count * np.log2(count / mean))).sum()  # as E[k] = mean
    assert poisson_excess(np.array([mean]))[0] == pytest.approx(excess, abs=1e-10)  # the error of the series
