"""The scale of points, and the points of bins."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from bitsieve import Points
from bitsieve.scorecards.card import points_of_woe

GOLDEN = json.loads((Path(__file__).parent / "golden" / "points.json").read_text("utf-8"))


def test_the_points_of_the_golden_case():
    scale = {name: GOLDEN[name] for name in ("pdo", "base_score", "base_odds")}
    points = Points(**scale, rounded=False)
    for woe, coefficient, expected in zip(GOLDEN["woe"], GOLDEN["coefficients"], GOLDEN["expected"], strict=True):
        found = points_of_woe(np.array(woe), coefficient, points, GOLDEN["intercept"], len(GOLDEN["coefficients"]))
        assert found == pytest.approx(expected, abs=1e-10)  # sums of rounded products


def test_the_scale_is_what_it_says():
    points = Points(pdo=20, base_score=600, base_odds=50)
    at_base = np.array([-math.log(50), -math.log(100), -math.log(25)])
    assert points.score_of(at_base) == pytest.approx([600, 620, 580], abs=1e-9)
    risk = Points(pdo=20, base_score=600, base_odds=50, direction="risk")
    assert risk.score_of(at_base) == pytest.approx([600, 580, 620], abs=1e-9)


@pytest.mark.parametrize(
    "wrong", [{"pdo": 0}, {"base_odds": -1}, {"direction": "up"}, {"rounded": 1}, {"base_score": "600"}]
)
def test_a_scale_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Points(**wrong)
