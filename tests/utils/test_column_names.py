"""Names of columns that are made when read."""

from __future__ import annotations

import pickle

import pytest

from bitsieve.utils.column_names import ColumnNames, NumberedNames


@pytest.mark.parametrize("names", [ColumnNames(["a", "b", "c", "d"], [0, 2, 3]), NumberedNames(3)])
def test_lazy_names_are_a_sequence_like_a_tuple_of_them(names):
    as_tuple = tuple(names)
    assert as_tuple in {("a", "c", "d"), ("x0", "x1", "x2")}
    assert names == as_tuple == tuple(pickle.loads(pickle.dumps(names)))
    assert hash(names) == hash(as_tuple)
    assert (names[-1], names[1:], len(names)) == (as_tuple[-1], [*as_tuple[1:]], 3)
    assert names != as_tuple[:2]
    assert names != "acd"
    assert repr(names) == "<3 names>"
