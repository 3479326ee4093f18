"""Notes and errors as data: how their texts are made, and that data in them is left as it is."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest

from bitsieve.cli.wording import Wording
from bitsieve.diagnostics import (
    NAME_ONLY,
    Diagnostic,
    ParameterError,
    UserError,
    UserTypeError,
    literal,
    parameter_reported_as,
    text_of,
    with_settings,
)
from bitsieve.utils.diagnostic_list import Diagnostics

IN_WORDS_OF_SELECT = Wording("select").setting


def note(**fields):
    return Diagnostic(**{"code": "any", "message": "something is noticed", **fields})


def test_a_placeholder_is_the_parameter_with_its_fix_or_the_bare_name():
    diagnostic = note(advice="add {include}, or use {n_bins}", fix={"include": ["a"]})
    assert str(diagnostic) == "something is noticed: add include=['a'], or use n_bins"
    assert text_of(diagnostic, IN_WORDS_OF_SELECT) == "something is noticed: add --include a, or use --bins"


def test_an_advice_may_name_another_value_of_the_same_parameter():
    diagnostic = note(advice="add {header}, or {header=True}", fix={"header": False})
    assert str(diagnostic) == "something is noticed: add header=False, or header=True"
    assert text_of(diagnostic, IN_WORDS_OF_SELECT) == "something is noticed: add --no-header, or --header"


def test_parameters_that_are_wrong_are_the_first_words():
    diagnostic = note(message="contradict each other", parameters={"n_bins": 3, "binning": "none"})
    assert str(diagnostic) == "n_bins=3 and binning='none' contradict each other"
    assert text_of(diagnostic, IN_WORDS_OF_SELECT) == "--bins 3 and --binning none contradict each other"
    assert str(note(message="is missing", parameters={"exclude": NAME_ONLY})) == "exclude is missing"
    assert str(note(message="is bad", parameters={"n_bins": None})) == "n_bins=None is bad"


def test_an_advice_behind_a_list_begins_with_a_semicolon():
    assert str(note(message="two columns are odd: a, b", advice="drop them")) == "two columns are odd: a, b; drop them"


@pytest.mark.parametrize("name", ["{include}", "{{include}}", "{", "}}", "{0}", "{include!r}", "a{}b"])
@pytest.mark.parametrize("write", [None, IN_WORDS_OF_SELECT])
def test_braces_in_data_are_left_as_they_are(name, write):
    diagnostic = note(
        message=f"column {name} is odd",
        advice=f"keep {literal(name)} with {{include}}",
        fix={"include": [name]},
        parameters={"exclude": [name]},
    )
    text = str(diagnostic) if write is None else text_of(diagnostic, write)
    setting = f"include=[{name!r}]" if write is None else write("include", [name])
    assert text.endswith(f"column {name} is odd: keep {name} with {setting}")


def test_json_has_code_message_columns_and_fix():
    diagnostic = note(advice="add {include}", fix={"include": ["a"]}, columns=("a",), severity="warning")
    assert diagnostic.to_dict() == {
        "code": "any",
        "severity": "warning",
        "message": "something is noticed: add include=['a']",
        "columns": ["a"],
        "fix": {"include": ["a"]},
    }


ERRORS = (
    UserError(code="any", message="is wrong", advice="add {k}", fix={"k": 1}, columns=["a"], parameters={"k": 0}),
    UserTypeError(code="any", message="is of the wrong type"),
    ParameterError("k", 0, "give {k} to {n}", "is too low", fix={"k": 1}),
)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_survive_a_process_and_a_copy(error, again):
    other = again(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert other.diagnostic == error.diagnostic


def test_an_error_has_the_fields_of_its_diagnostic():
    error = ERRORS[0]
    assert isinstance(error, ValueError)
    assert str(error) == "k=0 is wrong: add k=1"
    for name in ("code", "message", "advice", "fix", "columns", "severity", "parameters"):
        assert getattr(error, name) == getattr(error.diagnostic, name)
    assert error.severity == "error"
    assert isinstance(ERRORS[1], TypeError)


def test_a_parameter_is_renamed_everywhere():
    with pytest.raises(UserError) as caught, parameter_reported_as("must_include", "include"):
        raise UserError(
            code="any",
            message="is wrong",
            advice="leave out {must_include}, not {{must_include}}",
            fix={"must_include": []},
            parameters={"must_include": 1},
        )
    assert str(caught.value) == "include=1 is wrong: leave out include=[], not {must_include}"


def test_settings_are_written_into_the_message_and_the_advice():
    diagnostic = Diagnostic(
        code="many-values",
        message="is too large for {x}",
        advice="use {binning} or {{braces}}",
        fix={"binning": "quantile"},
        parameters={"n_bins": 3},
    )

    def write(name, value):
        return f"--{name} {value}"

    rewritten = with_settings(diagnostic, write)
    assert str(rewritten) == text_of(diagnostic, write)
    assert rewritten.message == "--n_bins 3 is too large for {x}"
    assert Diagnostics([replace(rewritten, message="long " * 28)]).lines() == ["long " * 28]  # without half an advice
