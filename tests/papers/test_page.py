"""The page on papers and ``python -m papers`` agree: every item is a row with its command, and every command exists."""

from __future__ import annotations

import re
from pathlib import Path

import bitsieve
from bitsieve.cli.options import COMMANDS
from papers.command import PAPERS

PAGE = Path(__file__).parents[2] / "docs" / "project" / "papers.md"
SECTION = "## Every table, figure, formula and claim"


def rows():
    """The cells of every row of the table."""
    section = PAGE.read_text(encoding="utf-8").split(SECTION)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def commands():
    return [row[2].strip("`") for row in rows()]


def test_every_item_is_a_row_and_every_command_is_an_item():
    listed = {command for command in commands() if command.startswith("python -m papers")}
    items = {f"python -m papers {paper} --{item}" for paper, items in PAPERS.items() for item in items}
    assert listed == items


def test_every_other_command_and_function_exists():
    for command in commands():
        if command.startswith("bitsieve."):
            assert re.match(r"bitsieve\.(\w+)", command).group(1) in bitsieve.__all__
        elif command.startswith("bitsieve "):
            assert command.split()[1] in {known.name for known in COMMANDS}
        else:
            assert command.startswith("python -m papers") or command == "not implemented"


def test_every_row_has_a_figure_and_a_verdict():
    for row in rows():
        assert len(row) == 6
        assert all(row)


def test_the_example_lists_the_items_of_its_paper():
    text = PAGE.read_text(encoding="utf-8")
    block = text.split("```text\n")[1].split("```")[0]
    options = [f"--{item}" for item in PAPERS["vinh2014"]]
    assert [" ".join(line.split()[:2]) for line in block.splitlines()[1:]] == options
