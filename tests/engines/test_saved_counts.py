"""Counts that are saved, read and added up give what all rows give."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.cover import quick_and_slow

from bitsieve.cli import main
from bitsieve.engines.saved_counts import SavedCounts, _with_common_values
from bitsieve.engines.sql import load_counts
from bitsieve.io.errors import DataError
from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.utils.progress import listening

N = 1200


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table and its first and second part; the first holds every category, and the range of every number."""
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(2)
    classes = random.integers(0, 3, N)
    table = pa.table(
        {
            "real": np.clip(random.normal(size=N) + classes, -1, 3),
            "whole": random.integers(0, 5, N) + classes,
            "text": np.array(["low", "middle", "high"])[(classes + random.integers(0, 2, N)) % 3],
            "constant": np.full(N, 3),
            "other": random.integers(0, 3, N),
            "class": np.array(["a", "b", "c"])[classes],
        }
    )
    for name, part in (("all", table), ("first", table.slice(0, 700)), ("second", table.slice(700))):
        parquet.write_table(part, folder / f"{name}.parquet", row_group_size=200)
    return folder


def count(files, name, *options):
    path = files / f"{name}.parquet"
    words = ["count", str(path), "--target", "class", "--save", str(files / name), "--force", *map(str, options)]
    assert main(words) == 0


def select(capsys, *arguments):
    capsys.readouterr()
    assert main(["select", *map(str, arguments), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return [(feature["name"], feature["score"], feature["relevance_bits"]) for feature in found["features"]]


@pytest.mark.parametrize(
    "method",
    quick_and_slow(
        [name for name, criterion in CRITERIA.items() if criterion.required_tables != "joint"],
        quick={"mrmr", "jmi"},
        reason="the same counts by another criterion",
    ),
)
def test_parts_add_up_to_all_rows(files, method, capsys):
    count(files, "first", "--binning", "uniform", "--bins", "4")
    count(files, "second", "--like", files / "first")
    count(files, "all", "--binning", "uniform", "--bins", "4")
    whole, parts = (SavedCounts.load(files / "all"), [SavedCounts.load(files / name) for name in ("first", "second")])
    assert (parts[0] + parts[1]).cells.tolist() == whole.cells.tolist()
    assert (parts[0] + parts[1]).class_sizes.tolist() == whole.class_sizes.tolist()
    how = "--method", method, "--features", "3"
    added = select(capsys, "--counts", files / "first", "--counts", files / "second", *how)
    assert added == select(capsys, "--counts", files / "all", *how)
    rows = select(capsys, files / "all.parquet", "--target", "class", "--binning", "uniform", "--bins", "4", *how)
    assert added == rows


@pytest.mark.each_value
@pytest.mark.parametrize("binning", ["mdl", "quantile"])
@pytest.mark.parametrize("method", ["mrmr", "speccmi", "fcbf", "qpfs"])
def test_a_saved_table_is_the_table(files, capsys, binning, method):
    count(files, "all", "--binning", binning)
    how = "--method", method, "--features", "3"
    rows = select(capsys, files / "all.parquet", "--target", "class", "--binning", binning, *how)
    assert select(capsys, "--counts", files / "all", *how) == rows


def test_parts_of_text_that_means_numbers_add_up(tmp_path, capsys):
    random = np.random.default_rng(2)
    waits, hosts = random.integers(1, 500, 600), random.choice(["a", "b"], 600)
    rows = [f"{wait} ms,{host},{'slow' if wait > 300 else 'fast'}" for wait, host in zip(waits, hosts, strict=True)]
    for name, part in (("first", rows[:300]), ("second", rows[300:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["wait,host,class", *part]))
    save = ["count", str(tmp_path / "first.csv"), "--target", "class", "--save", str(tmp_path / "one")]
    like = ["count", str(tmp_path / "second.csv"), "--target", "class", "--save", str(tmp_path / "two")]
    assert main(save) == main([*like, "--like", str(tmp_path / "one")]) == 0
    found = select(capsys, "--counts", tmp_path / "one", "--counts", tmp_path / "two")
    assert [name for name, *_ in found] == ["wait", "host"]
    assert found[0][2] > 0.8  # of the 0.97 bits of two classes in shares of 0.6 and 0.4


def test_a_target_of_dates_keeps_its_days(files, capsys):
    table = parquet.read_table(files / "all.parquet")
    days = np.datetime64("2021-03-01") + np.arange(N) % 700
    parquet.write_table(
        table.set_column(table.column_names.index("class"), "class", pa.array(days)), files / "d.parquet"
    )
    assert main(["count", str(files / "d.parquet"), "-t", "class", "--save", str(files / "days"), "--force"]) == 0
    capsys.readouterr()
    for data in (["--counts", str(files / "days")], [str(files / "d.parquet"), "-t", "class"]):
        assert main(["select", *data, "-k", "1"]) == 0
        _, cut, more = capsys.readouterr().err.partition("target 'class' is a quantity (dates): cut into 4 classes at ")
        assert cut
        assert more.startswith("2021-0")
        assert ("add --target-kind classes" in more) == (data[0] != "--counts")  # what was counted stays as it is


def test_a_column_of_one_bin_is_not_called_constant(tmp_path, capsys):
    classes = np.arange(200) % 2
    noise = np.random.default_rng(3).normal(size=200)
    table = pa.table({"noise": noise, "flat": ["x"] * 200, "good": classes, "class": classes})
    parquet.write_table(table, tmp_path / "all.parquet")
    count(tmp_path, "all")
    capsys.readouterr()
    assert main(["select", "--counts", str(tmp_path / "all"), "--verbose"]) == 0
    shown = capsys.readouterr().err
    assert "no reliable relation to 'class' and scores 0 bits: 'noise'" in shown
    assert "column 'flat' is constant" in shown


def test_a_column_is_explained_by_what_pairs_show(files, capsys):
    count(files, "all")
    assert main(["explain", "other", "--counts", str(files / "all"), "--features", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("'other' is not selected: cmim2 ranks 1 other before it\n")
    assert "relevance" in shown
    assert "adds" not in shown
    assert main(["explain", "real", "--counts", str(files / "all")]) == 0
    assert "'real' is selected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--counts", "{files}/first", "--method", "cmi"], "saved counts hold tables of pairs of columns, and this"),
        (["--counts", "{files}/first", "--groups", "other"], "--groups has no effect on counts that are saved already"),
        (["--counts", "{files}/first", "--target-bins", "4"], "leave it out, count again with it, or give DATA"),
        (["--counts", "{files}/first", "--binning", "quantile"], "--binning has no effect on counts"),
        (["--counts", "{files}/first", "--target", "other"], "and not of 'other': leave out --target, or count again"),
        (["--counts", "{files}/first", "--stop", "permutation"], "stopping rules need tables of more columns than the"),
        (["--counts", "{files}/first", "--stop", "dcrt"], "stopping rules need tables of more columns than the"),
        (["--counts", "{files}/first", "--features", "auto"], "give the number of --features without --stop, or DATA"),
        (["--counts", "{files}/first", "-k", "1", "--screen", "2"], "give the rows: saved counts are of all columns"),
        (["--counts", "{files}/gone"], "holds no counts of 'bitsieve count': give the folder that its"),
        (["--counts", "{files}/first", "--counts", "{files}/all"], "since their columns or bins differ in "),
        (["{files}/all.parquet", "--counts", "{files}/first"], "give DATA or --counts, not both"),
        (["--counts", "{files}/first", "--method", "svm-rfe"], "needs all rows in memory: leave out --counts"),
        ([], "the following arguments are required: DATA, or --counts"),
    ],
)
def test_mistakes(files, capsys, arguments, message):
    count(files, "first", "--binning", "uniform", "--bins", "4")
    count(files, "all", "--binning", "quantile")
    capsys.readouterr()
    assert main(["select", *(argument.format(files=files) for argument in arguments)]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
    assert message in line


def rewrite_facts(folder, change):
    """Change the facts of saved counts, as another site or an earlier version may have written them."""
    (file,) = folder.iterdir()
    _, facts_line, cells = file.read_bytes().split(b"\n", 2)
    facts = json.loads(facts_line)
    change(facts)
    facts_line = json.dumps(facts).encode() + b"\n"
    file.write_bytes(sha256(facts_line + cells).hexdigest().encode() + b"\n" + facts_line + cells)


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (("--binning", "uniform", "--bins", "4"), {"binning": "uniform", "n_bins": 4}),
        (("--binning", "quantile", "--bins", "6", "--uncut", "apart"), {"n_bins": 6, "uncut": "apart"}),
        (("--binning", "mdl", "--uncut", "median"), {"n_bins": None, "uncut": "median"}),
    ],
)
def test_a_selection_from_counts_has_their_number_of_bins(files, options, parameters):
    count(files, "first", *options)
    count(files, "second", "--like", files / "first")
    saved = files / "selection.json"
    for sites in (["first"], ["second", "first"]):
        words = [f"--counts={files / site}" for site in sites]
        assert main(["select", *words, "--method", "mim", "--save", str(saved), "--force"]) == 0
        settled = json.loads(saved.read_text())["settled"]
        assert settled | parameters == settled


def test_the_number_of_bins_is_not_known_of_earlier_counts(files):
    count(files, "first", "--binning", "uniform", "--bins", "4")
    bins = SavedCounts.load(files / "first").binner.n_bins_.tolist()
    rewrite_facts(files / "first", lambda facts: facts.pop("parameters"))
    binner = SavedCounts.load(files / "first").binner
    assert binner.n_bins is None
    assert binner.n_bins_.tolist() == bins


@pytest.mark.parametrize("parameters", [{"n_bins": 1}, {"n_bins": "4"}, {"n_bins": 1 << 17}, {"uncut": "gone"}, [4]])
def test_numbers_of_bins_that_no_rule_has_are_refused(files, parameters):
    count(files, "first", "--binning", "uniform", "--bins", "4")
    rewrite_facts(files / "first", lambda facts: facts.update(parameters=parameters))
    with pytest.raises(DataError, match="holds no counts of 'bitsieve count': "):
        SavedCounts.load(files / "first")


def write_csv(path, names, rows):
    path.write_text("\n".join([names, *rows]))


def refusal_of_other_site(tmp_path, capsys, names, rows):
    """The error for rows of another site that are counted like those of a first one, of numbers and words."""
    first_rows = [f"{number},{'ab'[number % 2]},{'no' if number < 50 else 'yes'}" for number in range(100)]
    write_csv(tmp_path / "first.csv", "dose,ward,class", [*first_rows, *first_rows])
    write_csv(tmp_path / "other.csv", names, rows)
    options = ["--target", "class"]
    assert main(["count", str(tmp_path / "first.csv"), *options, "--save", str(tmp_path / "first")]) == 0
    capsys.readouterr()
    like = ["--like", str(tmp_path / "first"), "--save", str(tmp_path / "other")]
    assert main(["count", str(tmp_path / "other.csv"), *options, *like]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "error" in line)
    return line


def test_words_in_a_column_of_numbers_of_another_site_are_named(tmp_path, capsys):
    line = refusal_of_other_site(tmp_path, capsys, "dose,ward,class", ["low,a,no", "high,b,yes"] * 50)
    assert "'dose'" in line
    assert "--column-type dose=number" in line


@pytest.mark.parametrize(
    ("names", "row", "named"),
    [
        ("dose,class", "1,no", "lacks 'ward'"),
        ("dose,ward,fee,class", "1,a,2,no", "has 'fee'"),
    ],
)
def test_other_columns_of_another_site_are_named(tmp_path, capsys, names, row, named):
    line = refusal_of_other_site(tmp_path, capsys, names, [row, row.replace("no", "yes")] * 50)
    assert named in line
    assert "give it the columns of the first counts: 'dose', 'ward'" in line


@pytest.mark.parametrize("binning", [("mdl",), ("uniform", "--bins", "4")])
def test_columns_may_have_another_order_at_another_site(files, capsys, binning):
    table = parquet.read_table(files / "second.parquet")
    names = ["text", "other", "class", "real", "constant", "whole"]
    parquet.write_table(table.select(names), files / "reordered.parquet")
    count(files, "first", "--binning", *binning)
    count(files, "second", "--like", files / "first")
    count(files, "reordered", "--like", files / "first")
    first, second, reordered = (SavedCounts.load(files / name) for name in ("first", "second", "reordered"))
    assert reordered.names == ["text", "other", "real", "constant", "whole"]
    added = first + reordered
    assert added.digest == (first + second).digest
    assert added.binner.columns_without_cut.tolist() == first.binner.columns_without_cut.tolist()
    assert (reordered + first).in_order(first.names).digest == added.digest
    selected = select(capsys, "--counts", files / "first", "--counts", files / "reordered")
    assert selected == select(capsys, "--counts", files / "first", "--counts", files / "second")


def test_columns_that_are_left_out_and_dates_may_have_another_order(tmp_path):
    days = pa.array(np.arange(300) % 90, pa.int32()).cast(pa.date32())
    table = pa.table({"id": np.arange(300), "day": days, "x": np.arange(300) % 7, "class": np.arange(300) % 2})
    for name, names in (("first", ["id", "day", "x", "class"]), ("second", ["x", "day", "class", "id"])):
        parquet.write_table(table.select(names), tmp_path / f"{name}.parquet")
        count(tmp_path, name, "--binning", "uniform", "--bins", "4")
    first, second = (SavedCounts.load(tmp_path / name) for name in ("first", "second"))
    assert (second.names, second.dropped, second.times) == (["x", "day", "id"], (2,), {1: "dates"})
    assert second.in_order(first.names).digest == first.digest
    assert second.in_order(["x", "day"]) is second


def test_a_target_of_another_name_is_refused(files, capsys):
    count(files, "first")
    renamed = parquet.read_table(files / "second.parquet").rename_columns({"class": "kind"})
    parquet.write_table(renamed, files / "renamed.parquet")
    words = ["count", str(files / "renamed.parquet"), "--target", "kind", "--save", str(files / "renamed"), "--force"]
    capsys.readouterr()
    assert main([*words, "--like", str(files / "first")]) == 2
    assert "the target of the data is 'kind', and that of the first counts is 'class'" in capsys.readouterr().err


def test_rows_without_a_target_of_another_site_are_noted(tmp_path, capsys):
    rows = [f"{number},{'no' if number < 50 else 'yes'}" for number in range(100)]
    write_csv(tmp_path / "first.csv", "dose,class", rows)
    write_csv(tmp_path / "other.csv", "dose,class", [*rows, "3,"])
    options = ["--target", "class"]
    assert main(["count", str(tmp_path / "first.csv"), *options, "--save", str(tmp_path / "first")]) == 0
    capsys.readouterr()
    like = ["--like", str(tmp_path / "first"), "--save", str(tmp_path / "other")]
    assert main(["count", str(tmp_path / "other.csv"), *options, *like]) == 0
    assert "1 of 101 rows has no 'class'" in capsys.readouterr().err


def test_the_same_counts_are_refused_twice(files, capsys):
    count(files, "first", "--site", "Jena")
    count(files, "second", "--like", files / "first", "--site", "Bonn")
    again = ["count", str(files / "first.parquet"), "--target", "class", "--save", str(files / "again"), "--force"]
    assert main([*again, "--site", "another name"]) == 0
    capsys.readouterr()
    for twice in ("first", "again"):
        words = [f"--counts={files / name}" for name in ("first", "second", twice)]
        assert main(["select", *words]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert str(files / twice) in line
        assert "holds the same counts of" in line
    first, second = SavedCounts.load(files / "first"), SavedCounts.load(files / "second")
    assert (first.site, second.site, (first + second).site) == ("Jena", "Bonn", "Jena, Bonn")
    assert first.digest == SavedCounts.load(files / "again").digest != second.digest


def test_damaged_counts_are_one_line(files):
    """Whatever byte is another one, in the digest, the facts or the cells, or missing."""
    count(files, "first", "--binning", "uniform", "--bins", "4")
    (file,) = (files / "first").iterdir()
    content, random = file.read_bytes(), np.random.default_rng(0)
    (files / "damaged").mkdir()
    for place in random.integers(0, len(content), 60).tolist():
        changed = content[:place] + bytes([content[place] ^ 1 << int(random.integers(8))]) + content[place + 1 :]
        for damaged in (changed, content[:place]):
            (files / "damaged" / file.name).write_bytes(damaged)
            with pytest.raises(DataError, match=r"^the counts in '.*' are incomplete: count again$"):
                SavedCounts.load(files / "damaged")


def test_folders_around_the_counts_are_made(files):
    count(files, "first")
    counts = SavedCounts.load(files / "first")
    counts.save(files / "of" / "sites" / "first")
    assert SavedCounts.load(files / "of" / "sites" / "first").digest == counts.digest


def test_a_file_in_the_place_of_the_folder(files, capsys):
    (files / "plain").write_text("kept")
    for force in ([], ["--force"]):
        asked = ["count", str(files / "all.parquet"), "--target", "class", "--save", str(files / "plain"), *force]
        assert main(asked) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("plain' is a file, and counts are saved to a folder: give another name")
    assert (files / "plain").read_text() == "kept"


def test_pairs_are_counted_up_to_the_last_column(files):
    heard = []
    with listening(heard.append):
        count(files, "all", "--quiet")
    steps = [(step.done, step.total) for step in heard if step.total and step.phase == "counting pairs"]
    assert steps == [(done, 5) for done in range(1, 6)]


def test_values_are_not_joined_where_categories_may_be_intervals_in_words(files):
    count(files, "first", "--binning", "uniform", "--bins", "4")
    counts = load_counts(files / "first")
    in_words = replace(counts, has_intervals_in_words=True)
    for pair in ((in_words, counts), (counts, in_words)):
        first, second = _with_common_values(*pair)
        assert first is pair[0]
        assert second is pair[1]
