"""Tables as people have them: the first columns are the real ones, and every door says the same of the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.doors import by_names, said
from tests.messy import TABLES, WRITTEN, quantity

import bitsieve
from bitsieve.dataset.read import read_data
from bitsieve.options import ReadOptions


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
    named = [note for note in wanted.notes if "named like an identifier" not in note]  # arrays have no names
    assert [note for note in said(table, found) if "named like an identifier" not in note] == [
        str(note) for note in named if note in said(table, wanted)
    ]


def test_what_is_read_as_missing_is_named_where_missing_values_are_refused(door):
    numbers = [*map(str, range(60)), *"-" * 6]
    frame = pa.table({"load": numbers, "flat": ["x"] * 66, "y": ["a", "b", "b"] * 22})
    with pytest.raises(ValueError, match=r"\(text that is no number is read as missing: '-' in '(load|x0)'\); set "):
        door(frame, missing="error")


def as_read(selection):
    """What follows from the classes of the target, to the last bit."""
    target = selection.target
    edges = target.edges if isinstance(target.edges, list) else [target.edges]
    bits = [None if of_one is None else of_one.tobytes() for of_one in edges]
    return selection.features, selection.scores.tobytes(), bits, [str(label) for label in target.labels]


@pytest.mark.parametrize("written", WRITTEN)
def test_a_quantity_in_text_is_a_target_as_its_numbers_are(written):
    table, numbers = quantity(written)
    found, wanted = bitsieve.select(table, "y"), bitsieve.select(table.drop_columns(["y"]), numbers)
    assert as_read(found) == as_read(wanted)
    assert found.features[0] == "size"
    assert any("'y' holds" in note and "read as numbers" in note for note in found.notes) == (written != "plain")


@pytest.mark.parametrize(("written", "gap"), [("money", None), ("plain", "-")])
def test_a_target_in_text_is_the_same_through_every_door(written, gap, door):
    table, _ = quantity(written, gap)
    wanted = bitsieve.select(table, "y", missing="bin")
    found = door(table)
    assert (by_names(table, found.features), *as_read(found)[1:]) == as_read(wanted)
    assert said(table, found) == said(table, wanted)
    if gap:
        with pytest.raises(ValueError, match=r"20 values that are no numbers: '-' \(20\); drop those samples"):
            door(table, drop_missing_target=False)
        assert any("20 values" in note and "not numbers: '-'" in note for note in found.notes)


def test_classes_in_text_stay_classes():
    table, _ = quantity("whole")
    written = table["y"].to_pylist()
    whole = [text.replace(",", "").removesuffix(" EUR") for text in written]
    as_they_are = read_data(table, ReadOptions(target="y", repair=False)).target
    assert as_they_are.labels.tolist() == sorted(set(written))
    for y in (whole, ["US", "EU"] * 250, pd.Series(["NA", ""] * 250, dtype="category"), ["1-2 kg", "2-3 kg"] * 250):
        target = read_data(table.drop_columns(["y"]), ReadOptions(target=y)).target
        assert (target.kind, target.labels.tolist()) == ("classes", sorted(set(y)))


def test_dates_in_text_are_a_quantity():
    table, _ = quantity("whole")
    y = [f"2024-03-{1 + place % 25:02}" for place in range(500)]
    target = read_data(table.drop_columns(["y"]), ReadOptions(target=y)).target
    assert (target.kind, target.unit, target.n_classes) == ("binned", "M", 3)
    assert target.labels[0] == "(-inf, 2024-03-09]"


def test_yes_and_no_written_in_several_ways_are_two_classes():
    words = np.array([["no", "No", "N"], ["yes", "Yes", "Y"]])
    truth = np.arange(90) // 3 % 2
    table = pa.table({"x": truth, "y": words[truth, np.arange(90) % 3]})
    found = bitsieve.select(table, "y", estimator="plug-in")
    assert found.target.labels.tolist() == ["no", "yes"]
    assert found.relevance.tolist() == [1.0]  # half of the rows each: 1 bit, exact
    assert any("booleans in words" in note and "repair=False" in note for note in found.notes)


def test_targets_of_several_columns_and_of_mixed_objects():
    table, numbers = quantity("money")
    group = pa.array(["a", "b"] * 250)
    of_text = bitsieve.select(table.append_column("group", group), ["y", "group"])
    of_numbers = bitsieve.select(
        table.set_column(2, "y", pa.array(numbers)).append_column("group", group), ["y", "group"]
    )
    assert as_read(of_text) == as_read(of_numbers)
    assert any("target 'y' holds amounts of money" in note for note in of_text.notes)
    gone = np.isin(np.arange(500), range(0, 500, 50))
    mixed = np.where(gone, "-", numbers.astype(object))
    X = table.drop_columns(["y"])
    found = bitsieve.select(X, mixed, drop_missing_target=True)
    assert as_read(found) == as_read(bitsieve.select(X, np.where(gone, np.nan, numbers), drop_missing_target=True))


def test_an_estimator_reads_text_too():
    table, numbers = quantity("percent")
    X = np.column_stack([table["size"], table["load"]])
    by_text, by_numbers = (bitsieve.ForwardSelector(2).fit(X, y) for y in (table["y"].to_pylist(), numbers))
    assert by_text.scores_.tobytes() == by_numbers.scores_.tobytes()
    estimates = [bitsieve.mutual_information(X, y, estimator="ksg") for y in (table["y"].to_pylist(), numbers)]
    assert estimates[0].tobytes() == estimates[1].tobytes()
