"""``bitsieve select --set NAME=VALUE``: the parameters of a method, and one line for every mistake in them."""

from __future__ import annotations

import json
import re

import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.cli.build import selection_options
from bitsieve.cli.parser import assignment, parse
from bitsieve.cli.wording import wording_of
from bitsieve.methods.by_counts.markov_blankets.blanket import OVER_BLANKETS, WITH_SYMMETRY
from bitsieve.methods.by_counts.stopping.false_discovery import FalseDiscoveryStopping
from bitsieve.methods.by_counts.stopping.permutation import PermutationStopping


@pytest.fixture
def select(data, capsys):
    """Run ``bitsieve select`` on the tumours: the exit code, and what is printed."""

    def call(*arguments):
        code = main(["select", str(data), "--target", "diagnosis", "--features", "4", *arguments])
        return code, *capsys.readouterr()

    return call


def test_parameters_reach_the_method(table, select):
    code, out, _ = select("--method", "betagamma", "--set", "beta=0.5", "--set", "gamma = 2", "--json")
    assert code == 0
    document = json.loads(out)
    chosen = bitsieve.select(table, "diagnosis", method="betagamma", n_features_to_select=4, beta=0.5, gamma=2)
    assert document["features"] == chosen.to_dict()["features"]
    assert (document["parameters"]["beta"], document["parameters"]["gamma"]) == (0.5, 2)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--stop", "permutation", "--set", "n_permutations=50"], PermutationStopping(n_permutations=50)),
        (
            ["--stop", "fdr", "--level", "0.2", "--set", "random_state=3"],
            FalseDiscoveryStopping(level=0.2, random_state=3),
        ),
    ],
)
def test_parameters_reach_the_stopping_rule(arguments, rule):
    typed = parse(["select", "table.csv", "--target", "y", "--method", "jmi", *arguments])
    assert selection_options(typed).stopping == rule


def test_parameters_of_a_method_that_is_no_criterion(select):
    code, out, _ = select("--method", "speccmi", "--set", "dtype=float32", "--json")
    assert code == 0
    assert json.loads(out)["parameters"]["dtype"] == "float32"


def test_second_names_have_the_parameters_of_the_first(select):
    same = [select("--method", name, "--set", "beta=0.1") for name in ("mifsu", "mifs-u")]
    assert same[0] == same[1]
    assert same[0][0] == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x=1", 1),
        ("x=1e-3", 0.001),
        ("x=-2", -2),
        ("x=True", True),
        ("x=false", False),
        ("x=none", None),
        ("x=a=b", "a=b"),
    ],
)
def test_values_are_numbers_where_they_can_be(text, value):
    name, read = assignment(text)
    assert name == "x"
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "beta"], "argument --set: 'beta' is not NAME=VALUE: write it as beta=0.5 or zip=category"),
        (["--set", "=1"], "argument --set: '=1' is not NAME=VALUE"),
        (["--set", "beta="], "argument --set: 'beta=' is not NAME=VALUE"),
        (
            ["--method", "betagamma", "--set", "delta=1"],
            "--set delta: method 'betagamma' does not take 'delta'; it takes beta=1.0, gamma=1.0",
        ),
        (
            ["--method", "jmi", "--set", "n_bins=1"],
            "--set n_bins: method 'jmi' does not take 'n_bins'; it takes no param",
        ),
        (["--method", "jmi", "--set", "stopping=threshold"], "--set stopping: give --stop instead"),
        (["--method", "jmi", "--set", "algorithm=gs"], "--set algorithm: give --method instead"),
        (["--method", "mifs", "--set", "beta=-1"], "--set beta=-1 is not a weight: give a finite number of 0 or more"),
        (["--method", "mifs", "--set", "beta=low"], "--set beta=low is not a weight"),
        (["--method", "betagamma", "--set", "gamma=nan"], "--set gamma=nan is not a weight"),
        (["--method", "miq", "--set", "eps=1", "--set", "eps=2"], "--set eps is given 2 times: give it once"),
        (
            ["--method", "speccmi", "--set", "dtype=int8"],
            "--set dtype=int8 is not allowed: give 'float64' or 'float32'",
        ),
        (
            ["--method", "jmi", "--stop", "permutation", "--set", "adjust=none"],
            "--set adjust: method 'jmi' with --stop permutation does not take 'adjust'; it takes n_permutations=200, "
            "random_state=0",
        ),
        (["--method", "jmi", "--stop", "permutation", "--set", "n_permutations=0"], "--set n_permutations=0 "),
        (["--method", "jmi", "--stop", "permutation", "--set", "level=0.1"], "--set level: give --level instead"),
        (["--method", "jmin"], "--method jmin is not known: did you mean jmi or jmim or jmi3?"),
    ],
)
def test_mistakes(select, arguments, message):
    code, out, err = select(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"bitsieve: error: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "option", "other_method"),
    [
        (["--method", "iamb", "--strata", "radius", "--effect", "common"], "--effect", "cmim2"),
        (["--method", "relieff", "--effect", "any"], "--effect", "cmim2"),
        (["--method", "iamb", "--stop", "fdr"], "--stop", "cmim2"),
        (["--method", "relieff", "--roles"], "--roles", "iamb-fdr"),
        (["--method", "fcbf", "--level", "0.1", "--features", "auto"], "--level", "cmim2"),
    ],
)
def test_an_option_of_other_methods_is_named_as_typed(data, arguments, option, other_method):
    typed = parse(["select", str(data), "--target", "diagnosis", *arguments])
    with pytest.raises(bitsieve.UserError) as raised:
        selection_options(typed)
    error = raised.value
    assert (error.code, list(error.parameters)) == (
        "parameter-without-effect",
        [option.removeprefix("--").replace("stop", "stopping")],
    )
    assert error.fix == {"method": other_method}
    assert wording_of(typed)(error.diagnostic).startswith(f"{option} is not for method {typed.method!r}: ")


def methods_named(line):
    """The methods in quotes behind "it takes", and how many more there are."""
    names = re.findall(r"'([\w-]+)'", line.rpartition("it takes ")[2])
    more = re.search(r"and (\d+) more", line)
    return names, int(more[1]) if more else 0


def test_only_methods_on_which_a_parameter_has_an_effect_are_named(select):
    names, n_more = methods_named(select("--method", "jmi", "--set", "start=radius")[2])
    assert len(names) + n_more == len(OVER_BLANKETS)
    assert set(names) <= set(OVER_BLANKETS)
    names, n_more = methods_named(select("--method", "jmi", "--set", "symmetry=or")[2])
    assert len(names) + n_more == len(WITH_SYMMETRY)
    assert set(names) <= set(WITH_SYMMETRY)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("algorithm=gs", "--set algorithm: give --methods instead"),
        ("n_extra_runs=2", "--set n_extra_runs: none of the methods takes 'n_extra_runs'; 'fbed' takes it: use"),
        ("unknown=2", "--set unknown: none of the methods takes 'unknown'; 'bitsieve methods' lists what each takes"),
    ],
)
def test_mistakes_of_compare(data, capsys, setting, message):
    assert main(["compare", str(data), "--target", "diagnosis", "--methods", "jmi,mim", "--set", setting]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        ("postgresql://ann:secret@nowhere/shop/orders", "the rows are read once, which takes less time"),
        ("nowhere.csv", "only rows of a lazy frame or a database file are counted"),
    ],
)
def test_rows_that_are_not_counted_where_they_are(data, answer, capsys):
    assert main(["select", data, "--target", "y", "--push-down"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--push-down is not allowed: leave it out for " in line
    assert answer in line
    assert "secret" not in line


def test_mistakes_are_found_before_the_data_is_read(capsys):
    assert main(["select", "nowhere.csv", "--target", "y", "--method", "mifs", "--set", "beta=-1"]) == 2
    assert "beta=-1 is not a weight" in capsys.readouterr().err
