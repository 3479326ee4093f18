"""``examples/notebook.ipynb``, run without Jupyter: ``python -m tools.notebook`` writes its outputs anew."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebook.ipynb"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells as plain text; they run in order, in one namespace."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    cells = []
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell = {**cell, "execution_count": count, "outputs": outputs("".join(cell["source"]), namespace, count)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def outputs(source: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    expression = None
    if isinstance(last, ast.Expr):
        expression = ast.Expression(last.value)
        tree.body.pop()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), namespace)
        value = None if expression is None else eval(compile(expression, "cell", "eval"), namespace)
    results: list[dict[str, Any]] = []
    if printed.getvalue():
        results.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        results.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return results


def lines(text: str) -> list[str]:
    """The lines of a text with their ends, as notebooks store it."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    notebook = executed(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {NOTEBOOK}")
