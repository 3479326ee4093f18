"""The table of options: complete, of one piece, and the page that is made of it."""

from __future__ import annotations

import inspect
from collections import Counter
from importlib import import_module
from typing import get_args

import pytest
from tools.options_page import PAGE, page

import bitsieve
from bitsieve.cli.methods import listing
from bitsieve.cli.options import COMMANDS, OPTIONS, Kind, options_of
from bitsieve.cli.parser import KINDS, make_parser
from bitsieve.discretization.registry import RULES
from bitsieve.information import ESTIMATORS
from bitsieve.methods.registry import list_methods, parameters_of

EVERY = [option for options in OPTIONS.values() for option in options]


def test_the_page_is_what_the_table_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.options_page writes it anew"


def test_every_kind_is_read_and_every_command_runs():
    assert set(KINDS) == set(get_args(Kind)) == {option.kind for option in EVERY}
    for command in COMMANDS:
        module, function = command.run.split(".")
        assert inspect.isfunction(getattr(import_module(f"bitsieve.cli.{module}"), function))


def test_every_line_belongs_to_commands_and_every_command_has_an_option_once():
    names = {command.name for command in COMMANDS}
    for option in EVERY:
        assert set(option.commands.split()) <= names, option
    for name in names:
        assert set(Counter(option.name for option in options_of(name)).values()) <= {1}, name


@pytest.mark.parametrize(
    ("command", "functions"),
    [
        ("select", [bitsieve.select, bitsieve.affiliated, bitsieve.Constraints, bitsieve.StreamSource]),
        ("how-many", [bitsieve.how_many]),
        ("compare", [bitsieve.compare]),
    ],
)
def test_a_parameter_of_the_table_is_one_in_python(command, functions):
    in_python = {name for function in functions for name in inspect.signature(function).parameters}
    in_python |= {"drop_missing_target", "n_bins", "uncut", "missing", "criterion", "method", "must_include", "header"}
    in_python |= {*parameters_of("jmi"), "level", "bits", "n_draws"}  # of greedy methods and their stopping rules
    in_python |= {*parameters_of("iamb-fdr")}  # of methods that select a Markov blanket
    assert {name for option in options_of(command) for name in option.parameters.split()} <= in_python


@pytest.mark.parametrize(("option", "names"), [("--binning", RULES), ("--estimator", ESTIMATORS)])
def test_the_help_lists_what_is_registered(option, names):
    """The help is text, so that it needs nothing heavy; the values are checked by the registries."""
    for line in EVERY:
        if line.name == option:
            assert all(name in line.help for name in names)
            assert not line.choices


def test_the_parser_has_what_the_table_has():
    parser_of_all = make_parser(*(command.name for command in COMMANDS))
    (commands,) = (action for action in parser_of_all._actions if action.dest == "command")
    for command in COMMANDS:
        actions = commands.choices[command.name]._actions
        typed = {word for action in actions for word in action.option_strings or [action.dest]}
        assert {option.name for option in options_of(command.name)} <= typed


def test_the_usage_names_the_options_that_are_needed_and_no_other():
    (commands,) = (
        action for action in make_parser(*(command.name for command in COMMANDS))._actions if action.dest == "command"
    )
    for command in COMMANDS:
        options = options_of(command.name)
        needed = {option.name for option in options if option.name.startswith("-") and option.form == "required"}
        if command.name != "drift":
            needed |= {"--target"} & {option.name for option in options}
        usage = commands.choices[command.name].usage
        assert {word for word in usage.split() if word.startswith("-")} == needed


def test_titles_of_methods_stand_two_spaces_behind_the_longest_name():
    methods = list_methods()
    longest = max((method.name for method in methods), key=len)
    (line,) = (line for line in listing(methods).splitlines() if line.startswith(f"{longest} "))
    assert len(line) - len(line.removeprefix(longest).lstrip()) == len(longest) + 2
