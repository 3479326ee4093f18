"""The life of a selection as a user: select, save, apply in another process and other formats, compare, verify."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

from bitsieve.io.read import read_table

N = 400


def month(seed):
    random = np.random.default_rng(seed)
    churn = random.random(N) < 0.4
    return pd.DataFrame(
        {
            "age": random.integers(20, 60, N) + 10 * churn,
            "discount": [f"{value} %" for value in random.integers(1, 40, N) + 15 * ~churn],
            "city": np.where(churn, "Rome", random.choice(["Oslo", "Bern", "Rome"], N)),
            "noise": random.normal(size=N),
            "churn": np.where(churn, "yes", "no"),
        }
    )


def run(folder, *arguments, code=0):
    """Run the command in a process of its own, and return what it printed; a mistake is one line.

    A mistake is looked for with --quiet, as a slow machine shows its progress in lines.
    """
    finished = subprocess.run(
        [sys.executable, "-m", "bitsieve", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert finished.returncode == code, finished.stderr
    if code == 2:
        assert finished.stdout == ""
        assert finished.stderr.count("\n") == 1
    return finished.stdout if code != 2 else finished.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the data of May, and a selection that was saved from it."""
    folder = tmp_path_factory.mktemp("life")
    month(0).to_csv(folder / "may.csv", index=False)
    select = "select", "may.csv", "--target", "churn", "--features", "3"
    document = json.loads(run(folder, *select, "--save", "churn.json", "--output", "may_reduced.csv", "--json"))
    assert [feature["name"] for feature in document["features"]] == ["discount", "city", "age"]
    return folder


def write(data, path):
    """Write a table in the format of the ending."""
    if path.suffix == ".csv":
        data.to_csv(path, index=False)
    elif path.suffix == ".tsv":
        data.to_csv(path, index=False, sep="\t")
    elif path.suffix == ".parquet":
        data.to_parquet(path)
    elif path.suffix == ".arrow":
        feather.write_feather(pa.Table.from_pandas(data, preserve_index=False), path, compression="uncompressed")
    elif path.suffix == ".jsonl":
        data.to_json(path, orient="records", lines=True)
    else:
        with sqlite3.connect(path) as connection:
            data.to_sql("june", connection, index=False)


@pytest.mark.slow("six formats, a process each")
def test_it_is_applied_in_a_new_process_to_a_shuffled_extended_and_shortened_table_in_six_formats(folder):
    june = month(1).sample(frac=1, random_state=0).head(250).reset_index(drop=True)
    june = june.assign(region="north")[["region", "city", "age", "noise", "discount"]]
    for ending in ("csv", "tsv", "parquet", "arrow", "jsonl", "sqlite"):
        path = folder / f"june.{ending}"
        write(june, path)
        run(folder, "apply", "churn.json", path.name, "--output", f"{ending}.parquet", "--codes")
    tables = [read_table(folder / f"{ending}.parquet") for ending in ("csv", "tsv", "arrow", "jsonl", "sqlite")]
    first = read_table(folder / "parquet.parquet")
    assert first.column_names == ["discount", "city", "age"]
    assert first.num_rows == 250
    assert all(table.equals(first) for table in tables)
    script = (
        "import bitsieve, pandas\n"
        "selection = bitsieve.load('churn.json')\n"
        "codes = selection.transform(pandas.read_csv('june.csv'), codes=True)[selection.features]\n"
        "assert codes.equals(pandas.read_parquet('parquet.parquet'))\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)


def test_applied_to_the_data_it_was_selected_from_it_gives_what_select_wrote(folder):
    run(folder, "apply", "churn.json", "may.csv", "--output", "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / "may_reduced.csv").read_bytes()


@pytest.mark.slow("several processes; tests/io refuses in one")
def test_a_broken_table_and_a_broken_file_are_refused_in_one_line(folder):
    month(1).drop(columns=["age", "city"]).to_csv(folder / "lost.csv", index=False)
    message = run(folder, "apply", "churn.json", "lost.csv", "--output", "lost.parquet", "--quiet", code=2)
    assert "'age'" in message
    assert "'city'" in message
    assert not (folder / "lost.parquet").exists()
    content = (folder / "churn.json").read_text()
    (folder / "half.json").write_text(content[: len(content) // 2])
    run(folder, "apply", "half.json", "may.csv", "--quiet", code=2)
    run(folder, "verify", "half.json", "may.csv", "--quiet", code=2)


@pytest.mark.slow("a process; tests/api checks without")
def test_the_check_of_a_changed_month_names_what_moved(folder):
    changed = month(2)
    changed["age"] += 20
    changed.to_csv(folder / "july.csv", index=False)
    check = json.loads(run(folder, "apply", "churn.json", "july.csv", "--check", "--json"))["check"]
    assert check["moved"] == ["age"]


@pytest.mark.slow("several processes; tests/cli compares in one")
def test_the_selection_of_june_is_compared_with_that_of_may(folder):
    june = month(1).assign(income=np.where(month(1)["churn"] == "yes", 9.5, 1.5))
    june.to_csv(folder / "june_all.csv", index=False)
    select = "select", "june_all.csv", "--target", "churn", "--features", "3"
    run(folder, *select, "--save", "june.json", "--output-ranking", "june_ranking.csv")
    difference = json.loads(run(folder, "diff", "churn.json", "june.json", "--json", code=1))
    assert "income" in difference["entered"]
    assert len(difference["left"]) == len(difference["entered"])
    assert {reason["cause"] for reason in difference["reasons"]} == {"columns", "target"}
    text = run(folder, "diff", "churn.json", "june.json", code=1)
    assert "'income'" in text
    same = json.loads(run(folder, "diff", "churn.json", "churn.json", "--json"))
    assert same["is_same"]
    (folder / "broken.json").write_text("{")
    run(folder, "diff", "churn.json", "broken.json", code=2)


@pytest.mark.slow("several processes; tests/api verifies in one")
def test_an_auditor_verifies_it_bit_for_bit(folder):
    assert json.loads(run(folder, "verify", "churn.json", "may.csv", "--json"))["agrees"]
    changed = month(0)
    changed.loc[:4, "city"] = "Oslo"
    changed.to_csv(folder / "changed.csv", index=False)
    document = json.loads(run(folder, "verify", "churn.json", "changed.csv", "--json", code=1))
    assert document["steps"][-1]["cause"] == "values"
    assert "city" in document["steps"][-1]["difference"] or "discount" in document["steps"][-1]["difference"]
