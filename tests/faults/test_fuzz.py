"""Seeded fuzzing of saved selections, of SQL for tables of any names, and of the words of the command line.

Fuzzing that is guided by coverage begins with the same targets, and with the inputs in ``corpus``. Damaged tables
are in ``test_mutants.py``, hostile calls of the extension in ``tests/native/test_arguments.py``.
"""

from __future__ import annotations

import contextlib
import json
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from tests.faults.mutants import damaged
from tests.faults.targets import (
    COMMANDS,
    OPTIONS,
    TARGETS,
    load_selection,
    run_command,
    run_statement,
    seeds,
    small_table,
)

from bitsieve.io.saved_files import COUNTS_FILE

CORPUS = Path(__file__).parent / "corpus"
HOSTILE_VALUES = (
    None,
    True,
    -1,
    0,
    2**63,
    10**400,
    0.5,
    "",
    "nan",
    "\ud800",
    "a\nb",
    [],
    {},
    [[]],
    {"object": {}},
    [1e308],
)
HOSTILE_LETTERS = "\"'`;-/*[]{}()%?:$\\\n\t =.,#@é\u202e\u0301x1"
HOSTILE_WORDS = (
    *(
        "",
        "-",
        "--",
        "-1",
        "0",
        "1e999",
        "nan",
        "1TB",
        "0B",
        "a",
        "y",
        "nothing",
        "a=b",
        "=",
        "a=number",
        "é",
        "\ud800",
    ),
    *("\x1b[31m", "a\nb", "../..", "/", "/dev/null", "{", "{}", "%s", "*", "x" * 5000, "--target", "9" * 500),
)


@contextlib.contextmanager
def failing_at(number):
    """Add the number of the case to an error."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case {number}")
        raise


def numbers(first, last, size):
    """The quick cases in one test, and the others in parts that only the nightly run tries."""
    nightly = [pytest.param(start, start + size, marks=pytest.mark.nightly) for start in range(first, last, size)]
    return [(0, first), *nightly]


@pytest.fixture(scope="module")
def saved():
    return seeds("selections")[0]


def with_another_value(content, random):
    """A saved selection one value of which, anywhere in it, is another."""
    document = json.loads(content)
    place = document
    while True:
        key = random.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or random.random() < 0.2:
            place[key] = random.choice(HOSTILE_VALUES)
            return json.dumps(document).encode()
        place = place[key]


@pytest.mark.parametrize(("first", "last"), numbers(300, 10_300, 2500))
def test_damaged_selections(saved, first, last):
    for number in range(first, last):
        random = Random(number)
        with failing_at(number):
            load_selection(damaged(saved, random) if number % 3 == 0 else with_another_value(saved, random))


@pytest.fixture
def sites(tmp_path, monkeypatch):
    """The folder of a table of numbers, text and dates, its vocabulary and its counts."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{row % 7},{'xyz'[row % 3]},2020-01-{1 + row % 28:02},{'yes' if row % 2 else 'no'}" for row in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,d,y", *rows]))
    run_command(["count", "t.csv", "--target", "y", "--vocabulary", "vocabulary.json"])
    run_command(["count", "t.csv", "--target", "y", "--like", "vocabulary.json", "--save", "counts"])
    return tmp_path


@pytest.mark.parametrize(("first", "last"), numbers(30, 2030, 500))
def test_damaged_vocabularies(sites, first, last):
    vocabulary = (sites / "vocabulary.json").read_bytes()
    for number in range(first, last):
        content = json.loads(with_another_value(vocabulary, Random(number)))
        (sites / "damaged.json").write_text(json.dumps(content, indent=1))
        with failing_at(number):
            run_command(["count", "t.csv", "--target", "y", "--like", "damaged.json", "--save", f"counts-{number}"])


@pytest.mark.parametrize(("first", "last"), numbers(30, 2030, 500))
def test_damaged_counts_of_another_site(sites, first, last):
    """The digest is that of the damaged counts, as a hostile site would write it."""
    _, facts, cells = (sites / "counts" / COUNTS_FILE).read_bytes().split(b"\n", 2)
    (sites / "damaged").mkdir()
    for number in range(first, last):
        random = Random(number)
        damaged_facts = facts if number % 3 == 0 else with_another_value(facts, random)
        damaged_cells = damaged(cells, random) if number % 3 == 0 else cells
        content = damaged_facts + b"\n" + damaged_cells
        digest = sha256(content).hexdigest().encode()
        (sites / "damaged" / COUNTS_FILE).write_bytes(digest + b"\n" + content)
        with failing_at(number):
            run_command(["select", "--counts", "damaged", "--counts", "counts", "--method", "mim"])


def hostile_name(random):
    return "".join(random.choice(HOSTILE_LETTERS) for _ in range(random.randrange(1, 12)))


@pytest.mark.parametrize(("first", "last"), numbers(12, 812, 200))
def test_sql_of_any_names(first, last):
    for number in range(first, last):
        random = Random(number)
        names = list({hostile_name(random).lower(): None for _ in range(3)} | {"y": None})
        values = [hostile_name(random) for _ in range(3)]
        rows = [[random.choice(values) for _ in names[:-1]] + [row % 2] for row in range(30)]
        with failing_at(number):
            run_statement(names, rows)


@pytest.mark.parametrize(("first", "last"), numbers(20, 2020, 500))
def test_words_of_the_command(tmp_path, monkeypatch, first, last):
    monkeypatch.chdir(tmp_path)
    for number in range(first, last):
        random = Random(number)
        words = [random.choice(COMMANDS), small_table()]
        if random.random() < 0.7:
            words += ["--target", "y"]
        for _ in range(random.randrange(4)):
            words.append(random.choice(OPTIONS))
            if random.random() < 0.8:
                words.append(random.choice(HOSTILE_WORDS))
        with failing_at(number):
            run_command(words)


INPUTS = sorted(CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", INPUTS, ids=[f"{path.parent.name}/{path.name}" for path in INPUTS])
def test_inputs_that_fuzzing_has_found(path):
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_undamaged_inputs(target):
    for content in seeds(target)[:5]:
        TARGETS[target](content)


def test_the_corpus_is_small():
    assert {path.parent.name for path in INPUTS} <= set(TARGETS)
    assert sum(path.stat().st_size for path in INPUTS) < 32_768
