"""Change the code in small ways, one at a time, and see whether the tests that mirror it notice.

    python -m tools.mutants [NUMBER [SEED]]

draws NUMBER (30) places in the rooms below, and for each one of the changes that Cosmic Ray makes there. It runs the
tests of the file, then those of its room, in a copy of the tree in build/mutants. What no test notices survives; what
changes no result is listed with its reason in tools/equal_mutants.txt. Annotations are left alone, as nothing evaluates
them. The counts go to the results of the benchmarks, what survives to build/mutants/survivors.diff.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import random
import shlex
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import results

if TYPE_CHECKING:
    from cosmic_ray.work_item import MutationSpec

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "mutants" / "tree"
EQUAL = ROOT / "tools" / "equal_mutants.txt"
COPIED = ("src", "tests", "benchmarks", "papers", "tools", "docs", "examples", "pyproject.toml", "CHANGELOG.md")
ROOMS = ("information", "counts", "methods/by_counts", "data/binning")
SECONDS = 600
PYTEST = (sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
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
    """The tests of a file's own name, if it has some, and those of its room."""
    inside = path.relative_to(TREE / "src" / "bitsieve")
    room = next(Path(name) for name in ROOMS if inside.is_relative_to(name))
    own = Path("tests") / inside.parent / f"test_{inside.stem}.py"
    names = [str(own)] if (TREE / own).exists() else []
    return [*names, str(Path("tests") / room)]


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


def check_tests(chosen: list[MutationSpec]) -> None:
    """The tests pass as long as nothing is changed; or else all would seem to notice."""
    for tests in sorted({tests_of(Path(one.module_path))[-1] for one in chosen}):
        if subprocess.run([*PYTEST, tests], check=False).returncode:
            raise SystemExit(f"{tests} fails in the copy {TREE} before anything is changed")


def outcome_of(mutation: MutationSpec, known: set[str]) -> tuple[str, str, str]:
    """Whether tests notice the change ("killed"), it is known to be equal or survives; what it is, and its diff."""
    from cosmic_ray.mutating import mutate_and_test
    from cosmic_ray.work_item import TestOutcome

    path = Path(mutation.module_path)
    for tests in tests_of(path):
        result = mutate_and_test([mutation], shlex.join([*PYTEST, tests]), SECONDS)
        change = changed_line(path, result.diff or "")
        if result.test_outcome is not TestOutcome.SURVIVED:
            return "killed", change, result.diff or ""
    return "equal" if change in known else "survived", change, result.diff or ""


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
