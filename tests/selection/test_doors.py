"""Every behaviour of select is the same through every door: selection, scores, notes, columns left out, errors."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.doors import by_names, said

import bitsieve

N = 260


def people():
    """Numbers, text, a date in text, numbers in text with gaps, whole numbers of few values; and what can not serve."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, N)
    days = np.datetime64("2024-01-01") + (100 * y + random.integers(0, 120, N))
    amount = np.round(random.normal(size=N) + y, 3)
    return pa.table(
        {
            "number": pa.array(random.permutation(N) + 1000),
            "amount": pa.array(amount),
            "name": pa.array([f"person {j}" for j in random.permutation(N)]),
            "size": pa.array(np.array(["small", "large", "huge"])[(y + random.integers(0, 2, N)) % 3]),
            "since": pa.array([str(day) for day in days]),
            "price": pa.array([None if j % 9 == 0 else f"{value:.2f}" for j, value in enumerate(amount * 3 + 50)]),
            "grade": pa.array(["?" if j % 50 == 0 else f"{j % 4}" for j in range(N)]),
            "few": pa.array(y + random.integers(0, 2, N)),
            "nothing": pa.array([None] * N, pa.float64()),
            "same": pa.array(np.full(N, 3)),
            "row": pa.array(np.arange(N)),
            "y": pa.array(np.array(["no", "yes"])[y]),
        }
    )


@pytest.mark.parametrize("how", [{}, {"binning": "quantile"}, {"method": "mrmr", "binning": "uniform", "n_bins": 4}])
def test_selection_scores_and_notes(door, how):
    table = people()
    expected = bitsieve.select(table, "y", missing="bin", **how)
    found = door(table, **how)
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.relevance.tobytes() == expected.relevance.tobytes()
    assert said(table, found) == said(table, expected)
    assert not {"number", "name", "nothing", "row"} & set(by_names(table, found.features))


def test_columns_that_are_excluded(door):
    table = people()
    names = ["amount", "since"]
    places = [table.column_names.index(name) for name in names]
    expected = bitsieve.select(table, "y", missing="bin", exclude=names)
    found = door(table, exclude=places)
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_an_identifier_that_is_asked_for(door):
    table = people()
    expected = bitsieve.select(table, "y", missing="bin", include=["number"])
    found = door(table, include=[0])
    assert expected.features[0] == "number"
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_a_leak_is_noted_alike(door):
    table = people().drop_columns(["since", "size", "few"])  # each of them determines half of y or more
    state = pa.array([f"s{value}" for value in table["y"].to_pylist()])
    table = table.add_column(0, "state", state)
    expected = bitsieve.select(table, "y", missing="bin")
    assert any("'state' determines 100 % of 'y': is it known at prediction time?" in note for note in expected.notes)
    assert said(table, door(table)) == said(table, expected)


def test_missing_values_are_refused_alike(door):
    table = people().drop_columns(["nothing"])
    with pytest.raises(ValueError, match="missing values") as expected:
        bitsieve.select(table, "y")
    with pytest.raises(ValueError, match="missing values") as found:
        door(table, missing="error")
    names = str(found.value)
    for j, name in reversed(list(enumerate(table.column_names))):
        names = names.replace(f"'x{j}'", f"'{name}'")
    assert names == str(expected.value)


def test_a_target_of_one_class(door):
    table = people()
    same = table.set_column(table.column_names.index("y"), "y", pa.array(["no"] * N))
    with pytest.raises(ValueError, match="has one class only"):
        door(same)


def test_more_features_than_are_left(door):
    with pytest.raises(ValueError, match="n_features_to_select=9 is not allowed: 7 columns are left"):
        door(people(), n_features_to_select=9)
