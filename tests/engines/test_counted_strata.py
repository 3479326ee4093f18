"""Counts that are saved within strata give what the rows give within these strata."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cover import quick_and_slow

from bitsieve.cli import main
from bitsieve.engines.counted_strata import check_strata_facts
from bitsieve.engines.saved_counts import SavedCounts, load_sum

N = 900
PARTS = {"first": slice(0, 500), "second": slice(500, N)}
BINS = ("--binning", "uniform", "--bins", "4")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table, two parts of it, and a part for each ward without the column of the ward.

    The first part holds the range of every number, and neither part has all wards and classes.
    """
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(5)
    ward = random.integers(0, 3, N)
    outcome = (random.random(N) < 0.2 + 0.3 * ward).astype(int) + (random.random(N) < 0.1)
    ward[:500][ward[:500] == 0] = 1
    ward[500:][ward[500:] == 2] = 1
    outcome[500:][outcome[500:] == 2] = 1
    numbers = {
        "signal": random.normal(size=N) + outcome + 2 * ward,
        "batch": random.normal(size=N) + 2 * ward,
        "weak": random.normal(size=N) + 0.5 * outcome,
    }
    columns = {}
    for name, values in numbers.items():
        values[:2] = (-4, 8)
        columns[name] = np.clip(values, -4, 8)
    columns["text"] = np.array(["u", "v", "w"])[(outcome + random.integers(0, 2, N)) % 3]
    columns["ward"] = np.array(["bonn", "jena", "kiel"])[ward]
    columns["outcome"] = np.array(["well", "ill", "dead"])[outcome]
    table = pa.table(columns)
    parquet.write_table(table, folder / "all.parquet", row_group_size=200)
    for name, rows in PARTS.items():
        parquet.write_table(table.slice(rows.start, rows.stop - rows.start), folder / f"{name}.parquet")
    for name in ("bonn", "jena", "kiel"):
        table_of_ward = table.filter(pa.compute.equal(table["ward"], name)).drop_columns(["ward"])
        parquet.write_table(table_of_ward, folder / f"{name}.parquet")
    return folder


def count(files, name, *options):
    path = str(files / f"{name}.parquet")
    return main(["count", path, "--target", "outcome", "--save", str(files / name), "--force", *map(str, options)])


def select(capsys, *arguments):
    capsys.readouterr()
    assert main(["select", *map(str, arguments), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    scores = [(feature["name"], feature["score"], feature["relevance_bits"]) for feature in document["features"]]
    return scores, document["strata"]


def refusal(capsys, command):
    capsys.readouterr()
    assert main(list(map(str, command))) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
    return line


@pytest.mark.parametrize("effect", ["any", "common"])
@pytest.mark.parametrize(
    "method",
    quick_and_slow(
        ["mim", "mrmr", "jmi", "cmim", "cmim2"], quick={"jmi"}, reason="the same counts by another criterion"
    ),
)
def test_counts_within_strata_are_the_rows(files, capsys, method, effect):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    options = ("--strata", "ward", "--effect", effect, "--method", method)
    from_rows = select(capsys, files / "all.parquet", "--target", "outcome", *BINS, *options)
    assert select(capsys, "--counts", files / "all", *options) == from_rows


def test_parts_with_other_strata_and_classes_add_up(files, capsys):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    assert count(files, "first", "--strata", "ward", *BINS) == 0
    assert count(files, "second", "--strata", "ward", "--like", files / "first") == 0
    whole = SavedCounts.load(files / "all")
    added = load_sum([str(files / "second"), str(files / "first")])
    assert added.cells.tolist() == whole.cells.tolist()
    assert added.class_sizes.tolist() == whole.class_sizes.tolist()
    assert added.strata.facts() == whole.strata.facts()
    from_parts = select(capsys, "--counts", files / "first", "--counts", files / "second", "--strata", "ward")
    assert from_parts == select(capsys, "--counts", files / "all", "--strata", "ward")


def test_the_strata_are_named_in_the_result(files, capsys):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    capsys.readouterr()
    assert main(["select", "--counts", str(files / "all"), "--strata", "ward", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"]["strata"] == ["ward"]


@pytest.mark.parametrize("options", [(), ("--strata", "ward")])
def test_the_strata_are_no_feature_to_explain(files, capsys, options):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    command = ["explain", "ward", "--counts", files / "all", *options]
    assert refusal(capsys, command).endswith("'ward' is a stratum, not a feature: give another column")


def test_without_the_option_the_counts_of_all_strata_are_added_up(files, capsys):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    from_rows = select(capsys, files / "all.parquet", "--target", "outcome", "--exclude", "ward", *BINS)
    assert select(capsys, "--counts", files / "all") == from_rows


def test_each_site_is_a_stratum(files, capsys):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    wards = ("jena", "bonn", "kiel")
    table = parquet.read_table(files / "all.parquet")
    parquet.write_table(table.drop_columns(["ward"]), files / "edges.parquet")
    assert count(files, "edges", *BINS) == 0
    for ward in wards:
        assert count(files, ward, "--like", files / "edges", "--site", ward) == 0
    sites = [f"--counts={files / ward}" for ward in wards]
    within_wards = select(capsys, "--counts", files / "all", "--strata", "ward")
    assert select(capsys, *sites, "--strata", "site") == within_wards


def test_the_note_on_a_common_effect_advises_no_rule_that_counts_refuse(files, capsys):
    assert count(files, "all", "--strata", "ward", *BINS) == 0
    capsys.readouterr()
    assert main(["select", "--counts", str(files / "all"), "--strata", "ward", "--effect", "common", "-v"]) == 0
    errors = capsys.readouterr().err
    assert "no selected column is tested against chance" in errors
    assert "--stop" not in errors


def test_rounded_counts_within_strata(files, capsys):
    """Classes of each stratum are rounded like other classes, and a note says that they are rounded."""
    vocabulary = str(files / "vocabulary.json")
    command = ["count", str(files / "all.parquet"), "--target", "outcome", "--strata", "ward"]
    assert main([*command, "--vocabulary", vocabulary, "--force"]) == 0
    names = [column["name"] for column in json.loads((files / "vocabulary.json").read_text())["columns"]]
    assert "ward" not in names
    assert count(files, "all", "--strata", "ward", "--like", vocabulary, "--min-cell", "5") == 0
    counts = SavedCounts.load(files / "all")
    assert (counts.cells % 5 == 0).all()
    assert len(counts.class_sizes) == counts.strata.n_combinations
    assert main(["select", "--counts", str(files / "all"), "--strata", "ward"]) == 0
    assert "rounded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("counts", "strata", "words_of_message"),
    [
        (["within"], ["text"], ("'text'", "'ward'")),
        (["within"], ["ward", "text"], ("name one column",)),
        (["without"], ["ward"], ("--strata ward", "--strata site")),
        (["without"], ["site"], ("--site NAME",)),
        (["within"], ["site"], ("but within 'ward'", "again without --strata")),
        (["within", "without"], ["ward"], ("within the strata 'ward', and others without strata", "the same --strata")),
    ],
)
def test_strata_that_were_not_counted_are_refused(files, capsys, counts, strata, words_of_message):
    command = ["count", str(files / "all.parquet"), "--target", "outcome", "--force", *BINS]
    assert main([*command, "--strata", "ward", "--save", str(files / "within")]) == 0
    assert main([*command, "--exclude", "ward", "--save", str(files / "without")]) == 0
    options_of_counts = [f"--counts={files / name}" for name in counts]
    options_of_strata = [f"--strata={name}" for name in strata]
    line = refusal(capsys, ["select", *options_of_counts, *options_of_strata])
    for words in words_of_message:
        assert words in line


def test_counts_with_and_without_strata_do_not_add_up(files, capsys):
    command = ["count", str(files / "all.parquet"), "--target", "outcome", "--force", *BINS]
    assert main([*command, "--strata", "ward", "--save", str(files / "within")]) == 0
    assert main([*command, "--exclude", "ward", "--save", str(files / "without")]) == 0
    line = refusal(capsys, ["select", f"--counts={files / 'within'}", f"--counts={files / 'without'}"])
    assert "count all parts with the same --strata" in line
    line = refusal(capsys, [*command[:4], "--like", files / "within", "--save", files / "third"])
    assert "--strata" in line


@pytest.mark.parametrize(
    ("options", "words_of_message"),
    [
        (["--strata", "ward", "--strata", "text"], "name one column as the strata"),
        (["--strata", "wrd"], "did you mean 'ward'"),
        (["--strata", "ward", "--salt-file", "{files}/salt"], "--salt-file"),
    ],
)
def test_mistakes(files, capsys, options, words_of_message):
    (files / "salt").write_text("0123456789abcdef0123456789abcdef")
    command = ["count", str(files / "all.parquet"), "--target", "outcome", "--save", str(files / "none"), "--force"]
    assert words_of_message in refusal(capsys, [*command, *(option.format(files=files) for option in options)])


def test_a_vocabulary_with_hashes_and_strata_is_refused_before_all_sites_write_theirs(files, capsys):
    (files / "salt").write_text("0123456789abcdef0123456789abcdef")
    words = ["count", files / "all.parquet", "--target", "outcome", "--strata", "ward", "--salt-file", files / "salt"]
    assert "--salt-file" in refusal(capsys, [*words, "--vocabulary", files / "hashed.json"])


def test_a_column_that_is_the_strata_of_some_sites_is_named(files, capsys):
    words = ["count", str(files / "first.parquet"), "--target", "outcome", "--force"]
    strata = str(files / "as-strata.json")
    feature = str(files / "as-feature.json")
    assert main([*words, "--strata", "ward", "--site", "Jena", "--vocabulary", strata]) == 0
    assert main([*words, "--site", "Bonn", "--vocabulary", feature]) == 0
    saved = ["--save", files / "none"]
    line = refusal(capsys, [*words, "--strata", "ward", "--like", strata, feature, *saved])
    assert "the vocabulary of 'Bonn' has 'ward' beside the columns of the vocabulary of 'Jena'" in line
    assert "the same --strata" in line
    line = refusal(capsys, [*words, "--strata", "ward", "--like", feature, *saved])
    assert "the data lacks 'ward' of the vocabularies" in line
    line = refusal(capsys, [*words, "--like", strata, *saved])
    assert "the data has 'ward' beside the columns of the vocabularies" in line


def test_folders_of_counts_without_their_options(files, capsys):
    words = ["count", str(files / "all.parquet"), "--target", "outcome", "--force", *BINS]
    for name in ("one", "two", "three"):
        assert main([*words, "--save", str(files / name)]) == 0
    line = refusal(capsys, ["select", "--counts", files / "one", files / "two", files / "three"])
    assert f"write --counts {files / 'two'} --counts {files / 'three'}" in line


STRATA = {"name": "ward", "values": ["<U4", ["bonn", "jena"]], "stratum": [0, 0, 1], "class": [0, 1, 1]}


def test_strata_of_another_site_have_as_many_combinations_as_they_list():
    assert check_strata_facts(STRATA, 2) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"name": 3},
        {"values": ["<U4", ["jena", "bonn"]]},
        {"values": ["<U4", ["bonn", "jena", "kiel"]]},
        {"values": ["O", [["bonn"], ["jena"]]]},
        {"stratum": [0, 0, 2]},
        {"stratum": [0, 1, 0]},
        {"stratum": [0, 0]},
        {"stratum": [0, 0, -1]},
        {"class": [0, 1, 2]},
        {"class": [0, 0, 1]},
        {"class": [0, 1, 0.5]},
    ],
)
def test_strata_of_another_site_are_checked(change):
    with pytest.raises(ValueError, match="'"):
        check_strata_facts(STRATA | change, 2)
