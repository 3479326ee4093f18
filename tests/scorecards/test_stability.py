"""The population stability index: identities, chance, new categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bitsieve import MonotoneBinner, UserError, population_stability
from bitsieve.scorecards.stability import WORDS_OF_PSI, stability_of, word_of


def sample(seed, n_rows=500, shift=0.0):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {"amount": random.normal(size=n_rows) + shift, "city": random.choice(["Rome", "Oslo", "Bern"], n_rows)}
    )


def test_the_same_rows_have_not_moved():
    frame = population_stability(sample(0), sample(0))
    assert frame["psi"].tolist() == [0, 0]
    assert frame["p"].tolist() == [1, 1]
    assert frame["word"].tolist() == ["stable", "stable"]


def test_a_shift_is_found_and_named():
    frame = population_stability(sample(0), sample(1, shift=1.0))
    assert frame["word"].tolist() == ["moved far", "stable"]
    assert frame["p"][0] < 1e-6


def test_numbers_have_ten_intervals_of_equally_many_rows():
    old = pd.DataFrame({"amount": np.arange(100)})
    new = pd.DataFrame({"amount": np.repeat(np.arange(25), 4)})
    by_tens = stability_of(old["amount"].to_numpy() // 10, new["amount"].to_numpy() // 10)
    assert population_stability(old, new)["psi"][0] == pytest.approx(by_tens.psi, abs=1e-12)


def test_the_index_is_symmetric_in_its_samples():
    bins = np.random.default_rng(0).integers(0, 5, 300), np.random.default_rng(1).integers(0, 5, 200)
    assert stability_of(*bins).psi == pytest.approx(stability_of(*bins[::-1]).psi, abs=1e-12)


def test_new_categories_and_missing_values_are_bins():
    new = sample(1)
    new.loc[:99, "city"] = "Nowhere"
    new.loc[100:149, "amount"] = np.nan
    frame = population_stability(sample(0), new)
    assert frame["bins"].tolist() == [11, 4]
    assert (frame["p"] < 1e-6).all()


def test_p_is_uniform_for_two_samples_of_one_population():
    p = [
        population_stability(sample(2 * seed)[["amount"]], sample(2 * seed + 1)[["amount"]])["p"][0]
        for seed in range(60)
    ]
    assert 0.35 < np.mean(p) < 0.65  # four standard errors of 60 uniform values


def test_bins_of_a_fitted_binner_are_those_of_the_development():
    old, new = sample(0), sample(1, shift=0.5)
    binner = MonotoneBinner().fit(old, (old["amount"] > 0).astype(int))
    frame = population_stability(old, new, binner=binner)
    assert frame["column"].tolist() == ["amount", "city"]
    assert frame["bins"][0] == len(binner.binning_tables_["amount"])


def test_other_columns_are_named():
    with pytest.raises(UserError) as caught:
        population_stability(sample(0), sample(1)[["amount"]])
    assert caught.value.code == "columns-differ"
    assert "city" in str(caught.value)


@pytest.mark.parametrize(
    ("psi", "word"), [(0.0, "stable"), (0.099, "stable"), (0.1, "moved"), (0.249, "moved"), (0.25, "moved far")]
)
def test_words_of_the_index(psi, word):
    assert word_of(psi, WORDS_OF_PSI) == word


@pytest.mark.parametrize(("n_bins", "is_allowed"), [(1, False), (2, True), (65_535, True), (65_536, False)])
def test_the_number_of_intervals(n_bins, is_allowed):
    if is_allowed:
        assert population_stability(sample(0), sample(1), n_bins=n_bins)["bins"][0] <= n_bins + 1
    else:
        with pytest.raises(UserError, match="n_bins"):
            population_stability(sample(0), sample(1), n_bins=n_bins)


def test_a_column_of_one_value_has_not_moved():
    constant = pd.DataFrame({"amount": np.full(30, 7)})
    frame = population_stability(constant, constant)
    assert (frame["psi"][0], frame["p"][0], frame["word"][0]) == (0.0, 1.0, "stable")
