"""``docs/reference/saved_selection.md``, made of the schema: ``python -m tools.schema_page`` writes it anew."""

from __future__ import annotations

import ast
from itertools import chain
from pathlib import Path

from bitsieve.io.saved_files import FORMAT
from bitsieve.results.saved import record, schema

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "saved_selection.md"
SOURCES = (record, schema)
START = f"""\
# The file of a selection

<!-- written by python -m tools.schema_page: change its sources in src/bitsieve/results/saved, not this page -->

What `Selection.save` and `bitsieve select --save` write, and `bitsieve.load` reads: one object of JSON in UTF-8,
without rows of the data and without code. [How to keep a selection](../howto/keep_a_selection.md) shows its use. The
object has `"format": "{FORMAT}"`, `"version": {schema.VERSION}`, and the fields of `SelectionRecord` below; a field
whose type is another table holds an object of these fields, and a `tuple` is a list.

- A later version of bitsieve reads every earlier version of the file, and refuses a later one by its number.
- Numbers are written so that they read back to the same bits. What JSON has no number for is text: `"nan"`, `"inf"` and
  `"-inf"`.
- Among labels and options, `{{"bytes": "6162"}}` is bytes, `{{"float": "nan"}}` no number, `{{"tuple": [1]}}` a tuple,
  `{{"mapping": {{}}}}` a mapping, and `{{"object": {{"class": "MIFS", "parameters": {{}}, "text": "MIFS()"}}}}` an
  object with parameters. `{{"name_only": true}}` in the `fix` of a diagnostic is a parameter that is named without a
  value.
- Fields that are missing or not known, a name that stands twice, and values of another type are errors: the file is
  read whole or not at all.
- It holds names, categories, edges, the smallest and largest value of a selected column, counts of rows, and examples
  of values in notes. Treat it as confidential where these are.
"""


def comment_at(lines: list[str], number: int) -> str:
    """The comment behind a line of the source, or in the lines before it."""
    behind = lines[number - 1].partition("  # ")[2]
    if behind:
        return behind
    before = []
    while lines[number - 2].strip().startswith("# "):
        number -= 1
        before.insert(0, lines[number - 1].strip().removeprefix("# "))
    return " ".join(before)


def lines_of(node: ast.ClassDef, source_lines: list[str]) -> list[str]:
    """What the page says of a class: its docstring, and a table of its fields."""
    lines = [f"## {node.name}", "", " ".join((ast.get_docstring(node) or "").split()), ""]
    lines += ["| field | type | what it is |", "|---|---|---|"]
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            name = ast.unparse(field.target)
            kind = ast.unparse(field.annotation).replace("|", "\\|")
            lines.append(f"| `{name}` | `{kind}` | {comment_at(source_lines, field.lineno)} |")
    return [*lines, ""]


def page() -> str:
    """The text of the page."""
    lines_by_class = {}
    for source in SOURCES:
        text = Path(source.__file__).read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and node.name not in ("SelectionDetails", "ObjectOption"):
                lines_by_class[node.name] = lines_of(node, text.splitlines())
    return "\n".join([START, *lines_by_class.pop("SelectionRecord"), *chain.from_iterable(lines_by_class.values())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
