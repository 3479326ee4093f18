"""Messages in the words of the command line: options where Python has parameters, and text as it is."""

from __future__ import annotations

import warnings

import pytest

from bitsieve.cli.wording import Wording, in_words_of
from bitsieve.common.errors import ParameterError, Sentence, Setting

OPTIONS = {"n_bins": "--bins", "missing": "--missing"}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Setting("n_bins", 1), "--bins 1"),
        (Setting("n_bins"), "--bins"),
        (Setting("missing", "a bin"), "--missing 'a bin'"),
        (Setting("beta", 0.5), "--set beta=0.5"),
        (Setting("beta", "low"), "--set beta=low"),
        (Setting("landmarks", "all"), "landmarks='all'"),
    ],
)
def test_settings(setting, words):
    wording = Wording(OPTIONS, lambda name: name == "beta")
    assert wording(Sentence("give ", setting, "!")) == f"give {words}!"
    assert wording("n_bins=1") == "n_bins=1"  # a text that only looks so


@pytest.mark.filterwarnings("always")
def test_errors_and_warnings_inside_a_command(capsys):
    def fail():
        with in_words_of(OPTIONS):
            warnings.warn("two\nlines", UserWarning, stacklevel=1)
            raise ParameterError("n_bins", 1, Sentence("give 2, or set ", Setting("missing", "bin")))

    with pytest.raises(ValueError, match=r"^--bins 1 is not allowed: give 2, or set --missing bin$"):
        fail()
    assert capsys.readouterr().err == "bitsieve: warning: two lines\n"
    with pytest.raises(ValueError, match=r"^plain$"), in_words_of(OPTIONS):
        raise ValueError("plain")
