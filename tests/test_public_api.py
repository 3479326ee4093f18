"""What is public stays: every name, parameter and command-line option is listed in public_api.json.

``python -m tests.test_public_api`` writes the list anew, with what has become public since: do so with every release.
What is gone from it needs a version of warning first, and its line in the change log.
"""

from __future__ import annotations

import argparse
import inspect
import json
from pathlib import Path

import bitsieve
from bitsieve.cli.options import COMMANDS
from bitsieve.cli.parser import make_parser

LISTED = Path(__file__).with_name("public_api.json")


def names():
    """The parameters of every public function and class, "" for other values."""
    found = {}
    for name in sorted(bitsieve.__all__):
        value = getattr(bitsieve, name)
        callable_ = inspect.isclass(value) or inspect.isfunction(value)
        found[name] = " ".join(inspect.signature(value).parameters) if callable_ else ""
    return found


def options():
    """The options of every command."""
    parser_of_all = make_parser(*(command.name for command in COMMANDS))
    (commands,) = (part for part in parser_of_all._actions if isinstance(part, argparse._SubParsersAction))
    return {
        f"bitsieve {command}": " ".join(sorted({option for part in parser._actions for option in part.option_strings}))
        for command, parser in sorted(commands.choices.items())
    }


def public():
    return {**names(), **options()}


def test_nothing_public_is_gone():
    listed, found = json.loads(LISTED.read_text(encoding="utf-8")), public()
    gone = {
        name: sorted(set(words.split()) - set(found[name].split())) if name in found else "all of it"
        for name, words in listed.items()
        if name not in found or not set(words.split()) <= set(found[name].split())
    }
    assert not gone, "public names, parameters or options are gone, which needs a version of warning first"


if __name__ == "__main__":
    LISTED.write_text(json.dumps(public(), indent=1) + "\n", encoding="utf-8")
