"""Bins of each stratum: their edges are those of the stratum's rows alone, whatever the others hold."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.diagnosed import raises_code

from bitsieve import EqualFrequencyBinner, EqualWidthBinner, MDLBinner, ZeroApartBinner
from bitsieve.dataset.read import read_xy
from bitsieve.discretization.base import as_column_rule
from bitsieve.discretization.equal import EqualFrequencyBinning, EqualWidthBinning
from bitsieve.discretization.mdl import AutoBinning
from bitsieve.engines.local import count

N = 240
RULES = {
    "quantile": EqualFrequencyBinning(n_bins=4, missing="bin"),
    "apart": EqualFrequencyBinning(n_bins=3, uncut="apart", missing="bin"),
    "uniform": EqualWidthBinning(n_bins=5, missing="bin"),
}
in_every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def numbers(seed=0):
    """Numbers in eighths, of which one column has gaps and another few different values; and three strata."""
    random = np.random.default_rng(seed)
    X = np.rint(8 * random.normal(size=(N, 4))) / 8
    X[::7, 1] = np.nan
    X[:, 2] = np.rint(X[:, 2])
    return X, random.integers(0, 3, N)


def codes(rule, X, strata, **changes):
    table = replace(read_xy(X, strata=strata), **changes)
    return rule.unfitted(bins_within=True).fit_table(table).codes(table)


@in_every_rule
def test_a_shift_of_each_stratum_leaves_the_codes_as_they_are(rule):
    X, strata = numbers()
    shifts = np.array([0.0, 40.0, -1000.0])[strata]
    assert codes(rule, X + shifts[:, None], strata).tolist() == codes(rule, X, strata).tolist()


@in_every_rule
def test_one_stratum_has_the_bins_of_all_rows(rule):
    X, _ = numbers()
    table = read_xy(X, strata=np.zeros(N, int))
    fitted = rule.unfitted().fit_table(table)
    within = rule.unfitted(bins_within=True).fit_table(table)
    assert within.codes(table).tolist() == fitted.codes(table).tolist()
    assert within.n_bins_.tolist() == fitted.n_bins_.tolist()
    assert [edges.tolist() for edges in within.bin_edges_of_strata_[0]] == [e.tolist() for e in fitted.bin_edges_]


@in_every_rule
def test_the_names_of_the_strata_change_nothing(rule):
    X, strata = numbers()
    expected = codes(rule, X, strata)
    for labels in (["b", "c", "a"], [30, 10, 20]):
        assert codes(rule, X, np.array(labels)[strata]).tolist() == expected.tolist()


@in_every_rule
def test_each_stratum_has_the_codes_of_its_rows_alone(rule):
    X, strata = numbers()
    found = codes(rule, X, strata)
    missing_codes = found[np.isnan(X)]
    for stratum in range(3):
        alone = read_xy(X[strata == stratum])
        codes_alone = rule.unfitted().fit_table(alone).codes(alone)
        present = ~np.isnan(X[strata == stratum])
        assert found[strata == stratum][present].tolist() == codes_alone[present].tolist()
    assert set(missing_codes.tolist()) == {int(found[:, 1].max())}  # one code of missing values in all strata


def test_a_small_stratum_has_fewer_codes_and_an_empty_one_none():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [7.0], [9.0], [np.nan], [np.nan]])
    strata = [0, 0, 0, 0, 1, 1, 2, 2]
    found = codes(RULES["quantile"], X, strata)
    assert found.ravel().tolist() == [0, 1, 2, 3, 0, 1, 4, 4]


@in_every_rule
def test_weights_are_repeated_rows(rule):
    X, strata = numbers()
    weights = np.random.default_rng(1).integers(1, 4, N)
    repeated = np.repeat(np.arange(N), weights)
    expected = codes(rule, X[repeated], strata[repeated])
    assert codes(rule, X, strata, weights=weights)[repeated].tolist() == expected.tolist()


@in_every_rule
def test_threads_and_the_type_of_the_table_change_nothing(rule):
    X, strata = numbers()
    X = np.tile(X, 20)
    expected = codes(rule, X, strata)
    assert codes(rule.unfitted(n_jobs=3), X, strata).tobytes() == expected.tobytes()
    assert codes(rule, np.asfortranarray(X), strata).tobytes() == expected.tobytes()
    assert codes(rule, pd.DataFrame(X), strata).tobytes() == expected.tobytes()
    assert codes(rule, X.astype(np.float32), strata).tobytes() == expected.tobytes()


def test_categories_are_the_same_in_all_strata():
    X, strata = numbers()
    words = np.array(["low", "mid", "top"])[np.random.default_rng(2).integers(0, 3, N)]
    table = read_xy(pd.DataFrame({"a": X[:, 0], "word": words, "b": X[:, 3]}), strata=strata)
    fitted = EqualFrequencyBinning(n_bins=4, bins_within=True).fit_table(table)
    assert fitted.categories_[1].tolist() == ["low", "mid", "top"]
    assert fitted.codes(table)[:, 1].tolist() == [["low", "mid", "top"].index(word) for word in words]
    assert fitted.codes(table)[:, [0, 2]].tolist() == codes(fitted, X[:, [0, 3]], strata).tolist()


def test_whole_numbers_and_bytes_are_cut_as_floats_are():
    X, strata = numbers()
    whole = np.rint(8 * X[:, [0, 3]]).astype(int)
    for kind in (np.int64, np.int16, np.int8):
        assert (
            codes(RULES["quantile"], whole.astype(kind), strata).tolist()
            == codes(RULES["quantile"], whole.astype(float), strata).tolist()
        )


def test_the_default_rule_makes_quantiles_within_strata():
    X, strata = numbers()
    y = np.arange(N) % 2
    rule = AutoBinning(bins_within=True, missing="bin").for_table(read_xy(X, y, strata=strata))
    assert repr(rule) == "EqualFrequencyBinning(n_bins=4, uncut='apart', bins_within=True, missing='bin')"
    assert AutoBinning(bins_within=True, n_bins=7).for_table(read_xy(X[:, :1], y, strata=strata)).n_bins == 7
    weights = np.full(N, 100)  # 24,000 samples
    assert AutoBinning(bins_within=True).for_table(read_xy(X, y, weights, strata=strata)).n_bins == 9


@pytest.mark.parametrize("binner", [EqualFrequencyBinner(n_bins=4), EqualWidthBinner(n_bins=5)])
def test_binners_code_new_rows_by_their_strata(binner):
    X, strata = numbers()
    X = X[:, [0, 3]]
    names = np.array(["k", "l", "m"])[strata]
    fitted = binner.set_params(bins_within=True).fit(X, strata=names)
    assert fitted.strata_ == (("k",), ("l",), ("m",))
    assert fitted.transform(X, strata=names).tolist() == codes(binner, X, strata).tolist()
    assert fitted.fit_transform(X, strata=names).tolist() == codes(binner, X, strata).tolist()
    some = np.flatnonzero(strata != 1)[::-1]  # in another order, and without a stratum
    assert fitted.transform(X[some], strata=names[some]).tolist() == codes(binner, X, strata)[some].tolist()
    for stratum, edges in enumerate(fitted.bin_edges_of_strata_):
        alone = binner.unfitted(bins_within=False).fit(X[strata == stratum])
        assert [cuts.tolist() for cuts in edges] == [cuts.tolist() for cuts in alone.bin_edges_]


def test_strata_of_several_columns_are_their_joint_values():
    X, strata = numbers()
    site = np.arange(N) % 2
    both = pd.DataFrame({"batch": np.array(["k", "l", "m"])[strata], "site": site})
    joint = [f"{batch} {number}" for batch, number in both.to_numpy()]
    binner = EqualFrequencyBinner(n_bins=3, bins_within=True)
    expected = binner.fit_transform(X[:, :1], strata=joint)
    assert binner.fit_transform(X[:, :1], strata=both).tolist() == expected.tolist()
    assert binner.strata_[:3] == (("k", 0), ("k", 1), ("l", 0))


def test_rows_of_weight_0_have_no_stratum_of_their_own():
    X, strata = numbers()
    weights = (strata != 1).astype(int)
    binner = EqualFrequencyBinner(n_bins=3, bins_within=True).fit(X[:, :1], sample_weight=weights, strata=strata)
    assert binner.strata_ == ((0,), (2,))
    with raises_code("unseen-value") as raised:
        binner.transform(X[:, :1], strata=strata)
    assert "'1'" in str(raised.value)


def test_strata_without_effect_are_refused():
    X, strata = numbers()
    for binner in (EqualFrequencyBinner(), MDLBinner(), ZeroApartBinner("quantile")):
        with raises_code("parameter-without-effect"):
            binner.fit(X[:, :1], strata, strata=strata)
    fitted = EqualWidthBinner().fit(X[:, :1])
    with raises_code("parameter-without-effect"):
        fitted.transform(X[:, :1], strata=strata)
    within = EqualWidthBinner(bins_within=True).fit(X[:, :1], strata=strata)
    with raises_code("parameter-not-allowed"):
        within.transform(X[:, :1])
    with raises_code("lengths-differ"):
        within.transform(X[:, :1], strata=strata[1:])


def test_what_has_no_strata_in_memory_is_refused():
    X, strata = numbers()
    X = X[:, [0, 3]]
    rule = EqualFrequencyBinner(bins_within=True)
    with raises_code("parameter-not-allowed") as raised:
        rule.fit(X)
    assert str(raised.value) == "bins_within=True needs strata: add strata, or leave it out"
    with raises_code("rows-not-in-memory"):
        as_column_rule(rule)
    with raises_code("dense-rows-needed"):
        ZeroApartBinner(rule).fit(X)
    with raises_code("parameter-not-allowed"):
        count(read_xy(X, strata=strata), EqualFrequencyBinning(bins_within="yes"))
    with pytest.raises(TypeError, match="bins_within"):
        MDLBinner(bins_within=True)
