"""Columns without a cut stand behind those that add information, by a test of their ranks; codes and tests stay."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from tests.doors import DOORS

import bitsieve
from bitsieve import Constraints, ForwardSelector, MDLBinner
from bitsieve.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def weak_table(n_rows=120, seed=3):
    """A column that is cut, two weak ones without a cut, noise, a constant, and text with few rows a value."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n_rows) % 2)
    table = pd.DataFrame(random.normal(size=(n_rows, 8)), columns=[f"noise{i}" for i in range(8)])
    table.insert(0, "constant", 1.0)
    table.insert(4, "weak", random.normal(size=n_rows) + 0.4 * y)
    table["text"] = random.permutation(np.repeat([f"v{i}" for i in range(n_rows // 3)], 3))
    table["weaker"] = random.normal(size=n_rows) + 0.3 * y
    table["strong"] = random.normal(size=n_rows) + 1.5 * y
    return table, y


def statistic_of(table, y, name):
    values = table[name].to_numpy()
    return stats.kruskal(values[y == 0], values[y == 1]).statistic


def uncut_names(table, y):
    numbers = table.drop(columns="text")
    return [numbers.columns[j] for j in MDLBinner().fit(numbers, y).uncut_ if numbers.columns[j] != "constant"]


def test_three_tiers_and_constants():
    table, y = weak_table()
    uncut = uncut_names(table, y)
    assert {"weak", "weaker"} < {*uncut}
    selection = bitsieve.select(table, y, n_features_to_select=len(table.columns))
    by_statistic = sorted(uncut, key=lambda name: -statistic_of(table, y, name))
    assert selection.features == ["strong", *by_statistic, "text", "constant"]
    is_uncut = np.isin(selection.features, uncut)
    assert (selection.scores[is_uncut] == 0).all()
    assert selection.scores[selection.features.index("text")] < 0
    ranked = selection.to_frame().set_index("feature")
    for name in uncut:
        assert np.isclose(ranked.loc[name, "rank_statistic"], statistic_of(table, y, name), rtol=1e-12)
    assert ranked.loc[["strong", "text", "constant"], ["rank_statistic", "rank_p"]].isna().all(axis=None)
    assert "ordered-by-ranks" in selection.diagnostics.to_frame("pandas")["code"].to_list()


@pytest.mark.parametrize("criterion", ["mim", "mrmr", "jmi", "cmim", "cmim2", "disr"])
def test_every_criterion_orders_them_so(criterion):
    table, y = weak_table()
    numbers = table.drop(columns="text")
    uncut = uncut_names(table, y)
    order = ForwardSelector(len(numbers.columns), criterion=criterion).fit(numbers, y).selected_
    names = numbers.columns[order].tolist()
    assert names == ["strong", *sorted(uncut, key=lambda name: -statistic_of(table, y, name)), "constant"]


@pytest.mark.parametrize("criterion", ["cmim", "cmim2", "cmim_fleuret", "emrmr", "cmi", "cmifs"])
def test_a_column_that_adds_no_information_stands_behind_them(criterion):
    """By the criteria whose score is the information that a column adds."""
    table, y = weak_table()
    selection = bitsieve.select(table, y, method=criterion, n_features_to_select=len(table.columns))
    assert selection.features[-2:] == ["text", "constant"]


def test_no_runner_up_stands_before_its_winner():
    """After a column that decides the target all others add nothing: their ties are no ties of the order here."""
    table, y = weak_table(600)
    random = np.random.default_rng(5)
    first = np.where(random.random(600) < 0.5, y, 1 - y)
    table = pd.DataFrame({"unrelated": first, "decides": y, "related": (y + (random.random(600) < 0.2)) % 2}).join(
        table
    )
    selection = bitsieve.select(table, y, n_features_to_select=len(table.columns))
    assert "rank_statistic" in selection.to_frame()
    position = {column: i for i, column in enumerate(selection.indices.tolist())}
    for step in selection.required_fit().result.steps:
        for column in step.runner_up.tolist():
            assert position[column] > position[int(step.winner[0])]


def test_codes_scores_and_rules_stay():
    table, y = weak_table()
    codes = MDLBinner(missing="bin").fit(table, y).transform(table)
    on_codes = ForwardSelector(3, binning="none").fit(codes, y)
    selector = ForwardSelector(3).fit(table, y)
    assert (selector.binner_.transform(table) == codes).all()
    assert (selector.relevance_ == on_codes.relevance_).all()
    for rule in ("significance", "fdr", "permutation", "threshold"):
        by_rule = ForwardSelector("auto", stopping=rule).fit(table, y)
        assert not {*table.columns[by_rule.selected_]} & {*uncut_names(table, y)}, rule


def test_constraints_hold():
    table, y = weak_table()
    included = bitsieve.select(table, y, n_features_to_select=4, include=["text"], exclude=["weak"])
    assert included.features[:2] == ["text", "strong"]
    assert "weak" not in included.features
    excluded = Constraints(exclude=["weak"])
    assert table.columns.get_loc("weak") not in ForwardSelector(5, constraints=excluded).fit(table, y).selected_
    grouped = Constraints(groups=[["noise0", "noise1"]])
    assert "rank_statistic" not in bitsieve.select(table, y, n_features_to_select=5, constraints=grouped).to_frame()


def test_weights_are_repeated_rows():
    table, y = weak_table()
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    weighted = bitsieve.select(table, y, sample_weight=weights, n_features_to_select=8)
    repeated = bitsieve.select(table.loc[table.index.repeat(weights)], np.repeat(y, weights), n_features_to_select=8)
    assert weighted.features == repeated.features
    np.testing.assert_array_equal(weighted.to_frame()["rank_p"], repeated.to_frame()["rank_p"])


def test_missing_values_are_left_out_of_the_ranks():
    table, y = weak_table()
    table.loc[::9, "weak"] = np.nan
    selection = bitsieve.select(table, y, n_features_to_select=len(table.columns))
    has_value = table["weak"].notna().to_numpy()
    expected = statistic_of(table[has_value], y[has_value], "weak")
    found = selection.to_frame().set_index("feature").loc["weak", "rank_statistic"]
    assert np.isnan(found) or np.isclose(found, expected, rtol=1e-12)


def test_a_quantity_orders_them_by_rank_correlation():
    random = np.random.default_rng(5)
    X = random.normal(size=(90, 6))
    quantity = 0.4 * X[:, 3] + random.normal(size=90)
    selection = bitsieve.select(X, quantity, binning="mdl", n_features_to_select=6)
    classes = selection.target.codes
    ranked = selection.to_frame().dropna(subset="rank_statistic")
    assert len(ranked) > 1
    for feature, statistic in zip(ranked["index"], ranked["rank_statistic"], strict=True):
        rho = stats.spearmanr(X[:, feature], classes).statistic
        assert np.isclose(statistic, 89 * rho**2, rtol=1e-10)
    assert ranked["rank_statistic"].is_monotonic_decreasing


@pytest.mark.parametrize(
    "door", ["CSV", "CSV, in batches", "Parquet, in batches", "folder", "DuckDB, counted there", "Arrow stream"]
)
def test_the_same_order_through_every_door(door, tmp_path):
    table, y = weak_table()
    table["y"] = np.where(y, "yes", "no")
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    in_memory = bitsieve.select(arrow, "y", n_features_to_select=9)
    through_door = bitsieve.select(**DOORS[door](arrow, tmp_path), n_features_to_select=9)
    assert through_door.features == in_memory.features
    for column in ("score", "rank_statistic", "rank_p"):
        np.testing.assert_array_equal(through_door.to_frame()[column], in_memory.to_frame()[column])


def test_cached_rows_keep_the_tests(tmp_path):
    table, y = weak_table()
    table["y"] = y
    table.to_csv(tmp_path / "rows.csv", index=False)
    first, second = (
        bitsieve.select(tmp_path / "rows.csv", "y", spool=tmp_path / "cache", n_features_to_select=9) for _ in range(2)
    )
    assert first == second


def test_saved_and_loaded(tmp_path):
    table, y = weak_table()
    selection = bitsieve.select(table, y, n_features_to_select=6)
    selection.save(tmp_path / "selection.json")
    loaded = bitsieve.load(tmp_path / "selection.json")
    assert loaded == selection
    assert str(loaded) == str(selection)
    assert "rank statistic" in str(loaded)


def test_counts_without_ranks_keep_the_order_of_the_table(tmp_path, capsys):
    table, y = weak_table()
    numbers = table.drop(columns="text").assign(y=y)
    numbers.to_csv(tmp_path / "rows.csv", index=False)
    assert main(["count", str(tmp_path / "rows.csv"), "-t", "y", "--save", str(tmp_path / "counts")]) == 0
    assert main(["select", "--counts", str(tmp_path / "counts"), "-k", "5", "--json"]) == 0
    out, _ = capsys.readouterr()
    document = json.loads(out)
    assert "ordered-by-position" in [diagnostic["code"] for diagnostic in document["diagnostics"]]
    indices = [feature["index"] for feature in document["features"][1:]]
    assert indices == sorted(indices)
