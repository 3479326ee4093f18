"""Messages in the words of the command line: options where Python has parameters, and text as it is."""

from __future__ import annotations

import warnings

import pytest

from bitsieve.cli.shared import Wording, in_words_of
from bitsieve.diagnostics import ParameterError
from bitsieve.utils.messages import Sentence, Setting


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Setting("n_bins", 1), "--bins 1"),
        (Setting("n_bins"), "--bins"),
        (Setting("missing", "a bin"), "--missing 'a bin'"),
        (Setting("beta", 0.5), "--set beta=0.5"),
        (Setting("beta", "low"), "--set beta=low"),
        (Setting("landmarks", "all"), "landmarks='all'"),
        (Setting("header", False), "--no-header"),
        (Setting("drop_missing_target", True), "--drop-missing-target"),
        (Setting("include", ["a", "b c"]), "--include a --include 'b c'"),
    ],
)
def test_settings(setting, words):
    wording = Wording("select", ["mifs"])
    assert wording(Sentence("give ", setting, "!")) == f"give {words}!"
    assert wording("n_bins=1") == "n_bins=1"  # a text that only looks so


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
    method = Sentence("give ", Setting("method", "jmi"))
    assert [Wording(command)(method) for command in ("select", "compare")] == [
        "give --method jmi",
        "give --methods jmi",
    ]
    advice = Sentence(Setting("scoring", "mae"), " of compare does so")  # how-many has no such option
    assert Wording("how-many")(advice) == "--scoring mae of compare does so"
