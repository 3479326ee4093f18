"""Stopping rules on columns that were cut by the class: what they take by chance and what they find."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, kstest

from bitsieve import Constraints, ForwardSelector
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch

RULES = "significance", "permutation"


def noise(seed, n_samples=60, n_features=40):
    random = np.random.default_rng(seed)
    return random.normal(size=(n_samples, n_features)), random.integers(0, 2, n_samples)


def fit(X, y, rule="significance", **parameters):
    return ForwardSelector("auto", stopping=rule, **parameters).fit(X, y)


@pytest.mark.slow("a rate over many seeded tables")
@pytest.mark.parametrize("rule", RULES)
def test_cuts_of_noise_are_seldom_taken(rule):
    """At most 5 % of runs; a rule that does not repeat the cuts takes noise in a third of these."""
    n_runs = 60
    taken = sum(len(fit(*noise(seed), rule).selected_) > 0 for seed in range(n_runs))
    assert taken <= binom.ppf(1 - 1e-3, n_runs, 0.05)


@pytest.mark.slow("a rate over many seeded tables")
def test_noise_beside_a_strong_column_is_seldom_taken():
    """Copies of what is chosen, with noise of their own, depend on the class, but not given what is chosen."""
    n_runs, taken = 40, 0
    for seed in range(n_runs):
        X, y = noise(seed, 120, 12)
        X[:, 3] = np.where(np.random.default_rng(seed).random(120) < 0.08, 1 - y, y)
        X[:, 5] = np.where(np.random.default_rng(seed + 1000).random(120) < 0.2, 1 - X[:, 3], X[:, 3])
        chosen = fit(X, y, "permutation").selected_
        assert chosen[0] == 3
        taken += len(chosen) > 1
    assert taken <= binom.ppf(1 - 1e-3, n_runs, 0.05)


@pytest.mark.slow("a rate over many seeded tables")
def test_ranks_among_shuffles_are_uniform_on_noise():
    """The rank of the observed best among those of the shuffles, ties broken by a coin, takes each value alike often.

    The p of the rule counts a tie against the candidate instead, so it is uniform but for the ties: never too small.
    """
    n_shuffles, seeds = 99, range(150)
    ranks, p = [], []
    for seed in seeds:
        X, y = noise(seed, 40, 4)
        table = read_xy(X, y)
        search = make_binner(MDLBinner(uncut="median")).fit_table(table).search(table)
        step = RepeatedSearch(search, (), np.arange(4), make_entropy_terms(40), None)
        observed = min(step.tail(column) for column in range(4))
        random = np.random.default_rng(1000 + seed)
        shuffled = step.smallest_tails(random.integers(0, 2**63, n_shuffles, dtype=np.uint64))
        smaller, ties = (shuffled < observed).sum(), (shuffled == observed).sum()
        ranks.append((smaller + random.random() * (1 + ties)) / (1 + n_shuffles))
        p.append((1 + smaller + ties) / (1 + n_shuffles))
    assert kstest(ranks, "uniform").pvalue > 1e-3  # one seed of a thousand would fail
    assert kstest(p, "uniform", alternative="greater").pvalue > 1e-3
    assert all(p >= rank for p, rank in zip(p, ranks, strict=True))


@pytest.mark.parametrize("rule", RULES)
def test_signal_is_found(rule):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 40))
    y = (X[:, :3].sum(axis=1) + 0.3 * random.normal(size=600) > 0).astype(int)
    assert sorted(fit(X, y, rule, criterion="cmi").selected_.tolist()) == [0, 1, 2]


def test_cutting_again_by_the_same_classes_gives_the_same_codes():
    random = np.random.default_rng(1)
    y = random.integers(0, 3, 150)
    X = (y[:, None] * random.random(6) + random.normal(0, 0.7, (150, 6))).round(1)
    X[random.random(X.shape) < 0.1] = np.nan
    for binner in (MDLBinner(missing="bin"), MDLBinner(missing="bin", uncut="median")):
        table = read_xy(X, y, random.integers(1, 3, 150))
        codes = binner.fit_table(table).codes(table)
        search = binner.search(table)
        again = dict(search.recoded(search.classes, np.arange(6)))
        for column in range(6):
            assert search.codes(column).tolist() == np.repeat(codes[:, column], table.weights).tolist()
            assert again[column].tolist() == search.codes(column).tolist()


def test_the_reason_says_what_decided():
    assert (
        "by shuffles, as the bins were made with the target"
        in fit(*noise(0, 400, 3), binning=MDLBinner(uncut="median")).stopping_reason_
    )
    random = np.random.default_rng(0)
    X, y = random.integers(0, 10, (100, 4)), random.integers(0, 5, 100)
    assert "by shuffles, as a cell expects fewer than 5 samples" in fit(X, y, binning="none").stopping_reason_
    X, y = random.integers(0, 2, (400, 4)), random.integers(0, 2, 400)
    assert "by shuffles" not in fit(X, y, binning="none").stopping_reason_


@pytest.mark.parametrize("rule", [make_stopping(rule, level=0.3) for rule in RULES], ids=lambda rule: rule.name)
def test_threads_and_repeated_rows_change_nothing(rule):
    X, y = noise(3, 90, 8)
    X[:, 2] += y
    X = X.round(1)
    weights = np.random.default_rng(0).integers(0, 3, 90)
    plain = fit(np.repeat(X, weights, axis=0), np.repeat(y, weights), rule)
    for other in (
        ForwardSelector("auto", stopping=rule).fit(X, y, sample_weight=weights),
        ForwardSelector("auto", stopping=rule, n_jobs=3).fit(X, y, sample_weight=weights),
    ):
        assert other.selected_.tolist() == plain.selected_.tolist()
        assert other.stopping_values_.tobytes() == plain.stopping_values_.tobytes()
        assert other.stopping_candidate_ == plain.stopping_candidate_
        np.testing.assert_array_equal(other.stopping_value_, plain.stopping_value_)


def test_groups_inclusions_missing_codes_and_joint_targets():
    X, y = noise(5, 150, 8)
    X[:, 2] += 3 * y
    X[::7, 4] = np.nan
    wish = Constraints(must_include=[6], groups=[[2, 3], [4, 5]])
    for rule in RULES:
        fitted = fit(X, np.column_stack([y, y]), rule, constraints=wish, binning=MDLBinner(missing="bin"))
        assert fitted.selected_.tolist()[:3] == [6, 2, 3]
        assert np.isnan(fitted.stopping_values_[0])
        assert (fitted.stopping_values_[1:] <= 0.05).all()
