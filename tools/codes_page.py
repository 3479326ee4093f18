"""``docs/reference/notes_and_errors.md``, made of the table of codes: ``python -m tools.codes_page`` writes it anew."""

from __future__ import annotations

from pathlib import Path

from bitsieve.codes import CODES

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "notes_and_errors.md"
START = """\
# Notes and errors

<!-- written by python -m tools.codes_page: change src/bitsieve/codes.py, not this page -->

Every note and every error has a code. Texts may change between versions, codes do not. The notes of a result are its
`diagnostics`, a list of [`Diagnostic`](python/diagnostics.md); an error is a `UserError` with the same fields; `--json`
prints them with the result. A warning says that a result may be wrong or misleading, a note is good to know.

At most three lines are shown, warnings before notes; what is said of several columns is one line. `-v` shows all notes
of a command in full, `selection.diagnostics.to_frame()` all of a result in Python. A result that has warned of its
notes does not print them again, and a cross-validation warns of each code once.

```python
import bitsieve

selection = bitsieve.select([[0, 5], [1, 5]] * 10, ["no", "yes"] * 10, n_features_to_select=1, verbose=False)
for diagnostic in selection.diagnostics:
    print(diagnostic.code, diagnostic.columns, diagnostic.fix)
```
"""


def page() -> str:
    """The text of the page: a paragraph for each code, under a heading to which others may link."""
    lines = [START]
    for heading, severities in (("Notes and warnings", ("note", "warning")), ("Errors", ("error",))):
        lines += [f"## {heading}", ""]
        for name, code in sorted(CODES.items()):
            if code.severity in severities:
                kind = code.severity.capitalize()
                lines += [f"### {name}", "", f"{kind}. {code.meaning} What to do: {code.action}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
