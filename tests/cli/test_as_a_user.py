"""What a user types, rightly and wrongly, and every line that comes back, as a process or in this one."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv, parquet

import bitsieve
from bitsieve.cli import main
from bitsieve.cli.options import COMMANDS


def as_a_process(*arguments, cwd):
    """Run a command that must end well."""
    words = [sys.executable, "-m", "bitsieve", *map(str, arguments)]
    found = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    return found


@pytest.fixture
def bs(folder, capsys, monkeypatch):
    """Run a command in the folder that must end with this code; nothing but its error where it fails."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("BITSIEVE_DEBUG", raising=False)

    def call(*arguments, code=0):
        try:
            returned = main([str(word) for word in arguments])
        except SystemExit as ended:  # of the parser
            returned = ended.code
        out, err = capsys.readouterr()
        assert returned == code, err
        assert "Traceback" not in err
        if code:
            assert out == ""
            assert len(err.splitlines()) == 1
        return SimpleNamespace(stdout=out, stderr=err)

    return call


@pytest.fixture
def folder(tmp_path):
    """A folder with a table, its halves, and a table of noise."""
    random = np.random.default_rng(3)
    y = random.permutation(np.repeat([0, 1], [140, 60]))
    columns = {
        "good": 3 * y + random.normal(size=200),
        "noise": random.normal(size=200),
        "word": random.choice(["u", "v"], 200),
    }
    table = pa.table({**columns, "y": np.where(y, "yes", "no")})
    csv.write_csv(table, tmp_path / "all.csv")
    csv.write_csv(table.slice(0, 100), tmp_path / "part1.csv")
    csv.write_csv(table.slice(100), tmp_path / "part2.csv")
    csv.write_csv(table.select(["noise", "y"]), tmp_path / "noise.csv")
    return tmp_path


def test_short_options_and_patterns_give_the_same(bs):
    whole = bs("select", "all.csv", "--target", "y", "--features", 2)
    for words in (
        ("select", "all.csv", "-t", "y", "-k", 2),
        ("select", "part1.csv", "-t", "y", "part2.csv", "-k", 2),
        ("select", "part*.csv", "-t", "y", "-k", 2),
        ("select", "part*.csv", "-t", "y", "-k", 2, "--memory", "1GB"),
    ):
        assert bs(*words).stdout == whole.stdout
    explained = [bs("explain", "good", data, "-t", "y").stdout for data in ("all.csv", "part?.csv")]
    assert explained[0] == explained[1]
    compared = bs("compare", "part*.csv", "-t", "y", "--classifier", "ncm", "--folds", 3, "--json")
    assert json.loads(compared.stdout)["parameters"]["n_samples"] == 200


def test_a_column_that_is_text_in_one_file_is_text(bs, folder):
    (folder / "a1.csv").write_text("a,y\n1,0\n2,1\n")
    (folder / "a2.csv").write_text("a,y\nx,0\n2,1\n")
    found = bs("select", "a1.csv", "a2.csv", "-t", "y", "--json", "--include", "a")
    assert json.loads(found.stdout)["n_samples"] == 4


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe with a name is a thing of POSIX")
def test_a_pipe_is_read(bs, folder):
    whole = bs("select", "all.csv", "-t", "y").stdout
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["sh", "-c", "cat all.csv > pipe"]):
        assert bs("select", "pipe", "-t", "y").stdout == whole


@pytest.mark.parametrize(
    ("name", "read"), [("r.csv", csv.read_csv), ("r.parquet", parquet.read_table), ("r.json", None)]
)
def test_the_ranking_is_saved(bs, folder, name, read):
    document = json.loads(bs("select", "all.csv", "-t", "y", "--json", "--output-ranking", name).stdout)
    path = folder / name
    rows = read(path).to_pylist() if read else json.loads(path.read_text())
    assert document["output_ranking"] == name
    for row, feature in zip(rows, document["features"], strict=True):
        assert (row["rank"], row["feature"], row["score"]) == (feature["rank"], feature["name"], feature["score"])
        assert row["informative"] == feature["informative"]
        assert row["informative_state"] == feature["informative_state"]
        assert row["overlap_with"] in (feature["overlap_with"], "" if name == "r.csv" else None)
    assert rows[0]["overlap"] is None


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        ("select all.csv", "--output", "o.csv"),
        ("select all.csv", "--output-ranking", "o.csv"),
        pytest.param("select all.csv", "--report", "o.html", marks=pytest.mark.slow("draws a report twice")),
        ("compare all.csv --classifier ncm --folds 2 -k 1", "--output", "o.csv"),
        ("how-many noise.csv --classifier ncm --pairs 2", "--figure", "o.svg"),
        ("count all.csv", "--save", "o"),
    ],
)
def test_what_is_there_is_overwritten_with_force_alone(bs, folder, command, option, name):
    if name.endswith((".html", ".svg")):
        pytest.importorskip("matplotlib")
    words = [*command.split(), "-t", "y", option, name]
    path = folder / name
    if option == "--save":
        bs(*words, "-q")
        path = next(path.iterdir())
    path.write_text("of somebody else")
    refusal = bs(*words, code=2).stderr
    assert f"{option} '{name}' is there already: add --force to overwrite it" in refusal
    assert path.read_text() == "of somebody else"
    bs(*words, "--force", "-q")
    assert b"of somebody else" not in path.read_bytes()


def test_the_data_is_never_overwritten(bs):
    own_input = bs("select", "part*.csv", "-t", "y", "-o", "part2.csv", "--force", code=2).stderr
    assert "is the input file itself" in own_input
    same = bs("select", "all.csv", "-t", "y", "-o", "o.csv", "--output-ranking", "o.csv", code=2).stderr
    assert "--output and --output-ranking are the same file" in same


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_help_has_the_common_options_first(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"usage: bitsieve {command} ")
    assert lines[0].endswith("[options]")
    first = next(line for line in lines if line.endswith(":") and not line.startswith(" "))
    assert first == "common options:"
    common = lines[lines.index(first) + 1 :]
    common = common[: common.index("")] if "" in common else common
    assert len([line for line in common if line[2:3].strip()]) <= 11  # with --help


@pytest.mark.slow("processes of further commands: tests/processes starts those of select and compare")
@pytest.mark.parametrize(
    "words",
    [
        ("explain", "good", "all.csv", "-t", "y"),
        ("how-many", "noise.csv", "-t", "y", "--classifier", "ncm", "--pairs", "2"),
        ("interactions", "all.csv", "-t", "y", "--shuffles", "0"),
        ("methods",),
    ],
    ids=lambda words: words[0],
)
def test_a_process_says_the_same(bs, folder, words):
    """Processes of the other commands: tests/processes."""
    found, here = as_a_process(*words, cwd=folder), bs(*words)
    assert found.stdout == here.stdout
    notes = [[line for line in said.stderr.splitlines() if ": note: " in line] for said in (found, here)]  # no progress
    assert notes[0] == notes[1]


def test_quiet_leaves_the_result_alone(bs):
    loud, quiet = (bs("select", "all.csv", "-t", "y", *more) for more in ((), ("--quiet",)))
    assert quiet.stdout == loud.stdout
    assert "note: " in loud.stderr
    assert quiet.stderr == ""


def test_an_empty_selection_is_explained(bs):
    pytest.importorskip("matplotlib")
    found = bs("explain", "noise", "noise.csv", "-t", "y", "-k", "auto")
    assert found.stdout.startswith("'noise' is not selected: ")
    saved = bs("select", "noise.csv", "-t", "y", "-k", "auto", "--report", "r.html")
    assert "no report is written, as no feature is selected" in saved.stderr


def test_nothing_worse_than_the_majority_class_is_recommended(bs):
    found = bs("compare", "noise.csv", "-t", "y", "--classifier", "ncm", "--folds", 5).stdout
    assert "nothing is recommended: the smallest error (" in found
    assert "to select them" not in found
    assert (
        "to select them: bitsieve select all.csv --target y"
        in bs("compare", "all.csv", "-t", "y", "--classifier", "ncm", "--folds", 5, "-k", "1:3").stdout
    )


def test_the_recommended_command_runs_where_groups_are_the_strata(bs, folder):
    rows = [f"{j % 7},{j % 2},{j // 2},{'yes' if j % 2 else 'no'}" for j in range(120)]
    (folder / "pairs.csv").write_text("\n".join(["age,exposure,pair,case", *rows]))
    words = ("--strata", "pair", "--groups", "pair", "--effect", "common", "--column-type", "pair=category")
    found = bs("compare", "pairs.csv", "-t", "case", "--classifier", "ncm", "--folds", 3, "-k", 1, *words).stdout
    (line,) = (line for line in found.splitlines() if line.startswith("to select them: bitsieve "))
    command = line.removeprefix("to select them: bitsieve ").split()
    assert "--exclude" not in command
    assert "exposure" in bs(*command).stdout


@pytest.mark.parametrize("rows", [4, 10])
def test_very_few_rows_get_a_caution(bs, folder, rows):
    (folder / "few.csv").write_text("\n".join(["a,y", *(f"{j % 2},{j % 2}" for j in range(rows))]))
    ways = (
        ("select",),
        ("select", "--memory", "1GB"),
        ("explain", "a"),
        ("compare", "--folds", "loo", "--classifier", "ncm"),
    )
    for command, *words in ways if rows < 10 else ways[:1]:
        found = bs(command, *words, "few.csv", "-t", "y")
        assert (f"note: the table has {rows} rows: with fewer than 10" in found.stderr) == (rows < 10)
    notes = bitsieve.select(folder / "few.csv", "y").notes
    assert any(f"the table has {rows} rows" in str(note) for note in notes) == (rows < 10)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("t.xlsx", b"PK\x03\x04 broken", "cannot read 't.xlsx' as .npz: File is not a zip file"),
        (
            "t.arff",
            b"% iris\n@RELATION iris\n@ATTRIBUTE a STRING\n@DATA\nx\n",
            "cannot read 't.arff' as an ARFF file: ",
        ),
        ("t.db", b"SQLite format 3\0" + bytes(100), "cannot read 't.db': "),
        ("t.duckdb", bytes(8) + b"DUCK" + bytes(100), "cannot read 't.duckdb': "),
        ("t.orc", b"ORC broken", "cannot read 't.orc' as an ORC file: "),
        ("t.rds", b"RDX2", "is a file of R (save its table as CSV)"),
        ("none*.csv", None, "no file matches 'none*.csv'"),
    ],
)
def test_what_is_not_read_is_named(bs, folder, name, content, what):
    if callable(content):
        content(folder / name)
    elif content is not None:
        (folder / name).write_bytes(content)
    assert what in bs("select", name, "-t", "y", code=2).stderr


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("slect all.csv", "there is no command 'slect': did you mean select"),
        ("select all.csv --tagret y", "there is no option --tagret: did you mean --target?"),
        ("compare all.csv -t y --clasifier knn", "there is no option --clasifier: did you mean --classifier?"),
        ("select all.csv -t y --missing bins", "there is no --missing 'bins': did you mean bin?"),
        ("compare -t y", "the following arguments are required: DATA"),
    ],
)
def test_slips_are_answered_with_what_was_meant(bs, words, answer):
    assert answer in bs(*words.split(), code=2).stderr


def test_rows_without_a_target_are_counted_once(bs, folder):
    """In the document too; counted, as SQL, from a database, in batches and compared."""
    table = csv.read_csv(folder / "all.csv")
    gone = pa.array(np.arange(200) % 25 == 3)
    table = table.set_column(3, "y", pc.if_else(gone, pa.scalar(None, pa.string()), table["y"]))
    csv.write_csv(table, folder / "gaps.csv")
    with sqlite3.connect(folder / "gaps.sqlite") as database:
        database.execute("create table gaps (good real, noise real, word text, y text)")
        database.executemany("insert into gaps values (?, ?, ?, ?)", zip(*table.to_pydict().values(), strict=True))
    note, asked = "8 of 200 rows have no 'y' and are left out", ("-t", "y", "--drop-missing-target")
    found = bs("select", "gaps.csv", *asked, "--json")
    assert found.stderr.count(note) == 1
    assert json.loads(found.stdout)["notes"].count(note) == 1
    for words in (
        ("select", "gaps.csv", *asked, "--memory", "1GB"),
        ("select", "gaps.sqlite", *asked),
        ("count", "gaps.csv", *asked, "--save", "counts"),
        ("sql", "gaps.sqlite", *asked),
        ("compare", "gaps.csv", *asked, "--classifier", "ncm", "--folds", 2),
        ("interactions", "gaps.csv", *asked),
    ):
        assert bs(*words).stderr.count(f"bitsieve: note: {note}\n") == 1, words
    assert "left out" not in bs("select", "all.csv", *asked).stderr


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (
            ("--method", "gmi", "--missing", "bin"),
            "--missing bin has no effect on gmi, which makes no bins",
        ),
        (
            ("--group", "good"),
            "a group of fewer than two columns changes nothing: name all columns that are taken together",
        ),
    ],
)
def test_what_changes_nothing_is_said(bs, words, note):
    assert bs("select", "all.csv", "-t", "y", "--exclude", "word", "-k", 1, *words).stderr.count(f"{note}\n") == 1
    assert note not in bs("select", "all.csv", "-t", "y", "--missing", "bin", "--group", "good", "noise").stderr


def test_a_least_level_is_explained_on_the_screen(bs):
    shown = bs("select", "all.csv", "-t", "y", "--stop", "fdr").stdout
    assert shown.endswith(
        "\nleast level: the smallest level (a corrected p, or a share of false features) at which a feature is taken\n"
    )
    assert "least level" not in bs("select", "all.csv", "-t", "y", "--stop", "permutation").stdout


def test_warnings_of_scikit_learn_stay_inside(tmp_path, capsys):
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from bitsieve.cli.wording import Wording, in_words_of

    with in_words_of(Wording("compare")):
        warnings.simplefilter("always")
        warnings.warn("did not converge", ConvergenceWarning, stacklevel=1)
        warnings.warn_explicit("divide by zero", RuntimeWarning, "/lib/site-packages/sklearn/svm/_base.py", 1)
        warnings.warn("a note", bitsieve.BitsieveWarning, stacklevel=1)
    assert capsys.readouterr().err == "bitsieve: warning: a note\n"
