"""Messages in the words of the command line: options where Python has parameters, and text as it is."""

from __future__ import annotations

import warnings

import pytest

from bitsieve.cli.wording import Wording, in_words_of
from bitsieve.diagnostics import NAME_ONLY, ParameterError


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        ("n_bins", 1, "--bins 1"),
        ("n_bins", NAME_ONLY, "--bins"),
        ("missing", "a bin", "--missing 'a bin'"),
        ("beta", 0.5, "--set beta=0.5"),
        ("beta", "low", "--set beta=low"),
        ("landmarks", "all", "landmarks='all'"),
        ("header", False, "--no-header"),
        ("drop_missing_target", True, "--drop-missing-target"),
        ("include", ["a", "b c"], "--include a --include 'b c'"),
        ("column_types", {"a": "category"}, "--column-type a=category"),
        ("special_values", {"a": [-9, -8], "b": [0]}, "--special a=-9 --special a=-8 --special b=0"),
    ],
)
def test_settings(parameter, value, words):
    assert Wording("select", ["mifs"]).setting(parameter, value) == words


def test_a_parameter_of_a_method_that_is_not_known_is_written_as_in_python():
    assert Wording("select", ["no-such-method"]).setting("beta", 0.5) == "beta=0.5"


@pytest.mark.filterwarnings("always")
def test_errors_and_warnings_inside_a_command(capsys):
    def fail():
        with in_words_of(Wording("select")):
            warnings.warn("two\nlines", UserWarning, stacklevel=1)
            raise ParameterError("n_bins", 1, "give 2, or set {missing}", fix={"missing": "bin"})

    with pytest.raises(ValueError, match=r"^--bins 1 is not allowed: give 2, or set --missing bin$"):
        fail()
    assert capsys.readouterr().err == "bitsieve: warning: two lines\n"
    with pytest.raises(ValueError, match=r"^plain$"), in_words_of(Wording("select")):
        raise ValueError("plain")


def test_a_parameter_is_the_option_of_that_command():
    assert [Wording(command).setting("method", "jmi") for command in ("select", "compare")] == [
        "--method jmi",
        "--methods jmi",
    ]
    assert Wording("how-many").setting("scoring", "mae") == "--scoring mae"  # how-many has no such option
