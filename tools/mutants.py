"""Change the code in small ways, one at a time, and see whether the tests that mirror it notice.

    python -m tools.mutants [NUMBER [SEED]]

draws NUMBER (30) places in the rooms below, and for each one of the changes that Cosmic Ray makes there. It runs the
tests of the file, then those of its room, in a copy of the tree in build/mutants. What no test notices survives; what
changes no result is listed with its reason in tools/equal_mutants.txt. Annotations are left alone, as nothing evaluates
them. The counts go to the results of the benchmarks, what survives to build/mutants/survivors.diff.
"""

from __future__ import annotations

import ast
import compileall
import difflib
import importlib.util
import multiprocessing
import os
import random
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import TYPE_CHECKING, Any

from benchmarks import results

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "mutants" / "tree"
EQUAL = ROOT / "tools" / "equal_mutants.txt"
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
    room = next(Path(name) for name in ROOMS if inside.is_relative_to(name))
    places = [inside.parent / f"test_{inside.stem}.py", inside.parent, room]
    return list(dict.fromkeys(str("tests" / place) for place in places if (ROOT / "tests" / place).exists()))


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


def run_tests(tests: str) -> None:
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
    sys.exit(pytest.main([*OPTIONS, tests]))


def passed(tests: str) -> bool:
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


def check_tests(chosen: list[MutationSpec]) -> None:
    """The tests pass as long as nothing is changed; or else all would seem to notice."""
    for tests in sorted({tests_of(Path(one.module_path))[-1] for one in chosen}):
        if not passed(tests):
            raise SystemExit(f"{tests} fails in the copy {TREE} before anything is changed")


def outcome_of(mutation: MutationSpec, known: set[str]) -> tuple[str, str, str]:
    """Whether tests notice the change ("killed"), it is known to be equal or survives; what it is, and its diff."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    path = Path(mutation.module_path)
    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    with use_mutation(path, operator, mutation.occurrence) as codes:
        diff = "".join(difflib.unified_diff(*(code.splitlines(keepends=True) for code in codes), str(path), str(path)))
        change = changed_line(path, diff)
        if not all(passed(tests) for tests in tests_of(path)):
            return "killed", change, diff
    return "equal" if change in known else "survived", change, diff


def main(number: int = 30, seed: int = 0) -> int:
    """The number of changes that survive and are not known to be equal."""
    copy_tree()
    os.chdir(TREE)
    everything, draw = every_place(), random.Random(seed)
    chosen = [draw.choice(changes) for changes in draw.sample(everything, min(number, len(everything)))]
    check_tests(chosen)
    counts: dict[str, Counter[str]] = {room: Counter(tried=0, killed=0, equal=0, survived=0) for room in ROOMS}
    survivors, known = [], equal_ones()
    for place, mutation in enumerate(chosen, 1):
        outcome, change, diff = outcome_of(mutation, known)
        print(f"{place} of {len(chosen)}: {outcome}: {change}", flush=True)
        counts[next(name for name in ROOMS if f"/{name}/" in change)].update(["tried", outcome])
        if outcome == "survived":
            survivors.append(diff)
        # After each one, so that a run that is cut short has what it found.
        (TREE.parent / "survivors.diff").write_text("\n".join(survivors), encoding="utf-8")
        keep(counts, f"{place} of {len(everything):,} places, drawn with seed {seed}")
    return len(survivors)


def keep(counts: dict[str, Counter[str]], drawn: str) -> None:
    """Write the counts to the results of the benchmarks."""
    rows = [{"job": room, "details": {"changes": dict(found)}} for room, found in counts.items() if found["tried"]]
    claim = f"The tests that mirror a file notice small changes in it: {drawn}."
    results.write(results.document("mutants", claim, rows), keep=True)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:])) else 0)
