"""The tables of quantities: the true information by quadrature, and what they find in small form."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cover import quick_and_slow

from benchmarks import quantities


@pytest.mark.parametrize(
    "strength", quick_and_slow(quantities.STRENGTHS[[0, 5, 9]], quick=quantities.STRENGTHS[[9]], reason="fine grids")
)
def test_the_quadrature_gives_what_is_known_in_closed_form(strength):
    linear, discrete = quantities.FAMILIES["linear"], quantities.FAMILIES["discrete x"]
    # 800 places of x for all of them: the tails beyond the outermost are lost
    assert linear.information(strength) == pytest.approx(np.log2(1 + strength**2) / 2, rel=5e-3)
    assert discrete.information(1_000 * strength, n_y=60_000) == pytest.approx(2, abs=1e-4)  # of the grid


def test_the_grid_of_independent_ranks_is_one_cell():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 400))
    assert quantities.optimal_grid(x, y) == pytest.approx(0, abs=1e-12)  # the rounding of sums of logarithms
    assert quantities.optimal_grid(x, x) > 1


def test_classes_find_more_than_cuts_by_description(monkeypatch):
    kept = ("classes and bins", "5 classes, mdl")
    monkeypatch.setattr(quantities, "CHOICES", {name: quantities.CHOICES[name] for name in kept})
    monkeypatch.setattr(quantities, "DESIGNS", {name: quantities.DESIGNS[name] for name in ("linear", "steps")})
    found = {name: np.mean(list(of.values())) for name, of in quantities.shares(200, 3, n_columns=40).items()}
    assert found["classes and bins"] > found["5 classes, mdl"] + 0.1
