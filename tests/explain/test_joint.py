"""The joint information of the selected columns: near the truth, and for noise no more than chance."""

from __future__ import annotations

import re
from math import log2

import numpy as np
import pytest

import bitsieve
from bitsieve.information.protocol import MIN_MEAN_SAMPLES
from bitsieve.plots.displays import CurveDisplay
from bitsieve.report.page import render_page
from bitsieve.report.selection import answer_section


def joint_of(X, y, **how):
    return bitsieve.select(X, y, **how).evidence.joint


def headline(selection):
    return " ".join(render_page("", [answer_section(selection)]).split())


@pytest.mark.slow("a rate over many seeded tables")
@pytest.mark.parametrize("binning", ["mdl", "quantile"])
def test_noise_is_rarely_more_than_chance(binning):
    """At the level of 0.05, of 40 tables of noise more than 6 are so in one of 100 cases."""
    n_more = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        X = random.normal(size=(100, 8))
        y = random.integers(0, 2, 100)
        joint = joint_of(X, y, binning=binning, n_features_to_select=5)
        assert joint.bits < 0.25
        n_more += joint.is_more_than_chance
    assert n_more <= 6


def test_three_columns_have_what_they_were_made_with():
    """The class is the majority of three fair bits, and one in ten is flipped: I = 1 - h(0.1)."""
    truth = 1 + 0.1 * log2(0.1) + 0.9 * log2(0.9)
    for seed in range(2):
        random = np.random.default_rng(seed)
        X = random.integers(0, 2, (2000, 10))
        y = (X[:, :3].sum(axis=1) > 1) ^ (random.random(2000) < 0.1)
        joint = joint_of(X, y, n_features_to_select=3)
        assert joint.n_columns == 3
        assert joint.is_more_than_chance
        assert joint.bits == pytest.approx(truth, abs=0.06)  # four standard deviations of the share of flips


def test_columns_are_taken_together_as_far_as_the_rows_suffice():
    random = np.random.default_rng(0)
    X = random.integers(0, 4, (300, 12))
    y = random.integers(0, 2, 300)
    selection = bitsieve.select(X, y, n_features_to_select=10, binning="none")
    joint = selection.evidence.joint
    n_combinations = len(np.unique(X[:, selection.indices[: joint.n_columns]], axis=0))
    assert n_combinations * MIN_MEAN_SAMPLES <= 300
    n_combinations_of_more = len(np.unique(X[:, selection.indices[: joint.n_columns + 1]], axis=0))
    assert n_combinations_of_more * MIN_MEAN_SAMPLES > 300
    curve = CurveDisplay.of(selection.selector, selection.evidence).curve
    assert curve.joint[joint.n_columns - 1] == joint.bits
    assert curve.n_supported == joint.n_columns


def test_the_headline_of_noise_does_not_mislead():
    random = np.random.default_rng(0)
    X = random.integers(0, 4, (200, 12))
    text = headline(bitsieve.select(X, np.arange(200) % 2, n_features_to_select=10, binning="none"))
    assert "The first 2 together are not shown to have more information than chance" in text
    assert "For more columns there are fewer than 5 rows for each combination" in text
    assert re.search(r"\(\d+ %\)", text) is None
    keys = random.permutation(200)[:, None] % 100
    text = headline(
        bitsieve.select(np.hstack([keys, keys]), np.arange(200) % 2, n_features_to_select=2, binning="none")
    )
    assert "not known: there are fewer than 5 rows for each value of the first" in text


def test_a_report_on_matched_pairs_is_of_the_common_effect():
    random = np.random.default_rng(0)
    case = np.tile([1, 0], 200)
    X = (random.random((400, 3)) < 0.3 + 0.4 * case[:, None]).astype(int)
    pair = np.repeat(np.arange(200), 2).astype(str)
    selection = bitsieve.select(X, case, strata=pair, effect="common", method="mim", n_features_to_select=3)
    assert "not computed for an effect that all strata have in common" in headline(selection)
    curve = CurveDisplay.from_selection(selection).curve
    assert curve.joint[0] == pytest.approx(selection.relevance[0], rel=1e-12)  # sums in another order
    assert (np.diff(curve.joint) > 0).all()


def test_weighted_rows_are_repeated_ones():
    random = np.random.default_rng(1)
    X = random.normal(size=(150, 5))
    y = (X[:, 0] + X[:, 1] + random.normal(size=150) > 0).astype(int)
    weights = np.arange(150) % 3
    weighted = joint_of(X, y, sample_weight=weights, n_features_to_select=3)
    assert weighted == joint_of(X.repeat(weights, 0), y.repeat(weights), n_features_to_select=3)
    assert weighted.is_more_than_chance
