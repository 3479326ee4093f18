"""A printed statement, run by a database, gives counts from which the same is selected as from the rows."""

from __future__ import annotations

import contextlib
import csv
import sqlite3
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.api.select import selection_of
from bitsieve.cli import main
from bitsieve.engines.saved_counts_dataset import SavedCountsDataset
from bitsieve.engines.sql import load_counts
from bitsieve.io.errors import DataError
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.pipeline.way import run_on_read_table

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis by way of pandas
NAMES = ['a "b"', "it's", "few", "gap", "w", "amount", "y"]


def rows(n=300):
    """Names and text that SQL has to quote, numbers with gaps, few whole numbers; weights; a quantity; classes."""
    random = np.random.default_rng(6)
    y = random.integers(0, 3, n)
    words = np.array(["x'; drop table t; --", 'say "so"', "", "z", "1", "01"])[(y + random.integers(0, 4, n)) % 6]
    gap = [None if j % 9 == 0 else round(of, 2) for j, of in enumerate((random.normal(size=n) + y).tolist())]
    amount, w = np.round(random.normal(size=n) + y, 3).tolist(), random.integers(0, 4, n).tolist()
    text = [None if j % 11 == 0 else str(word) for j, word in enumerate(words)]
    few = (random.integers(0, 3, n) * (y > 0)).tolist()
    columns = np.round(random.normal(size=n) / 3 + y, 4).tolist(), text, few, gap, w, amount
    return pa.table([*columns, np.array(["p", "q", "r'"])[y].tolist()], NAMES)


def in_duckdb(path):
    with duckdb.connect(str(path)) as con:
        con.register("given", rows())
        con.execute("create table t as select * from given")


def in_sqlite(path):
    given = list(zip(*rows().to_pydict().values(), strict=True))
    with contextlib.closing(sqlite3.connect(path)) as con:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in NAMES)
        con.execute(f"create table t ({columns})")
        con.executemany("insert into t values (?, ?, ?, ?, ?, ?, ?)", given)
        con.commit()


def ran_by_duckdb(path, statement, result):
    with duckdb.connect(str(path), read_only=True) as con:
        con.execute(f"copy ({statement.rstrip().rstrip(';')}) to '{result}'")


def ran_by_sqlite(path, statement, result):
    """As exported by a program that quotes text and leaves a missing value empty."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as con, open(result, "w") as file:
        found = con.execute(statement)
        file.write(";".join(of[0] for of in found.description) + "\n")
        for row in found:
            quoted = ["" if of is None else '"' + of.replace('"', '""') + '"' for of in row[:-1]]
            file.write(";".join([*quoted, str(row[-1])]) + "\n")


WAYS = {
    "duckdb, csv": (in_duckdb, ran_by_duckdb, "r.csv"),
    "duckdb, parquet": (in_duckdb, ran_by_duckdb, "r.parquet"),
    "sqlite": (in_sqlite, ran_by_sqlite, "r.csv"),
}


@pytest.fixture
def printed(capsys):
    """What ``bitsieve sql`` prints."""

    def call(*words):
        assert main(["sql", *map(str, words), "--quiet"]) == 0
        return capsys.readouterr().out

    return call


def select_from_counts(table, method, n_features_to_select):
    selection = SelectionOptions.by_name(method, {}, n_features_to_select=n_features_to_select)
    return selection_of(
        run_on_read_table(table, ExecutionOptions(n_jobs=1), DiscretizationOptions(), selection), ReadOptions()
    )


QUESTIONS = {
    "class": (["-t", "y"], {"target": "y"}),
    "weights": (["-t", "y", "--weight", "w"], {"target": "y", "sample_weight": "w"}),
    "quantity": (
        ["-t", "amount", "--binning", "quantile", "--bins", 4],
        {"target": "amount", "binning": "quantile", "n_bins": 4},
    ),
    "missing numbers": (
        ["-t", "y", "--column-type", "few=number, missing 0", "--column-type", "amount=number, missing 1 -0.5"],
        {"target": "y", "column_types": {"few": "number, missing 0", "amount": "number, missing 1 -0.5"}},
    ),
    "exclude": (["-t", "few", "--exclude", "amount"], {"target": "few", "exclude": ["amount"]}),
    "each number": (
        ["-t", "y", "--binning", "none", "--exclude", 'a "b"', "--exclude", "gap", "--exclude", "amount"],
        {"target": "y", "binning": "none", "exclude": ['a "b"', "gap", "amount"]},
    ),
}
QUICK_QUESTIONS = {
    *zip(WAYS, ["class", "weights", "quantity"], strict=False),
    *product(["duckdb, csv"], ["exclude", "missing numbers", "each number"]),
}


@pytest.mark.parametrize(
    ("way", "question"),
    quick_and_slow(product(WAYS, QUESTIONS), quick=QUICK_QUESTIONS, reason="the same question to another engine"),
)
def test_the_selection_is_that_of_the_rows(tmp_path, printed, way, question):
    write, run, name = WAYS[way]
    words, how = QUESTIONS[question]
    write(tmp_path / "t.db")
    statement = printed(tmp_path / "t.db", *words, "--missing", "bin")
    run(tmp_path / "t.db", statement, tmp_path / name)
    for method in "cmim", "mrmr":
        k = 5 - 2 * ("exclude" in how) - ("sample_weight" in how)
        expected = bitsieve.select(rows(), missing="bin", method=method, n_features_to_select=k, **how)
        table = SavedCountsDataset(load_counts(tmp_path / name))
        found = select_from_counts(table, method, k)
        assert found.features == expected.features
        assert found.scores.tobytes() == expected.scores.tobytes()
        assert found.relevance.tobytes() == expected.relevance.tobytes()
        assert found.target_name == expected.target_name


def test_numbers_that_are_categories_have_an_interval_each(tmp_path, printed):
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 200)
    table = pa.table({"dose": (random.integers(0, 4, 200) + 2 * y) / 4, "few": random.integers(0, 3, 200), "y": y})
    with duckdb.connect(str(tmp_path / "t.db")) as con:
        con.register("given", table)
        con.execute("create table t as select * from given")
    statement = printed(tmp_path / "t.db", "-t", "y", "--column-type", "dose=category")
    ran_by_duckdb(tmp_path / "t.db", statement, tmp_path / "r.parquet")
    found = select_from_counts(SavedCountsDataset(load_counts(tmp_path / "r.parquet")), "mim", 2)
    expected = bitsieve.select(table, "y", column_types={"dose": "category"}, method="mim", n_features_to_select=2)
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_no_value_of_text_is_in_the_statement(tmp_path, printed):
    in_duckdb(tmp_path / "t.db")
    statement = printed(tmp_path / "t.db", "-t", "y", "--missing", "bin")
    for value in "drop table", "say ", "'p'", "r'", "'01'":
        assert value not in statement
    assert '"a ""b"""' in statement
    assert "'it''s' as" in statement


def test_bins_of_a_sample_and_the_name_of_another_table(tmp_path, printed):
    with open(tmp_path / "sample.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows(zip(*rows().to_pydict().values(), strict=True))
    words = tmp_path / "sample.csv", "-t", "y", "--missing", "bin"
    assert 'from "sample"' in printed(*words)
    assert 'from "sales"."t"' in printed(*words, "--relation", "sales.t")


def test_many_columns_are_one_statement(tmp_path, printed):
    random = np.random.default_rng(0)
    table = {f"x{j}": random.integers(0, 2, 60).tolist() for j in range(40)}
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as con:
        con.execute(f"create table t ({', '.join([*table, 'y'])})")
        y = random.integers(0, 2, 60).tolist()
        con.executemany(f"insert into t values ({', '.join('?' * 41)})", list(zip(*table.values(), y, strict=True)))
        con.commit()
    statement = printed(tmp_path / "t.db", "-t", "y")
    ran_by_sqlite(tmp_path / "t.db", statement, tmp_path / "r.csv")
    found = bitsieve.select(pa.table({**table, "y": y}), "y")
    counts = load_counts(tmp_path / "r.csv")
    again = select_from_counts(SavedCountsDataset(counts), "cmim2", None)
    assert (again.features, again.scores.tobytes()) == (found.features, found.scores.tobytes())


def test_results_add_up_only_where_their_intervals_are_the_same(tmp_path, printed):
    in_duckdb(tmp_path / "t.db")
    for name, bins in ("a", 3), ("b", 4), ("c", 3):
        words = "-t", "y", "--missing", "bin", "--binning", "quantile", "--bins", bins, "--exclude", "gap"
        ran_by_duckdb(tmp_path / "t.db", printed(tmp_path / "t.db", *words), tmp_path / f"{name}.csv")
    same, other = load_counts(tmp_path / "c.csv"), load_counts(tmp_path / "b.csv")
    first = load_counts(tmp_path / "a.csv")
    assert ((first + same).cells == 2 * first.cells).all()
    with pytest.raises(ValueError, match=r"^the counts do not add up, since their columns or bins"):
        first + other


def test_as_many_intervals_of_other_cuts_do_not_add_up(tmp_path, printed):
    found = []
    for shift in 0, 1:
        with duckdb.connect(str(tmp_path / f"{shift}.db")) as con:
            con.execute(f"create table t as select i / 7 + {shift} as x, i % 3 as few, i % 2 as y from range(99) t(i)")
        words = "-t", "y", "--binning", "quantile", "--bins", 4, "--include", "x"
        ran_by_duckdb(tmp_path / f"{shift}.db", printed(tmp_path / f"{shift}.db", *words), tmp_path / "r.csv")
        found.append(load_counts(tmp_path / "r.csv"))
    assert found[0].arities.tolist() == found[1].arities.tolist()
    with pytest.raises(ValueError, match=r"^the counts do not add up"):
        found[0] + found[1]


def a_result(tmp_path, change):
    lines = ["first,first_value,second,second_value,y,samples"]
    for first, second in ("a", "a"), ("a", "b"), ("b", "b"):
        lines += [f"{first},{j},{second},{j},{j},3" for j in range(2)]
    (tmp_path / "r.csv").write_text("\n".join(change(lines)) + "\n")
    return tmp_path / "r.csv"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[:5], "rows of some pairs of columns are missing"),
        (lambda lines: [*lines[:3], *lines[5:]], "rows of some pairs of columns are missing"),
        (lambda lines: lines[:-1], "the pairs of columns have different numbers of rows"),
        (lambda lines: lines[:1], "it has the columns"),
        (lambda lines: lines[1:], "it has the columns"),
        (lambda lines: [line.rpartition(",")[0] for line in lines], "it has the columns"),
        (lambda lines: [*lines[:-1], "b,1,b,1,1,many"], "save all rows"),
        (lambda lines: [*lines[:-1], "b,1,b,1,,3"], "save all rows"),
    ],
)
def test_what_is_no_whole_result_is_refused(tmp_path, change, message):
    assert load_counts(a_result(tmp_path, lambda lines: lines)).class_sizes.tolist() == [3, 3]
    with pytest.raises(DataError, match=rf"r.csv' holds no counts of [^\n]*{message}"):
        load_counts(a_result(tmp_path, change))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["day.csv", "-t", "y", "--binning", "quantile", "--exclude", "price"],
            "column 'day' is text or times that are binned",
        ),
        (
            ["day.csv", "-t", "y", "--binning", "quantile"],
            "columns 'day', 'price' are text or times that are binned, which each database writes in its own way: add "
            "--exclude day --exclude price, or count their values",
        ),
        (["day.csv", "-t", "price", "--exclude", "day"], "the target 'price' is text or times that are binned"),
        (["day.csv", "-t", "none"], "there is no column 'none' for the target"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    lines = [f"2024-{1 + j % 12:02}-{1 + j % 28:02},{j}.5 EUR,{j % 2},{j % 3}" for j in range(100)]
    (tmp_path / "day.csv").write_text("\n".join(["day,price,y,z", *lines]))
    assert main(["sql", *words]) == 2
    assert message in capsys.readouterr().err
