"""Blankets of every column of a few tables by an independent program, and by bnlearn 4.9 where it says so.

``codes`` and ``levels`` of a case, 60 tests, and the expected lists of columns in order of inclusion by the test:
``mi`` is the G-test with nominal freedom, ``mi-adf`` with adjusted freedom and the power rule of 5.

Small cases lie beside this file. The environment variable BITSIEVE_BLANKET_CASES names a folder with larger ones, which
``make nightly`` runs.
"""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bitsieve.counts.packed import PackedSource
from bitsieve.information.independence import IndependenceTests, TestOptions
from bitsieve.methods.by_counts.markov_blankets.search import Search

OPTIONS = {
    "mi": TestOptions(test="g", freedom="nominal"),
    "mi-adf": TestOptions(test="g", power=5),
    "scaled": TestOptions(),
}
FOLDER = Path(__file__).parent / "golden"
LARGE_FOLDER = Path(os.environ.get("BITSIEVE_BLANKET_CASES", FOLDER))


def names_of_cases(folder):
    return sorted(path.stem for path in folder.glob("*.npz"))


SMALL_CASES = names_of_cases(FOLDER)
LARGE_CASES = [name for name in names_of_cases(LARGE_FOLDER) if name not in SMALL_CASES]
COPIES = {"hailfinder_500": {21: 20}}  # by column: the lower one that it repeats in other codes; the record has either
CASES = [*SMALL_CASES, *(pytest.param(name, marks=pytest.mark.nightly) for name in LARGE_CASES)]


def path_of(case):
    """The path of a case, without the ending of its two files."""
    folder = FOLDER if case in SMALL_CASES else LARGE_FOLDER
    return folder / case


@cache
def recorded(case):
    return json.loads(path_of(case).with_suffix(".json").read_text())


@cache
def counted_tests(case, test):
    """Tests of a case, which all searches share: they are made once."""
    with np.load(path_of(case).with_suffix(".npz")) as arrays:
        source = PackedSource(arrays["codes"], arities=arrays["levels"])
    return IndependenceTests(source, OPTIONS[test])


def with_lower_copies(case, target, blanket):
    """The blanket with the lower column in the place of its copy, of which a search may name either.

    A copy of the target stays.
    """
    lower = {copy: column for copy, column in COPIES.get(case, {}).items() if column != target}
    return [lower.get(column, column) for column in blanket]


def search_of(case, test, target, max_conditioning=None):
    tests = counted_tests(case, test)
    others = [column for column in range(tests.counts.class_variable) if column != target]
    return Search(tests, target, others, 0.05, max_conditioning)


def targets(case):
    return range(counted_tests(case, "mi").counts.class_variable)
