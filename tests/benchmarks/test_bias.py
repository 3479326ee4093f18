"""The table of biases: its true information, and what it finds in small form."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import bias


@pytest.mark.parametrize("shape", bias.SHAPES)
@pytest.mark.parametrize("truth", bias.TRUTHS)
def test_the_share_gives_the_truth(shape, truth):
    share = bias.share_for(truth, *shape)
    assert share is not None
    assert bias.information_of_mixture(share, *shape) == pytest.approx(truth, abs=1e-9)  # by bisection
    assert bias.share_for(np.log2(shape[1]) + 0.1, *shape) is None


@pytest.mark.parametrize(
    ("samples", "codes", "classes", "truth"), [(200, 10, 2, 0.0), (800, 50, 2, 0.5), (800, 10, 10, 1.0)]
)
def test_corrected_is_near_the_truth_from_four_samples_a_cell(samples, codes, classes, truth):
    found = bias.errors(samples, codes, classes, truth, 40)
    standard_error = found["corrected"].std() / 40**0.5
    assert abs(found["corrected"].mean()) < 0.02 + 3 * standard_error
    assert found["plug-in"].mean() > 0.02


def test_a_true_column_is_ranked_above_noise_of_many_values():
    shares = bias.ranked_first(bias.one_among_fifty(0.8), "jmi", 10)
    assert shares["corrected"] == 1  # plug-in: 0.6 of 200 tables
    assert shares["plug-in"] < 1
