"""Which columns of a list carry more than chance: the level under noise, a planted signal, pairs that tell together."""

from __future__ import annotations

import pickle
import weakref
from itertools import product
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom
from sklearn.base import clone
from tests.cover import quick_and_slow
from tests.information.test_log_tails import log_tail, table_of

import bitsieve
from bitsieve import FCBF, QPFS, BitsieveWarning, ForwardSelector
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.information import evidence, make_information
from bitsieve.information.evidence import carries_information
from bitsieve.pipeline.shuffle_tests import informative_by_shuffles


class Searched:
    """A search that made the codes among so many."""

    exchangeable_units = None

    def __init__(self, price):
        self.price = price

    def log_codings(self, column):
        return self.price * (column + 1)


@pytest.mark.parametrize("price", [None, 0.7])
def test_columns_count_up_to_the_level_and_no_further(price):
    """p times the number of columns, or of their pairs, and the price of their cuts is at most half the level."""
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (300, 5))
    X[:, 3] = 0
    y = X[:, 1] ^ X[:, 4] ^ (random.random(300) < 0.25)
    source = NaiveSource(X, y)
    source.search = None if price is None else Searched(price)
    information = make_information("plug-in", source)
    prices = np.zeros(5) if price is None else price * np.arange(1, 6)
    n = 4 if price is None else 5  # a search may have been tried in vain on a constant column
    nothing = np.zeros(300, int)
    alone = log_tail(table_of(nothing, X[:, 0], y)) + prices[0]
    given = [log_tail(table_of(X[:, i], X[:, j], y)) + prices[1] + prices[4] for i, j in ((4, 1), (1, 4))]
    for place, columns, tail, tried in ((0, [0], alone, n), (0, [1, 4], given[0], n * n), (1, [1, 4], given[1], n * n)):
        level = 2 * tried * exp(tail)
        # 1e-9: the rounding of logarithms
        assert carries_information(information, np.array(columns), level * (1 + 1e-9)).value[place]
        assert not carries_information(information, np.array(columns), level * (1 - 1e-9)).value[place]


@pytest.mark.parametrize(
    ("kind", "at_once", "price"),
    quick_and_slow(
        product([NaiveSource, PackedSource], [None, 3], [None, 0.7]),
        quick=[(PackedSource, None, None), (PackedSource, 3, 0.7)],
        reason="the same counts by the reference, or one part of a case",
    ),
)
def test_columns_that_count_are_those_of_all_tests_one_by_one(monkeypatch, kind, price, at_once):
    """Whatever is looked at first, and left out of what is tested: a column alone, and given each other one."""
    if at_once is not None:
        monkeypatch.setattr(evidence, "PIVOTS_AT_ONCE", at_once)
        monkeypatch.setattr(evidence, "PIVOT_BATCH_EDGES", (1, 2))
    alone = together = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = np.column_stack([random.integers(0, n_codes, 150) for n_codes in (2, 2, 2, 3, 3, 4, 8, 1)])
        y = np.where(random.random(150) < 0.15 + 0.02 * seed, random.integers(0, 2, 150), X[:, 0] ^ X[:, 1])
        X[:, 4] = np.where(random.random(150) < 0.3 + 0.04 * seed, X[:, 4], y)
        source = kind(X, y)
        source.search = None if price is None else Searched(price)
        prices = np.zeros(8) if price is None else price * np.arange(1, 9)
        n_tried, columns = 7 if price is None else 8, np.array([6, 1, 0, 4, 7, 3, 2])
        by_itself = {i: log_tail(table_of(0 * y, X[:, i], y)) + prices[i] <= log(0.025 / n_tried) for i in columns}
        given = {
            i: any(
                log_tail(table_of(X[:, j], X[:, i], y)) + prices[i] + prices[j] <= log(0.025 / n_tried**2)
                for j in columns
                if j != i
            )
            for i in columns
        }
        found = carries_information(make_information("plug-in", source), columns).value
        assert found.tolist() == [by_itself[i] or given[i] for i in columns]
        alone += sum(by_itself.values())
        together += sum(given[i] and not by_itself[i] for i in columns)
    assert min(alone, together) > 5


@pytest.mark.slow("60 tables for each kind of bins")
@pytest.mark.parametrize("binning", ["mdl", "quantile", "none"])
def test_lists_of_noise_seldom_hold_a_column_that_counts(binning):
    """At most 5 % of data sets, but for chance (one in a thousand)."""
    n_runs, wrong = 60, 0
    for seed in range(n_runs):
        random = np.random.default_rng(seed)
        X = random.normal(size=(80, 60)) if binning != "none" else random.integers(0, 6, (80, 60))
        selector = ForwardSelector(10, criterion="mim", binning=binning).fit(X, random.integers(0, 3, 80))
        wrong += bool(selector.informative_.any())
    assert wrong <= binom.ppf(1 - 1e-3, n_runs, 0.05)


def test_real_columns_count_and_noise_does_not():
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 30))
    y = X[:, :3].sum(axis=1) + 0.5 * random.normal(size=500) > 0
    for binning in ("mdl", "quantile"):
        selector = ForwardSelector(8, binning=binning).fit(X, y)
        assert sorted(selector.selected_[selector.informative_]) == [0, 1, 2]


def test_two_columns_that_tell_only_together_count():
    X = np.random.default_rng(2).integers(0, 2, (300, 6))
    information = make_information("plug-in", NaiveSource(X, X[:, 1] ^ X[:, 4]))
    assert carries_information(information, np.array([4, 0, 1])).value.tolist() == [True, False, True]
    assert not carries_information(information, np.array([4, 0, 2])).value.any()


@pytest.mark.each_value
@pytest.mark.parametrize("price", [None, 0.7])
@pytest.mark.parametrize(("n_codes", "is_kept"), [(3, True), (90, True), (3, False)])
def test_a_copy_of_the_columns_answers_as_the_whole_table(make_table, monkeypatch, n_codes, is_kept, price):
    """What is kept for later has the columns of the list alone; by planes, by tables, and where nothing is kept."""
    if not is_kept:
        monkeypatch.setattr(PackedSource.copy_of_columns, "__defaults__", (1,))  # byte at most
    shown = 0
    for seed in range(12):
        codes, classes = make_table(200, 30, n_codes=n_codes, seed=seed)
        codes[:, 7] = 0
        codes[:, 20] = (codes[:, 4] + classes) % n_codes  # only together with column 4
        columns = np.random.default_rng(seed).permutation(30)[: 5 + seed]
        sources = [make(codes, classes) for make in (PackedSource, NaiveSource)]
        for source in sources:
            source.search = None if price is None else Searched(price)
        later, at_once = (carries_information(make_information("plug-in", source), columns) for source in sources)
        assert (sources[0].copy_of_columns(columns) is not None) == is_kept
        assert later.value.tolist() == at_once.value.tolist()
        shown += later.value.sum()
    assert shown > 0 or n_codes == 90  # with as many codes as that nothing is shown of 200 rows


def test_a_fitted_selector_keeps_no_counts_once_it_is_asked_or_pickled():
    random = np.random.default_rng(1)
    X = random.integers(0, 3, (50, 400))
    y = X[:, 3] ^ random.integers(0, 2, 50)
    asked, pickled = (ForwardSelector(5, criterion="jmi", binning="none").fit(X, y) for _ in range(2))
    held = weakref.ref(asked._informative._compute)
    loaded = pickle.loads(pickle.dumps(pickled))
    assert held() is not None
    assert asked.informative_.tolist() == loaded.informative_.tolist() == [True, *[False] * 4]
    assert held() is None
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = clone(asked).informative_


def test_a_selection_tells_how_many_carry_information():
    random = np.random.default_rng(3)
    X = random.integers(0, 3, (300, 12))
    y = (X[:, 2] + X[:, 7] + random.integers(0, 2, 300)) > 2
    notes = bitsieve.select(X, y, n_features_to_select=8, binning="none").notes
    few_rows = "not tested with others"
    assert notes == [f"2 of 8 selected columns are more informative than chance: 2 alone, 6 {few_rows}"]
    assert bitsieve.select(X, y, n_features_to_select=2, binning="none").notes == []
    noise = random.integers(0, 2, 300)
    lost = f"0 of 8 selected columns are more informative than chance: 0 alone, 8 {few_rows}"
    for method, remark in (("jmi", ""), ("relieff", "once cut into bins, which relieff does not use, ")):
        notes = bitsieve.select(X, noise, method=method, n_features_to_select=8, binning="none").notes
        assert notes == [remark + lost]
    parts = pa.table(dict(zip("abcdefghijkl", X.T, strict=True))).to_reader(max_chunksize=100)
    (unsure,) = bitsieve.select(parts, noise, n_features_to_select=8, binning="none").notes
    why = "not tested by permutations, which need rows in memory and 500,000 values (rows x columns) at most"
    assert unsure == f"{lost}; {why}"
    stopped = bitsieve.select(X, y, method="jmi", n_features_to_select="auto", binning="none")
    assert not any("more informative than chance" in note for note in stopped.notes)


@pytest.mark.parametrize("make", [lambda: ForwardSelector(3), lambda: FCBF(3, delta=0.0), lambda: QPFS(3)])
def test_a_list_of_relevance_0_is_not_silent(make):
    """MDL cuts none of these columns, and so they tell nothing."""
    X, y = np.random.default_rng(4).normal(size=(60, 5)), np.arange(60) % 2
    told = "the .*selected .* no information about the target .relevance 0.: any other column would do as well"
    with pytest.warns(BitsieveWarning, match=told) as caught:
        fitted = make().fit(X, y)
    assert caught[0].filename == __file__
    assert not fitted.informative_.any()


def test_columns_too_weak_for_the_bound_are_shown_by_shuffles():
    """Shuffles that repeat the cuts show what the price of all possible cuts hides."""
    random = np.random.default_rng(8)
    X, y = random.normal(size=(200, 12)), np.arange(200) % 2
    X[:, 3] += 0.6 * y
    selector = ForwardSelector(2, binning=MDLBinner(uncut="median")).fit(X, y)
    assert selector.selected_[0] == 3
    assert not selector.informative_.any()
    table = read_xy(X, y)
    shown = informative_by_shuffles(table, selector.binner_, np.arange(12))
    assert np.flatnonzero(shown).tolist() == [3]
    weighted = read_xy(X[:100], y[:100], np.full(100, 2))
    repeated = read_xy(np.repeat(X[:100], 2, axis=0), np.repeat(y[:100], 2))
    for binning in ("quantile", "mdl"):
        binners = [make_binner(binning, missing="error").fit_table(table) for table in (weighted, repeated)]
        one = informative_by_shuffles(weighted, binners[0], np.arange(12), 1)
        other = informative_by_shuffles(repeated, binners[1], np.arange(12), 2)
        assert np.array_equal(one, other)
