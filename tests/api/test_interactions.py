"""``bitsieve.interactions``: what it returns, through every door, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import bitsieve

N_ROWS, COLUMNS = 240, [f"c{j}" for j in range(7)]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(4)
    made = pd.DataFrame(random.normal(size=(N_ROWS, len(COLUMNS))).round(3), columns=COLUMNS)
    made["ill"] = np.where((made["c2"] > 0) ^ (made["c5"] > 0), "yes", "no")
    return made


@pytest.fixture(scope="module")
def found(table):
    return bitsieve.interactions(table, "ill", top=4)


def facts(found):
    return {name: value for name, value in found.to_dict().items() if name != "notes"}


def test_the_columns_of_an_exclusive_or_come_first_and_no_other_pair_is_beyond_chance(found):
    assert found.tuples[0] == ("c2", "c5")
    assert found.p[0] == 1 / 100
    assert (found.p[1:] > 0.05).all()
    assert set(found.columns[:2]) == {"c2", "c5"}
    assert (found.columns_p <= 0.05).tolist() == [True] * 2 + [False] * 5
    assert (found.false_discovery <= 0.1).tolist() == [True] * 2 + [False] * 5


@pytest.mark.parametrize("door", ["polars", "pyarrow", "csv", "parquet", "batches", "arrays"])
def test_every_door_gives_the_same(door, table, found, tmp_path):
    how = {}
    if door == "csv" or door == "batches":
        data = tmp_path / "table.csv"
        table.to_csv(data, index=False)
        how = {"memory": "1GB"} if door == "batches" else {}
    elif door == "parquet":
        data = tmp_path / "table.parquet"
        table.to_parquet(data)
    else:
        data = pl.from_pandas(table) if door == "polars" else pl.from_pandas(table).to_arrow()
    if door == "arrays":
        again = bitsieve.interactions(table[COLUMNS].to_numpy(), table["ill"], top=4)
        assert (again.values.tolist(), again.p.tolist()) == (found.values.tolist(), found.p.tolist())
        return
    assert facts(bitsieve.interactions(data, "ill", top=4, **how)) == facts(found)


def test_threads_change_nothing(table, found):
    assert facts(bitsieve.interactions(table, "ill", top=4, n_jobs=3)) == facts(found)


def test_mdl_cuts_no_column_of_an_exclusive_or(table):
    with pytest.raises(ValueError, match=r"^0 of the columns have more than one value, and 2 are needed: give more"):
        bitsieve.interactions(table[["c2", "c5", "ill"]], "ill", binning="mdl")


def test_whole_numbers_of_a_small_range_are_codes():
    random = np.random.default_rng(0)
    genotypes = random.choice(3, p=[0.7, 0.25, 0.05], size=(300, 5))
    ill = (genotypes[:, 1] == 2) ^ (genotypes[:, 3] > 0)
    as_they_are = bitsieve.interactions(genotypes, ill, statistic="joint", top=1, binning="none")
    assert facts(bitsieve.interactions(genotypes, ill, statistic="joint", top=1)) == facts(as_they_are)
    cut = bitsieve.interactions(genotypes, ill, statistic="joint", top=1, n_bins=2)
    assert cut.values[0] < as_they_are.values[0] == pytest.approx(bitsieve.entropy(ill[:, None], binning="none")[0])


def test_sparse_tables_are_searched_too():
    random = np.random.default_rng(1)
    counts = random.choice(3, p=[0.8, 0.15, 0.05], size=(200, 9))
    ill = counts[:, 0] > 0
    dense = bitsieve.interactions(counts, ill, order=3, binning="none", top=6, n_shuffles=29)
    sparse = bitsieve.interactions(csr_array(counts), ill, order=3, binning="none", top=6, n_shuffles=29)
    assert facts(sparse) == facts(dense)


def test_weights_are_repeated_rows(table):
    times = np.arange(N_ROWS) % 3 + 1
    weighted = bitsieve.interactions(table, "ill", sample_weight=times, n_bins=2, n_shuffles=0, binning="uniform")
    repeated = table.loc[np.repeat(table.index, times)]
    again = bitsieve.interactions(repeated, "ill", n_bins=2, n_shuffles=0, binning="uniform")
    assert weighted.to_frame().equals(again.to_frame())


def test_frames_are_of_pandas_and_the_document_is_json(table, found):
    frame = bitsieve.interactions(pl.from_pandas(table), "ill", top=4).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["rank", "column_1", "column_2", "value", "p"]
    columns = found.to_column_frame()
    assert columns["with"][:2].tolist() == [{"c2": "c5", "c5": "c2"}[name] for name in columns["column"][:2]]
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
    assert "c2, c5" in str(found)
    assert "c2, c5" in found._repr_html_()


def test_the_network_has_a_point_for_each_column_and_a_line_for_each_tuple(found):
    ax = found.plot()
    assert {text.get_text() for text in ax.texts} == {label for of in found.tuples for label in of}
    assert len([line for line in ax.lines if len(line.get_xdata()) > 1]) == len(found.tuples)


def test_without_shuffles_there_is_no_p_and_a_note_says_how(table):
    with pytest.warns(bitsieve.BitsieveWarning, match="for p-values, add n_shuffles=99"):
        found = bitsieve.interactions(table, "ill", n_shuffles=0)
    assert found.p is found.columns_p is found.false_discovery is None
    assert "p" not in found.to_frame().columns


@pytest.fixture(scope="module")
def of_sites(table):
    """An exclusive or that is the site, on which the class depends, and on nothing else."""
    random = np.random.default_rng(6)
    odd = (table["c2"] > 0) ^ (table["c5"] > 0)
    sites = np.where(odd, random.choice(["east", "north"], N_ROWS), random.choice(["south", "west"], N_ROWS))
    return table.assign(ill=odd ^ (random.random(N_ROWS) < 0.15), site=sites)


def test_a_pair_that_is_only_the_stratum_is_not_significant_within_strata(of_sites):
    pooled = bitsieve.interactions(of_sites, "ill", exclude=["site"], top=4)
    within = bitsieve.interactions(of_sites, "ill", strata="site", top=4)
    assert pooled.tuples == within.tuples
    assert pooled.values.tolist() == within.values.tolist()
    assert pooled.tuples[0] == ("c2", "c5")
    assert pooled.p[0] == 1 / 100
    assert (within.p > 0.05).all()
    assert (within.columns_p > 0.05).all()
    assert "site" not in within.columns


@pytest.mark.parametrize("weighted", [False, True])
def test_strata_are_a_column_or_its_values(of_sites, weighted):
    weights = np.arange(N_ROWS) % 3 + 1 if weighted else None
    named = bitsieve.interactions(of_sites, "ill", strata="site", sample_weight=weights)
    given = bitsieve.interactions(of_sites, "ill", strata=of_sites["site"], exclude=["site"], sample_weight=weights)
    assert facts(given) == facts(named)


def test_one_stratum_is_none(table, found):
    assert facts(bitsieve.interactions(table, "ill", top=4, strata=np.zeros(N_ROWS))) == facts(found)


def test_contrast_columns_find_the_columns_without_shuffles(table):
    found = bitsieve.interactions(table, "ill", statistic="gain", rate_by="contrasts", n_shuffles=0)
    assert found.p is found.columns_p is None
    assert (found.false_discovery <= 0.1).tolist() == [True] * 2 + [False] * 5
    assert found.to_column_frame().columns.tolist() == ["column", "value", "with", "false_discovery"]


def test_columns_of_one_value_are_named_in_one_note(table):
    with pytest.warns(bitsieve.BitsieveWarning, match=r"^2 columns have a single value, or a single bin") as noted:
        found = bitsieve.interactions(table.assign(one=1, same="s", gone=2), "ill", exclude=["gone"], top=1)
    assert str(noted[0].message).endswith("and are in no pair or triple: 'one', 'same'")
    assert len(found.columns) == len(COLUMNS)


def test_a_relation_of_very_many_rows_is_read_and_not_counted_in_the_database(table, found, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr("bitsieve.engines.in_database.has_too_many_values", lambda data: True)
    relation = duckdb.connect().from_arrow(pl.from_pandas(table).to_arrow())
    assert facts(bitsieve.interactions(relation, "ill", top=4)) == facts(found)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strata": "site"}, "strata names column 'site', which is not there"),
        ({"strata": np.zeros(3)}, "strata has 3 values but the data has 240 rows"),
        ({"strata": np.where(np.arange(N_ROWS) > 9, 1.0, np.nan)}, "strata are missing in some rows"),
        ({"strata": np.arange(N_ROWS)}, "no stratum has rows of two classes"),
        ({"rate_by": "contrasts"}, "rate_by='contrasts' is not allowed: contrasts need the statistic gain"),
        ({"rate_by": "knockoffs"}, "rate_by='knockoffs'"),
        ({"order": 4}, "order=4"),
        ({"statistic": "gains"}, "statistic='gains' is not allowed: give 'synergy' or 'interaction'"),
        ({"top": 0}, "top=0"),
        ({"n_shuffles": -1}, "n_shuffles=-1"),
        ({"screen": 1}, "screen=1"),
        ({"n_bin": 3}, "there is no parameter 'n_bin': did you mean n_bins"),
    ],
    ids=str,
)
def test_mistakes_are_one_line(table, wrong, message):
    with pytest.raises(ValueError, match=message):
        bitsieve.interactions(table, "ill", **wrong)


@pytest.mark.parametrize("order", [1, 4])
def test_tuples_are_pairs_or_triples(order):
    with pytest.raises(ValueError, match="order"):
        bitsieve.interactions(np.eye(6), [0, 1] * 3, order=order)
