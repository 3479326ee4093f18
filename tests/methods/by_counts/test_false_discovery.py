"""The largest list of a false discovery rate: its estimate by hand, its level, and what it does not take."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from bitsieve import Constraints, FalseDiscoveryStopping, ForwardSelector
from bitsieve.counts.reference import NaiveSource
from bitsieve.data.binning.transformers import MDLBinner
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select


def planted(seed, n_samples=400, n_real=6, n_noise=34):
    """Codes of which the first tell about the class, each a little."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n_samples, n_real + n_noise))
    return X, (X[:, :n_real].sum(axis=1) + random.normal(size=n_samples) > n_real).astype(int)


def fit(X, y, rule="fdr", **parameters):
    return ForwardSelector("auto", stopping=rule, **{"binning": "none", **parameters}).fit(X, y)


def g_test(x, y, given):
    """p of independence within the values of ``given``, written out."""
    statistic = freedom = 0
    for z in np.unique(given):
        table = np.zeros((3, 3))
        np.add.at(table, (x[given == z], y[given == z]), 1)
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        seen = table > 0  # the class has two values, so its third column is empty
        statistic += 2 * (table[seen] * np.log(table[seen] / expected[seen])).sum()
        freedom += ((table.sum(axis=1) > 0).sum() - 1) * ((table.sum(axis=0) > 0).sum() - 1)
    return chi2.sf(statistic, freedom)


@pytest.mark.parametrize("adjust", ["benjamini-hochberg", "benjamini-yekutieli"])
def test_rates_are_those_of_the_formula(adjust):
    X, y = planted(0)
    information = make_information("plug-in", NaiveSource(X, y))
    rule = FalseDiscoveryStopping(level=0.2, adjust=adjust)
    found = forward_select(information, make_criterion("jmi"), 40, stopping=rule)
    order = [*found.order, found.outcome.refused]
    p = []
    for place, i in enumerate(order):
        related = [X[:, s] for s in order[:place] if g_test(X[:, i], X[:, s], 0 * y) <= 0.05]
        p.append(max(g_test(X[:, i], y, given) for given in (0 * y, *related)))
    factor = sum(1 / i for i in range(1, 41)) if adjust == "benjamini-yekutieli" else 1.0
    estimates = 40 * factor * np.maximum.accumulate(p) / np.arange(1, len(p) + 1)
    least = [estimates[place:].min() for place in range(len(found.order))]
    assert len(found.order) >= 4
    np.testing.assert_allclose(found.outcome.values, least, rtol=1e-9)  # two ways to the tail of chi-squared
    assert found.outcome.value > 0.2 >= found.outcome.values.max()


class Searched:
    """A search that made all codes, each at the same price."""

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


def test_few_samples_are_judged_by_shuffles():
    random = np.random.default_rng(3)
    X = random.integers(0, 8, (40, 6))
    y = (X[:, 2] > 3).astype(int)
    fitted = fit(X, y, FalseDiscoveryStopping(random_state=4))
    assert fitted.selected_.tolist() == [2]
    assert fitted.stopped_by_ == "fdr"
    assert fitted.stopping_reason_.startswith("false discovery rate ")
    assert fit(X, random.permutation(y)).selected_.tolist() == []


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


@pytest.mark.parametrize("wrong", [{"level": 0}, {"level": 1}, {"adjust": "holm"}, {"random_state": -1}])
def test_wrong_parameters(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}=.* is not allowed"):
        FalseDiscoveryStopping(**wrong)
