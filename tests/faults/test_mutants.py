"""Damaged files of every format: a selection or one clear line; never a signal, a traceback or an internal error."""

from __future__ import annotations

import pytest
from tests.cover import quick_and_slow
from tests.faults import mutants


def check(first, last):
    found = mutants.outcomes(first, last)
    assert [number for number, _, _ in found] == list(range(first, last))
    bad = [(number, mutants.mutant(number)[0], code, message) for number, code, message in found if code not in (0, 2)]
    assert not bad
    for number, code, message in found:
        lines = message.splitlines()
        assert all(line.startswith("bitsieve: ") for line in lines), (number, message)
        assert all(line.isprintable() for line in lines), (number, message)
        assert code == 0 or (len(lines) == 1 and message.startswith("bitsieve: error: ")), (number, message)
    # Some damage is not to be seen, such as another digit; most is.
    assert 0 < sum(code == 0 for _, code, _ in found) < len(found) / 2


def test_whole_files_are_read(tmp_path):
    for kind, content in mutants.whole_files():
        (tmp_path / "whole").write_bytes(content)
        assert mutants.select_from(tmp_path / "whole")[0] == 0, kind


@pytest.mark.parametrize(("first", "last"), quick_and_slow([(0, 10), (10, 500)], quick={(0, 10)}, reason="more files"))
def test_damaged_files(first, last):
    check(first, last)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
def test_many_damaged_files(part):
    check(1000 * part, 1000 * (part + 1))
