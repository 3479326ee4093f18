"""The command line in this process: every format, every output, and one line for every mistake."""

from __future__ import annotations

import json
import math
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve.cli import main
from bitsieve.io.read import read_table


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command line and catch what it prints."""
    monkeypatch.delenv("BITSIEVE_DEBUG", raising=False)

    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return call


@pytest.fixture
def done(run):
    """What a command prints that succeeds."""

    def call(*arguments):
        result = run(*arguments)
        assert result.returncode == 0, result.stderr
        return result

    return call


@pytest.fixture
def refused(run):
    """The one line on standard error of a command that is a user's mistake."""

    def call(*arguments):
        result = run(*arguments)
        assert result.returncode == 2, result
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("bitsieve: error: ")
        assert not re.search(r"\b[a-z_]+=['\"]", lines[0])  # these are the words of Python
        return lines[0].removeprefix("bitsieve: error: ")

    return call


def test_json_document(data, table, done):
    result = done(
        "select", data, "--target", "diagnosis", "--features", 3, "--json", "--binning", "quantile", "--bins", 4
    )
    document = json.loads(result.stdout)
    wanted = bitsieve.select(table, "diagnosis", n_features_to_select=3, binning="quantile", n_bins=4).to_dict()
    for name, value in wanted.items():
        assert document[name] == value
    assert document["output"] is None
    assert document["seconds"] > 0
    assert document["version"] == bitsieve.__version__
    assert document["report"] is None
    assert set(document) == {*wanted, "output", "output_ranking", "report", "save", "seconds", "version"}


def write(table, path):
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    elif path.suffix == ".tsv":
        csv.write_csv(table, path, csv.WriteOptions(delimiter="\t"))
    elif path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    return path


def small(tmp_path, text, name="small.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_every_format(table, tmp_path, ending, done):
    path = write(table, tmp_path / f"data.{ending}")
    disguised = shutil.copy(path, tmp_path / "data.dat")
    results = [done("select", p, "--target", "diagnosis", "--features", 3).stdout for p in (path, disguised)]
    assert results == [f"{bitsieve.select(table, 'diagnosis', n_features_to_select=3)}\n"] * 2


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_nothing(data, threads, done):
    arguments = ("select", data, "--target", "diagnosis", "--features", 5, "--method", "cmim")
    assert done(*arguments, "--threads", threads).stdout == done(*arguments).stdout


@pytest.mark.parametrize("binning", ["mdl", "quantile", "uniform"])
@pytest.mark.parametrize("method", ["mim", "speccmi"])
def test_binnings(data, method, binning, done):
    result = done("select", data, "--target", "diagnosis", "--method", method, "--binning", binning, "--features", 3)
    assert len(result.stdout.splitlines()) == 4


def test_a_table_in_which_nothing_is_informative_gives_the_list(tmp_path, done):
    path = small(tmp_path, "a,y\n0.3,0\n0.1,1\n0.2,0\n0.5,1\n")
    result = done("select", path, "--target", "y")
    assert result.stdout.splitlines()[1].split()[:3] == ["1", "a", "0.0000"]
    assert all(part in result.stderr for part in ("relevance 0", "--uncut median", "--binning quantile"))


def test_fewer_features_than_the_default(data, done):
    result = done("select", data, "--target", "diagnosis")
    assert len(result.stdout.splitlines()) == 1 + 9
    assert "fewer than" not in result.stderr


@pytest.mark.parametrize("rule", [(), ("--stop", "permutation"), ("--stop", "significance", "--level", "0.01")])
def test_auto_says_where_it_stopped_and_why(data, done, rule):
    result = done("select", data, "--target", "diagnosis", "--method", "cmi", "--features", "auto", "--json", *rule)
    document = json.loads(result.stdout)
    stopping = document["stopping"]
    assert stopping["by"] == (rule[1] if rule else "significance")
    level = 0.01 if "--level" in rule else 0.05
    assert stopping["value"] > level >= max(stopping["values"])
    assert len(stopping["values"]) == len(document["features"]) < 9
    note = f"stopped after {len(document['features'])} features by {stopping['by']}: next was '{stopping['candidate']}'"
    assert f"{note}, but p" in result.stderr


@pytest.mark.parametrize("method", ["speccmi", "sdpcmi"])
def test_global_methods_say_how_far_from_the_best_they_can_be(data, done, method):
    result = done("select", data, "--target", "diagnosis", "--method", method, "--features", "3", "--json")
    known = json.loads(result.stdout)["certificate"]
    assert 0 < known["objective_bits"] <= known["upper_bound_bits"]
    # the gap is made of these two numbers, by one subtraction and one division
    assert known["gap"] == pytest.approx(1 - known["objective_bits"] / known["upper_bound_bits"], abs=1e-12)
    share = math.floor(1000 * (1 - known["gap"])) / 10
    assert f"these 3 features reach at least {share:.1f} % of the best possible" in result.stderr
    assert "missing" not in result.stderr
    greedy = done("select", data, "--target", "diagnosis", "--method", "jmi", "--json")
    assert json.loads(greedy.stdout)["certificate"] is None


def test_threshold_and_share(data, done):
    command = ("select", data, "--target", "diagnosis", "--method", "cmim", "--json")
    document = json.loads(done(*command, "--features", "0.5", "--stop", "threshold", "--min-bits", "0.02").stdout)
    assert len(document["features"]) <= 4
    assert all(value >= 0.02 for value in document["stopping"]["values"])


def test_include_exclude_and_group(data, done):
    command = ("select", data, "--target", "diagnosis", "--method", "jmi", "--features", "3", "--json")
    wish = ("--include", "mean_smoothness", "--exclude", "mean_area", "--group", "mean_radius", "mean_texture")
    names = [feature["name"] for feature in json.loads(done(*command, *wish).stdout)["features"]]
    assert names[0] == "mean_smoothness"
    assert "mean_area" not in names
    assert ("mean_radius" in names) == ("mean_texture" in names)


def test_continuous_target(data, done):
    result = done("select", data, "--target", "mean_radius", "--features", 2, "--target-bins", 3)
    assert "target 'mean_radius' is a quantity: cut into 3 classes at" in result.stderr
    assert len(result.stdout.splitlines()) == 3


def test_one_feature_is_saved_in_the_singular(data, tmp_path, done):
    result = done("select", data, "--target", "diagnosis", "--features", 1, "--output", tmp_path / "one.csv")
    assert "saved 1 feature and the target 'diagnosis' to" in result.stderr


def test_rows_without_a_target_are_saved_with_the_others(table, tmp_path, done):
    place = table.column_names.index("diagnosis")
    gaps = [None, *table["diagnosis"].to_pylist()[1:]]
    path = write(table.set_column(place, "diagnosis", pa.array(gaps)), tmp_path / "gaps.parquet")
    result = done("select", path, "-t", "diagnosis", "-k", 1, "-o", tmp_path / "one.parquet")
    assert "one.parquet', with the rows that were left out" in " ".join(result.stderr.split())
    assert read_table(tmp_path / "one.parquet")["diagnosis"].to_pylist() == gaps


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "csv", "tsv"])
def test_output_keeps_columns_and_types(table, tmp_path, ending, done):
    typed = table.set_column(0, "mean_radius", table["mean_radius"].cast(pa.float32()))
    path = write(typed.set_column(8, "size", table["size"].dictionary_encode()), tmp_path / "data.parquet")
    output = tmp_path / f"reduced.{ending}"
    result = done("select", path, "--target", "diagnosis", "--features", 9, "--output", output, "--json")
    document = json.loads(result.stdout)
    assert document["output"] == str(output)
    assert "saved 9 features and the target 'diagnosis'" in result.stderr
    whole, reduced = read_table(path), read_table(output)
    assert reduced.column_names == [*(feature["name"] for feature in document["features"]), "diagnosis"]
    if ending in ("csv", "tsv"):  # text has no small floats and no dictionaries, but every value
        assert reduced.select(["size", "diagnosis"]).to_pydict() == whole.select(["size", "diagnosis"]).to_pydict()
        assert reduced["mean_area"].equals(whole["mean_area"])
    else:
        assert reduced.equals(whole.select(reduced.column_names))


def test_output_npz(tmp_path, done):
    data = load_breast_cancer()
    X = data.data.astype(np.float32)
    np.savez(tmp_path / "data.npz", X=X, y=data.target)
    output = tmp_path / "reduced.npz"
    result = done("select", tmp_path / "data.npz", "--features", 3, "--output", output, "--json")
    chosen = [feature["index"] for feature in json.loads(result.stdout)["features"]]
    with np.load(output) as reduced:
        np.testing.assert_array_equal(reduced["X"], X[:, chosen])
        np.testing.assert_array_equal(reduced["y"], data.target)
        assert reduced["X"].dtype == np.float32
        assert reduced["feature_names"].tolist() == [f"x{j}" for j in chosen]


def test_methods(done):
    names = [info.name for info in bitsieve.list_methods()]
    lines = done("methods").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    table, greedy = lines[: lines.index("")], " ".join(lines[lines.index("") + 1 :])
    assert [line.split()[0] for line in table if not line.startswith(" ")] == names
    assert greedy.startswith("--estimator, --stop, --include, --exclude and --group are for the greedy methods: mim, ")
    document = json.loads(done("methods", "--json").stdout)
    assert [method["name"] for method in document] == names
    assert all(method["paper"] and method["needs"] for method in document)
    by_name = {method["name"]: method for method in document}
    of_every_greedy = {"stopping": None, "constraints": None, "estimator": "corrected", "effect": "any"}
    assert by_name["betagamma"]["parameters"] == {"beta": 1.0, "gamma": 1.0, **of_every_greedy}
    assert (by_name["soa"]["same_as"], by_name["soa"]["paper"]) == ("cife", "Guo, Nixon 2009")
    assert [line for line in lines if line.endswith("  parameters (--set): beta=1.0, gamma=1.0")]
    assert [line for line in lines if line.endswith("  the same as cife: the same sum in two parts")]


def test_one_method_alone(done, refused):
    """What stands of it in the list, and the greedy options only where it has them."""
    whole, alone = (done("methods", *name).stdout.splitlines() for name in ((), ("GMI",)))
    begin = next(place for place, line in enumerate(whole) if line.startswith("gmi "))
    end = next(place for place, line in enumerate(whole) if line.startswith("dp "))
    assert " ".join(alone).split() == " ".join(whole[begin:end]).split()
    assert done("methods", "soa").stdout.splitlines()[-1].endswith("are for the greedy methods: soa")
    (document,) = json.loads(done("methods", "gmi", "--json").stdout)
    assert document["name"] == "gmi"
    assert refused("methods", "gm").startswith("method gm is not known: did you mean gmi or ")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("selct",), "there is no command 'selct': did you mean select"),
        (("--target", "diagnosis", "select", "{data}"), "the command comes first, then data and options"),
        (("{data}", "select", "--target", "diagnosis"), "the command comes first, then data and options"),
        (("explain", "{data}", "mean_area", "-t", "diagnosis"), "' is a file: give the column first, then the file"),
        (("select",), "the following arguments are required: DATA"),
        (("select", "{data}", "--nonsense"), "there is no option --nonsense (see bitsieve select --help)"),
        (("--nonsense",), "there is no option --nonsense (see bitsieve --help)"),
        (("select", "{data}", "stray", "--nonsense=1", "-x"), "there is no option --nonsense and no -x (see"),
        (("select", "{data}", "stray", "--nonsense", "--bin"), "there is no option --bin: did you mean --bins? (see"),
        (("diff", "a.json", "b.json", "c.json"), "unrecognized arguments: c.json (see bitsieve diff --help)"),
        (("compare", "{data}", "--scheduler", "x"), "compare has no option --scheduler: it is one of select (see"),
        (("scorecard", "{data}", "--memory", "1GB"), "--memory: the bins of a scorecard need all rows in memory"),
        (("sql", "{data}", "--strata=mean_area"), "--strata: the counts of a statement have no strata"),
        (
            ("interactions", "{data}", "--duration", "x", "--event", "y"),
            "--duration: interactions are counted by classes: give the column of the event as --target",
        ),
        (("explain", "{data}", "--target", "diagnosis"), "DATA is missing: give the column to explain, and then"),
        (("explain", "diagnosis", "{data}", "--target", "diagnosis"), "'diagnosis' is the target, not a feature: give"),
        (
            ("select", "{data}", "--target", "diagnosis", "--exclude", "mean_area,mean_radius"),
            "not there: give --exclude mean_area --exclude mean_radius",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--features", "1.5"),
            "'1.5' is not allowed: give a whole number from 1, a share between 0 and 1, or auto",
        ),
        (("select", "{data}"), "no target is given: name one of the columns 'mean_radius'"),
        (
            ("select", "{data}", "--target", "diagnoses"),
            "no column 'diagnoses' for the target: did you mean 'diagnosis'?",
        ),
        (("select", "{data}", "--target", "diagnosis", "--features", "0"), "'0' is not allowed: give a whole"),
        (("select", "{data}", "--target", "diagnosis", "--features", "-3"), "'-3' is not allowed: give a whole"),
        (("select", "{data}", "--target", "diagnosis", "--features", "many"), "'many' is not allowed: give a whole"),
        (
            ("select", "{data}", "--target", "diagnosis", "--threads", "0"),
            "'0' is not allowed: give a whole number of 1 or more",
        ),
        (("select", "{data}", "--target", "mean_area", "--target-bins", "1"), "--target-bins 1 is not allowed"),
        (
            ("select", "{data}", "--target", "diagnosis", "--binning", "quantile", "--bins", "1"),
            "--bins 1 is not allowed: give a whole number from 2",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "mrrm"),
            "--method mrrm is not known: did you mean mrmr",
        ),
        (("select", "{data}", "--target", "diagnosis", "--binning", "quantil"), "did you mean 'quantile'?"),
        (("select", "{data}", "--target", "diagnosis", "--bins", "5"), "--bins has no effect with binning 'mdl'"),
        (
            ("select", "{data}", "--target", "diagnosis", "--binning", "uniform", "--uncut", "median"),
            "it has --bins, --missing; --binning may be 'mdl' or 'quantile'",
        ),
        (
            ("count", "{data}", "-t", "diagnosis", "--save", "c", "--binning", "uniform", "--uncut", "median"),
            "it has --bins, --missing; --binning may be 'mdl' or 'quantile'",
        ),
        (("select", "{data}", "--target", "diagnosis", "--uncut", "half"), "choose one of leave, median, apart (see"),
        (
            ("select", "{data}", "--target", "diagnosis", "--binning", "quantile", "--uncut", "median"),
            "--uncut median is not allowed",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "jmi", "--stop", "thresh"),
            "did you mean threshold",
        ),
        (("select", "{data}", "--target", "diagnosis", "--level", "0.1"), "--level has an effect only with --stop"),
        (("select", "{data}", "--target", "diagnosis", "--stop", "permutation", "--min-bits", "1"), "--min-bits has"),
        (
            ("select", "{data}", "--target", "diagnosis", "--stop", "fdr", "--draws", "1"),
            "--draws has an effect only with",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--stop", "conditional", "--level", "1e-8"),
            "cannot be reached by benjamini-hochberg: with 1,000,000 permutations",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "jmi", "--features", "auto", "--level", "7"),
            "7.0 is not allowed: give a probability",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "speccmi", "--features", "auto"),
            "this method does not end by itself",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "jmi", "--include", "mean_aera"),
            "--include names column 'mean_aera', which is not there: did you mean 'mean_area'",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "jmi", "--group", "mean_area", "size", "x"),
            "group 1 names column 'x'",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--method", "jmi", "--include", "size", "--exclude", "size"),
            "--include and --exclude both name 'size'",
        ),
        (("select", "{data}", "--target", "diagnosis", "--weight", "mean_area"), "--weight holds"),
        (("select", "{data}", "--target", "diagnosis", "--output", "out.xlsx"), "end it in one of .parquet"),
        (("select", "{data}", "--target", "diagnosis", "--output", "no/where.csv"), "no directory 'no'"),
        (("select", "{data}", "--target", "diagnosis", "--output", "{data}"), "is the input file itself"),
        (
            ("select", "{data}", "--target", "diagnosis", "--include", "size", "--output", "{data}.npz"),
            "column 'size' is selected and string",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--target", "size", "--output", "{data}.npz"),
            "a .npz holds one target, not several",
        ),
        (("count", "{data}", "-t", "a", "-t", "b"), "--target is given twice, as 'a' and as 'b': give one"),
        (("sql", "{data}", "-t", "a", "-t", "b"), "--target is given twice, as 'a' and as 'b': give one"),
        (("select", "{data}", "--target", "y", "--estimator", "plug"), "--estimator plug is not known"),
        (
            ("select", "{data}", "--target", "diagnosis", "--exclude", "size", "mean area"),
            "there is no file 'mean area': if it is a column, write --exclude size --exclude 'mean area'",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--weight", "size", "mean"),
            "there is no file 'mean': give the path",
        ),
        (
            ("select", "{data}", "--target", "diagnosis", "--column-type", "size=category", "mean"),
            "there is no file 'mean': give the path",
        ),
        (("select", "{data}", "--target", "diagnosis", "--binning", "none"), "mean_radius"),
        (("select", "{data}.gone", "--target", "y"), "there is no file"),
        (("select", "{data}x", "--target", "y"), ".csv'?"),
        (("compare", "{data}", "--target", "y", "--methods", "mim", "jmi"), "'jmi' is no file: if it is a method"),
        (("select", "{data}", "--target", "diagnosis", "--exclude", "diagnosis"), "which is the target, not a feature"),
        (
            ("how-many", "{data}", "--target", "diagnosis", "--include", "diagnosis"),
            "which is the target, not a feature",
        ),
    ],
)
def test_mistakes_in_the_command(data, arguments, part, refused):
    assert part in refused(*(argument.replace("{data}", str(data)) for argument in arguments))


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        ("", [], ["is empty"]),
        ("a,y\n", [], ["has no rows"]),
        ("a,y\n1,0\n", [], ["1 sample"]),
        ("a,y\n1,0\n2,1\n3", [], ["row 4, the last one,", "has 1 fields where the header has 2"]),
        ("y\n0\n1\n", [], ["no delimiter"]),
        ("a,b,y\n1,,0\n2,1,1\n3,2,0\n", ["--missing", "error"], ["'b'", "--missing bin"]),
        ("a,b,y\n1,inf,0\n2,1,1\n3,2,0\n", [], ["'b'"]),
        ("a,b,y\n1,-inf,0\n2,1,1\n3,2,0\n", ["--missing", "bin"], ["'b'"]),
        ("a,b,y\n5,x,0\n5,x,1\n5,x,0\n", [], ["no column varies"]),
        ("a,b,y\n5,x,1\n6,y,1\n5,x,1\n", [], ["one class only"]),
        ("a,b,y\n1,2,0\n2,1,\n3,2,0\n", [], ["target"]),
        ("a,y\n0.5,0\n0.1,1\n0.2,0\n", ["--binning", "none"], ["'a'"]),
    ],
)
def test_mistakes_in_the_data(tmp_path, text, options, parts, refused):
    message = refused("select", small(tmp_path, text), "--target", "y", "--features", 1, *options)
    for part in parts:
        assert part in message


def test_constant_column_comes_last_and_is_told(tmp_path, done):
    rows = "".join(f"7,{j % 2},{j % 3},{j % 2}\n" for j in range(60))
    path = small(tmp_path, "flat,signal,noise,y\n" + rows)
    result = done("select", path, "--target", "y", "--features", 3, "--binning", "none")
    order = [line.split()[1] for line in result.stdout.splitlines()[1:]]
    assert order[0] == "signal"
    assert order[-1] == "flat"
    assert "column 'flat' is constant" in result.stderr


def test_negative_codes_and_codes_with_gaps(tmp_path, done):
    codes = [(-5, 10), (0, 1_000_000), (7, 3), (0, 10)]
    rows = "".join(f"{a},{b},{a}\n" for a, b in codes * 10)
    path = small(tmp_path, "gaps,other,y\n" + rows)
    of_counts = ("--binning", "none", "--method", "mim", "--estimator", "plug-in")
    result = done("select", path, "--target", "y", "--features", 2, *of_counts)
    lines = [line.split() for line in result.stdout.splitlines()[1:]]
    # y has codes -5, 0, 7 in shares 1/4, 1/2, 1/4: H = 1.5 bits, all of which "gaps" tells
    assert lines[0][1:4] == ["gaps", "1.5000", "1.5000"]
    # H(other) = 1.5 and H(y, other) = 2 bits (four equal pairs), so I = 1.5 + 1.5 - 2
    assert lines[1][3] == "1.0000"


def test_missing_values_as_a_code(tmp_path, done):
    path = small(tmp_path, "a,b,y\n" + "?,1,0\n2,1,1\n" * 20)
    cut = ("--missing", "bin", "--binning", "quantile", "--estimator", "plug-in")
    result = done("select", path, "--target", "y", "--features", 1, *cut)
    assert result.stdout.splitlines()[1].split()[1:4] == ["a", "1.0000", "1.0000"]


@pytest.mark.slow("as test_forty_thousand_distinct_strings of select, from a file")
def test_target_among_forty_thousand_strings(tmp_path, done):
    n = 40_000
    names = np.array([f"name {j}" for j in range(n)])
    names[35] = names[0]
    table = pa.table({"low": np.arange(n) % 7, "high": np.arange(n) // 5_000, "y": names})
    result = done(
        "select",
        write(table, tmp_path / "data.parquet"),
        "--target",
        "y",
        "--binning",
        "none",
        "--features",
        2,
        "--json",
    )
    document = json.loads(result.stdout)
    assert document["target"]["n_classes"] == n - 1
    assert "39,999 classes" in result.stderr


def test_a_quantity_is_compared_by_regressors(data, done, refused):
    asked = ("compare", data, "--target", "mean_radius", "--methods", "mim,relieff", "--features", "1:3", "--folds", 3)
    document = json.loads(done(*asked, "--scoring", "mae", "--json").stdout)
    assert (document["parameters"]["classifier"], document["parameters"]["scoring"]) == ("ridge", "mae")
    assert "below that of the mean (" in done(*asked, "--classifier", "knn").stdout
    assert refused(*asked, "--classifier", "lda").startswith(
        "--classifier lda does not fit, as the target is a quantity:"
    )
    assert refused(*asked, "--scoring", "accuracy").startswith(
        "--scoring accuracy does not fit, as the target is a quantity"
    )
    assert refused(*asked, "--bounds").startswith("--bounds needs classes, and the target is a quantity")


def test_the_protocol_of_the_papers_cuts_at_the_median_only_for_classes(data, done, refused):
    asked = ("compare", data, "--methods", "mim", "--features", 2, "--folds", 3, "--protocol", "paper")
    of_quantity = done(*asked, "--target", "mean_radius", "--json")
    assert json.loads(of_quantity.stdout)["parameters"]["binning"] == "auto"
    assert "--protocol paper" in done(*asked, "--target", "mean_radius").stdout
    of_classes = done(*asked, "--target", "diagnosis", "--classifier", "ncm")
    assert "--protocol paper" in of_classes.stdout
    assert "--protocol" not in done(*asked[:-2], "--target", "diagnosis", "--classifier", "ncm").stdout
    assert (
        "uncut='median'"
        in json.loads(done(*asked, "--target", "diagnosis", "--classifier", "ncm", "--json").stdout)["parameters"][
            "binning"
        ]
    )
    kept = done(*asked, "--target", "diagnosis", "--classifier", "ncm", "--uncut", "leave")
    assert "--uncut leave" in kept.stdout
    words = refused(*asked, "--target", "diagnosis", "--classifier", "ridge")
    assert words.endswith("add --target-kind quantity")
