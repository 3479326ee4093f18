"""Warnings of categories with few rows for each value, and of numbers that encode the target."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import bitsieve
from bitsieve import EqualFrequencyBinner

pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")
CODES = ("target-encoding", "mostly-chance", "rows-of-one-value")
N_ROWS = 600


def noise(random):
    return pd.DataFrame(random.normal(size=(N_ROWS, 4)), columns=list("abcd"))


def warned(selection):
    """The codes, with the columns that each names."""
    return {note.code: note.columns for note in selection.diagnostics if note.code in CODES}


def encoded_table(seed, share):
    """A target with a rate for each of 60 towns, encoded by the rate in a town and, for smoothing, that of all rows."""
    random = np.random.default_rng(seed)
    town = random.integers(0, 60, N_ROWS)
    y = (random.random(N_ROWS) < 1 / (1 + np.exp(-random.normal(size=60)[town]))).astype(int)
    own = pd.Series(y).groupby(town).transform("mean")
    table = noise(random).assign(code=share * own + (1 - share) * y.mean())
    return table, y


@pytest.mark.each_value
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("share", "n_decimals"), [(1.0, 2), (1.0, 16), (0.7, 16), (0.7, 3)])
def test_a_target_encoding_is_named(seed, share, n_decimals):
    table, y = encoded_table(seed, share)
    table["code"] = table["code"].round(n_decimals)
    assert warned(bitsieve.select(table, y)) == {"target-encoding": ("code",)}


def test_weights_count_as_rows():
    """The code is the share in the rows without weights: it encodes the target as long as all weights are equal."""
    table, y = encoded_table(0, 1.0)
    weights = np.random.default_rng(1).integers(1, 4, N_ROWS)
    repeated = table.loc[table.index.repeat(weights)]
    assert "target-encoding" not in warned(bitsieve.select(table, y, sample_weight=weights))
    assert "target-encoding" not in warned(bitsieve.select(repeated, np.repeat(y, weights)))
    assert "target-encoding" in warned(bitsieve.select(table, y, sample_weight=np.full(N_ROWS, 3)))


def test_an_encoding_by_other_rows_and_plain_shares_are_not_named():
    random = np.random.default_rng(3)
    town = random.integers(0, 60, N_ROWS)
    rates = 1 / (1 + np.exp(-2 * random.normal(size=60)))
    y = (random.random(N_ROWS) < rates[town]).astype(int)
    table = noise(random).assign(rate=rates[town].round(2), grade=(random.integers(0, 11, N_ROWS) / 10))
    assert warned(bitsieve.select(table, y)) == {}


@pytest.mark.parametrize("seed", range(3))
def test_a_category_without_relation_is_mostly_chance(seed):
    random = np.random.default_rng(seed)
    table = noise(random).assign(code=[f"z{v}" for v in random.integers(0, 120, N_ROWS)])
    y = random.integers(0, 2, N_ROWS)
    assert warned(bitsieve.select(table, y)) == {"mostly-chance": ("code",)}
    assert warned(bitsieve.select(table, y, estimator="plug-in")) == {}  # many-values says it


def test_numbers_in_many_bins_are_no_categories():
    random = np.random.default_rng(0)
    values = random.normal(size=(300, 4)) * (random.random((300, 4)) > 0.1)
    y = random.integers(0, 2, 300)
    many_bins = EqualFrequencyBinner(n_bins=40)
    assert warned(bitsieve.select(values, y, binning=many_bins)) == {}
    assert warned(bitsieve.select(sparse.csr_array(values), y, binning=many_bins)) == {}


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_persons_are_named_unless_they_are_grouped(seed):
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(N_ROWS // 5), 5)
    classes = random.integers(0, 2, N_ROWS // 5)[person]
    y = np.where(random.random(N_ROWS) < 0.1, 1 - classes, classes)
    order = random.permutation(N_ROWS)
    table = noise(random).assign(who=[f"p{v}" for v in person]).iloc[order]
    selection = bitsieve.select(table, y[order])
    assert warned(selection) == {"rows-of-one-value": ("who",)}
    assert {note.code: note.fix for note in selection.diagnostics}["rows-of-one-value"] == {"groups": "who"}
    assert warned(bitsieve.select(table, y[order], groups=person[order])) == {}


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_no_false_alarm_on_tables_of_scikit_learn(load):
    X, y = load(return_X_y=True, as_frame=True)
    assert warned(bitsieve.select(X, y, n_features_to_select=X.shape[1])) == {}
    assert warned(bitsieve.select(X, y, binning=EqualFrequencyBinner(n_bins=30), n_features_to_select=5)) == {}
