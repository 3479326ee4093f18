"""Vocabularies of sites: what they list, and the counts of sites that agree on bins by them."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from tests.cover import quick_and_slow

from bitsieve.cli import main
from bitsieve.engines.pair_cells import each_table
from bitsieve.engines.saved_counts import OTHER, SavedCounts
from bitsieve.engines.vocabulary import Vocabulary

SITES = ("Jena", "Bonn", "Kiel")


def rows_of_site(index, n=300):
    """Rows with wards, stages and an outcome that another site lacks, and a ward that one patient alone is in."""
    random = np.random.default_rng(index)
    stage = random.integers(0, 3, n) + index
    age = np.round(random.normal(50, 9, n) + 4 * (stage % 3), 1)
    ward = random.choice(list("abcdef"[index : index + 3]), n).astype(object)
    ward[7] = f"private ward {index}"
    outcome = np.where(age + random.normal(0, 9, n) > 54, "ill", "well")
    if index:
        outcome[age > 65] = "dead"
    return pd.DataFrame({"age": age, "ward": ward, "stage": stage, "outcome": outcome})


def run(folder, *words):
    """Run a command in a process that works in ``folder``."""
    command = [sys.executable, "-m", "bitsieve", *words]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The files of three sites and of all rows, their vocabularies and counts, each written by a process of its own."""
    folder = tmp_path_factory.mktemp("study")
    rows = [rows_of_site(index) for index in range(3)]
    for name, table in zip((*SITES, "all"), (*rows, pd.concat(rows)), strict=True):
        (folder / name).mkdir()
        table.to_csv(folder / name / "rows.csv", index=False)
    for name in SITES:
        run(folder / name, "count", "rows.csv", "-t", "outcome", "--site", name, "--vocabulary", f"../{name}.json")
    vocabularies = [f"../{name}.json" for name in SITES]
    for name in (*SITES, "all"):
        words = ["count", "rows.csv", "-t", "outcome", "--site", name, "--save", f"../{name}-counts"]
        run(folder / name, *words, "--like", *vocabularies)
    return folder


@pytest.fixture
def counted(tmp_path):
    """Run ``bitsieve count`` on rows given by column; returns its exit status."""

    def count(name, columns, *words):
        path = tmp_path / f"{name}.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        return main(["count", str(path), "-t", "outcome", "--site", name, *map(str, words)])

    return count


def column_of(path, name):
    (column,) = (column for column in Vocabulary.load(path).columns if column.name == name)
    return column


def error_line(capsys):
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
    return line


@pytest.mark.slow("the page of sites does it in one process")
def test_sites_that_exchange_vocabularies_count_what_all_rows_count(study, capsys):
    parts = [SavedCounts.load(study / f"{name}-counts") for name in SITES]
    all_rows = SavedCounts.load(study / "all-counts")
    for first, second, third in permutations(parts):
        total = first + second + third
        assert total.cells.tolist() == all_rows.cells.tolist()
        assert total.class_sizes.tolist() == all_rows.class_sizes.tolist()
    assert total.target.labels.tolist() == ["dead", "ill", "well"]
    results = []
    for names in (SITES, ("all",)):
        capsys.readouterr()
        counts = [f"--counts={study / name}-counts" for name in names]
        assert main(["select", *counts, "--method", "mrmr", "--json"]) == 0
        features = json.loads(capsys.readouterr().out)["features"]
        results.append([(column["name"], column["score"]) for column in features])
    assert results[0] == results[1]


@pytest.mark.slow("it reads the files of seven processes")
def test_text_of_a_single_patient_leaves_no_site(study):
    for name in SITES:
        for path in (study / f"{name}.json", study / f"{name}-counts" / "counts.bitsieve"):
            assert b"private" not in path.read_bytes()
    jena = SavedCounts.load(study / "Jena-counts")
    assert jena.binner.categories_[1].tolist() == [OTHER, *"abcde"]
    (wards,) = (table for i, j, table in each_table(jena.cells, jena.arities, 3) if i == j == 1)
    assert np.diag(wards.sum(axis=2))[0] == 1
    assert np.diag(wards.sum(axis=2))[4:6].tolist() == [0, 0]  # the wards of other sites


@pytest.mark.parametrize("seed", quick_and_slow(range(8), quick={0, 1}, reason="other draws"))
@pytest.mark.parametrize("min_count", [1, 3, 5])
def test_a_vocabulary_lists_what_is_frequent(counted, tmp_path, seed, min_count):
    random = np.random.default_rng(seed)
    n = 60
    ward = random.choice(list("abcdefghijkl"), n)
    age = random.integers(20, 90, n) / 2
    outcome = np.arange(n) % 2
    columns = {"ward": ward, "age": age, "outcome": outcome}
    path = tmp_path / "site.json"
    assert counted("Jena", columns, "--vocabulary", path, "--min-count", min_count) == 0
    expected = sorted(letter for letter in set(ward.tolist()) if (ward == letter).sum() >= min_count)
    assert column_of(path, "ward").values.tolist() == expected
    low, high = column_of(path, "age").range
    assert low == np.sort(age)[min_count - 1]
    assert high == np.sort(age)[-min_count]
    vocabulary = Vocabulary.load(path)
    assert (vocabulary.min_count, vocabulary.site, vocabulary.target) == (min_count, "Jena", "outcome")
    assert vocabulary.classes.tolist() == [0, 1]


def test_a_rare_whole_number_counts_with_the_next_smaller_one(counted, tmp_path):
    stage = [0] * 50 + [1] * 40 + [3] * 40 + [2, 7, 7]
    columns = {"stage": stage, "flag": np.arange(133) % 2, "outcome": np.arange(133) // 2 % 2}
    path = tmp_path / "site.json"
    assert counted("Jena", columns, "--vocabulary", path) == 0
    assert column_of(path, "stage").values.tolist() == [0, 1, 3]
    assert counted("Jena", columns, "--like", path, "--save", tmp_path / "counts") == 0
    counts = SavedCounts.load(tmp_path / "counts")
    _, _, table = next(each_table(counts.cells, counts.arities, 2))
    assert np.diag(table.sum(axis=2)).tolist() == [50, 41, 42, 0]  # the last is the code of missing values


def test_numbers_are_cut_over_the_ranges_of_all_sites(counted, tmp_path):
    paths = [tmp_path / "low.json", tmp_path / "high.json"]
    for path, start in zip(paths, (0.5, 50.5), strict=True):
        columns = {"dose": np.arange(100) + start, "flag": np.arange(100) % 3, "outcome": np.arange(100) // 2 % 2}
        assert counted(path.stem, columns, "--vocabulary", path, "--min-count", 1, "--identifiers", "keep") == 0
    words = ["--like", *paths, "--bins", 4, "--identifiers", "keep"]
    assert counted("low", columns, *words, "--save", tmp_path / "counts") == 0
    assert SavedCounts.load(tmp_path / "counts").binner.bin_edges_[0].tolist() == [37.75, 75.0, 112.25]


def site(seed, **columns):
    """Rows of a site: numbers, text and an outcome; columns by keyword replace them."""
    random = np.random.default_rng(seed)
    drawn = {"age": random.normal(50, 9, 200), "ward": random.choice(list("abc"), 200)}
    return {**drawn, "outcome": random.choice(["ill", "well"], 200), **columns}


def test_a_site_outside_the_round_adds_its_classes_and_no_text(counted, tmp_path, capsys):
    path = tmp_path / "Jena.json"
    assert counted("Jena", site(1), "--vocabulary", path) == 0
    late = site(2, ward=["new"] * 100 + ["a"] * 100, outcome=["dead", "ill"] * 100)
    for name, columns in (("Jena", site(1)), ("late", late)):
        assert counted(name, columns, "--like", path, "--save", tmp_path / name) == 0
        has_note = "has classes that the vocabularies lack, and that are added: 'dead'" in capsys.readouterr().err
        assert has_note == (name == "late")
    total = SavedCounts.load(tmp_path / "Jena") + SavedCounts.load(tmp_path / "late")
    assert total.target.labels.tolist() == ["dead", "ill", "well"]
    assert total.binner.categories_[1].tolist() == [OTHER, "a", "b", "c"]
    assert total.class_sizes.sum() == 400


def test_a_column_that_one_site_leaves_out_is_left_out_by_all(counted, tmp_path):
    names = [f"patient {row}" for row in range(200)]
    assert counted("Jena", site(1), "--vocabulary", tmp_path / "Jena.json") == 0
    assert counted("Bonn", site(2, ward=names), "--vocabulary", tmp_path / "Bonn.json") == 0
    assert b"patient" not in (tmp_path / "Bonn.json").read_bytes()
    words = ["--like", tmp_path / "Jena.json", tmp_path / "Bonn.json", "--save", tmp_path / "Jena"]
    assert counted("Jena", site(1), *words) == 0
    assert SavedCounts.load(tmp_path / "Jena").dropped == (1,)


def test_an_empty_column_takes_the_kind_of_the_other_sites(counted, tmp_path):
    flag = np.arange(200) % 2
    gaps = site(2, ward=[""] * 200, age=[""] * 200, flag=flag)
    full = site(1, flag=flag)
    paths = [tmp_path / "Bonn.json", tmp_path / "Jena.json"]
    for path, columns in zip(paths, (gaps, full), strict=True):
        assert counted(path.stem, columns, "--vocabulary", path) == 0
    for path, columns in zip(paths, (gaps, full), strict=True):
        assert counted(path.stem, columns, "--like", *paths, "--save", tmp_path / path.stem) == 0
    bonn, jena = SavedCounts.load(tmp_path / "Bonn"), SavedCounts.load(tmp_path / "Jena")
    assert (bonn + jena).class_sizes.sum() == 400
    assert len(bonn.binner.bin_edges_[0]) == 9


def test_counts_and_vocabularies_together(counted, tmp_path):
    assert counted("Jena", site(1, outcome=np.repeat(["ill", "well"], 100)), "--save", tmp_path / "Jena") == 0
    late = site(2, ward=["new", "b"] * 100, outcome=["dead", "ill"] * 100)
    assert counted("Bonn", late, "--vocabulary", tmp_path / "Bonn.json") == 0
    words = ["--like", tmp_path / "Jena", tmp_path / "Bonn.json", "--save", tmp_path / "Bonn"]
    assert counted("Bonn", late, *words) == 0
    jena, bonn = SavedCounts.load(tmp_path / "Jena"), SavedCounts.load(tmp_path / "Bonn")
    assert bonn.binner.bin_edges_[0].tolist() == jena.binner.bin_edges_[0].tolist()
    assert bonn.binner.categories_[1].tolist() == [OTHER, "a", "b", "c", "new"]
    assert (jena + bonn).class_sizes.tolist() == [100, 200, 100]


def test_columns_may_have_another_order_at_another_site(counted, tmp_path):
    digests = []
    for order in (["age", "ward", "outcome"], ["outcome", "ward", "age"]):
        bonn = site(2)
        assert counted("Jena", site(1), "--vocabulary", tmp_path / "Jena.json", "--force") == 0
        bonn_reordered = {name: bonn[name] for name in order}
        assert counted("Bonn", bonn_reordered, "--vocabulary", tmp_path / "Bonn.json", "--force") == 0
        like = ["--like", tmp_path / "Jena.json", tmp_path / "Bonn.json"]
        assert counted("Jena", site(1), *like, "--save", tmp_path / "Jena", "--force") == 0
        assert counted("Bonn", bonn_reordered, *like, "--save", tmp_path / "Bonn", "--force") == 0
        jena, bonn = SavedCounts.load(tmp_path / "Jena"), SavedCounts.load(tmp_path / "Bonn")
        digests.append((jena + bonn).digest)
        again = ["--like", tmp_path / "Jena", tmp_path / "Bonn.json", "--save", tmp_path / "again", "--force"]
        assert counted("Bonn", bonn_reordered, *again) == 0
        assert SavedCounts.load(tmp_path / "again").in_order(jena.names).digest == bonn.in_order(jena.names).digest
    assert digests[0] == digests[1]


def test_vocabularies_of_another_target_are_refused(counted, tmp_path, capsys):
    assert counted("Jena", site(1), "--vocabulary", tmp_path / "Jena.json") == 0
    assert counted("Jena", site(1), "--save", tmp_path / "Jena") == 0
    path = tmp_path / "Bonn.csv"
    pd.DataFrame(site(2)).rename(columns={"outcome": "result"}).to_csv(path, index=False)
    assert main(["count", str(path), "-t", "result", "--vocabulary", str(tmp_path / "Bonn.json")]) == 0
    for first in ("Jena.json", "Jena"):
        capsys.readouterr()
        like = ["--like", tmp_path / first, tmp_path / "Bonn.json", "--save", tmp_path / "counts"]
        assert counted("Jena", site(1), *like) == 2
        assert "the target of a vocabulary is 'result', and that of the" in error_line(capsys)


def test_truth_values_are_a_kind_of_their_own(counted, tmp_path, capsys):
    sometimes = np.arange(200) % 3 == 0
    never = np.zeros(200, bool)
    paths = [tmp_path / "Jena.json", tmp_path / "Bonn.json"]
    for path, flag in zip(paths, (sometimes, never), strict=True):
        assert counted(path.stem, site(1, flag=flag), "--vocabulary", path) == 0
        assert column_of(path, "flag").kind == "truth values"
    for path, flag in zip(paths, (sometimes, never), strict=True):
        assert counted(path.stem, site(1, flag=flag), "--like", *paths, "--save", tmp_path / path.stem) == 0
    total = SavedCounts.load(tmp_path / "Jena") + SavedCounts.load(tmp_path / "Bonn")
    *_, (i, j, table) = each_table(total.cells, total.arities, 2)
    assert (i, j) == (2, 2)
    assert np.diag(table.sum(axis=2)).tolist() == [333, 67, 0]  # the last is the code of missing values
    assert counted("Kiel", site(1, flag=np.arange(200) % 2), "--vocabulary", tmp_path / "Kiel.json") == 0
    capsys.readouterr()
    assert counted("Kiel", site(1), "--like", *paths, tmp_path / "Kiel.json", "--save", tmp_path / "Kiel") == 2
    assert "'flag' holds numbers and truth values" in error_line(capsys)


DAYS = np.datetime64("2021-03-01") + np.arange(200) // 2


def test_text_at_one_site_is_read_as_numbers_by_new_vocabularies(counted, tmp_path, capsys):
    columns = {"Jena": np.arange(200) % 50 / 2, "Bonn": ["<0.5", "0.5"] * 100}
    paths = {name: tmp_path / f"{name}.json" for name in columns}
    for name, crp in columns.items():
        assert counted(name, site(1, crp=crp), "--vocabulary", paths[name]) == 0
    capsys.readouterr()
    like = ["--like", *paths.values(), "--save", tmp_path / "counts"]
    assert counted("Jena", site(1, crp=columns["Jena"]), *like) == 2
    assert "vocabularies again with --column-type crp=number" in error_line(capsys)
    number = ["--column-type", "crp=number"]
    for name, crp in columns.items():
        assert counted(name, site(1, crp=crp), "--vocabulary", paths[name], "--force", *number) == 0
    assert counted("Bonn", site(1, crp=columns["Bonn"]), *like, *number) == 0


def test_columns_of_two_kinds_are_refused(counted, tmp_path, capsys):
    paths = {}
    for name, age in (("days", DAYS), ("numbers", np.arange(200) % 50 / 2), ("text", ["old", "new"] * 100)):
        paths[name] = tmp_path / f"{name}.json"
        assert counted(name, site(1, age=age), "--vocabulary", paths[name]) == 0
    for first, second in permutations(paths, 2):
        capsys.readouterr()
        words = ["--like", paths[first], paths[second], "--save", tmp_path / "counts"]
        assert counted("site", site(1), *words) == 2
        assert "'age' holds" in error_line(capsys)
    assert counted("site", site(1, age=DAYS), "--like", paths["numbers"], "--save", tmp_path / "counts") == 2
    assert "'age' holds numbers in the first counts, and dates" in error_line(capsys)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "required: --save or --vocabulary"),
        (["--vocabulary", "{site}.json", "--save", "{site}"], "--save is for counts"),
        (["--vocabulary", "{site}.json", "--bins", "4"], "--bins is for counts"),
        (["--vocabulary", "{site}.txt"], ".json"),
        (["--save", "{site}", "--min-count", "3"], "only with --vocabulary"),
        (["--save", "{site}", "--like", "{jena}", "--binning", "quantile"], "--binning quantile"),
        (["--save", "{site}", "--like", "{counts}", "--bins", "4"], "--bins has no effect beside counts of --like"),
        (["--save", "{site}", "--like", "{counts}", "--like", "{jena}", "--missing", "bin"], "--missing has no effect"),
        (["--vocabulary", "{jena}"], "--force"),
        (["--vocabulary", "{site}.json", "--target-kind", "quantity"], "'outcome'"),
    ],
)
def test_mistakes(counted, tmp_path, capsys, words, named):
    jena = tmp_path / "Jena.json"
    columns = site(1, outcome=np.arange(200) % 40)
    counts = tmp_path / "Jena"
    assert counted("Jena", site(1), "--vocabulary", jena) == 0
    assert counted("Jena", site(1), "--save", counts) == 0
    capsys.readouterr()
    paths = {"site": tmp_path / "site", "jena": jena, "counts": counts}
    assert counted("site", columns, *(word.format(**paths) for word in words)) == 2
    assert named in error_line(capsys)


def test_vocabularies_may_be_named_one_by_one(counted, tmp_path):
    paths = [tmp_path / "Jena.json", tmp_path / "Bonn.json"]
    for seed, path in enumerate(paths):
        assert counted(path.stem, site(seed), "--vocabulary", path) == 0
    ways = (["--like", *paths], ["--like", paths[0], "--like", paths[1]])
    for name, like in zip(("together", "apart"), ways, strict=True):
        assert counted("Jena", site(0), *like, "--save", tmp_path / name) == 0
    together, apart = (SavedCounts.load(tmp_path / name) for name in ("together", "apart"))
    assert together.digest == apart.digest


def test_a_vocabulary_in_place_of_counts_is_named(counted, tmp_path, capsys):
    path = tmp_path / "Jena.json"
    assert counted("Jena", site(1), "--vocabulary", path) == 0
    capsys.readouterr()
    assert main(["select", "--counts", str(path)]) == 2
    assert "--like" in error_line(capsys)


def test_a_vocabulary_does_not_depend_on_the_parts_that_are_read(counted, tmp_path):
    texts = set()
    rows = {name: np.tile(values, 200) for name, values in site(1).items()}
    for memory in ("1GB", "8MB"):
        path = tmp_path / f"{memory}.json"
        assert counted("Jena", rows, "--vocabulary", path, "--memory", memory) == 0
        texts.add(path.read_text())
    assert len(texts) == 1


def test_a_damaged_vocabulary_is_one_line(counted, tmp_path, capsys):
    path = tmp_path / "Jena.json"
    assert counted("Jena", site(1), "--vocabulary", path) == 0
    text = path.read_text()
    for damaged in (text[:-40], text.replace('"kind"', '"mind"'), text.replace("columns", "rows")):
        path.write_text(damaged)
        capsys.readouterr()
        assert counted("Jena", site(1), "--like", path, "--save", tmp_path / "counts") == 2
        assert "holds no vocabulary" in error_line(capsys)
