"""Lazy evaluation: the same selection and the same bits for fewer counts."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.by_counts.criteria import CRITERIA, make_criterion
from bitsieve.by_counts.greedy import forward as greedy
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.counts.packed import MemoryCounts
from bitsieve.information import PairwiseInformation

LAZY = [name for name, c in CRITERIA.items() if c.needs in ("pairs", "class pairs") and c.never_increases]
every_lazy_criterion = pytest.mark.parametrize("name", LAZY)


def select(codes, classes, k, monkeypatch, lazily, name="cmim"):
    """The selection, and how many pairs were counted for it."""
    source = MemoryCounts(codes, classes)
    looked_at = []
    count = source.pair_sums

    def watched(pivot, columns, within_classes, out=None):
        if pivot >= 0:
            looked_at.append(source.n_features if columns is None else len(columns))
        return count(pivot, columns, within_classes, out)

    source.pair_sums = watched
    monkeypatch.setattr(greedy, "LAZY_FROM", 0.0 if lazily else float("inf"))
    return forward_select(PairwiseInformation(source), make_criterion(name), k), sum(looked_at)


def check_equal(codes, classes, k, monkeypatch, name):
    lazy, _ = select(codes, classes, k, monkeypatch, True, name)
    eager, _ = select(codes, classes, k, monkeypatch, False, name)
    assert lazy.selected.tolist() == eager.selected.tolist()
    assert lazy.scores.tobytes() == eager.scores.tobytes()


def test_the_criteria_that_never_increase():
    """A minimum over more is no larger; icap takes away more and more, as its terms are cut at 0."""
    assert sorted(LAZY) == ["cmim", "cmim_fleuret", "icap", "jmim", "njmim"]


@every_lazy_criterion
@pytest.mark.parametrize("seed", range(10))
def test_scores_never_increase(make_table, name, seed):
    """Not by the last bit, for any candidate, from the empty S on: what stale scores are trusted for."""
    random = np.random.default_rng(seed)
    codes, classes = make_table(int(random.integers(2, 60)), 12, n_codes=int(random.integers(2, 6)), seed=seed)
    information, criterion = PairwiseInformation(MemoryCounts(codes, classes)), make_criterion(name)
    folded = np.full(12, criterion.start)
    bounds = criterion.score(folded, information.relevance, 1)
    for n_selected, s in enumerate(random.permutation(12), 1):
        folded = criterion.fold(folded, information.pair(int(s)))
        scores = criterion.score(folded, information.relevance, n_selected)
        assert (scores <= bounds).all()
        bounds = scores


@every_lazy_criterion
@pytest.mark.parametrize("seed", range(15))
def test_equal_to_eager(make_table, monkeypatch, name, seed):
    random = np.random.default_rng(seed)
    n_features = int(random.integers(2, 120))
    codes, classes = make_table(
        int(random.integers(2, 120)), n_features, n_codes=int(random.integers(2, 6)), n_classes=3, seed=seed
    )
    check_equal(codes, classes, min(n_features, 25), monkeypatch, name)


@every_lazy_criterion
@pytest.mark.parametrize("seed", range(10))
def test_equal_to_eager_among_ties(monkeypatch, name, seed):
    """Few samples and codes, twins and constants: most scores tie."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (int(random.integers(2, 9)), 40))
    codes = codes[:, random.integers(0, 40, 90)]
    codes[:, random.integers(0, 90, 20)] = 1
    check_equal(codes, random.integers(0, 2, len(codes)), 90, monkeypatch, name)


@every_lazy_criterion
def test_equal_to_eager_under_synergy(monkeypatch, name):
    """Scores of exactly the exclusive or: nothing alone, everything beside the right one."""
    bits = np.arange(16)[:, None] >> np.arange(4) & 1
    codes = np.column_stack([bits, np.zeros((16, 30), int), bits])
    check_equal(codes, bits.sum(axis=1) % 2, len(codes[0]), monkeypatch, name)


@every_lazy_criterion
def test_equal_to_eager_where_few_are_followed(monkeypatch, name):
    """A few strong features and very many weak ones: some are counted in part, some by whole rows."""
    codes, classes = few_among_many(600)
    check_equal(codes, classes, 40, monkeypatch, name)


def few_among_many(n_features):
    """Twenty features that tell about the class, among many that tell nothing."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 2, 1000)
    codes = random.integers(0, 3, (1000, n_features))
    for j in range(0, n_features, n_features // 20):
        share = 0.4 + j / (2 * n_features)
        codes[:, j] = np.where(random.random(1000) < share, classes, codes[:, j])
    return codes, classes


@every_lazy_criterion
def test_looks_at_fewer_pairs(monkeypatch, name):
    """The few relevant features are brought up to date; with jmim and njmim no candidate is ever far behind."""
    codes, classes = few_among_many(3000)
    lazy, few = select(codes, classes, 15, monkeypatch, True, name)
    eager, all_ = select(codes, classes, 15, monkeypatch, False, name)
    assert lazy.selected.tolist() == eager.selected.tolist()
    assert all_ == 14 * 3000
    assert few <= all_ / (1 if name in ("jmim", "njmim") else 2)


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
