"""Change the code in small ways, one at a time, and see whether the tests of its room notice.

    python -m tools.mutants [NUMBER [SEED]]

draws NUMBER (30) places in the rooms below, and for each one of the changes that Cosmic Ray makes there. It runs those
tests of its room that run the changed line, in a copy of the tree in build/mutants; where that is outside of functions,
all of the room. What no test notices survives; what changes no result is listed with its reason in
tools/equal_mutants.txt. Annotations are left alone, as nothing evaluates them.

What came of each is kept in build/mutants/outcomes.json, from one run to the next: only what survived is tried again
then, before NUMBER others. The counts of all go to the results of the benchmarks.
"""

from __future__ import annotations

import ast
import compileall
import difflib
import importlib.util
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import TYPE_CHECKING, Any

from benchmarks import results

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "mutants" / "tree"
EQUAL = ROOT / "tools" / "equal_mutants.txt"
OUTCOMES = ROOT / "build" / "mutants" / "outcomes.json"
COPIED = ("src", "tests", "benchmarks", "papers", "tools", "docs", "examples", "pyproject.toml", "CHANGELOG.md")
ROOMS = ("information", "counts", "methods/by_counts", "data/binning")
SECONDS = 1800
# A test that runs for two minutes has a loop without end; the slowest takes some seconds.
ENDLESS = ("-o", "faulthandler_timeout=120", "-o", "faulthandler_exit_on_timeout=true")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", *ENDLESS)
# Imported once, for all changes; what pytest rewrites is none of it.
PRELOADED = [
    "pytest",
    "pandas",
    "polars",
    "pyarrow.parquet",
    "scipy.stats",
    "sklearn.utils.estimator_checks",
]
# Read by every Python that is started in the copy: an editable install must not lead back to the original.
SITE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""


def copy_tree() -> None:
    """The working tree without results, and the compiled extension."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, TREE / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
        else:
            shutil.copy(ROOT / name, TREE)
    extension = importlib.util.find_spec("bitsieve._native")
    if extension is None or extension.origin is None:
        raise SystemExit("bitsieve is not installed here")
    shutil.copy(extension.origin, TREE / "src" / "bitsieve")
    (TREE / "sitecustomize.py").write_text(SITE)
    # Compiled once; by its contents, as a change may leave a file's size and, within a second, its time.
    compileall.compile_dir(TREE / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TREE / "src"), str(TREE)])


def every_place() -> list[list[MutationSpec]]:
    """The changes of the rooms by the place that they change, in a fixed order."""
    from cosmic_ray.commands.init import init
    from cosmic_ray.work_db import WorkDB, use_db

    paths = sorted(path for room in ROOMS for path in (TREE / "src" / "bitsieve" / room).rglob("*.py"))
    with use_db(str(TREE.parent / "all.sqlite"), WorkDB.Mode.create) as database:
        init(paths, database, {})
        found = [item.mutations[0] for item in database.work_items]
    left_alone = {str(path): annotations(path.read_text(encoding="utf-8")) for path in paths}
    places: dict[tuple[str, tuple[int, int]], list[MutationSpec]] = defaultdict(list)
    for one in found:
        if not any(begin <= one.start_pos < end for begin, end in left_alone[str(one.module_path)]):
            places[str(one.module_path), one.start_pos].append(one)
    return [sorted(places[place], key=lambda one: (one.operator_name, one.occurrence)) for place in sorted(places)]


def annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the annotations of a file begin and end, and what only type checkers read."""
    tree = ast.parse(source)
    parts: list[Any] = []
    for node in ast.walk(tree):
        parts += [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            parts.append(node)
    return [((p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)) for p in parts if p is not None]


def tests_of(path: Path) -> list[str]:
    """The tests of a file's own name, if it has some, those of its folder, and those of its room."""
    inside = path.relative_to(TREE / "src" / "bitsieve")
    places = [inside.parent / f"test_{inside.stem}.py", inside.parent, room_of(path)]
    return list(dict.fromkeys(str("tests" / place) for place in places if (ROOT / "tests" / place).exists()))


def room_of(path: Path) -> Path:
    """The room of a file."""
    inside = path.relative_to(TREE / "src" / "bitsieve")
    return next(Path(name) for name in ROOMS if inside.is_relative_to(name))


def tests_by_line() -> dict[str, dict[int, set[str]]]:
    """The tests that run each line of each file.

    All must pass as long as nothing is changed; or else all would seem to notice.
    """
    from coverage import CoverageData

    found = str(TREE.parent / "coverage")
    measured = [f"--cov=bitsieve.{room.replace('/', '.')}" for room in ROOMS]
    tests = [f"tests/{room}" for room in ROOMS]
    command = [sys.executable, "-m", "pytest", *OPTIONS, "--cov-context=test", "--cov-report=", *measured, *tests]
    if subprocess.run(command, cwd=TREE, env={**os.environ, "COVERAGE_FILE": found}, check=False).returncode:
        raise SystemExit(f"tests fail in the copy {TREE} before anything is changed")
    data = CoverageData(found)
    data.read()
    return {
        path: {line: {name.split("|")[0] for name in names if name} for line, names in of_lines.items()}
        for path in data.measured_files()
        for of_lines in [data.contexts_by_lineno(path)]
    }


def statement_at(source: str, line: int) -> range:
    """The lines of the statement of a function that a line is in, else none.

    Of a statement that holds others, its head alone.
    """
    found = range(0)
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for part in function.body for inner in ast.walk(part)):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            last: Any = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
            lines = range(node.lineno, max(node.lineno, last) + 1)
            found = lines if line in lines and lines.start >= found.start else found
    return found


def tests_to_run(path: Path, line: int, by_line: Mapping[str, Mapping[int, set[str]]]) -> list[list[str]]:
    """The tests that run a line: one of every function, then the others; outside of functions :func:`tests_of`."""
    lines, of_file = statement_at(path.read_text(encoding="utf-8"), line), by_line.get(str(path), {})
    room = "tests" / room_of(path)
    ran = {test for one in lines for test in of_file.get(one, ()) if Path(test).is_relative_to(room)}
    if not ran:
        return [[tests] for tests in tests_of(path)]
    first = {test.split("[")[0]: test for test in sorted(ran)}
    return [sorted(first.values()), sorted(ran - set(first.values()))]


def equal_ones() -> set[str]:
    """The changes that are known to change no result."""
    lines = EQUAL.read_text(encoding="utf-8").splitlines() if EQUAL.exists() else []
    return {line for line in lines if line.startswith("src/")}


def changed_line(path: Path, diff: str) -> str:
    """What a change is known by: its file, the line as it was and as it is."""
    was, now = (
        " ".join(line[1:].strip() for line in diff.splitlines() if line[:1] == sign and line[:3] != sign * 3)
        for sign in "-+"
    )
    return f"{path.relative_to(TREE)}: {was} -> {now}"


def run_tests(tests: list[str]) -> None:
    """As a process: end with 0 where the tests pass in the copy."""
    import pytest

    sys.dont_write_bytecode = True
    sys.path[:] = [str(TREE / "src"), str(TREE), *(path for path in sys.path if not path.startswith(str(ROOT)))]
    found = importlib.util.find_spec("bitsieve")
    if found is None or found.origin is None or not found.origin.startswith(str(TREE)):
        raise SystemExit("another bitsieve is in the way")
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.exit(pytest.main([*OPTIONS, *tests]))


def passed(tests: list[str]) -> bool:
    """Whether tests pass, in a process that has imported what changes leave alone."""
    ways = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=run_tests, args=(tests,))
    process.start()
    process.join(SECONDS)
    process.kill()
    process.join()
    return process.exitcode == 0


class Outcomes:
    """What came of the changes that were tried, by the words that they are known by."""

    def __init__(self) -> None:
        text = OUTCOMES.read_text(encoding="utf-8") if OUTCOMES.exists() else "{}"
        self.found: dict[str, dict[str, str]] = json.loads(text)

    @staticmethod
    def place(mutation: MutationSpec) -> str:
        """The file, the operator, and the place among those of the operator in the file."""
        path = Path(mutation.module_path).relative_to(TREE)
        return f"{path} {mutation.operator_name} {json.dumps(mutation.operator_args)} {mutation.occurrence}"

    @property
    def survived(self) -> list[dict[str, str]]:
        """Those that no test noticed."""
        return [of for of in self.found.values() if of["outcome"] == "survived"]

    def add(self, mutation: MutationSpec, outcome: str, change: str, diff: str) -> None:
        """Keep one, and the counts of all: after each, so that a run that is cut short has what it found."""
        self.found[change] = {"outcome": outcome, "place": self.place(mutation), "diff": diff}
        OUTCOMES.write_text(json.dumps(self.found, indent=1), encoding="utf-8")

    def rows(self) -> list[dict[str, Any]]:
        """The counts of every room."""
        counts = {room: Counter(tried=0, killed=0, equal=0, survived=0) for room in ROOMS}
        for change, of in self.found.items():
            counts[str(room_of(TREE / change.split(": ")[0]))].update(["tried", of["outcome"]])
        return [{"job": room, "details": {"changes": dict(of)}} for room, of in counts.items() if of["tried"]]


def outcome_of(
    mutation: MutationSpec, by_line: Mapping[str, Any], settled: Iterable[str], known: set[str]
) -> tuple[str, str, str]:
    """Whether tests notice the change ("killed"), it is known to be equal, or survives; what it is, and its diff.

    Of a change that is settled already the outcome is empty.
    """
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    path = Path(mutation.module_path)
    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    groups = tests_to_run(path, mutation.start_pos[0], by_line)
    with use_mutation(path, operator, mutation.occurrence) as codes:
        diff = "".join(difflib.unified_diff(*(code.splitlines(keepends=True) for code in codes), str(path), str(path)))
        change = changed_line(path, diff)
        if change in settled:
            return "", change, diff
        if change in known:
            return "equal", change, diff
        survived = all(passed(tests) for tests in groups if tests)
        return "survived" if survived else "killed", change, diff


def main(number: int = 30, seed: int = 0) -> int:
    """The number of changes that survive and are not known to be equal."""
    copy_tree()
    os.chdir(TREE)
    everything, draw, outcomes, known = every_place(), random.Random(seed), Outcomes(), equal_ones()
    again = {of["place"] for of in outcomes.survived}
    chosen = [one for place in everything for one in place if outcomes.place(one) in again]
    chosen += [draw.choice(changes) for changes in draw.sample(everything, min(number, len(everything)))]
    by_line = tests_by_line()
    for place, mutation in enumerate(chosen, 1):
        settled = [change for change, of in outcomes.found.items() if of["outcome"] != "survived"]
        outcome, change, diff = outcome_of(mutation, by_line, settled, known)
        print(f"{place} of {len(chosen)}: {outcome or 'settled'}: {change}", flush=True)
        if outcome:
            outcomes.add(mutation, outcome, change, diff)
            claim = (
                f"The tests of a room notice small changes in it. Drawn from {len(everything):,} places; a change that "
                "survived was tried again after tests were added."
            )
            results.write(results.document("mutants", claim, outcomes.rows()), keep=True)
    print("\n".join(of["diff"] for of in outcomes.survived))
    return len(outcomes.survived)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:])) else 0)
