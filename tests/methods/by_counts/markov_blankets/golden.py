"""Blankets of every column of a few tables by an independent program, and by bnlearn 4.9 where it says so.

``codes`` and ``levels`` of a case, 60 tests, and the expected lists of columns in order of inclusion by the test:
``mi`` is the G-test with nominal freedom, ``mi-adf`` with adjusted freedom and the power rule of 5.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from bitsieve.counts.packed import PackedSource
from bitsieve.information.independence import IndependenceTests, TestOptions
from bitsieve.methods.by_counts.markov_blankets.search import Search

CASES = ("asia_500", "lizards_409", "traps_2000")
OPTIONS = {
    "mi": TestOptions(test="g", freedom="nominal"),
    "mi-adf": TestOptions(test="g", power=5),
    "scaled": TestOptions(),
}
FOLDER = Path(__file__).parent / "golden"


@cache
def recorded(case):
    return json.loads((FOLDER / f"{case}.json").read_text())


@cache
def counted_tests(case, test):
    """Tests of a case, which all searches share: they are made once."""
    with np.load(FOLDER / f"{case}.npz") as arrays:
        source = PackedSource(arrays["codes"], arities=arrays["levels"])
    return IndependenceTests(source, OPTIONS[test])


def search_of(case, test, target, max_conditioning=None):
    tests = counted_tests(case, test)
    others = [column for column in range(tests.counts.class_variable) if column != target]
    return Search(tests, target, others, 0.05, max_conditioning)


def targets(case):
    return range(counted_tests(case, "mi").counts.class_variable)
