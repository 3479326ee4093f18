"""Change the code in small ways, one at a time, and see whether the tests notice.

    python -m tools.mutants [NUMBER [SEED [SECONDS [ROOM...]]]]

draws NUMBER (30) places in the folders ROOM (all of ROOMS) of the sources, and for each place one change that Cosmic
Ray makes there. In a copy of the tree in build/mutants it runs those tests of make test that execute the changed
statement. Where rooms are named it runs the tests of these rooms alone, which takes minutes less to prepare. For a
change outside of functions it runs the tests of what uses the changed name, and those that look at declarations. Tests
that together take longer than SECONDS (200) are cut off.

A change that no test notices survives. Changes that change no result are listed, with the reason, in
tools/equal_mutants.txt. Some kinds of places are skipped, see :func:`left_alone`; their numbers are printed.

The outcomes are stored in build/mutants/outcomes.json: the next run tries the survivors again, and then NUMBER others.
The counts of all outcomes go to the results of the benchmarks.
"""

from __future__ import annotations

import ast
import compileall
import difflib
import hashlib
import importlib.util
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, NamedTuple

from tools.collected import OPTIONS

from benchmarks import results

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "mutants" / "tree"
LINES = ROOT / "build" / "mutants" / "lines"
PLACES = ROOT / "build" / "mutants" / "places"
GUARD = "a guard against mistakes in the code, which no data makes: strict=True of zip, abstractmethod"
SPEED = "decides about time and memory alone: tests find that the result is the same"
CACHE = "a cache: what it holds is the same if it is computed again"
ANNOTATION = "annotations, which nothing evaluates"
ANYTHING = " -> anything"  # ends a line in the list of equal changes: no change of it changes a result
EQUAL = ROOT / "tools" / "equal_mutants.txt"
OUTCOMES = ROOT / "build" / "mutants" / "outcomes.json"
COPIED = (
    *("src", "tests", "benchmarks", "papers", "tools", "docs", "examples"),
    *("pyproject.toml", "CHANGELOG.md", "README.md"),
)
ROOMS = (
    *("information", "counts", "methods/by_counts", "discretization", "dataset", "engines", "io", "results"),
    *("cli", "evaluate", "scorecards"),
)
TESTS_OF_ALL = ("tests/test_public_api.py", "tests/test_declarations.py")
TESTS = (
    *(f"tests/{room}" for room in ROOMS),
    "tests/api",  # where results are shown, stored and compared
    "tests/golden",
    *TESTS_OF_ALL,
)
# Modules imported once for all changes outside of functions. None of them may be one that pytest rewrites.
PRELOADED = [
    "pytest",
    "pandas",
    "polars",
    "pyarrow.parquet",
    "scipy.stats",
    "sklearn.utils.estimator_checks",
]
# The sitecustomize.py of every Python in the copy: an editable install must not lead back to the original.
SITE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""


class Mutation(NamedTuple):
    """One change of a file: ``occurrence`` numbers the places in the file where the operator of Cosmic Ray applies."""

    path: Path
    line: int
    operator: str
    occurrence: int


def copy_tree() -> None:
    """Copy the working tree without the results of benchmarks, and the compiled extension.

    What Python has compiled of an earlier copy stays: pytest takes longest to rewrite the tests.
    """
    TREE.mkdir(parents=True, exist_ok=True)
    for path in TREE.rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            path.unlink()
    for name in COPIED:
        if (ROOT / name).is_dir():
            left_out = ["__pycache__", "results"] if name == "benchmarks" else ["__pycache__"]
            ignored = shutil.ignore_patterns(*left_out)
            shutil.copytree(ROOT / name, TREE / name, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(ROOT / name, TREE)
    extension = importlib.util.find_spec("bitsieve._native")
    if extension is None or extension.origin is None:
        raise SystemExit("bitsieve is not installed here")
    shutil.copy(extension.origin, TREE / "src" / "bitsieve")
    (TREE / "sitecustomize.py").write_text(SITE)
    # Compiled once, and checked by contents: a change may leave a file's size and, within a second, its time the same.
    compileall.compile_dir(TREE / "src", quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TREE / "src"), str(TREE)])


def all_files(rooms: Iterable[str] = ROOMS) -> list[Path]:
    """The files of the rooms."""
    return sorted(path for room in rooms for path in (TREE / "src" / "bitsieve" / room).rglob("*.py"))


def every_place(rooms: Iterable[str]) -> tuple[list[list[Mutation]], Counter[str]]:
    """The changes of each place in the rooms, in a fixed order; and the number of places left alone, by reason."""
    equal_lines = lines_of_speed()
    places: list[list[Mutation]] = []
    reasons: Counter[str] = Counter()
    for path in all_files(rooms):
        regions = left_alone(path.read_text(encoding="utf-8"), equal_lines[str(path.relative_to(TREE))])
        for position, mutations in changes_by_position(path).items():
            reason = next((reason for begin, end, reason in regions if begin <= position < end), None)
            if reason is None:
                places.append(mutations)
            else:
                reasons[reason] += 1
    return places, reasons


def changes_by_position(path: Path) -> dict[tuple[int, int], list[Mutation]]:
    """The changes of a file by line and column, in a fixed order. They are stored for the contents of the file."""
    stored = PLACES / f"{digest([path])}.json"
    if not stored.exists():
        PLACES.mkdir(exist_ok=True)
        stored.write_text(json.dumps(changes_of(path)), encoding="utf-8")
    changes: dict[tuple[int, int], list[Mutation]] = defaultdict(list)
    for line, column, operator, occurrence in sorted(json.loads(stored.read_text(encoding="utf-8"))):
        changes[line, column].append(Mutation(path, line, operator, occurrence))
    return changes


def changes_of(path: Path) -> list[tuple[int, int, str, int]]:
    """The line, the column, the operator and its occurrence of every change that Cosmic Ray makes in a file."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast_from_path(path)))
    changes = []
    for name in operator_names():
        operator_class = get_operator(name)
        if operator_class.arguments():
            continue  # it needs the names of variables
        operator = operator_class()
        positions = [begin for node in nodes for begin, _ in operator.mutation_positions(node)]
        for occurrence, (line, column) in enumerate(positions):
            changes.append((line, column, name, occurrence))
    return changes


def lines_of_speed() -> dict[str, set[str]]:
    """The lines of each file that are listed as equal whatever they are changed to."""
    lines: dict[str, set[str]] = defaultdict(set)
    for change in equal_ones():
        path, words = change.split(": ", 1)
        if words.endswith(ANYTHING):
            lines[path].add(words.removesuffix(ANYTHING))
    return lines


def left_alone(source: str, speed: Container[str] = ()) -> list[tuple[tuple[int, int], tuple[int, int], str]]:
    """The begin, the end and the reason of every part of a file whose changes are not tried."""
    regions = []
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip() in speed:
            regions.append(((number, 0), (number + 1, 0), SPEED))
    for node in ast.walk(ast.parse(source)):
        for part, reason in parts_left_alone(node):
            regions.append(((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset), reason))
        for decorator in getattr(node, "decorator_list", []):
            name = ast.unparse(decorator)
            if name.startswith(("lru_cache", "abstractmethod")):
                reason = GUARD if name == "abstractmethod" else CACHE
                at_sign = (decorator.lineno, decorator.col_offset - 1)
                regions.append((at_sign, (decorator.end_lineno or 0, decorator.end_col_offset or 0), reason))
    return regions


def parts_left_alone(node: ast.AST) -> Iterator[tuple[Any, str]]:
    """The parts of a node of the syntax tree whose changes are not tried, and why."""
    for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if part is not None:
            yield part, ANNOTATION
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        yield node, ANNOTATION
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        for argument in node.exc.args:
            yield argument, "the words of an error"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
        for keyword in node.keywords:
            yield keyword, GUARD


def room_of(path: Path) -> Path:
    """The room of a file."""
    inside = path.relative_to(TREE / "src" / "bitsieve")
    return next(Path(name) for name in ROOMS if inside.is_relative_to(name))


class TestProcess:
    """The client of ``tools/collected.py``, a process that has collected the tests and runs them in forks."""

    __test__ = False  # no class of tests, although its name begins like one

    def __init__(self, tests: Iterable[str]) -> None:
        command = [sys.executable, "tools/collected.py", *tests]
        self._process = subprocess.Popen(command, cwd=TREE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tests: list[str] = self._answer()

    def ask(self, request: Mapping[str, Any]) -> Any:
        """Send a request and return its answer."""
        if self._process.stdin is None:
            raise SystemExit("the process that runs the tests takes no requests")
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise SystemExit(f"the process that runs the tests has ended: see {TREE.parent / 'collected.log'}")
        return json.loads(line)


class LineCoverage:
    """The tests that run each line of each file, and the seconds of each test."""

    def __init__(
        self,
        tests_by_line: Mapping[str, Mapping[int, set[str]]],
        seconds: Mapping[str, float],
        sources: Mapping[Path, str],
    ) -> None:
        self.by_line = tests_by_line
        self.seconds = seconds
        self.sources = sources

    @classmethod
    def read(cls, folder: Path, sources: Mapping[Path, str]) -> LineCoverage:
        """Read what :func:`measure_coverage` stored in a folder, a pair of files for each file of tests."""
        from coverage import CoverageData

        tests_by_line: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        seconds: dict[str, float] = {}
        for part in sorted(folder.glob("*.json")):
            seconds.update(json.loads(part.read_text(encoding="utf-8")))
            lines = part.with_suffix(".coverage")
            if not lines.exists():
                continue
            data = CoverageData(str(lines))
            data.read()
            for path in data.measured_files():
                for line, tests in data.contexts_by_lineno(path).items():
                    tests_by_line[path][line].update(test for test in tests if test)
        return cls(tests_by_line, seconds, sources)

    @cached_property
    def of_declarations(self) -> set[str]:
        """The tests that run no function of the sources: they look at declarations."""
        lines: dict[Path, set[int]] = defaultdict(set)
        for path, source in self.sources.items():
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef):
                    lines[path] |= set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
        return set(self.seconds) - self.of(lines)

    def of(self, lines: Mapping[Path, Iterable[int]]) -> set[str]:
        """The tests that run at least one of the lines."""
        tests: set[str] = set()
        for path, numbers in lines.items():
            tests_by_line = self.by_line.get(str(path), {})
            for number in numbers:
                tests |= tests_by_line.get(number, set())
        return tests

    def in_order(self, tests: Iterable[str], room: Path, max_seconds: float) -> list[str]:
        """Order tests: first one of each function, then the others; each part begins with the quickest of the room.

        The list ends where the sum of their seconds exceeds ``max_seconds``.
        """

        def priority(test: str) -> tuple[bool, float, str]:
            is_of_other_room = not Path(test).is_relative_to("tests" / room)
            return is_of_other_room, self.seconds[test], test

        first_of_functions = []
        others = []
        functions = set()
        for test in sorted(tests, key=priority):
            function = test.split("[")[0]
            if function in functions:
                others.append(test)
            else:
                functions.add(function)
                first_of_functions.append(test)
        ordered = first_of_functions + others
        total_seconds = accumulate(self.seconds[test] for test in ordered)
        return [test for test, seconds in zip(ordered, total_seconds, strict=True) if seconds <= max_seconds]


def measure_coverage(collected: TestProcess, sources: Mapping[Path, str]) -> LineCoverage:
    """Measure which lines the tests run. Files of tests that were measured with the same code before are not run again.

    All tests must pass before anything is changed, or they would seem to notice every change.
    """
    LINES.mkdir(exist_ok=True)
    files = dict.fromkeys(test.split("::")[0] for test in collected.tests)
    helpers = [path for path in Path("tests").rglob("*.py") if not path.name.startswith("test_")]
    shared = digest(sorted([*Path("src").rglob("*.py"), *helpers]))
    names = {file: digest([Path(file)], shared) for file in files}
    for part in LINES.iterdir():
        if part.stem not in names.values():
            part.unlink()
    missing = {file: name for file, name in names.items() if not (LINES / f"{name}.json").exists()}
    failed = collected.ask({"measure": str(LINES), "files": missing})
    if failed:
        raise SystemExit(f"before anything is changed, {failed} fails in the copy {TREE}")
    return LineCoverage.read(LINES, sources)


def digest(paths: Iterable[Path], text: str = "") -> str:
    """A hash of the names and contents of files, and of a text."""
    hash_of = hashlib.sha256(text.encode())
    for path in paths:
        hash_of.update(f"{path} ".encode() + path.read_bytes())
    return hash_of.hexdigest()[:32]


def statement_at(source: str, line: int) -> range:
    """The lines of the innermost statement of a function that contains a line; empty outside of functions.

    A statement that contains others, such as a loop, has the lines of its head alone.
    """
    statement = range(0)
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in (inner for function in functions for part in function.body for inner in ast.walk(part)):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            last: Any = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
            lines = range(node.lineno, max(node.lineno, last) + 1)
            statement = lines if line in lines and lines.start >= statement.start else statement
    return statement


def lines_that_use(path: Path, line: int, sources: Mapping[Path, str]) -> dict[Path, set[int]]:
    """For a line outside of functions: the lines of its function or class, and those that use the name it defines."""
    around = [
        node for node in ast.walk(ast.parse(sources[path])) if isinstance(node, ast.stmt) and line in lines_of(node)
    ]
    names = set()
    lines = defaultdict(set, {path: {line}})  # of a function without a name the line itself
    for node in around[-1:]:  # the innermost comes last
        targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    for definition in [node for node in around if isinstance(node, (ast.FunctionDef, ast.ClassDef))][-1:]:
        names.add(definition.name)
        lines[path] |= set(lines_of(definition))
    for other, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            is_name = isinstance(node, ast.Name) and node.id in names
            is_attribute = isinstance(node, ast.Attribute) and node.attr in names
            if is_name or is_attribute:
                lines[other].add(node.lineno)
    return lines


def lines_of(node: ast.stmt) -> range:
    """The lines of a statement, with its decorators."""
    begin = min([node.lineno, *(made.lineno for made in getattr(node, "decorator_list", []))])
    return range(begin, (node.end_lineno or begin) + 1)


def tests_to_run(path: Path, line: int, tests: LineCoverage, max_seconds: float) -> list[str]:
    """The tests that run the statement of a line.

    Outside of functions they are those that run what uses it, and those that look at declarations.
    """
    statement = statement_at(tests.sources[path], line)
    ran = tests.of({path: statement} if statement else lines_that_use(path, line, tests.sources))
    room = room_of(path)
    declared: set[str] = set()
    if not statement or not ran:
        other_rooms = [Path("tests") / name for name in ROOMS if Path(name) != room]
        for test in tests.of_declarations:
            if not any(Path(test).is_relative_to(other) for other in other_rooms):
                declared.add(test)
    return [*sorted(declared), *tests.in_order(ran - declared, room, max_seconds)]


def equal_ones(folder: str = "src/") -> set[str]:
    """The listed changes, of the files of a folder, that change no result."""
    return {line for line in EQUAL.read_text(encoding="utf-8").splitlines() if line.startswith(folder)}


def changed_line(path: Path, diff: str) -> str:
    """The name of a change: its file, the line before, and the line after it."""
    before = [line[1:].strip() for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    after = [line[1:].strip() for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    return f"{path.relative_to(TREE)}: {' '.join(before)} -> {' '.join(after)}"


def run_tests(tests: list[str]) -> None:
    """Run tests in the copy, as a process of its own that exits with 0 if they pass."""
    import pytest

    sys.dont_write_bytecode = True
    sys.path[:] = [str(TREE / "src"), str(TREE), *(path for path in sys.path if not path.startswith(str(ROOT)))]
    package = importlib.util.find_spec("bitsieve")
    if package is None or package.origin is None or not package.origin.startswith(str(TREE)):
        raise SystemExit("another bitsieve is in the way")
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.exit(pytest.main([*OPTIONS, f"--basetemp={TREE.parent / 'temporary'}", *tests]))


def passed(tests: list[str], seconds: float) -> bool:
    """Whether tests pass in a process that is forked from one with the modules of PRELOADED."""
    ways = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=run_tests, args=(tests,))
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode == 0


def noticing_test(path: Path, codes: Sequence[str], tests: Mapping[str, float], collected: TestProcess) -> str:
    """The first test that fails on a changed file, "a test" if its name is not known, "" if none fails.

    ``tests`` maps each test to its limit of seconds; one that takes longer has an endless loop.
    """
    seconds = 60 + sum(tests.values())
    request = {"path": str(path), "was": codes[0], "now": codes[1], "tests": tests, "seconds": seconds}
    test: str | None = collected.ask(request)
    if test is None:
        return "" if passed(list(tests), seconds) else "a test"
    return test


class Outcomes:
    """The outcomes of all changes that were tried, by the name of the change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8") if path.exists() else "{}")

    @staticmethod
    def place(mutation: Mutation) -> str:
        """The file, the operator, and the number of the place for that operator in the file."""
        return f"{mutation.path.relative_to(TREE)} {mutation.operator} {mutation.occurrence}"

    @property
    def survived(self) -> list[dict[str, Any]]:
        """The changes that no test noticed."""
        return [entry for entry in self.found.values() if entry["outcome"] == "survived"]

    def add(self, place: str, outcome: str, change: str, diff: str, seed: int = 0) -> None:
        """Add an outcome and the first one of that change, and write all, so that an interrupted run loses nothing."""
        first = self.found.get(change, {"first": outcome, "seed": seed})
        first_trial = {"first": first.get("first", first.get("outcome")), "seed": first.get("seed", seed)}
        self.found[change] = {"outcome": outcome, "place": place, "diff": diff, **first_trial}
        self.path.write_text(json.dumps(self.found, indent=1), encoding="utf-8")

    def rows(self, rooms: Mapping[str, str]) -> list[dict[str, Any]]:
        """The counts of every room, a row each. ``rooms`` maps a room to how the names of its changes begin."""
        counts = {room: {"tried": 0, "killed at first": 0, "killed": 0, "equal": 0, "survived": 0} for room in rooms}
        for change, entry in self.found.items():
            row = counts[next(room for room, begin in rooms.items() if change.startswith(begin))]
            row["tried"] += 1
            row["killed at first"] += entry.get("first", entry["outcome"]) == "killed"
            row[entry["outcome"]] += 1
        return [{"job": room, "details": {"changes": entry}} for room, entry in counts.items() if entry["tried"]]


class Trial:
    """Apply changes, one at a time, and run the tests that could notice them."""

    def __init__(self, outcomes: Outcomes, tests: Iterable[str], seed: int, max_seconds: float) -> None:
        self.outcomes = outcomes
        self.seed = seed
        self.max_seconds = max_seconds
        self.equal_changes = equal_ones()
        self.collected = TestProcess(tests)
        self.tests = measure_coverage(self.collected, {path: path.read_text(encoding="utf-8") for path in all_files()})

    def outcome(self, mutation: Mutation) -> tuple[str, str]:
        """Try a change. Returns its outcome and its name.

        The outcome is "settled" if it is known from an earlier run, and "no Python" if the change does not compile.
        """
        from cosmic_ray.mutating import use_mutation
        from cosmic_ray.plugins import get_operator

        path = mutation.path
        operator = get_operator(mutation.operator)()
        with use_mutation(path, operator, mutation.occurrence) as codes:
            parts = (code.splitlines(keepends=True) for code in codes)
            diff = "".join(difflib.unified_diff(*parts, str(path), str(path)))
            change = changed_line(path, diff)
            if self.outcomes.found.get(change, {"outcome": "survived"})["outcome"] != "survived":
                return "settled", change
            if not compiles(codes[1]):
                return "no Python", change
            names = tests_to_run(path, mutation.line, self.tests, self.max_seconds)
            tests = {test: 10 + 10 * self.tests.seconds[test] for test in names}
            killer = ""
            if change in self.equal_changes:
                outcome = "equal"
            else:
                killer = noticing_test(path, codes, tests, self.collected)
                outcome = "killed" if killer else "survived"
        self.outcomes.add(self.outcomes.place(mutation), outcome, change, diff, self.seed)
        return f"killed by {killer}" if killer else outcome, change


def compiles(source: str) -> bool:
    """Whether a source compiles without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            compile(source, "changed", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def main(number: int = 30, seed: int = 0, seconds: int = 200, rooms: Sequence[str] = ROOMS) -> int:
    """Try the survivors of earlier runs and ``number`` new changes. Returns the number of changes that survive."""
    tests = TESTS if rooms == ROOMS else [*(f"tests/{room}" for room in rooms), *TESTS_OF_ALL]
    copy_tree()
    os.chdir(TREE)
    places, left = every_place(rooms)
    outcomes = Outcomes(OUTCOMES)
    survived = {entry["place"] for entry in outcomes.survived}
    mutations = [mutation for changes in places for mutation in changes if outcomes.place(mutation) in survived]
    draw = random.Random(seed)
    drawn = draw.sample(places, min(number, len(places)))
    mutations += [draw.choice(changes) for changes in drawn]
    trial = Trial(outcomes, tests, seed, seconds)
    counts: Counter[str] = Counter()
    claim = (
        f"The tests notice small changes in the rooms. Drawn from {len(places):,} places; what survived at "
        "first was tried again after tests were added."
    )
    for i, mutation in enumerate(mutations, 1):
        outcome, change = trial.outcome(mutation)
        print(f"{i} of {len(mutations)}: {outcome}: {change}", flush=True)
        if i > len(mutations) - number:
            counts[outcome.split(" by ")[0]] += 1
        rows = outcomes.rows({room: f"src/bitsieve/{room}/" for room in ROOMS})
        results.write(results.document("mutants", claim, rows), keep=True)
    print("\n".join(entry["diff"] for entry in outcomes.survived))
    for reason, n_places in left.items():
        print(f"left alone: {n_places:,} places: {reason}")
    print(f"of the {number} drawn with seed {seed}:", ", ".join(f"{n} {name}" for name, n in counts.items()))
    return len(outcomes.survived)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:4]), rooms=tuple(sys.argv[4:]) or ROOMS) else 0)
