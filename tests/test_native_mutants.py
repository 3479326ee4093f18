"""What make mutants changes in the kernels, and what it takes for noticed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tools import mutants, native_mutants

ROOT = Path(__file__).parents[1]
SOURCE = """
#if 1 + 1 == 2  // 3
#define TWO \\
    2
static_assert(sizeof(int) == 4, "4 bytes");
alignas(64) std::vector<int> x = f<T>(a + 1, "1 + 2") /* 3 */ && !y1;
for (; i < n; ++i) sum -= std::min<int>(0.5, 1e3, 0x10) << p->k & *q;
if (not_true != true) __builtin_prefetch(x + 8);  // 1
"""
CHANGED = [
    "+ -",
    "1 2|0",
    "&& ||",
    "! ",
    "< <=|>",
    "++ --",
    "-= +=",
    "std::min std::max",
    "0.5 1.5",
    "<< >>",
    "& |",
    "!= ==",
    "true false",
]


def changes_of(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    return {
        native_mutants.changed_lines(path, source, begin, end, now)
        for begin, end, changes in native_mutants.every_place(source)
        for now in changes
    }


def test_operators_and_numbers_are_changed_and_what_gives_no_result_is_left_alone():
    places = native_mutants.every_place(SOURCE)
    assert [f"{SOURCE[begin:end]} {'|'.join(changes)}" for begin, end, changes in places] == CHANGED


def test_every_change_is_known_by_words_of_its_own():
    source = "a = 0;\nb = 0 + 0;\n  a = 0;\n"
    words = [
        native_mutants.changed_lines("native/a.cpp", source, begin, end, now)
        for begin, end, changes in native_mutants.every_place(source)
        for now in changes
    ]
    assert words == [
        "native/a.cpp: a = 0; -> a = 1; (1 of 2)",
        "native/a.cpp: b = 0 + 0; -> b = 1 + 0;",
        "native/a.cpp: b = 0 + 0; -> b = 0 - 0;",
        "native/a.cpp: b = 0 + 0; -> b = 0 + 1;",
        "native/a.cpp: a = 0; -> a = 1; (2 of 2)",
    ]


@pytest.mark.parametrize("path", sorted({change.split(": ")[0] for change in mutants.equal_ones("native/")}))
def test_changes_known_to_be_equal_can_be_made(path):
    listed = {change for change in mutants.equal_ones("native/") if change.startswith(f"{path}: ")}
    possible = changes_of(path)
    anything = {change.split(" -> ")[0] + mutants.ANYTHING for change in possible}
    assert listed <= possible | anything


TREE = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.18)
project(tried LANGUAGES CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(kernels OBJECT native/count/kernels.cpp)
add_library(_native SHARED module.cpp)
set_target_properties(_native PROPERTIES PREFIX "")
target_link_libraries(_native PRIVATE kernels)
add_executable(native_test native_test.cpp)
target_link_libraries(native_test PRIVATE kernels)
""",
    "native/count/kernels.cpp": """
int twice(int x) {
    int sum = 0;
    for (int i = 0; i < 2; ++i) sum += x;
    return x == 4 ? 8 : sum + 0 * (x < 7);
}
""",
    "module.cpp": 'int twice(int x);\nextern "C" int twice_of(int x) { return twice(x); }\n',
    "native_test.cpp": "int twice(int x);\nint main() { return twice(3) == 6 && twice(4) == 8 ? 0 : 1; }\n",
    "src/bitsieve/here": "",
}
OF_THE_MODULE = """
import ctypes
from pathlib import Path
(path,) = Path("src/bitsieve").glob("_native*.so")
if ctypes.CDLL(str(path)).twice_of(5) != 10:
    raise SystemExit(1)
"""
PATH = "native/count/kernels.cpp"
OUTCOMES = {
    ("? 8", "8", "9"): "killed by plain native_test",
    ("x < 7", "<", ">"): "the same code",
    ("x < 7", "<", "< <"): "no C++",
}


def steps_of(build):
    return [((sys.executable, "-c", OF_THE_MODULE), build), ((str(build.folder / "native_test"),), build)]


@pytest.mark.slow("builds a small tree of C++ for every change")
@pytest.mark.skipif(not all(map(shutil.which, ("cmake", "make"))), reason="needs cmake and make")
def test_a_change_is_noticed_by_the_first_that_fails_and_put_back(monkeypatch, tmp_path):
    tree = tmp_path / "tree"
    for name, text in TREE.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    for name, value in {"TREE": tree, "FOLDER": tmp_path, "BUILDS": {"plain": ""}}.items():
        monkeypatch.setattr(native_mutants, name, value)
    monkeypatch.setattr(native_mutants.Trial, "steps", lambda self, room: steps_of(self.builds[0]))
    trial = native_mutants.Trial(mutants.Outcomes(tmp_path / "outcomes.json"), 0)
    source = (tree / PATH).read_text()
    for (around, was, now), outcome in OUTCOMES.items():
        begin = source.index(around) + around.index(was)
        found, words = trial.outcome(PATH, begin, begin + len(was), now)
        assert found == outcome, words
        assert (tree / PATH).read_text() == source
    assert len(trial.outcomes.found) == len(OUTCOMES) - 1  # all but what does not compile
    (plain,) = trial.builds
    told = "import resource, sys; sys.exit(resource.getrlimit(resource.RLIMIT_CPU)[0] != 7)"
    command = (sys.executable, "-c", told)
    plain.seconds[command] = 1.0
    assert plain.passes(command)  # one without end is ended by the system after seven seconds
