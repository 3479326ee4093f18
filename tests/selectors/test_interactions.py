"""``InteractionSelector``: all columns of a parity, few others, and what it keeps as attributes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from bitsieve import InteractionSelector, interactions


def parity(order, seed=0, n=400, n_columns=9):
    X = np.random.default_rng(seed).normal(size=(n, n_columns))
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(n_columns)]), (X[:, :order] > 0).sum(axis=1) % 2


@pytest.mark.parametrize("order", [2, 3])
def test_the_columns_of_a_parity_are_kept_and_no_others(order):
    X, y = parity(order)
    selector = InteractionSelector(order=order, n_shuffles=39, n_jobs=2).fit(X, y)
    assert sorted(selector.get_feature_names_out()) == [f"c{j}" for j in range(order)]
    assert selector.partners_[selector.selected_].tolist() == [list(range(order))] * order
    assert (selector.scores_ == selector.gains_[selector.selected_]).all()
    assert (selector.p_[selector.support_] == 1 / 40).all()
    assert (selector.p_[~selector.support_] > 0.05).all()


@pytest.mark.parametrize(("error", "name"), [("family-wise", "columns_p"), ("false-discovery", "false_discovery")])
def test_p_is_that_of_interactions(error, name):
    X, y = parity(2)
    selector = InteractionSelector(error=error, random_state=3).fit(X, y)
    found = interactions(X, y, statistic="gain", random_state=3)
    places = [X.columns.get_loc(column) for column in found.columns]
    assert selector.p_[places].tolist() == getattr(found, name).tolist()
    assert selector.gains_[places].tolist() == found.best.tolist()


@pytest.mark.slow("a rate over many seeded tables")
def test_of_noise_no_more_tables_than_the_level_have_a_column_that_is_kept():
    kept = 0
    for seed in range(100):
        X, _ = parity(2, seed, 100, 6)
        y = np.random.default_rng([seed, 1]).permutation(100) % 2
        kept += bool(InteractionSelector(n_shuffles=19, random_state=seed).fit(X, y).support_.any())
    assert kept <= 13  # of a level of 0.05, 5 are expected: more than 13 of 100 have a chance of 2e-4


@pytest.mark.slow("a rate over many seeded tables")
def test_contrasts_keep_the_columns_of_a_parity_and_few_others_of_noise():
    X, y = parity(2)
    assert sorted(InteractionSelector(error="contrasts").fit(X, y).selected_.tolist()) == [0, 1]
    kept = 0
    for seed in range(100):
        X, _ = parity(2, seed, 100, 6)
        y = np.random.default_rng([seed, 1]).permutation(100) % 2
        kept += bool(InteractionSelector(error="contrasts", random_state=seed).fit(X, y).support_.any())
    assert kept <= 13  # as above


def test_strata_are_a_column_that_is_not_kept():
    X, y = parity(2)
    y = y ^ (np.random.default_rng(9).random(len(y)) < 0.2)
    X["site"] = (X["c0"] > 0) ^ (X["c1"] > 0)
    assert "site" in InteractionSelector().fit(X, y).get_feature_names_out()
    within = InteractionSelector(strata="site").fit(X, y)
    assert not within.support_.any()
    assert within.p_.tolist() == InteractionSelector(strata=X.columns.get_loc("site")).fit(X, y).p_.tolist()
    with pytest.raises(ValueError, match=r"^error='contrasts' is not allowed: with strata give"):
        InteractionSelector(strata="site", error="contrasts").fit(X, y)


def test_codes_of_sparse_tables_are_taken():
    random = np.random.default_rng(2)
    X = random.choice(3, p=[0.7, 0.2, 0.1], size=(300, 8))
    y = (X[:, 1] > 0) ^ (X[:, 6] > 0)
    dense = InteractionSelector(binning="none").fit(X, y)
    assert np.flatnonzero(dense.support_).tolist() == [1, 6]
    assert InteractionSelector(binning="none").fit(csr_array(X), y).p_.tolist() == dense.p_.tolist()


@pytest.mark.parametrize("wrong", [{"order": 4}, {"level": 2}, {"error": "fwer"}, {"n_shuffles": 0}], ids=str)
def test_mistakes(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"^{name}="):
        InteractionSelector(**wrong).fit(*parity(2))


def test_so_few_shuffles_that_no_column_could_be_kept_are_refused():
    with pytest.raises(ValueError, match=r"^n_shuffles=18 is not allowed: no p is below 1/19, so no column"):
        InteractionSelector(n_shuffles=18).fit(*parity(2))
    assert InteractionSelector(n_shuffles=19).fit(*parity(2)).support_.sum() == 2
    assert InteractionSelector(n_shuffles=18, error="false-discovery").fit(*parity(2)).support_[:2].all()  # p of 1/163
