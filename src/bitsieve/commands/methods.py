"""``bitsieve methods``: every method, its paper, what it needs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

from bitsieve.layout import width

if TYPE_CHECKING:
    from bitsieve.selectors.registry import MethodInfo

LINE = 100


def run(*, as_json: bool) -> int:
    """Print the methods."""
    from bitsieve.selectors.registry import list_methods

    methods = list_methods()
    if as_json:
        fields = ("name", "title", "paper", "needs", "formula", "unit")
        print(json.dumps([{name: getattr(info, name) for name in fields} for info in methods], indent=2))
    else:
        print(listing(methods))
    return 0


def listing(methods: list[MethodInfo]) -> str:
    """Name, title, paper and needs side by side, wrapped to 100 columns."""
    header = ("method", "what it is", "paper", "needs")
    rows = [(info.name, info.title, info.paper, info.needs) for info in methods]
    name_width = max(width(cell) for cell, *_ in (header, *rows))
    rest = LINE - name_width - 6  # three gaps of two
    widths = (name_width, rest * 3 // 10, rest * 4 // 10, rest - rest * 3 // 10 - rest * 4 // 10)
    lines = []
    for row in (header, *rows):
        columns = [textwrap.wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for place in range(max(map(len, columns))):
            cells = [column[place] if place < len(column) else "" for column in columns]
            padded = [cell + " " * (size - width(cell)) for cell, size in zip(cells, widths, strict=True)]
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
