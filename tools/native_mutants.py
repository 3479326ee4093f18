"""Change the kernels in small ways, one at a time, and see whether the tests notice.

    python -m tools.native_mutants [NUMBER [SEED]]

draws NUMBER (30) places in the rooms of native/ below, and for each one of the changes of CHANGES. What the change
touches is compiled anew in build/mutants/native, with little optimisation, and linked with all else. What the
compiler makes the same code of is equal; all other changes run, until one fails, the trials of every entry point
(tests/native), the stand-alone test, both again under the address and undefined-behaviour sanitizers, and the tests of
the rooms of src that use the room. A test that takes far more of the processor than it did before has a loop without
end. What no test notices survives; what changes no result is listed with its reason in tools/equal_mutants.txt.

What came of each is kept in build/mutants/native.json: the next run tries only what survived again, and then NUMBER
others. The counts of all go to the results of the benchmarks. For Linux with GCC or Clang, cmake and make.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

from tools import mutants, sanitize
from tools.mutants import ANYTHING, ROOT, Outcomes, equal_ones

from benchmarks import results

FOLDER = ROOT / "build" / "mutants" / "native"
TREE = FOLDER / "tree"
OUTCOMES = FOLDER.with_suffix(".json")
ROOMS = {
    "count": ("tests/counts",),
    "encode": ("tests/discretization", "tests/dataset/test_extents.py"),
    "samples": ("tests/methods/by_samples",),
}
BUILDS = {"plain": "", "sanitized": "address,undefined"}
TRIALS = "from tests.native.test_trials import TRIALS, run; [run(name, n) for n in range(40) for name in TRIALS]"

# Of operators that stand between two blanks, of those that stand before a name, and of words.
CHANGES = {
    was: now.split()
    for was, now in (
        *(("<", "<= >"), ("<=", "< >"), (">", ">= <"), (">=", "> <"), ("==", "!="), ("!=", "==")),
        *(("+", "-"), ("-", "+"), ("*", "+"), ("/", "*"), ("%", "/"), ("&&", "||"), ("||", "&&")),
        *(("&", "|"), ("|", "&"), ("^", "|"), ("<<", ">>"), (">>", "<<"), ("+=", "-="), ("-=", "+=")),
        *(("*=", "+="), ("|=", "&="), ("&=", "|="), ("^=", "|="), ("<<=", ">>="), (">>=", "<<=")),
        *(("++", "--"), ("--", "++"), ("true", "false"), ("false", "true"), ("break", "continue")),
        *(("continue", "break"), ("std::min", "std::max"), ("std::max", "std::min")),
    )
}
PLACES = re.compile(
    r"(?<=\s)(?:[-+*|^]=?|[%/]|&&|\|\||&=?|<<=?|>>=?|[<>]=?|[!=]=)(?=\s)|\+\+|--|!(?=[\w(])"
    r"|\bstd::(?:min|max)\b|\b(?:true|false|break|continue)\b|(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])"
)
# Texts, comments, the preprocessor's lines, words of errors, and what decides about no result: not changed.
LEFT_ALONE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]{1,2}'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
    r"|static_assert\([^;]*;|\balignas\(\d+\)|__builtin_prefetch\([^;]*;|\.reserve\([^;]*;|__attribute__\(\([^)]*\)\)",
    re.MULTILINE | re.DOTALL,
)


def every_place(source: str) -> list[tuple[int, int, list[str]]]:
    """The begin, the end and the possible replacements of every part of a file that can be changed."""
    without_left_alone = LEFT_ALONE.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), source)
    return [(match.start(), match.end(), changes_of(match[0])) for match in PLACES.finditer(without_left_alone)]


def changes_of(word: str) -> list[str]:
    """The replacements of an operator, a word or a number."""
    if word == "!":
        return [""]
    if word in CHANGES:
        return CHANGES[word]
    if "." in word:
        return [str(float(word) + 1)]
    return [str(int(word) + 1), str(int(word) - 1)] if int(word) else ["1"]


def changed_lines(path: str, source: str, begin: int, end: int, now: str) -> str:
    """The name of a change: its file, the line before and after it, and its number among changes of the same lines."""
    line_begin = source.rfind("\n", 0, begin) + 1
    line_end = source.find("\n", end)
    line = source[line_begin:line_end].strip()
    changed = (source[line_begin:begin] + now + source[end:line_end]).strip()
    equal_lines = [number for number, other in enumerate(source.splitlines()) if other.strip() == line]
    name = f"{path}: {line} -> {changed}"
    if len(equal_lines) == 1:
        return name
    line_number = source.count("\n", 0, begin)
    return f"{name} ({equal_lines.index(line_number) + 1} of {len(equal_lines)})"


def copy_tree() -> None:
    """Copy what is built and tested, with the modification times of the files, by which make sees what is new."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    for name in (*mutants.COPIED, "native", "CMakeLists.txt"):
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "results", "_native*.so")
            shutil.copytree(ROOT / name, TREE / name, ignore=ignored)
        else:
            shutil.copy2(ROOT / name, TREE)
    (TREE / "sitecustomize.py").write_text(mutants.SITE)


def limit(seconds: float, max_bytes: int) -> None:
    """Limit the processor seconds and the memory of this process; 0 bytes are no limit."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    if max_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


def copy_new(source: Path, to: Path) -> list[Path]:
    """Copy the files of a folder whose modification time differs in the other folder. Returns their paths."""
    new = []
    for path in filter(Path.is_file, source.rglob("*")):
        other = to / path.relative_to(source)
        if not other.exists() or path.stat().st_mtime_ns != other.stat().st_mtime_ns:
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, other)
            new.append(other)
    return new


class Build:
    """A build of the kernels, their stand-alone test and the extension, which is restored after each change."""

    def __init__(self, name: str, sanitizers: str) -> None:
        self.folder = FOLDER / name
        self.kept = FOLDER / f"{name}.kept"
        self.sanitizers = sanitizers
        self.seconds: dict[tuple[str, ...], float] = {}  # of the first run of each command
        self.put_back()  # an earlier run may have been interrupted
        options = {
            "BITSIEVE_NATIVE_TEST": "BOTH",
            "BITSIEVE_SANITIZE": sanitizers,
            "CMAKE_BUILD_TYPE": "None",
            "CMAKE_CXX_FLAGS": "-O1",
            "Python_EXECUTABLE": sys.executable,
        }
        command = ["cmake", "-G", "Unix Makefiles", "-S", str(TREE), "-B", str(self.folder)]
        command += [f"-D{key}={value}" for key, value in options.items()]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        print(f"compiling: {self.folder}", flush=True)
        if not self.make("_native", "native_test"):
            raise SystemExit(f"before anything is changed, this does not end well: cmake --build {self.folder}")
        copy_new(self.folder, self.kept)

    def make(self, *targets: str) -> bool:
        """Compile and link the targets. Returns whether that succeeds."""
        command = ["cmake", "--build", str(self.folder), "--target", *targets]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def is_the_same(self) -> bool:
        """Whether the files that were compiled anew are the same as before the change."""
        objects = ((path, self.kept / path.relative_to(self.folder)) for path in self.folder.rglob("*.o"))
        return all(
            now.stat().st_mtime_ns == was.stat().st_mtime_ns or now.read_bytes() == was.read_bytes()
            for now, was in objects
        )

    def put_back(self) -> None:
        """Restore the files of the build as they were before the change."""
        copy_new(self.kept, self.folder)

    def passes(self, command: tuple[str, ...]) -> bool:
        """Whether a command succeeds within a few times the seconds that it took in its first run."""
        max_seconds = 5 + 2 * self.seconds.get(command, 200)
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        max_bytes = 0 if self.sanitizers else 8 << 30  # sanitizers reserve far more than they use
        set_limits = partial(limit, max_seconds, max_bytes)
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(
            command, cwd=TREE, env=self.environment(), stdout=nowhere, stderr=nowhere, preexec_fn=set_limits
        )
        try:
            code = process.wait(60 + 10 * max_seconds)
        except subprocess.TimeoutExpired:  # threads that wait for each other
            process.kill()
            code = process.wait()
        self.seconds.setdefault(command, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before)
        return code == 0

    def environment(self) -> dict[str, str]:
        """The environment variables with which tests import the extension of this build."""
        (extension,) = self.folder.glob("_native*.so")
        link = TREE / "src" / "bitsieve" / extension.name
        link.unlink(missing_ok=True)
        link.symlink_to(extension)
        paths = os.pathsep.join([str(TREE / "src"), str(TREE)])
        variables = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        return variables | sanitize.environment(self.sanitizers) if self.sanitizers else variables


class Trial:
    """Apply changes, one at a time, and run the tests that could notice them."""

    def __init__(self, outcomes: Outcomes, seed: int) -> None:
        self.outcomes, self.seed, self.known = outcomes, seed, equal_ones("native/")
        self.builds = [Build(name, sanitizers) for name, sanitizers in BUILDS.items()]
        for command, build in [step for room in ROOMS for step in self.steps(room)]:
            if command not in build.seconds and not build.passes(command):
                raise SystemExit(f"before anything is changed, in {build.folder} this fails: {' '.join(command)}")

    def steps(self, room: str) -> list[tuple[tuple[str, ...], Build]]:
        """The commands to run, the quickest first, each with its build."""
        pytest = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not nightly")
        tests = (*pytest, "tests/native", *ROOMS[room])
        kernels = [
            (command, build)
            for build in self.builds
            for command in ((sys.executable, "-c", TRIALS), (str(build.folder / "native_test"),))
        ]
        return [*kernels, (tests, self.builds[0])]

    def noticed_by(self, room: str) -> str:
        """The first command that fails on the changed kernels, or why none can fail."""
        if not self.builds[0].make("kernels"):
            return "no C++"
        if self.builds[0].is_the_same():
            return "the same code"
        for command, build in self.steps(room):
            build.make("_native", "native_test")
            if not build.passes(command):
                return " ".join(["killed by", build.folder.name, Path(command[0]).name, *command[3:4]])
        return "survived"

    def outcome(self, path: str, begin: int, end: int, now: str) -> tuple[str, str]:
        """Try a change. Returns its outcome, "settled" if it is known from an earlier run, and its name."""
        file = TREE / path
        source = file.read_text(encoding="utf-8")
        times = file.stat()
        change = changed_lines(path, source, begin, end, now)
        if self.outcomes.found.get(change, {"outcome": "survived"})["outcome"] != "survived":
            return "settled", change
        if change in self.known or change.split(" -> ")[0] + ANYTHING in self.known:
            found = "equal"
        else:
            try:
                file.write_text(source[:begin] + now + source[end:], encoding="utf-8")
                found = self.noticed_by(Path(path).parts[1])
            finally:
                file.write_text(source, encoding="utf-8")
                os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
                for build in self.builds:
                    build.put_back()
        if found != "no C++":
            kept = "equal" if found == "the same code" else found.split(" by ")[0]
            self.outcomes.add(path, kept, change, change, self.seed)
        return found, change


def main(number: int = 30, seed: int = 0) -> int:
    """Try the survivors of earlier runs and ``number`` new changes. Returns the number of changes that survive."""
    copy_tree()
    draw = random.Random(seed)
    outcomes = Outcomes(OUTCOMES)
    files = sorted(path for room in ROOMS for path in (TREE / "native" / room).rglob("*.[chi]*"))
    sources = {str(path.relative_to(TREE)): path.read_text(encoding="utf-8") for path in files}
    places = [(path, *place) for path, source in sources.items() for place in every_place(source)]
    again, paths = ({of[part] for of in outcomes.survived} for part in ("diff", "place"))
    every = ((path, begin, end, now) for path, begin, end, changes in places if path in paths for now in changes)
    chosen = [(path, *change) for path, *change in every if changed_lines(path, sources[path], *change) in again]
    drawn = draw.sample(places, min(number, len(places)))
    chosen += [(path, begin, end, draw.choice(changes)) for path, begin, end, changes in drawn]
    trial = Trial(outcomes, seed)
    ended = Counter[str]()
    for place, change in enumerate(chosen, 1):
        outcome, words = trial.outcome(*change)
        print(f"{place} of {len(chosen)}: {outcome}: {words}", flush=True)
        if place > len(chosen) - number:
            ended[outcome.split(" by ")[0]] += 1
        claim = (
            f"The tests notice small changes in the kernels. Drawn from {len(places):,} places; what survived at "
            "first was tried again after tests were added."
        )
        rows = outcomes.rows({f"native/{room}": f"native/{room}/" for room in ROOMS})
        results.write(results.document("native_mutants", claim, rows), keep=True)
    print(f"of the {number} drawn with seed {seed}:", ", ".join(f"{n} {name}" for name, n in ended.items()))
    return len(outcomes.survived)


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:])) else 0)
