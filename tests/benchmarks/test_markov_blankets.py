"""The study of Markov blankets in small form: true blankets, recovery, and levels."""

import numpy as np
import pytest
from benchmarks.markov_blankets import DESIGNS, Design, Network, f1, recovery_of_searches, rejected_shares

from benchmarks import markov_blankets
from bitsieve.information.independence import TestOptions


def test_the_true_blanket_has_parents_children_and_their_other_parents():
    network = Network(parents=[[], [], [0, 1], [2]], shares=[])
    assert [network.blanket(column) for column in range(4)] == [{1, 2}, {0, 2}, {0, 1, 3}, {2}]


def test_f1():
    assert f1(set(), set()) == 1
    assert f1({1}, set()) == 0
    assert f1({1, 2}, {2, 3, 4}) == pytest.approx(0.4)  # 2 of 5


def test_blankets_of_a_random_network_are_recovered():
    network = Network.random(0, 8)
    scores = recovery_of_searches(network, network.sample(3000, 1))
    assert scores["iamb-fdr"] > 0.7


def test_samples_have_the_shares_of_the_network():
    network = Network.random(0, 4)
    first = network.sample(20_000, 1)[:, 0]
    # four standard deviations of a share of 20,000
    np.testing.assert_allclose(np.bincount(first) / 20_000, network.shares[0][0], atol=4 * 0.5 / 20_000**0.5)


def test_levels_of_a_small_design(monkeypatch):
    monkeypatch.setattr(markov_blankets, "TABLES", 200)
    shares = rejected_shares(Design(500, (4, 4), 16), {"scaled": TestOptions(), "g": TestOptions(test="g")})
    assert shares["scaled"] < 0.1 < shares["g"]
    assert len(set(DESIGNS)) == 29
