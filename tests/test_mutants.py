"""What make mutants changes, and which tests it runs; the changes themselves are those of Cosmic Ray."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools import collected, mutants

ROOT = Path(__file__).parents[1]
SOURCE = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    number = 1 + 1
SIZE = 1 << 20  # held at once
@lru_cache(maxsize=8 + 1)
def f(x: int | None, *y: int | str) -> float | int:
    z: int | None = x | 1
    if z:
        raise ValueError(f"{z + 1} is too much")
    return [a + b for a, b in zip(x, y, strict=not True)]
"""


def test_what_changes_no_result_is_left_alone_and_nothing_else():
    left_alone = mutants.left_alone(SOURCE, {"SIZE = 1 << 20  # held at once"})
    changed = [
        (node.lineno, ast.unparse(node))
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, (ast.BinOp, ast.UnaryOp))
        if not any(begin <= (node.lineno, node.col_offset) < end for begin, end, _ in left_alone)
    ]
    assert changed == [(8, "x | 1"), (11, "a + b")]
    assert all(reason for _, _, reason in left_alone)


@pytest.mark.parametrize("change", sorted(mutants.lines_of_speed().items()), ids=lambda change: change[0])
def test_lines_of_time_and_memory_are_there(change):
    path, lines = change
    assert lines <= {line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines()}


@pytest.mark.parametrize(("source", "valid"), [("x = 1", True), ("x = = 1", False), ("x = 1 is 1", False)])
def test_what_python_refuses_or_warns_of_needs_no_test(source, valid):
    assert mutants.compiles(source) == valid


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


def test_the_tests_that_run_a_statement_are_run_those_of_the_room_first(monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "TREE", tmp_path)
    counts = tmp_path / "src" / "bitsieve" / "counts"
    path, other = counts / "search.py", counts / "other.py"
    sources = {path: BRANCHES, other: "def h():\n    return LIMIT\n"}
    a, b = "tests/counts/test_a.py::test", "tests/dataset/test_b.py::test"
    seconds = {f"{a}[1]": 0.2, f"{a}[2]": 0.1, f"{a}[3]": 9.0, b: 0.0, "tests/test_c.py::names": 0.3, f"{b}_h": 1.0}
    by_line = {str(path): {4: {f"{a}[1]", b}, 5: {f"{a}[2]", f"{a}[3]"}, 10: {b}}, str(other): {2: {f"{b}_h"}}}
    tests = mutants.LineCoverage(by_line, seconds, sources)
    assert mutants.tests_to_run(path, 3, tests, 99.0) == [f"{a}[2]", b, f"{a}[1]", f"{a}[3]"]
    assert mutants.tests_to_run(path, 3, tests, 1.0) == [f"{a}[2]", b, f"{a}[1]"]
    # What names the constant, in any file, and the tests that run no function.
    names = ["tests/test_c.py::names", f"{a}[1]", b, f"{b}_h"]
    assert mutants.tests_to_run(path, 1, tests, 99.0) == names
    assert mutants.tests_to_run(path, 11, tests, 99.0) == ["tests/test_c.py::names"]


FUNCTIONS = """
def f(x):
    return [lambda: x + 1, x]
class A:
    y = 2
    def g(self):
        return 3
"""


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [("x + 1", "x - 1", ["<lambda>"]), ("return 3", "return 4", ["g"]), ("y = 2", "y = 3", ["A"]), ("x]", "1]", ["f"])],
)
def test_what_is_changed_is_the_function_itself_and_none_around_it(was, now, changed):
    sources = (compile(code, "a.py", "exec") for code in (FUNCTIONS, FUNCTIONS.replace(was, now)))
    found = [
        old.co_name for old, new in collected.pairs(*sources) if collected.own_part(old) != collected.own_part(new)
    ]
    assert found == changed


TESTED = {
    "conftest.py": "import gc\ndef pytest_collection_finish():\n    gc.freeze()\n",
    "src/part.py": """def twice(x):
    return x * 2 * one()
LIMIT = 3
def limit():
    return LIMIT
START = limit()
from functools import cache
@cache
def one():
    return 1
""",
    "tests/test_part.py": """
import sys
from pathlib import Path
sys.path.insert(0, str(Path("src").absolute()))
import part
def test_same():
    assert part.limit() == part.START
def test_two():
    assert part.twice(2) == 4
def test_three():
    assert part.twice(3) == 6
""",
}


@pytest.mark.slow("runs of a test suite of its own")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs tests in forks")
def test_a_changed_function_is_noticed_by_the_first_test_that_fails(tmp_path):
    copy = tmp_path / "tree"
    for name, text in TESTED.items():
        (copy / name).parent.mkdir(parents=True)
        (copy / name).write_text(text)
    (copy / "pytest.ini").write_text("[pytest]\n")
    (copy / "lines").mkdir()
    asked = mutants.TestProcess.__new__(mutants.TestProcess)
    command = [sys.executable, str(Path(collected.__file__)), "tests"]
    asked._process = subprocess.Popen(command, cwd=copy, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with asked._process:
        names = [f"tests/test_part.py::test_{name}" for name in ("same", "two", "three")]
        assert asked._answer() == names
        assert asked.ask({"measure": str(copy / "lines"), "files": {"tests/test_part.py": "a"}}) == ""
        path, source = copy / "src" / "part.py", TESTED["src/part.py"]
        found = mutants.LineCoverage.read(copy / "lines", {path: source})
        assert found.of_declarations == set()
        assert found.of({path: [2]}) == {*names[1:]}
        assert found.of({path: [10]}) == {*names[1:]}  # although the value is cached
        assert list(found.seconds) == names

        def noticed(was, now):
            change = {"path": str(path), "was": source, "now": source.replace(was, now)}
            return asked.ask({**change, "tests": dict.fromkeys(names, 0.5), "seconds": 60})

        assert noticed("x * 2", "x + 2") == names[2]
        assert noticed("x * 2", "x << 1") == ""
        assert noticed("x * 2", "[0 for _ in iter(int, 1)]").startswith("exit")  # without end
        assert noticed("LIMIT = 3", "LIMIT = 4") is None  # not of functions alone
        assert noticed("return LIMIT", "return 4") is None  # has been called
        assert noticed("x * 2", "x * 3") == names[1]
        assert noticed("return 1", "return 2") == names[1]
        asked._process.stdin.close()


def test_what_survived_is_kept_until_it_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "TREE", tmp_path)
    made = [
        mutants.Mutation(tmp_path / path, line=1, operator="minus", occurrence=place)
        for place, path in enumerate(["src/bitsieve/counts/a.py", "src/bitsieve/information/b.py"])
    ]
    for place, outcome in ((0, "survived"), (1, "killed"), (0, "killed")):
        outcomes = mutants.Outcomes(tmp_path / "outcomes.json")
        change = f"{made[place].path.relative_to(tmp_path)}: x -> y"
        outcomes.add(outcomes.place(made[place]), outcome, change, "diff")
        again = mutants.Outcomes(tmp_path / "outcomes.json")
        left = [mutants.Outcomes.place(made[0])] if (place, outcome) != (0, "killed") else []
        assert [of["place"] for of in again.survived] == left
    rooms = {room: f"src/bitsieve/{room}/" for room in mutants.ROOMS}
    counts = {row["job"]: row["details"]["changes"] for row in again.rows(rooms)}
    one = {"tried": 1, "killed": 1, "equal": 0, "survived": 0}
    assert counts == {"counts": {**one, "killed at first": 0}, "information": {**one, "killed at first": 1}}


def test_the_changes_of_a_file_are_stored_for_its_contents(monkeypatch, tmp_path):
    monkeypatch.setattr(mutants, "PLACES", tmp_path / "places")
    found = []
    monkeypatch.setattr(mutants, "changes_of", lambda path: found.append(path) or [(2, 4, "b", 0), (2, 4, "a", 1)])
    path = tmp_path / "a.py"
    for source in ("x = 1", "x = 1", "x = 2"):
        path.write_text(source)
        expected = [mutants.Mutation(path, 2, "a", 1), mutants.Mutation(path, 2, "b", 0)]
        assert mutants.changes_by_position(path) == {(2, 4): expected}
    assert found == [path, path]


def test_a_change_is_known_by_its_file_and_its_lines():
    path = mutants.TREE / "src" / "bitsieve" / "counts" / "cells.py"
    diff = "--- mutation diff ---\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n-    a = b + 1\n+    a = b - 1\n same"
    assert mutants.changed_line(path, diff) == "src/bitsieve/counts/cells.py: a = b + 1 -> a = b - 1"


def test_changes_known_to_be_equal_name_lines_that_are_there():
    for change in mutants.equal_ones():
        path, words = change.split(": ", 1)
        lines = " ".join(line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
        assert words.split(" -> ")[0] in lines, change
