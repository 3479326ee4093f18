"""The studies of the default criterion and of the rules' promises, in small form."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif

from benchmarks import default_criterion, default_uncut, promises
from bitsieve import MDLBinner


def test_a_split_has_errors_and_columns_of_every_contestant(tmp_path):
    X, y = load_wine(return_X_y=True)
    np.savez(tmp_path / "wine.npz", X=X, y=y)
    split = default_criterion.split_of(tmp_path, "wine", 1, max_rows=60)
    assert split.training.shape == (60, 13)
    assert len(split.test) == 118
    result = default_criterion.run_split(split, "wine", 1)
    assert list(result["contestants"]) == list(default_criterion.CONTESTANTS)
    for contestant in result["contestants"].values():
        assert list(contestant["errors"]) == ["5", "10"]
        assert len(set(contestant["columns"])) == 10
        assert max(contestant["errors"].values()) < 25  # percent; the largest class has 40 % of the rows


def result_of(name, seed, errors):
    contestants = {
        contestant: {"columns": list(range(5)), "seconds": 0.0, "errors": {"5": error}}
        for contestant, error in errors.items()
    }
    return {"name": name, "seed": seed, "n_features": 20, "contestants": contestants}


def test_summary_is_the_mean_over_the_sets():
    errors = dict.fromkeys(default_criterion.CONTESTANTS, 10.0)
    results = [
        result_of("a", 1, errors | {"cmim2": 8.0}),
        result_of("a", 2, errors | {"cmim2": 6.0}),
        result_of("b", 1, errors | {"cmim2": 11.0}),
        result_of("b", 2, errors | {"cmim2": 11.0}),
    ]
    rows = {row.contestant: row for row in default_criterion.summary(results, 5)}
    assert rows["cmim2"].error == 9.0
    assert rows["cmim2"].difference == -1.0
    assert rows["cmim2"].low == -3.0  # both drawn tables are the first one in a quarter of the resamples
    assert rows["cmim2"].high == 1.0
    assert rows["jmi"].stability == 1.0
    assert rows["jmi"].low == rows["jmi"].high == 0.0


def test_only_splits_of_all_sets_count():
    errors = dict.fromkeys(default_criterion.CONTESTANTS, 10.0)
    results = [result_of("a", 1, errors), result_of("b", 1, errors), result_of("a", 2, errors)]
    assert default_criterion.splits_of_all_sets(results) == results[:2]


@pytest.mark.parametrize("name", promises.DESIGNS)
def test_designs_are_seeded_tables_with_relevant_columns(name):
    design = promises.DESIGNS[name]
    table = promises.draw(design, 3, 120)
    again = promises.draw(design, 3, 120)
    assert table.X.tobytes() == again.X.tobytes()
    assert table.X.shape == (120, promises.N_COLUMNS)
    assert len(table.relevant) == design.n_relevant
    if design.n_relevant:
        assert len(np.unique(table.y)) == len(design.quantiles) + 1


def test_a_run_of_promises_adds_the_sets_that_are_lacking(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    arguments = [str(path), "--sets", "3", "--rows", "100", "--rules", "fdr,dcrt", "--designs", "noise,groups"]
    assert promises.main([*arguments, "--new", "1"]) == 0
    first = promises.read_results(path)
    cells = [(result["design"], result["rule"], result["seed"]) for result in first]
    assert cells == [("noise", "fdr", 0), ("noise", "dcrt", 0), ("groups", "fdr", 0)]  # dcrt refuses groups
    assert promises.main(arguments) == 0
    results = promises.read_results(path)
    assert results[:3] == first
    assert [result["seed"] for result in results[3:]] == [1, 1, 1, 2, 2, 2]
    assert all(0 <= result["n_true"] <= result["n_selected"] for result in results)
    assert "| noise, 100 rows | - | - |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rule", "design", "n_false", "n_sets", "is_broken"),
    [
        ("fdr", "independent", 3, 40, True),
        ("fdr", "blocks", 3, 40, False),  # known to fail there
        ("fdr", "independent", 3, 10, False),  # too few sets to judge
        ("significance", "independent", 3, 40, False),  # promises no rate of a list
        ("dcrt", "independent", 0, 40, False),
    ],
)
def test_broken_promises(rule, design, n_false, n_sets, is_broken):
    results = []
    for seed in range(n_sets):
        n_true = 7 + seed % 2
        n_selected = n_true + n_false
        result = promises.SetResult(
            design=design, rule=rule, n_rows=400, seed=seed, n_selected=n_selected, n_true=n_true
        )
        results.append(result)
    assert bool(promises.broken_promises(results)) == is_broken


def test_columns_without_a_cut_by_four_ways():
    table = default_uncut.draw(1, 60, n_columns=30, n_relevant=5)
    assert len({*table.relevant.tolist()}) == 5
    first = {way: default_uncut.first_columns(table.X, table.y, way, 5) for way in default_uncut.WAYS}
    assert all(len({*columns}) == 5 for columns in first.values())
    statistics, _ = f_classif(table.X, table.y)
    assert first["F"] == np.argsort(-statistics)[:5].tolist()
    n_cut = np.count_nonzero(MDLBinner().fit(table.X, table.y).bin_edges_.lengths)
    assert first["rank test"][:n_cut] == first["position"][:n_cut]
    assert first["position"][n_cut:] == sorted(first["position"][n_cut:])
