"""Tables as people have them: the first columns are the real ones, and every door says the same of the others."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.doors import by_names, said
from tests.messy import TABLES

import bitsieve


@pytest.fixture(scope="module")
def expected():
    """The selection from a table in memory, made once."""
    made = {}

    def of(name):
        if name not in made:
            table, drivers = TABLES[name]()
            made[name] = table, drivers, bitsieve.select(table, "y", missing="bin")
        return made[name]

    return of


@pytest.mark.parametrize("name", TABLES)
def test_the_real_columns_are_first(name, expected):
    _, drivers, found = expected(name)
    assert set(found.features[: len(drivers)]) == drivers


@pytest.mark.parametrize("name", TABLES)
def test_every_door_gives_the_same(name, door, expected):
    table, _, wanted = expected(name)
    found = door(table)
    assert by_names(table, found.features) == wanted.features
    assert found.scores.tobytes() == wanted.scores.tobytes()
    named = [note for note in wanted.notes if "the name of a code" not in note]  # arrays have no names
    assert [note for note in said(table, found) if "the name of a code" not in note] == [
        str(note) for note in named if note in said(table, wanted)
    ]


def test_what_is_read_as_missing_is_named_where_missing_values_are_refused(door):
    numbers = [*map(str, range(60)), *"-" * 6]
    frame = pa.table({"load": numbers, "flat": ["x"] * 66, "y": ["a", "b", "b"] * 22})
    with pytest.raises(ValueError, match=r"\(text that is no number is read as missing: '-' in '(load|x0)'\); set "):
        door(frame, missing="error")
