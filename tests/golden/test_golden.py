"""Every method selects what it selected, with the same scores: bit for bit, as recorded in golden files.

``python -m tests.golden.make`` writes them anew. They change only with an entry in the change log. Made again on one
machine they come out the same to the last byte, which holds the results that rest on LAPACK to their bits as well.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cover import quick_and_slow
from tests.golden.cases import CASES
from tests.golden.encode import difference

from bitsieve import _native
from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE

RECORDED = {
    (path.stem, name): results
    for path in sorted((Path(__file__).parent / "recorded").glob("*.json"))
    for name, results in json.loads(path.read_text()).items()
}
OTHER_KERNELS = _native.kernel_names()[1:]
ON_ANOTHER_TABLE = {
    ("constraints", "states"),
    ("estimators", "codes"),
    ("estimators", "states"),
    ("methods", "cancer"),
    ("methods", "digits"),
    ("methods", "pandas"),
    ("methods", "arrow"),
    ("methods", "states"),
    ("methods", "wine"),
    ("options", "states"),
    ("select", "pandas"),
    ("stopping", "codes"),
    ("stopping", "states"),
    ("weights", "codes"),
    ("weights", "states"),
    ("comparisons", "wine"),
}
SOME = [key for key in RECORDED if key[0] == "methods" and key[1].startswith("states-none-")]


def differences(group, name):
    """What a case gives otherwise than it is recorded."""
    found = CASES[group, name].run()
    missing = "nothing of that name"
    return {
        attribute: words
        for attribute, recorded in RECORDED[group, name].items()
        if (words := difference(found.get(attribute, missing), recorded))
    }


def of_one_table(key):
    """Cases of one group on one table are one test, which names all that differ."""
    group, name = key
    return group, name.split("-")[0]


TABLES_OF_GROUPS = sorted({of_one_table(key) for key in RECORDED})


@pytest.mark.parametrize(
    ("group", "table"),
    quick_and_slow(
        TABLES_OF_GROUPS,
        quick={*TABLES_OF_GROUPS} - ON_ANOTHER_TABLE,
        reason="the same methods and options as on the group's other table",
    ),
)
def test_results_are_those_recorded(group, table):
    of_table = [key for key in RECORDED if of_one_table(key) == (group, table)]
    assert not {key: found for key in of_table if (found := differences(*key))}


@pytest.mark.parametrize("kernel", OTHER_KERNELS)
def test_some_results_are_the_same_on_every_instruction_set(kernel, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
    assert not {key: found for key in SOME if (found := differences(*key))}


@pytest.mark.nightly
@pytest.mark.parametrize("kernel", OTHER_KERNELS)
def test_all_results_are_the_same_on_every_instruction_set(kernel, monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, kernel)
    assert not {key: found for key in RECORDED if (found := differences(*key))}


def test_every_group_of_cases_is_recorded():
    assert {group for group, _ in RECORDED} == {group for group, _ in CASES}
