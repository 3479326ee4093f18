"""Arrays in .npy files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.io.errors import DataError
from bitsieve.io.read import open_file, read_table

RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.integers(0, 4, (300, 6))
TARGET = MATRIX[:, 2] + RANDOM.integers(0, 2, 300)


def saved(folder, array):
    path = folder / "array.npy"
    np.save(path, array)
    return path


@pytest.mark.parametrize("kind", ["u1", "<i8", ">i4", "<f8", ">f4", "f2", "bool", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers(tmp_path, kind, order):
    array = np.asarray(MATRIX % 2, dtype=kind, order=order)
    file = open_file(saved(tmp_path, array))
    assert (file.n_rows, list(file.names)) == (300, [f"x{j}" for j in range(6)])
    for rows in (None, 7, 300):
        table = pa.concat_tables(file.batches(["x4", "x0"], rows))
        assert table.column_names == ["x4", "x0"]
        for name, j in (("x4", 4), ("x0", 0)):
            assert np.array_equal(table[name].to_numpy(), array[:, j].astype(array.dtype.newbyteorder("=")))


def test_fields_of_a_structured_array(tmp_path):
    kind = [("age", "<i4"), ("city", "U6"), ("code", "S3"), ("day", "M8[D]")]
    rows = [(3, "Jena", b"x", "2024-02-01"), (4, "Bonn", b"\xff", "2024-02-02")]
    table = read_table(saved(tmp_path, np.array(rows, kind)))
    assert table.to_pydict() == {
        "age": [3, 4],
        "city": ["Jena", "Bonn"],
        "code": ["x", "\\xff"],
        "day": list(np.array(["2024-02-01", "2024-02-02"], "M8[D]").tolist()),
    }


@pytest.mark.parametrize("memory", [None, "1GB"])
def test_the_same_selection_as_of_a_frame(tmp_path, memory):
    array = np.column_stack([MATRIX, TARGET])
    frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(7)])
    selection = bitsieve.select(saved(tmp_path, array), "x6", memory=memory)
    expected = bitsieve.select(frame, "x6")
    assert selection.features == expected.features
    assert np.array_equal(selection.scores, expected.scores)
    by_values = bitsieve.select(saved(tmp_path, MATRIX), TARGET)
    assert np.array_equal(by_values.scores, expected.scores)


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.arange(4), "wrong-shape"),
        (np.zeros((2, 2, 2)), "wrong-shape"),
        (np.zeros((2, 2), complex), "column-type-not-read"),
        (np.zeros(2, [("a", "f8", (3,))]), "column-type-not-read"),
        (np.array([[1, "a"]], object), "column-type-not-read"),
        (np.zeros((3, 0)), "empty-data"),
        (np.zeros((0, 3)), "empty-data"),
    ],
)
def test_arrays_that_are_no_tables(tmp_path, array, code):
    with pytest.raises(DataError) as caught:
        read_table(saved(tmp_path, array))
    assert caught.value.code == code
    assert "array.npy" in str(caught.value)


@pytest.mark.parametrize(
    "change", [lambda content: content[:-1], lambda content: content + b"1", lambda content: content[:9]]
)
def test_a_damaged_file(tmp_path, change):
    path = saved(tmp_path, MATRIX)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DataError, match=r"cannot read '.*array.npy' as a .npy file"):
        open_file(path)
