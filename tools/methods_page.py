"""``docs/reference/methods/table.md``, made of the registry: ``python -m tools.methods_page`` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bitsieve.methods.method import Method
from bitsieve.methods.registry import list_methods

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "methods"
PAGE = FOLDER / "table.md"
FAMILIES = (  # the pages of families, in their order in docs/reference/methods.md
    "relevance_minus_redundancy",
    "within_classes",
    "minima",
    "normalised",
    "several_at_once",
    "all_at_once",
    "bounds",
    "blankets",
    "markov_blankets",
    "distances",
    "information_value",
    "spanning_trees",
    "dominant_sets",
    "linear",
)
START = """\
# All methods in tables

<!-- written by python -m tools.methods_page: change the methods, not this page -->

Every method with its formula, its paper and its cost, as `bitsieve methods` prints them. C is the target, Xi a
candidate, S the columns selected so far, s runs over S. Cost: n columns, d samples, k columns to select.
`make_selector("mifs", beta=0.5)` and `--set beta=0.5` set a parameter. Some methods have
[second names](../methods.md#second-names).
"""
PUBLISHED = """\
## Where a default is not the paper's

`select(..., protocol="paper")`, `--protocol paper` and `compare(..., protocol="paper")` take the value of the paper.
Where the target has classes, they also cut numeric columns at their median if MDL does not cut them; by default such a
column is left in one bin, as MDL finds no cut that is worth its description. Methods that are not listed have the
defaults of their papers, or their papers name none.

| default | the paper's | methods | why the default |
|---|---|---|---|"""
HEADER = ["| name | maximises | unit of the score | paper | cost |", "|---|---|---|---|---|"]


def page() -> str:
    """The text of the page."""
    methods = {method.name: method for method in list_methods() if not method.same_as}
    lines = [START]
    for family in FAMILIES:
        text = (FOLDER / f"{family}.md").read_text(encoding="utf-8")
        title = text.splitlines()[0].removeprefix("# ")
        names = re.findall(r"^## ([\w-]+)$", text, re.MULTILINE)
        rows = [row(methods[name]) for name in names if name in methods]
        lines += [f"## [{title}]({family}.md)", "", *HEADER, *rows, ""]
    lines += [PUBLISHED, *published_rows(methods.values()), ""]
    return "\n".join(lines)


def row(method: Method) -> str:
    """A line of the page."""
    formula = method.formula.replace("|", "\\|")
    return f"| `{method.name}` | `{formula}` | {method.unit} | {method.paper} | {method.cost} |"


def published_rows(methods: Iterable[Method]) -> list[str]:
    """A line for each parameter that papers set otherwise than the defaults, with the methods that have it so."""
    names_of_row: dict[tuple[str, str], list[str]] = {}
    for method in methods:
        for name, value in method.published.items():
            values = f"`{name}={method.parameters[name]!r}` | `{name}={value!r}`"
            names_of_row.setdefault((values, method.why_default), []).append(f"`{method.name}`")
    return [f"| {values} | {', '.join(names)} | {why} |" for (values, why), names in names_of_row.items()]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
