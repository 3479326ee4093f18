"""Every method selects what it selected, with the same scores: bit for bit, as recorded in golden files.

``python -m tests.golden.make`` writes them anew. They change only with an entry in the change log. Made again on one
machine they come out the same to the last byte, which holds the results that rest on LAPACK to their bits as well.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.golden.cases import CASES
from tests.golden.encode import difference

RECORDED = {
    (path.stem, name): results
    for path in sorted((Path(__file__).parent / "recorded").glob("*.json"))
    for name, results in json.loads(path.read_text()).items()
}


@pytest.mark.parametrize(("group", "name"), [pytest.param(*key, id="/".join(key)) for key in RECORDED])
def test_results_are_those_recorded(group, name):
    found = CASES[group, name].run()
    missing = "nothing of that name"
    differences = {
        attribute: words
        for attribute, recorded in RECORDED[group, name].items()
        if (words := difference(found.get(attribute, missing), recorded))
    }
    assert not differences


def test_every_group_of_cases_is_recorded():
    assert {group for group, _ in RECORDED} == {group for group, _ in CASES}
