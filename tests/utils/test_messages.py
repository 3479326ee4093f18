"""Words for messages: one line, quoted and nearest names, and messages that know which parameters they name."""

from __future__ import annotations

import copy
import pickle

import pytest

from bitsieve.diagnostics import ParameterError
from bitsieve.utils.messages import (
    Sentence,
    Setting,
    aligned,
    allowed_names,
    nearest,
    one_line,
    quoted,
)


def test_one_line():
    assert one_line("first\n  second\tthird ") == "first second third"


def test_quoted_names_are_limited():
    assert quoted(["a"]) == "'a'"
    assert quoted("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert quoted([f"x{j}" for j in range(1005)]) == "'x0', 'x1', 'x2', 'x3', 'x4' and 1,000 more"


def test_nearest_names():
    names = ["Income", "outcome", "age", "income "]
    assert nearest("income", names) == ["Income", "income ", "outcome"]
    assert nearest("zzz", names) == []
    assert nearest("score", ["postcode", "Score (1-5)", "x"])[0] == "Score (1-5)"
    assert nearest("sc", ["Score (1-5)"]) == []
    assert allowed_names("agee", names) == "did you mean 'age'?"
    assert allowed_names("zzz", names) == "it is one of 'Income', 'outcome', 'age', 'income '"


def test_aligned_columns_with_wide_letters():
    text = aligned(("n", "name"), [("1", "広い"), ("10", "e\u0301te\u0301"), ("100", "plain")], right=(True, False))
    assert text.splitlines() == ["  n  name", "  1  広い", " 10  e\u0301te\u0301", "100  plain"]


def as_option(setting: Setting) -> str:
    return f"--{setting.parameter} {setting.value}" if setting.value is not ... else f"--{setting.parameter}"


def test_settings_are_said_in_other_words_and_text_is_not() -> None:
    label = "folds='loo'"  # looks like a setting, is a class label
    message = Sentence(f"class {label} is small: give ", Setting("folds", "loo"), " or fewer ", Setting("folds"))
    assert message == "class folds='loo' is small: give folds='loo' or fewer folds"
    assert message.worded(as_option) == "class folds='loo' is small: give --folds loo or fewer --folds"


@pytest.mark.parametrize("again", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_errors_survive_a_process_and_a_copy(again) -> None:
    error = again(ParameterError("k", 0, "give {k} to {n}", "is too low", fix={"k": 1}))
    assert str(error) == "k=0 is too low: give k=1 to n"


def test_a_value_of_none_is_a_value() -> None:
    assert Sentence(Setting("method", None)) == "method=None"
