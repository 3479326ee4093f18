"""The largest list of a false discovery rate: its estimate by hand, its level, and what it does not take."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from bitsieve import Constraints, FalseDiscoveryStopping, ForwardSelector
from bitsieve.counts.reference import NaiveSource
from bitsieve.discretization.transformers import MDLBinner
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.stopping import false_discovery
from bitsieve.methods.by_counts.stopping.false_discovery import SingleTests
from bitsieve.utils.progress import listening


def planted(seed, n_samples=400, n_real=6, n_noise=34):
    """Codes of which the first tell about the class, each a little."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n_samples, n_real + n_noise))
    return X, (X[:, :n_real].sum(axis=1) + random.normal(size=n_samples) > n_real).astype(int)


def fit(X, y, rule="fdr", **parameters):
    return ForwardSelector("auto", stopping=rule, **{"binning": "none", **parameters}).fit(X, y)


def g_test(x, y, given):
    """p of independence within the values of ``given``, written out, the statistic and its degrees of freedom."""
    statistic = freedom = 0
    for z in np.unique(given):
        table = np.zeros((x.max() + 1, y.max() + 1))
        np.add.at(table, (x[given == z], y[given == z]), 1)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        seen = table > 0
        statistic += 2 * (table[seen] * np.log(table[seen] / expected[seen])).sum()
        freedom += ((table.sum(axis=1) > 0).sum() - 1) * ((table.sum(axis=0) > 0).sum() - 1)
    return chi2.sf(statistic, freedom), statistic, freedom


def mixed_arities(random, n_samples=200):
    """A column that agrees with the class in 0.7 of the samples, and 50 of noise of 2 to 50 codes."""
    y = random.integers(0, 2, n_samples)
    true = np.where(random.random(n_samples) < 0.7, y, 1 - y)
    noise = [random.integers(0, n_codes, n_samples) for n_codes in np.linspace(2, 50, 50).round().astype(int)]
    return np.column_stack([true, *noise]), y


def mean_g(x, y):
    """The mean of G over all shuffles of ``y``, by scikit-learn."""
    table = contingency_matrix(x, y, sparse=True, dtype=np.int64)
    return 2 * len(y) * expected_mutual_information(table, len(y))


@pytest.mark.parametrize("adjust", ["benjamini-hochberg", "benjamini-yekutieli"])
def test_rates_are_those_of_the_formula(adjust):
    X, y = planted(0, 1200)  # enough for chi-squared in every cell of two columns and the class
    X[:, 9] = np.where(np.random.default_rng(1).random(1200) < 0.2, X[:, 9], X[:, 2])  # a copy with errors
    information = make_information("plug-in", NaiveSource(X, y))
    rule = FalseDiscoveryStopping(level=0.2, adjust=adjust)
    found = forward_select(information, make_criterion("jmi"), 40, stopping=rule)
    factor = sum(1 / i for i in range(1, 41)) if adjust == "benjamini-yekutieli" else 1.0
    p = np.array([g_test(X[:, i], y, 0 * y)[0] for i in range(40)])
    mean_of_class = [mean_g(X[:, i], y) for i in range(40)]
    thresholds = 0.2 * np.arange(1, 41) / (40 * factor)
    limit = thresholds[np.sort(p) <= thresholds].max()
    accepted = []
    for i in np.argsort(p):
        for s in accepted if p[i] <= limit else []:
            _, shared, _ = g_test(X[:, i], X[:, s], 0 * y)
            _, known, _ = g_test(X[:, i], y, 0 * y)
            mean = mean_g(X[:, i], X[:, s])
            is_dependent = chi2.sf(shared, mean) <= 0.05 / 40
            if is_dependent and shared - mean >= 0.5 * (known - mean_of_class[i]) and p[i] <= limit:
                p[i] = max(p[i], g_test(X[:, i], y, X[:, s])[0])
        accepted += [i] if p[i] <= limit else []
    estimates = 40 * factor * np.sort(p) / np.arange(1, 41)
    k = int((estimates <= 0.2).nonzero()[0].max()) + 1
    taken = np.argsort(p)[:k]
    assert k >= 4
    assert sorted(found.order) == sorted(taken)
    least = {i: estimates[place:].min() for place, i in enumerate(taken)}
    np.testing.assert_allclose(found.outcome.values, [least[i] for i in found.order], rtol=1e-9)  # two ways to the tail
    assert found.outcome.refused == np.argsort(p)[k]
    assert found.outcome.value == pytest.approx(min(1.0, estimates[k:].min()), rel=1e-9)
    free = forward_select(information, make_criterion("jmi"), 40).order.tolist()
    assert found.order[0] == free[0]
    assert (2 in found.order) != (9 in found.order)


def test_a_column_may_owe_to_another_what_it_shares_with_it():
    """As much with it as half of what it shares with the class, each less its mean, and not by chance (G-test)."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 300)
    codes = [random.integers(0, n_codes, 300) for n_codes in (2, 2, 3, 4, 6, 9, 12)]
    for source, share in ((y, 0.3), (codes[4], 0.5), (codes[4], 0.2), (codes[2], 0.1), (codes[5], 0.15), (y, 0.15)):
        codes.append(np.where(random.random(300) < share, source, random.integers(0, source.max() + 1, 300)))
    X = np.column_stack([*codes, 0 * y])
    n, nothing, cases = X.shape[1] - 1, 0 * y, set()
    tests = SingleTests(make_information("plug-in", NaiveSource(X, y)), FalseDiscoveryStopping(), np.ones(n + 1, bool))
    for one in range(n):
        for other in set(range(n)) - {one}:
            _, shared, _ = g_test(X[:, other], X[:, one], nothing)
            _, known, _ = g_test(X[:, other], y, nothing)
            mean = mean_g(X[:, other], X[:, one])
            enough = bool(shared - mean >= 0.5 * (known - mean_g(X[:, other], y)))
            is_dependent = bool(chi2.sf(shared, mean) <= 0.05 / n)
            assert tests._may_owe_information(other, one) == (enough and is_dependent)
            cases.add((enough, is_dependent))
        assert not tests._may_owe_information(one, n)  # a constant
    assert len(cases) == 4


def test_the_criterion_only_orders_the_list():
    X, y = planted(7)
    lists = [fit(X, y, criterion=name) for name in ("mim", "jmi", "mrmr", "minred")]
    assert len({tuple(sorted(fitted.selected_)) for fitted in lists}) == 1
    assert len(lists[0].selected_) >= 4
    rates = [dict(zip(fitted.selected_, fitted.stopping_values_, strict=True)) for fitted in lists]
    assert all(other == rates[0] for other in rates)
    most = ForwardSelector(2, stopping="fdr", binning="none").fit(X, y)
    assert most.stopped_by_ == "n_features_to_select"
    assert set(most.selected_) < set(lists[0].selected_)


@pytest.mark.slow("a rate over many seeded tables")
def test_a_true_column_among_noise_of_many_codes_is_found():
    """Chi-squared with Benjamini and Hochberg finds it in 19 of 20; the criterion prefers columns of many codes."""
    found = false = 0
    for seed in range(20):
        X, y = mixed_arities(np.random.default_rng(seed))
        for rule in ("fdr", "significance"):
            chosen = fit(X, y, rule, criterion="jmi").selected_
            found += 0 in chosen
            false += len(chosen) > (0 in chosen)
    assert found >= 32
    assert false <= 10  # of 40 at a rate of 0.1 and a level of 0.05: 6 expected at most


class Searched:
    """A search that made all codes, each at the same price."""

    exchangeable_units = None

    def log_codings(self, column):
        return 1.5


def test_p_of_columns_that_were_searched_pays_for_the_search():
    """As long as it is below what shuffles can tell, p is that of the test times the number of codings."""
    X, y = planted(0, 4000, 3, 0)
    found = []
    for search in (None, Searched()):
        source = NaiveSource(X, y)
        source.search = search
        rule = FalseDiscoveryStopping()
        found.append(forward_select(make_information("plug-in", source), make_criterion("jmi"), 3, stopping=rule))
    plain, searched = (one.outcome.values for one in found)
    assert len(plain) == len(searched) == 3
    np.testing.assert_allclose(searched, np.exp(1.5) * plain, rtol=1e-9)  # rounding of exp


@pytest.mark.slow("60 tables of each kind; the other tests take one")
@pytest.mark.parametrize("binning", ["none", "mdl"])
def test_the_share_of_false_columns_is_at_most_the_level(binning):
    """The mean of 60 shares that are mostly 0 strays from 0.1 by less than 0.1 (five standard errors)."""
    shares, found = [], 0
    for seed in range(60):
        X, y = planted(seed, 250, 4, 40)
        X = X + (0.2 * np.random.default_rng(seed).random(X.shape) if binning == "mdl" else 0)
        chosen = fit(X, y, binning=binning).selected_
        shares.append((chosen >= 4).mean() if len(chosen) else 0.0)
        found += (chosen < 4).sum()
    assert np.mean(shares) <= 0.2
    assert found >= 0.8 * 4 * 60


def test_copies_of_what_is_chosen_are_not_taken():
    """They depend on the class, but not given the column of which they are copies with errors."""
    taken = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = random.integers(0, 2, (300, 10))
        y = np.where(random.random(300) < 0.05, 1 - X[:, 3], X[:, 3])
        X[:, 5] = np.where(random.random(300) < 0.1, 1 - X[:, 3], X[:, 3])
        chosen = fit(X, y).selected_.tolist()
        assert chosen[0] == 3
        taken += 5 in chosen
    assert taken <= 3  # 0.3 expected: 1 of 10 columns at a level of 0.1


@pytest.mark.parametrize("columns", [(3, 5), (5, 3)])
def test_of_exact_copies_one_is_taken(columns):
    """Given one of them the other has no code left to choose: p is 1."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (300, 8))
    y = np.where(random.random(300) < 0.3, random.integers(0, 2, 300), X[:, 3] > 0)
    X[:, 5] = np.array([1, 2, 0])[X[:, 3]]  # under other names
    assert fit(X, y).selected_.tolist() == [3]
    wish = Constraints(must_include=[columns[0]])
    assert fit(X, y, constraints=wish).selected_.tolist() == [columns[0]]


def test_few_samples_are_judged_by_shuffles():
    """A cell of 8 x 2 codes in 40 samples expects 2.5: chi-squared is no guide."""
    false = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.integers(0, 8, (40, 6))
        fitted = fit(X, (X[:, 2] > 3).astype(int), FalseDiscoveryStopping(random_state=4))
        assert fitted.selected_[0] == 2
        assert fitted.stopped_by_ == "fdr"
        assert fitted.stopping_reason_.startswith("false discovery rate ")
        false += len(fitted.selected_) - 1
        false += len(fit(X, random.permutation(40) % 2).selected_)
    assert false <= 10  # 40 tables at a rate of 0.1: beyond 10 of 4 expected has probability 0.003


def test_of_many_columns_shuffles_are_as_many_as_a_list_of_one_needs():
    """Of 250 columns one counts from p = 0.1 / 250 on: 2,500 shuffles or more, where a cell expects 2.5 samples."""
    random = np.random.default_rng(0)
    X = random.integers(0, 8, (40, 250))
    assert fit(X, (X[:, 77] > 3).astype(int)).selected_.tolist() == [77]


def test_a_larger_level_takes_no_less():
    X, y = planted(5)
    sizes = [len(fit(X, y, FalseDiscoveryStopping(level=level)).selected_) for level in (1e-12, 1e-3, 0.1, 0.9)]
    assert sizes == sorted(sizes)


def test_included_columns_groups_missing_codes_weights_and_threads():
    random = np.random.default_rng(6)
    X = random.normal(size=(150, 8))
    y = np.column_stack([X[:, 2] + X[:, 5] > 0, random.integers(0, 2, 150)])
    X = X.round(1)
    X[::9, 2] = np.nan
    weights = random.integers(0, 3, 150)
    wish = Constraints(must_include=[6], groups=[[4, 5]], exclude=[0])
    given = {"constraints": wish, "binning": MDLBinner(missing="bin"), "n_features_to_select": 5, "stopping": "fdr"}
    plain = ForwardSelector(**given).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights, axis=0))
    assert plain.selected_[0] == 6
    assert np.isnan(plain.stopping_values_[0])
    assert {2, 4, 5} <= set(plain.selected_)
    for n_jobs in (None, 3):
        other = ForwardSelector(**given, n_jobs=n_jobs).fit(X, y, sample_weight=weights)
        assert other.selected_.tolist() == plain.selected_.tolist()
        assert other.stopping_values_.tobytes() == plain.stopping_values_.tobytes()
        assert other.stopping_reason_ == plain.stopping_reason_


def test_where_all_choices_are_given_nothing_is_tested():
    X, y = planted(1)
    information = make_information("plug-in", NaiveSource(X, y))
    rule = FalseDiscoveryStopping()
    found = forward_select(information, make_criterion("jmi"), 2, stopping=rule, must_include=[9, 4])
    assert found.order.tolist() == [9, 4]
    assert np.isnan(found.outcome.values).tolist() == [True, True]
    assert (found.outcome.refused, found.outcome.only_constants_left, found.outcome.neighbours) == (None, False, None)


@pytest.mark.parametrize("wrong", [{"level": 0}, {"level": 1}, {"adjust": "holm"}, {"random_state": -1}])
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}=.* is not allowed"):
        FalseDiscoveryStopping(**wrong)


class Given:
    """What the tests ask of a candidate, as it is said here."""

    codes_per_sample = 1

    def __init__(self, expected, n_samples, freedom=1):
        self.expected, self.n_samples, self.freedom = expected, n_samples, freedom

    def degrees_of_freedom(self, _):
        return self.freedom

    def least_expected(self, _):
        return self.expected


@pytest.mark.parametrize("n_samples", [100, 10**7])
@pytest.mark.parametrize(("n_tests", "n_before"), [(3, 0), (3, 2), (1000, 0), (1000, 9)])
def test_shuffles_are_made_where_the_tail_may_be_wrong_and_as_many_as_a_list_needs(
    monkeypatch, n_samples, n_tests, n_before
):
    asked = []
    monkeypatch.setattr(false_discovery, "share_of_shuffles", lambda _, *of: asked.append(of[:2]) or 0.7)
    monkeypatch.setattr(false_discovery, "reached_by_shuffles", lambda *_: None)
    X, y = planted(1)
    information = make_information("plug-in", NaiveSource(X, y))
    made = SingleTests(information, FalseDiscoveryStopping(0.1), information.varies)
    made.n_tests = n_tests
    far = 0.1 / n_tests / 10
    enough = max(200, min(int(np.ceil(20 * n_tests / (n_before + 1))), 10**5, 2 * 10**9 // n_samples))
    for expected in (4.99, 5.0, 19.99, 20.0):
        for tail in (far * 0.99, far, far * 1.01, 0.2):
            made.conditional = {None: Given(expected, n_samples)}
            monkeypatch.setattr(false_discovery, "chi_squared_tails", lambda *_, tail=tail: np.array([tail]))
            sure = expected >= 20 or (expected >= 5 and tail <= far)
            assert made._p_given(0, None, n_before) == (tail if sure else 0.7)
            assert asked == ([] if sure else [(enough, 10)])
            asked.clear()
    made.conditional = {None: Given(9.0, n_samples, freedom=0)}
    assert made._p_given(0, None, n_before) == 1.0


@pytest.mark.parametrize(
    ("rule", "phases"),
    [
        ("fdr", ["testing", "testing beside others"]),
        ("conditional", ["testing"]),
        ("dcrt", ["fitting the class", "testing"]),
        ("gaussian-knockoffs", ["making knockoffs, sweep 1", "fitting the class"]),
    ],
)
def test_tests_of_columns_are_phases_of_the_progress(rule, phases):
    X, y = planted(11)
    heard = []
    with listening(heard.append):
        fit(X, y, rule)
    progress_of_phase = {progress.phase: progress for progress in heard if progress.total is not None}
    for phase in phases:
        progress = progress_of_phase[phase]
        assert 0 < progress.done <= progress.total
