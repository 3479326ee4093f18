"""``bitsieve methods``: every method, its paper, what it needs."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.common.messages import width

if TYPE_CHECKING:
    from bitsieve.methods.method import Method

LINE = 100


def run(options: argparse.Namespace) -> int:
    """Print the methods."""
    from bitsieve.methods.registry import list_methods

    methods = list_methods()
    if options.json:
        fields = ("name", "title", "paper", "needs", "cost", "formula", "unit", "parameters", "same_as", "remark")
        print(json.dumps([{name: getattr(info, name) for name in fields} for info in methods], indent=2, default=str))
    else:
        print(listing(methods))
    return 0


def listing(methods: list[Method]) -> str:
    """Name, title, paper and needs in columns, wrapped to 100 characters; below them what else there is to know."""
    header = ("method", "what it is", "paper", "needs")
    rows = [(info.name, info.title, info.paper, info.needs) for info in methods]
    name_width = max(width(cell) for cell, *_ in (header, *rows))
    rest = LINE - name_width - 6  # three gaps of two
    widths = (name_width, rest * 3 // 10, rest * 4 // 10, rest - rest * 3 // 10 - rest * 4 // 10)
    lines = []
    below = [[], *map(_details, methods)]
    for row, details in zip((header, *rows), below, strict=True):
        columns = [textwrap.wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for place in range(max(map(len, columns))):
            cells = [column[place] if place < len(column) else "" for column in columns]
            padded = [cell + " " * (size - width(cell)) for cell, size in zip(cells, widths, strict=True)]
            lines.append("  ".join(padded).rstrip())
        indent = " " * (name_width + 2)
        for detail in details:
            lines += textwrap.wrap(detail, LINE, initial_indent=indent, subsequent_indent=indent + "  ")
    looped = [info.name for info in methods if set(IN_PLACE_OF_SET) <= set(info.parameters)]
    options = "--estimator, --stop, --include, --exclude and --group"
    also = f"{options} are for the greedy methods: {', '.join(looped)}"
    return "\n".join([*lines, "", *textwrap.wrap(also, LINE)])


def _details(info: Method) -> list[str]:
    details = []
    if info.same_as:
        details.append(f"the same as {info.same_as}: {info.remark}")
    own = {name: value for name, value in info.parameters.items() if name not in IN_PLACE_OF_SET}
    if own:
        details.append(f"parameters (--set): {', '.join(f'{name}={value}' for name, value in own.items())}")
    return details
