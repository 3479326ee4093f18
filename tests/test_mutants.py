"""What make mutants changes, and which tests it runs; the changes themselves are those of Cosmic Ray."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tools import mutants

ROOT = Path(__file__).parents[1]
SOURCE = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    number = 1 + 1
def f(x: int | None, *y: int | str) -> float | int:
    z: int | None = x | 1
    return z
"""


def test_annotations_are_left_alone_and_nothing_else():
    left_alone = mutants.annotations(SOURCE)
    changed = [
        (node.lineno, ast.unparse(node))
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.BinOp)
        if not any(begin <= (node.lineno, node.col_offset) < end for begin, end in left_alone)
    ]
    assert changed == [(6, "x | 1")]


@pytest.mark.parametrize("room", mutants.ROOMS)
def test_every_file_of_the_rooms_has_tests(room):
    for path in (ROOT / "src" / "bitsieve" / room).rglob("*.py"):
        copy = mutants.TREE / path.relative_to(ROOT)
        assert all((ROOT / tests).exists() for tests in mutants.tests_of(copy))


def test_a_change_is_known_by_its_file_and_its_lines():
    path = mutants.TREE / "src" / "bitsieve" / "counts" / "cells.py"
    diff = "--- mutation diff ---\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n-    a = b + 1\n+    a = b - 1\n same"
    assert mutants.changed_line(path, diff) == "src/bitsieve/counts/cells.py: a = b + 1 -> a = b - 1"


def test_changes_known_to_be_equal_name_lines_that_are_there():
    for change in mutants.equal_ones():
        path, words = change.split(": ", 1)
        lines = " ".join(line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
        assert words.split(" -> ")[0] in lines, change
