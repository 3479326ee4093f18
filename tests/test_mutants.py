"""What make mutants changes, and which tests it runs; the changes themselves are those of Cosmic Ray."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace

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


BRANCHES = """LIMIT = 3
def f(x, y=1):
    if (
        x > LIMIT
    ):
        return [
            y,
        ]
    def g():
        return x
    for i in range(3): x += i
    return g()
"""


def test_the_statement_of_a_line_is_the_innermost_of_a_function_and_its_head_alone():
    found = [mutants.statement_at(BRANCHES, line) for line in range(1, 13)]
    nothing, test, value = range(0), range(3, 6), range(6, 9)
    assert found == [nothing] * 2 + [test] * 3 + [value] * 3 + [nothing, range(10, 11), range(11, 12), range(12, 13)]


def test_the_tests_that_run_a_line_are_run_one_of_each_function_first(monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "TREE", tmp_path)
    path = tmp_path / "src" / "bitsieve" / "counts" / "search.py"
    path.parent.mkdir(parents=True)
    path.write_text(BRANCHES)
    of_line = {"tests/counts/test_a.py::test[1]", "tests/counts/test_a.py::test[2]", "tests/counts/test_b.py::test"}
    by_line = {str(path): {1: {"", "tests/counts/test_a.py::other"}, 4: of_line, 5: {"tests/data/test_c.py::test"}}}
    first, others = mutants.tests_to_run(path, 3, by_line)
    assert {*first, *others} == of_line
    assert (len(first), first[1]) == (2, "tests/counts/test_b.py::test")
    for line in (1, 11):  # outside of functions, and run by none
        assert mutants.tests_to_run(path, line, by_line) == [["tests/counts/test_search.py"], ["tests/counts"]]


def test_what_survived_is_kept_until_it_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "OUTCOMES", tmp_path / "outcomes.json")
    monkeypatch.setattr(mutants, "TREE", tmp_path)
    made = [
        SimpleNamespace(module_path=tmp_path / path, operator_name="minus", operator_args={}, occurrence=place)
        for place, path in enumerate(["src/bitsieve/counts/a.py", "src/bitsieve/information/b.py"])
    ]
    for place, outcome in ((0, "survived"), (1, "killed"), (0, "killed")):
        outcomes = mutants.Outcomes()
        outcomes.add(made[place], outcome, f"{made[place].module_path.relative_to(tmp_path)}: x -> y", "diff")
        again = mutants.Outcomes()
        left = [mutants.Outcomes.place(made[0])] if (place, outcome) != (0, "killed") else []
        assert [of["place"] for of in again.survived] == left
    counts = {row["job"]: row["details"]["changes"] for row in again.rows()}
    assert counts == {room: {"tried": 1, "killed": 1, "equal": 0, "survived": 0} for room in ("information", "counts")}


def test_a_change_is_known_by_its_file_and_its_lines():
    path = mutants.TREE / "src" / "bitsieve" / "counts" / "cells.py"
    diff = "--- mutation diff ---\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n-    a = b + 1\n+    a = b - 1\n same"
    assert mutants.changed_line(path, diff) == "src/bitsieve/counts/cells.py: a = b + 1 -> a = b - 1"


def test_changes_known_to_be_equal_name_lines_that_are_there():
    for change in mutants.equal_ones():
        path, words = change.split(": ", 1)
        lines = " ".join(line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
        assert words.split(" -> ")[0] in lines, change
