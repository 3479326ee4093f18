"""Lazy evaluation: the same selection and the same bits for fewer counts."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.by_counts import greedy
from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy import forward_select
from bitsieve.information import PairwiseInformation
from bitsieve.sources.memory import MemoryCounts


def select(codes, classes, k, monkeypatch, lazily):
    """The selection, and how many pairs were counted for it."""
    source = MemoryCounts(codes, classes)
    looked_at = []
    count = source.pair_sums

    def watched(pivot, columns, within_classes):
        if pivot >= 0:
            looked_at.append(source.n_features if columns is None else len(columns))
        return count(pivot, columns, within_classes)

    source.pair_sums = watched
    monkeypatch.setattr(greedy, "LAZY_FROM", 0.0 if lazily else float("inf"))
    return forward_select(PairwiseInformation(source), make_criterion("cmim"), k), sum(looked_at)


def check_equal(codes, classes, k, monkeypatch):
    lazy, _ = select(codes, classes, k, monkeypatch, True)
    eager, _ = select(codes, classes, k, monkeypatch, False)
    assert lazy.selected.tolist() == eager.selected.tolist()
    assert lazy.scores.tobytes() == eager.scores.tobytes()


@pytest.mark.parametrize("seed", range(25))
def test_equal_to_eager(make_table, monkeypatch, seed):
    random = np.random.default_rng(seed)
    n_features = int(random.integers(2, 120))
    codes, classes = make_table(
        int(random.integers(2, 120)), n_features, n_codes=int(random.integers(2, 6)), n_classes=3, seed=seed
    )
    check_equal(codes, classes, min(n_features, 25), monkeypatch)


@pytest.mark.parametrize("seed", range(15))
def test_equal_to_eager_among_ties(monkeypatch, seed):
    """Few samples and codes, twins and constants: most scores tie."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (int(random.integers(2, 9)), 40))
    codes = codes[:, random.integers(0, 40, 90)]
    codes[:, random.integers(0, 90, 20)] = 1
    check_equal(codes, random.integers(0, 2, len(codes)), 90, monkeypatch)


def test_equal_to_eager_under_synergy(monkeypatch):
    """Scores of exactly the exclusive or: nothing alone, everything beside the right one."""
    bits = np.arange(16)[:, None] >> np.arange(4) & 1
    codes = np.column_stack([bits, np.zeros((16, 30), int), bits])
    check_equal(codes, bits.sum(axis=1) % 2, len(codes[0]), monkeypatch)


def test_looks_at_fewer_pairs(monkeypatch):
    """Of many features of which few are relevant, those few are brought up to date."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 2, 1000)
    codes = random.integers(0, 3, (1000, 3000))
    for j in range(0, 3000, 150):
        codes[:, j] = np.where(random.random(1000) < 0.4 + j / 6000, classes, codes[:, j])
    lazy, few = select(codes, classes, 15, monkeypatch, True)
    eager, all_ = select(codes, classes, 15, monkeypatch, False)
    assert lazy.selected.tolist() == eager.selected.tolist()
    assert all_ == 14 * 3000
    assert few < all_ / 2


def test_small_rows_are_counted_whole(make_table, monkeypatch):
    """By default laziness is for rows that cost more than the choosing."""
    source = MemoryCounts(*make_table(50, 20, seed=0))
    assert source.row_seconds < greedy.LAZY_FROM
    scores = greedy._scores_for(PairwiseInformation(source), make_criterion("cmim"))
    assert isinstance(scores, greedy.EagerScores)
    monkeypatch.setattr(greedy, "LAZY_FROM", 0.0)
    information = PairwiseInformation(source)
    assert isinstance(greedy._scores_for(information, make_criterion("cmim")), greedy.LazyScores)
    assert isinstance(greedy._scores_for(information, make_criterion("jmi")), greedy.EagerScores)
    assert isinstance(greedy._scores_for(information, make_criterion("mim")), greedy.MarginalScores)
