"""Writing reduced tables: what was written is read back, and what cannot be written is refused at the start."""

from __future__ import annotations

import csv
import os

import numpy as np
import pyarrow as pa
import pytest

from bitsieve.io.errors import DataError
from bitsieve.io.npz import ArrayTable
from bitsieve.io.read import read_table
from bitsieve.io.write import _numbers, write_table

TABLE = pa.table(
    {
        "byte": pa.array([1, 2, 250], pa.uint8()),
        "float": pa.array([0.1, None, 1 / 3], pa.float64()),
        "code": pa.array(["a", "b", "a"]).dictionary_encode(),
        "flag": pa.array([True, False, None]),
        "text": pa.array(["a", 'quoted "b", here', "c"], pa.large_string()),
        "y": pa.array(["no", "yes", "no"]),
    }
)
ARRAYS = ArrayTable(np.array([[1, 2], [3, 4]], dtype=np.int16), np.array([0, 1], dtype=np.uint8), ["first", "second"])


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "PARQUET"])
def test_columnar_formats_keep_everything(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_table(TABLE, path, "y")
    assert read_table(path).equals(TABLE)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_text_keeps_every_value(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_table(TABLE, path, "y")
    assert read_table(path).to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_what_a_spreadsheet_takes_for_a_formula_is_written_as_it_is(tmp_path, ending):
    """As SECURITY.md says: a changed value would be another value."""
    cells = ["=1+1", "+1", "-1x", "@sum", "\tx", "plain"]
    formulas = pa.table({"=name": cells, "y": [0, 1, 0, 1, 0, 1]})
    write_table(formulas, tmp_path / f"out.{ending}", "y")
    with open(tmp_path / f"out.{ending}", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="," if ending == "csv" else "\t"))
    assert [row[0] for row in rows] == ["=name", *cells]


def test_views_of_text_are_written_as_text(tmp_path):
    table = pa.table({"a": pa.array(["p", "q"], pa.string_view()), "y": [0, 1]})
    write_table(table, tmp_path / "out.csv", "y")
    assert read_table(tmp_path / "out.csv").to_pydict() == {"a": ["p", "q"], "y": [0, 1]}


def test_arrays_to_npz(tmp_path):
    write_table(ARRAYS, tmp_path / "out.npz", "y")
    back = read_table(tmp_path / "out.npz")
    np.testing.assert_array_equal(back.X, ARRAYS.X)
    np.testing.assert_array_equal(back.y, ARRAYS.y)
    assert (back.X.dtype, back.y.dtype, back.names) == (np.int16, np.uint8, ["first", "second"])


def test_arrays_to_columns(tmp_path):
    write_table(ARRAYS, tmp_path / "out.parquet", "y")
    back = read_table(tmp_path / "out.parquet")
    assert back.schema.types == [pa.int16(), pa.int16(), pa.uint8()]
    assert back.to_pydict() == {"first": [1, 3], "second": [2, 4], "y": [0, 1]}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_arrays_of_the_other_byte_order_to_columns(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_table(ArrayTable(ARRAYS.X.astype(">i2"), np.array(["no", "yes"], ">U3"), ARRAYS.names), path, "class")
    assert read_table(path).to_pydict() == {"first": [1, 3], "second": [2, 4], "class": ["no", "yes"]}


def test_columns_to_arrays(tmp_path):
    table = pa.table(
        {
            "a": pa.array([1, 2], pa.int8()),
            "label": pa.array(["no", "yes"]).dictionary_encode(),
            "b": pa.array([None, True]),
            "c": pa.array([3, None], pa.int16()),
        }
    )
    write_table(table, tmp_path / "out.npz", "label")
    back = read_table(tmp_path / "out.npz")
    np.testing.assert_array_equal(back.X, [[1, np.nan, 3], [2, 1, np.nan]])
    assert back.y.tolist() == ["no", "yes"]
    assert back.names == ["a", "b", "c"]
    write_table(table.select(["a", "label"]), tmp_path / "small.npz", "label")
    assert read_table(tmp_path / "small.npz").X.dtype == np.int8


def test_an_array_of_numbers_cannot_hold_text(tmp_path):
    with pytest.raises(DataError, match=r"column 'code' is selected and dictionary.*write \.parquet"):
        write_table(TABLE, tmp_path / "out.npz", "y")
    assert not (tmp_path / "out.npz").exists()
    write_table(TABLE.select(["byte", "y"]), tmp_path / "out.npz", "y")


def test_the_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("the old one")
    lists = pa.table({"a": [[1], [2]], "y": [0, 1]})  # text cannot hold lists
    with pytest.raises(pa.ArrowInvalid):
        write_table(lists, path, "y")
    assert path.read_text() == "the old one"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_directory_that_went_away_is_one_line(tmp_path):
    with pytest.raises(DataError, match=r"there is no directory '.*gone' for the output: make it first"):
        write_table(TABLE, tmp_path / "gone" / "out.csv", "y")


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        ([True, False], pa.bool_(), "bool"),
        ([True, None], pa.bool_(), "float64"),
        ([1.5, None], pa.float32(), "float32"),
        ([1, 2], pa.int16(), "int16"),
    ],
)
def test_numbers_keep_their_type_unless_a_boolean_is_missing(values, kind, dtype):
    assert _numbers(pa.chunked_array([pa.array(values, kind)])).dtype == dtype
