"""Which columns of a list carry more than chance: the level under noise, a planted signal, pairs that tell together."""

from __future__ import annotations

import pickle
import weakref
from collections import Counter
from itertools import product
from math import exp, lgamma, log

import numpy as np
import pyarrow as pa
import pytest
from scipy import special
from scipy.stats import binom, chi2, hypergeom
from sklearn.base import clone
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import FCBF, QPFS, BitsieveWarning, ForwardSelector
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import ContingencyTable
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.registry import make_binner
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.information import evidence, make_information
from bitsieve.information.evidence import carries_information, log_chi_squared_tail, log_tails
from bitsieve.pipeline.shuffle_tests import informative_by_shuffles


def table_of(part, code, label):
    """The contingency table of three vectors of codes."""
    shape = tuple(int(np.max(codes)) + 1 for codes in (part, code, label))
    return ContingencyTable.of_samples(shape, np.ravel_multi_index((part, code, label), shape))


def log_tail(table):
    return float(log_tails([table])[0])


def test_the_bound_has_a_mean_of_at_most_one_over_all_shuffles():
    """The inverse of p over all tables of two parts, each with its share of the shuffles of the classes."""
    mean, least = 0.0, 1.0
    for first, second in product(range(9), range(4)):  # samples of class 1 with code 1
        part, code = np.repeat([0, 1], [16, 7]), np.repeat([0, 1, 0, 1], [8, 8, 4, 3])
        label = np.concatenate([np.arange(8) < size for size in (8 - first, first)])
        label = np.concatenate([label, np.arange(4) < 3 - second, np.arange(3) < second]).astype(int)
        tail = log_tail(table_of(part, code, label))
        assert tail <= 0
        share = hypergeom.pmf(first, 16, 8, 8) * hypergeom.pmf(second, 7, 3, 3)
        mean += share * exp(-tail) * (tail < 0)  # p is cut off at 1
        least = min(least, exp(tail))
    assert 0.01 < mean <= 1
    assert least < 0.01


def bound_by_loops(part, code, label, k):
    """The bound on p by its formula, with k classes."""

    def sizes(*vectors):
        return Counter(zip(*vectors, strict=True))

    shuffled = sum(lgamma(n + 1) for n in sizes(part, label).values())
    shuffled -= sum(lgamma(n + 1) for n in sizes(part).values())
    learned = sum(lgamma(k / 2) - lgamma(n + k / 2) for n in sizes(part, code).values())
    learned += sum(lgamma(n + 1 / 2) - lgamma(1 / 2) for n in sizes(part, code, label).values())
    return min(0.0, shuffled - learned)


@pytest.mark.parametrize("seed", range(5))
def test_small_tables_have_the_bound(seed):
    random = np.random.default_rng(seed)
    label = random.permutation(np.arange(30) % 3)
    part, code = random.integers(0, 2, 30), np.where(random.random(30) < 0.9, label, random.integers(0, 4, 30))
    tail = log_tail(table_of(part, code, label))
    assert tail < 0
    # sums of some dozen logarithms of gamma
    assert tail == pytest.approx(bound_by_loops(part, code, label, 3), rel=1e-12)


@pytest.mark.parametrize("one_less", [False, True])
def test_the_tail_of_chi_squared_holds_from_five_expected_samples_on(one_less):
    """Cells of two codes and two classes of 10 samples each expect 5; a part of a single code is no matter."""
    code, label = np.repeat([0, 1, 0], [10, 10, 1]), np.array(([0] * 8 + [1] * 2) + ([0] * 2 + [1] * 8) + [0])
    part = np.repeat([0, 1], [20, 1])
    code[0] ^= one_less  # codes of 9 and 11 samples expect 4.5
    tail = log_tail(table_of(part, code, label))
    counts = Counter(zip(code[:20], label[:20], strict=True))
    codes, labels = np.bincount(code[:20]), np.bincount(label[:20])
    g = 2 * sum(n * log(20 * n / (codes[x] * labels[c])) for (x, c), n in counts.items())
    expected = bound_by_loops(part, code, label, 2) if one_less else chi2.logsf(g, 1)
    assert tail == pytest.approx(expected, rel=1e-9)  # two ways to sum four logarithms


@pytest.mark.parametrize("n", [150, 3000, 30_000])
@pytest.mark.parametrize("n_codes", [2, 3, 5])
def test_tails_beyond_the_smallest_float_are_bounded(n, n_codes):
    """Copies of the class; the bound, Chernoff's, lies above the tail."""
    code = np.arange(n) % n_codes
    tail = log_tail(table_of(np.zeros(n, int), code, code))
    freedom, g = (n_codes - 1) ** 2, 2 * n * log(n_codes)
    # Gamma(a, x) = x^(a - 1) exp(-x) (1 + (a - 1) / x + ...), for x far above a
    a, x = freedom / 2, g / 2
    series = np.cumprod([1.0, *((a - i) / x for i in range(1, 30))]).sum()
    true = (a - 1) * log(x) - x + log(series) - lgamma(a)
    chernoff = a * (1 + log(x / a)) - x
    assert true < chernoff
    is_float = true > -660  # 1e-290 and more
    assert is_float == (n == 150)
    assert tail == pytest.approx(true if is_float else chernoff, rel=1e-9)  # logarithms of some thousands


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


def test_what_is_below_the_tail_of_one_degree_is_so_by_little():
    """``exp(-a^2) / (a + sqrt(a^2 + 2)) < erfc(a) sqrt(pi) / 2 < exp(-a^2) / (a + sqrt(a^2 + 4 / pi))``."""
    x = np.concatenate([[0.0], np.geomspace(1e-6, 1200, 400)])
    tail, below = log_chi_squared_tail(1, x), evidence._log_tail_bound_of_one_degree(x)
    half = x / 2
    gap = np.log(np.sqrt(half) + np.sqrt(half + 2)) - np.log(np.sqrt(half) + np.sqrt(half + 4 / np.pi))
    assert (below <= tail).all()
    # The margin for rounding is 1e-12 of the logarithm, which are 600 here at most; twice, for that of the bound above.
    assert (tail - below <= gap + 2e-12 * (1 + half)).all()


def test_large_tables_have_the_tail_of_chi_squared():
    random = np.random.default_rng(0)
    part, code, label = random.integers(0, 2, 600), random.integers(0, 3, 600), random.integers(0, 2, 600)
    source = NaiveSource(np.column_stack([code, part]), label)
    bits = make_information("plug-in", source).pair(1, np.array([0])).conditional_relevance[0]
    tail = chi2.logsf(2 * 600 * np.log(2) * bits, 2 * 2 * 1)
    found = log_tails([table_of(part, code, label), table_of(0 * part, 0 * code, label)])
    assert found == pytest.approx([tail, 0.0], rel=1e-9)  # two ways to sum 12 logarithms; of one code p is 1


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


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 57, 1200])
def test_the_tail_of_chi_squared_is_that_of_scipy(freedom):
    x = freedom * np.concatenate([[0.0], np.geomspace(1e-3, 3, 50)])
    expected = np.log(special.chdtrc(freedom, x))
    found = log_chi_squared_tail(np.full((3, len(x)), freedom), np.stack([x, x, x]))
    np.testing.assert_allclose(
        found, [expected] * 3, rtol=1e-10, atol=1e-10
    )  # 600 terms, each rounded to 1e-16 of 1,000


@pytest.mark.parametrize("freedom", [1100, 1101, 4000, 4001])
def test_a_tail_is_the_same_beside_another_one_whose_terms_fall_later(freedom):
    x = np.array([0.0, 40.0, 900.0, 1000.0, 3000.0])
    alone = [log_chi_squared_tail(freedom, x[[j]])[0] for j in range(len(x))]
    assert log_chi_squared_tail(freedom, np.append(x, 1e5))[:-1].tolist() == alone


def test_a_tail_of_chi_squared_too_small_for_a_float():
    x = np.array([1400.0, 5000.0, 1e6])
    exact = np.log(2) + special.log_ndtr(-np.sqrt(x))
    np.testing.assert_allclose(log_chi_squared_tail(1, x), exact, rtol=1e-13)  # sums of some ten terms
    assert log_chi_squared_tail(2, np.array([5000.0])).tolist() == [-2500.0]


def test_tails_of_pairs_in_blocks_of_any_size(monkeypatch, make_table):
    codes, classes = make_table(80, 12, n_codes=4, seed=3)
    information = make_information("plug-in", NaiveSource(codes, classes))
    expected = carries_information(information, np.arange(12)).value
    monkeypatch.setattr(evidence, "CELLS_AT_ONCE", 0)
    assert carries_information(information, np.arange(12)).value.tolist() == expected.tolist()
    pairs = [(None, np.arange(12)), (3, np.array([1, 7])), (0, np.array([2]))]
    of_each = [evidence.log_tails_of_pairs(information.source, [pair]) for pair in pairs]
    assert evidence.log_tails_of_pairs(information.source, pairs).tolist() == np.concatenate(of_each).tolist()
