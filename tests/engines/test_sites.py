"""Sites that exchange counts and no rows, each counted by a process of its own, give what all rows give."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from tests.cover import quick_and_slow

from bitsieve.cli import main
from bitsieve.engines.saved_counts import SavedCounts
from bitsieve.engines.saved_counts_dataset import TabledSource

SITES = ("Jena", "Bonn", "Kiel")


@pytest.fixture(scope="module")
def rows():
    """Rows of three sites. Each has categories, codes and classes that another one lacks; one has gaps."""
    random = np.random.default_rng(3)
    n = 900
    site = np.repeat(np.arange(3), n // 3)
    ward = np.array(list("abcdef"))[random.integers(0, 4, n) + site]
    stage = random.integers(0, 3, n) + 2 * site
    age = np.round(random.normal(50, 9, n) + 4 * (stage % 3), 1)
    age[random.random(n) < 0.05 * (site == 1)] = np.nan
    outcome = np.array(["well", "ill", "dead"])[np.minimum(random.integers(0, 2, n) + (stage + site) % 2, 2)]
    outcome[(site == 0) & (outcome == "dead")] = "ill"
    return pd.DataFrame({"site": site, "age": age, "ward": ward, "stage": stage, "outcome": outcome})


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """The rows of every site in a folder of its own, and all rows in another."""
    folder = tmp_path_factory.mktemp("study")
    for index, name in enumerate(SITES):
        (folder / name).mkdir()
        rows[rows.site == index].drop(columns="site").to_csv(folder / name / "rows.csv", index=False)
    rows.drop(columns="site").to_csv(folder / "rows.csv", index=False)
    return folder


def run(folder, *words):
    """Run a command in a process that works in ``folder``."""
    command = [sys.executable, "-m", "bitsieve", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def count_sites(folder, names):
    """Count every site in a process of its own; all but the first see nothing but the counts before them."""
    saved = []
    for name in names:
        words = ["count", "rows.csv", "-t", "outcome", "--site", name, "--save", f"../{names[0]}-{name}", "--force"]
        if saved:
            words += ["--like", *saved]
        answer = run(folder / name, *words)
        assert answer.returncode == 0, answer.stderr
        saved.append(f"../{names[0]}-{name}")
    return [path.removeprefix("../") for path in saved]


def select_from_counts(paths, capsys):
    capsys.readouterr()
    assert main(["select", *(f"--counts={path}" for path in paths), "--method", "mrmr", "--json"]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    return [(column["name"], column["score"]) for column in features]


@pytest.mark.parametrize("first", quick_and_slow(range(3), quick={0}, reason="processes of every site again"))
def test_three_processes_that_exchange_counts(folder, first, monkeypatch, capsys):
    names = SITES[first:] + SITES[:first]
    saved = count_sites(folder, names)
    pooled = f"pooled-{first}"
    monkeypatch.chdir(folder)
    assert main(["count", "rows.csv", "-t", "outcome", "--save", pooled, "--like", *saved]) == 0
    expected = select_from_counts([pooled], capsys)
    for order in (saved, saved[::-1]):  # with each of the sites first, all orders
        assert select_from_counts(order, capsys) == expected
    parts = [SavedCounts.load(folder / path) for path in saved]
    total, of_all_rows = parts[0] + parts[1] + parts[2], SavedCounts.load(folder / pooled)
    assert total.cells.tolist() == of_all_rows.cells.tolist()
    assert total.class_sizes.tolist() == of_all_rows.class_sizes.tolist()
    assert total.site == ", ".join(names)


def test_columns_of_categories_alone_give_the_selection_of_all_rows(rows, tmp_path, capsys):
    columns = ["ward", "stage", "outcome"]
    saved = []
    for index, name in enumerate(SITES):
        rows.loc[rows.site == index, columns].to_csv(tmp_path / f"{name}.csv", index=False)
        like = ["--like", *saved] if saved else []
        words = ["count", str(tmp_path / f"{name}.csv"), "-t", "outcome", "--save", str(tmp_path / name), *like]
        assert main(words) == 0
        saved.append(str(tmp_path / name))
    rows[columns].to_csv(tmp_path / "all.csv", index=False)
    results = []
    for source in ([f"--counts={path}" for path in saved], [str(tmp_path / "all.csv"), "-t", "outcome"]):
        capsys.readouterr()
        assert main(["select", *source, "--method", "mrmr", "--json"]) == 0
        features = json.loads(capsys.readouterr().out)["features"]
        results.append([(column["name"], column["score"]) for column in features])
    assert results[0] == results[1]


@pytest.fixture
def counted(tmp_path):
    """Count rows given by column, as the first site or like another one; returns the exit status."""

    def count(name, columns, *words):
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
        path = str(tmp_path / name)
        return main(["count", f"{path}.csv", "-t", "outcome", "--save", path, *words])

    return count


def site(n, seed, **columns):
    """Rows of a site: numbers, text and an outcome; columns by keyword replace them."""
    random = np.random.default_rng(seed)
    outcome = random.integers(0, 2, n)
    drawn = {"age": random.normal(50, 9, n) + 5 * outcome, "ward": random.choice(list("abc"), n), "outcome": outcome}
    return {**drawn, **columns}


def test_identifiers_of_a_later_site_leave_the_sum(counted, tmp_path, capsys):
    names = [f"patient {row}" for row in range(200)]
    assert counted("Jena", site(200, 1)) == 0
    assert counted("Bonn", site(200, 2, ward=names), "--like", str(tmp_path / "Jena")) == 0
    assert "'ward'" in capsys.readouterr().err
    assert b"patient" not in (tmp_path / "Bonn" / "counts.bitsieve").read_bytes()
    assert [name for name, _ in select_from_counts([tmp_path / "Jena", tmp_path / "Bonn"], capsys)] == ["age"]
    assert counted("Kiel", site(200, 2, ward=names), "--like", str(tmp_path / "Jena"), "--include", "ward") == 0
    assert SavedCounts.load(tmp_path / "Kiel").dropped == ()


def test_a_later_site_excludes_a_column_from_the_sum(counted, tmp_path, capsys):
    assert counted("Jena", site(200, 1)) == 0
    assert counted("Bonn", site(200, 2), "--like", str(tmp_path / "Jena"), "--exclude", "ward") == 0
    assert counted("Kiel", site(200, 3), "--like", str(tmp_path / "Jena"), str(tmp_path / "Bonn")) == 0
    jena, bonn, kiel = (SavedCounts.load(tmp_path / name) for name in ("Jena", "Bonn", "Kiel"))
    assert (jena.dropped, bonn.dropped, kiel.dropped) == ((), (1,), (1,))
    total = jena + bonn + kiel
    assert total.cells.tolist() == (kiel + bonn + jena).cells.tolist()
    assert (total.dropped, total.class_sizes.sum()) == ((1,), 600)


def test_a_column_that_is_empty_at_a_later_site_stays(counted, tmp_path):
    assert counted("Jena", site(200, 1)) == 0
    assert counted("Bonn", site(200, 2, ward=[""] * 200), "--like", str(tmp_path / "Jena")) == 0
    bonn = SavedCounts.load(tmp_path / "Bonn")
    (table,) = TabledSource(bonn).tables(None, np.array([1]), False)
    codes, n_rows = table.occupied()
    assert (codes.tolist(), n_rows.tolist()) == ([3], [200])  # the code of missing values, behind those of a, b, c
    assert (SavedCounts.load(tmp_path / "Jena") + bonn).dropped == ()


DAYS = np.datetime64("2021-03-01") + np.arange(200) // 2


@pytest.mark.parametrize("first", [site(200, 1), site(200, 1, age=np.arange(200) % 5), site(200, 1, age=DAYS)])
@pytest.mark.parametrize("later", [site(200, 2, age=np.arange(200) % 3), site(200, 2, age=DAYS)])
def test_dates_and_numbers_in_one_column_are_refused(counted, tmp_path, capsys, first, later):
    assert counted("Jena", first) == 0
    capsys.readouterr()
    status = counted("Bonn", later, "--like", str(tmp_path / "Jena"))
    is_same_kind = (first["age"] is DAYS) == (later["age"] is DAYS)
    assert status == (0 if is_same_kind else 2)
    if not is_same_kind:
        (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
        assert "'age'" in line
        assert "dates" in line
        assert counted("Kiel", later, "--like", str(tmp_path / "Jena"), "--exclude", "age") == 0


def test_a_column_of_two_kinds_is_refused(folder, tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("age,ward,stage,outcome\n" + "50,1,a,well\n60,2,b,ill\n" * 40)
    count_sites(folder, SITES[:1])
    capsys.readouterr()
    words = ["count", str(tmp_path / "rows.csv"), "-t", "outcome", "--save", str(tmp_path / "counts")]
    assert main([*words, "--like", str(folder / "Jena-Jena")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "'ward'" in line
