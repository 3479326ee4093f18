"""Numbers that mean a missing value by the type of their column: as if their cells were empty, through every door."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.doors import by_names, said

import bitsieve
from bitsieve.cli import main
from bitsieve.options import COLUMN_TYPES, ColumnType, type_without

N = 260
TYPES = {"age": "number, missing -99 999", "answer": "number, missing 9", "price": "number, missing 0"}


@cache
def survey():
    """Whole numbers, few whole numbers, numbers in text, and other numbers, three of them with codes for missing."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, N)
    age = np.round(40 + 8 * y + 10 * random.normal(size=N)).astype(np.int64)
    age[::7] = 999
    age[::11] = -99
    answer = 1 + (y + random.integers(0, 4, N))
    answer[::5] = 9
    price = [f"{value:.2f} EUR" for value in np.where(np.arange(N) % 6 == 0, 0, 50 + y + random.normal(size=N))]
    classes = np.array(["no", "yes"])[y]
    columns = {"age": age, "answer": answer, "price": price, "noise": random.normal(size=N), "y": classes}
    return pa.table({name: pa.array(values) for name, values in columns.items()})


@cache
def survey_with_gaps():
    """The same table with nothing in place of the codes."""
    table = survey().to_pandas()
    return table.assign(
        age=table["age"].where(~table["age"].isin([-99, 999])),
        answer=table["answer"].where(table["answer"] != 9),
        price=table["price"].where(table["price"] != "0.00 EUR"),
    )


@cache
def selected_with_gaps(method):
    return bitsieve.select(survey_with_gaps(), "y", missing="bin", method=method)


@pytest.mark.parametrize("method", ["cmim2", "mrmr"])
def test_codes_for_missing_are_empty_cells(door, method):
    expected = selected_with_gaps(method)
    selection = door(survey(), method=method, column_types=dict(enumerate(TYPES.values())))  # arrays have no names
    assert by_names(survey(), selection.features) == expected.features
    assert selection.scores.tobytes() == expected.scores.tobytes()
    assert selection.relevance.tobytes() == expected.relevance.tobytes()
    memory = bitsieve.select(survey(), "y", missing="bin", method=method, column_types=TYPES)
    assert said(survey(), selection) == said(survey(), memory)


def test_a_saved_selection_takes_them_as_missing(tmp_path):
    path = str(tmp_path / "selection.json")
    selection = bitsieve.select(survey(), "y", column_types=TYPES)
    selection.save(path)
    again = bitsieve.load(path)
    assert again == selection
    missing_numbers = {column.name: column.missing_numbers for column in again.details.columns}
    assert missing_numbers == {"age": (-99, 999), "answer": (9,), "price": (0,), "noise": ()}
    codes = again.transform(survey(), codes=True).to_pandas()
    codes_of_gaps = selected_with_gaps("cmim2").transform(survey_with_gaps(), codes=True)
    for name in selection.features:
        assert codes[name].tolist() == codes_of_gaps[name].tolist()
    data = str(tmp_path / "survey.csv")
    survey().to_pandas().to_csv(data, index=False)
    assert main(["verify", path, data]) == 0


def test_the_command_takes_them(tmp_path, capsys):
    data = str(tmp_path / "survey.csv")
    survey().to_pandas().to_csv(data, index=False)
    types = [word for name, text in TYPES.items() for word in ("--column-type", f"{name}={text}")]
    assert main(["select", data, "-t", "y", "--quiet", *types]) == 0
    printed = capsys.readouterr().out
    survey_with_gaps().to_csv(data, index=False)
    assert main(["select", data, "-t", "y", "--quiet"]) == 0
    assert capsys.readouterr().out == printed


def test_the_note_on_such_numbers_gives_a_type_that_settles_it():
    table = survey().to_pandas()[["age", "noise", "y"]]
    notes = [note for note in bitsieve.select(table, "y").diagnostics if note.code == "sentinel"]
    assert notes
    for note in notes:
        settled = bitsieve.select(table, "y", **note.fix)
        assert "sentinel" not in [other.code for other in settled.diagnostics]
        assert note.fix == {"column_types": {"age": type_without([-99, 999])}}


def test_an_array_and_times_and_categories():
    X = np.column_stack([survey()["age"], survey()["noise"]])
    y = survey()["y"].to_pylist()
    by_index = bitsieve.select(X, y, column_types={0: TYPES["age"]})
    X_with_gaps = np.column_stack([survey_with_gaps()["age"], survey_with_gaps()["noise"]])
    assert by_index.scores.tobytes() == bitsieve.select(X_with_gaps, y).scores.tobytes()
    day = pd.Timestamp("1970-01-01") + pd.to_timedelta(np.arange(N) % 9, unit="D")
    frame = pd.DataFrame({"day": day, "flag": np.arange(N) % 2 == 0, "y": y})
    typed = bitsieve.select(frame, "y", column_types={"day": "number, missing 0", "flag": "number, missing 0"})
    assert typed.scores.tobytes() == bitsieve.select(frame, "y").scores.tobytes()


def test_a_float_of_32_bits_equals_the_code_as_written():
    values = np.where(np.arange(N) % 3 == 0, 99.9, np.arange(N) % 7).astype(np.float32)
    frame = pd.DataFrame({"a": values, "y": survey()["y"].to_pylist()})
    with_gaps = frame.assign(a=frame["a"].where(np.arange(N) % 3 != 0))
    selection = bitsieve.select(frame, "y", column_types={"a": "number, missing 99.9"})
    assert selection.scores.tobytes() == bitsieve.select(with_gaps, "y").scores.tobytes()


@pytest.mark.parametrize(
    "text", ["number, missing", "number, missing x", "number, missing nan", "category, missing 9", "missing 9", 9, None]
)
def test_mistakes(text):
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(survey(), "y", column_types={"age": text})
    assert error.value.code == "parameter-not-allowed"
    assert "'number, missing 99 999'" in str(error.value)


def test_types_are_written_as_they_are_read():
    numbers = (-99.0, 0.1, 1e300)
    assert ColumnType.from_text(type_without(numbers)) == ColumnType("number", numbers)
    assert [ColumnType.from_text(kind) for kind in COLUMN_TYPES] == [ColumnType(kind) for kind in COLUMN_TYPES]
