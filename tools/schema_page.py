"""``docs/reference/saved_selection.md``, made of the schema: ``python -m tools.schema_page`` writes it anew."""

from __future__ import annotations

import ast
from pathlib import Path

from bitsieve.io.saved_files import FORMAT
from bitsieve.results.saved import schema

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "saved_selection.md"
SOURCE = Path(schema.__file__)
START = f"""\
# The file of a selection

<!-- written by python -m tools.schema_page: change src/bitsieve/results/saved/schema.py, not this page -->

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


def page() -> str:
    """The text of the page."""
    text = SOURCE.read_text(encoding="utf-8")
    lines = text.splitlines()
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    described = [node for node in classes if node.name not in ("SelectionDetails", "ObjectOption")]
    parts = [START]
    for node in sorted(described, key=lambda node: node.name != "SelectionRecord"):
        parts += [f"## {node.name}", "", " ".join((ast.get_docstring(node) or "").split()), ""]
        parts += ["| field | type | what it is |", "|---|---|---|"]
        for field in node.body:
            if isinstance(field, ast.AnnAssign):
                name = ast.unparse(field.target)
                kind = ast.unparse(field.annotation).replace("|", "\\|")
                parts.append(f"| `{name}` | `{kind}` | {comment_at(lines, field.lineno)} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
