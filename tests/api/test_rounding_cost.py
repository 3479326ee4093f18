"""What rounded counts of sites cost: ranges that hold the scores without rounding."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bitsieve.api import rounding_cost
from bitsieve.cli import main

SITES = ("Jena", "Bonn")
N_FEATURES = 3


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Exact and rounded counts of two sites, with bins that make tables of pairs sparse."""
    folder = tmp_path_factory.mktemp("study")
    random = np.random.default_rng(8)
    for name in SITES:
        n = 400
        outcome = random.integers(0, 2, n)
        columns = {f"lab {j}": np.round(random.normal(0, 1, n) + outcome * j / 3, 3) for j in range(N_FEATURES)}
        pd.DataFrame({**columns, "outcome": outcome}).to_csv(folder / f"{name}.csv", index=False)
        assert count(folder, name, "--vocabulary", str(folder / f"{name}.json")) == 0
    like = ["--like", *(str(folder / f"{name}.json") for name in SITES), "--bins", "6"]
    for name in SITES:
        assert count(folder, name, *like, "--save", str(folder / name)) == 0
        assert count(folder, name, *like, "--save", str(folder / f"{name}-rounded"), "--min-cell", "5") == 0
    return folder


def count(folder, name, *words):
    return main(["count", str(folder / f"{name}.csv"), "--target", "outcome", *words])


def selected(folder, capsys, method, *names, options=()):
    """The scores, and the note on rounding; None if there is no such note."""
    capsys.readouterr()
    words = [f"--counts={folder / name}" for name in names]
    assert main(["select", *words, "--method", method, *options, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    notes = [note for note in document["notes"] if "rounded to multiples" in note]
    return [feature["score"] for feature in document["features"]], notes[0] if notes else None


def ranges_of(monkeypatch):
    """Record the costs that are computed."""
    costs = []
    compute = rounding_cost.rounding_cost

    def recorded(fit, parts):
        costs.append(compute(fit, parts))
        return costs[-1]

    monkeypatch.setattr(rounding_cost, "rounding_cost", recorded)
    return costs


@pytest.mark.parametrize("method", ["mrmr", "jmi"])
def test_the_ranges_hold_most_scores_without_rounding(study, monkeypatch, capsys, method):
    costs = ranges_of(monkeypatch)
    exact, no_note = selected(study, capsys, method, *SITES)
    assert no_note is None
    assert not costs
    rounded, note = selected(study, capsys, method, *(f"{name}-rounded" for name in SITES))
    assert rounded != exact
    (cost,) = costs
    assert "multiples of 5" in note
    assert len(cost.low) == N_FEATURES
    assert (cost.low < cost.high).all()
    is_held = (cost.low <= exact) & (exact <= cost.high)
    assert is_held.sum() >= N_FEATURES - 1  # about four of five are held
    # Rounding makes sparse tables look more informative, which the ranges take off again.
    middle = (cost.low + cost.high) / 2
    assert np.abs(middle - exact).sum() < np.abs(np.array(rounded) - exact).sum()


@pytest.mark.slow("two selections with twenty repeats each")
def test_an_exact_site_adds_no_cost(study, monkeypatch, capsys):
    costs = ranges_of(monkeypatch)
    selected(study, capsys, "mrmr", "Jena-rounded", "Bonn-rounded")
    selected(study, capsys, "mrmr", "Jena-rounded", "Bonn")
    assert (costs[1].high - costs[1].low).mean() < (costs[0].high - costs[0].low).mean()


def test_the_cost_is_the_same_again(study, capsys):
    names = [f"{name}-rounded" for name in SITES]
    assert selected(study, capsys, "mrmr", *names) == selected(study, capsys, "mrmr", *names)


def test_a_method_that_selects_fewer_columns_has_ranges_for_these(study, monkeypatch, capsys):
    costs = ranges_of(monkeypatch)
    scores, _ = selected(study, capsys, "fcbf", "Jena-rounded", "Bonn-rounded")
    assert len(costs[0].low) == len(costs[0].high) <= len(scores)


@pytest.fixture(scope="module")
def scanners(tmp_path_factory):
    """Rounded counts of two sites, of which one has more of the ill, and another scanner."""
    folder = tmp_path_factory.mktemp("scanners")
    random = np.random.default_rng(4)
    for name, share, scanner in zip(SITES, (0.2, 0.8), ("old", "new"), strict=True):
        outcome = (random.random(400) < share).astype(int)
        marker = np.round(random.normal(0, 1, 400) + outcome, 3)
        table = pd.DataFrame({"marker": marker, "scanner": scanner, "outcome": outcome})
        table.to_csv(folder / f"{name}.csv", index=False)
        assert count(folder, name, "--vocabulary", str(folder / f"{name}.json")) == 0
    like = ["--like", *(str(folder / f"{name}.json") for name in SITES), "--bins", "3"]
    for name in SITES:
        assert count(folder, name, *like, "--site", name, "--save", str(folder / name), "--min-cell", "5") == 0
    return folder


@pytest.mark.parametrize("effect", ["any", "common"])
def test_the_ranges_are_of_the_information_within_the_strata(scanners, monkeypatch, capsys, effect):
    costs = ranges_of(monkeypatch)
    of_all_rows, _ = selected(scanners, capsys, "mim", *SITES)
    within, note = selected(scanners, capsys, "mim", *SITES, options=("--strata", "site", "--effect", effect))
    assert "multiples of 5" in note
    # The sizes of the classes and codes alone have the table of the scanner, the first of all rows: it never moves.
    assert costs[0].low[0] == costs[0].high[0] == of_all_rows[0]
    # Within the sites the scanner says nothing, and the marker is the first.
    assert costs[1].low[0] < costs[1].high[0]
    assert [costs[1].low[1], costs[1].high[1], within[1]] == pytest.approx([0, 0, 0], abs=1e-12)
