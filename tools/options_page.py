"""``docs/reference/command_line.md``, made of the table of options: ``python -m tools.options_page`` writes it anew."""

from __future__ import annotations

from pathlib import Path

from bitsieve.cli.options import COMMANDS, OPTIONS, Option
from bitsieve.cli.parser import settings

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "command_line.md"
START = """\
# Options of the command line

<!-- written by python -m tools.options_page: change src/bitsieve/cli/options.py, not this page -->

`bitsieve COMMAND --help` has the same words. The last column has the Python parameters that an option gives.

| command | what it does |
|---|---|
"""


def page() -> str:
    """The text of the page."""
    lines = [START.rstrip(), *(f"| `bitsieve {command.name}` | {cell(command.help)} |" for command in COMMANDS), ""]
    for heading, options in OPTIONS.items():
        lines += [f"## {heading}", "", "| option | commands | what it does | in Python |", "|---|---|---|---|"]
        lines += [*map(row, options), ""]
    return "\n".join(lines)


def row(option: Option) -> str:
    """A line of the page."""
    keywords = settings(option)
    value = keywords.get("metavar") or ("{" + ",".join(option.choices) + "}" if option.choices else "")
    usage = value if not option.name.startswith("-") else f"{option.name} {value}".rstrip()
    commands = option.commands.replace(" ", ", ")
    python = ", ".join(f"`{parameter}`" for parameter in option.parameters.split())
    return f"| `{cell(usage)}` | {commands} | {cell(option.help % {'default': option.default})} | {python} |"


def cell(text: str) -> str:
    """A text that ends no cell of a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
