"""Arrow arrays as numpy arrays: the same as pyarrow's own, which imports pandas."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from bitsieve.dataset.arrow import (
    column_of_arrow,
    filled_indices,
    flags,
    integers_of,
    mask_of,
    numpy_of,
    text_of,
    text_scalar,
    with_declared_values,
)

NUMBERS = [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()]
OTHERS = [pa.bool_(), pa.string(), pa.large_string(), pa.binary(), pa.date32(), pa.timestamp("ns")]


def values_of(kind, whole):
    if kind == pa.bool_():
        return bool(whole % 2)
    if kind == pa.float16():
        return np.float16(whole)
    if kind == pa.binary():
        return str(whole).encode()
    return str(whole) if kind in (pa.string(), pa.large_string()) else whole


@pytest.mark.parametrize("kind", [*NUMBERS, *OTHERS], ids=str)
def test_values_are_those_of_pyarrow(kind):
    for size, missing in product([0, 1, 9, 100], [0.0, 0.3, 1.0]):
        check_values(kind, size, missing)


def check_values(kind, size, missing):
    random = np.random.default_rng(size)
    drawn = zip(random.integers(0, 100, size).tolist(), random.random(size) < missing, strict=True)
    array = pa.array([None if none else values_of(kind, whole) for whole, none in drawn], kind)
    for some in (array, array[3:], array[1 : size // 2]):
        expected = some.to_numpy(zero_copy_only=False)
        for given in (some, pa.chunked_array([some]), pa.chunked_array([some[:2], some[2:]], kind)):
            found = numpy_of(given)
            assert found.dtype == expected.dtype, (size, missing)
            np.testing.assert_array_equal(found, expected, f"size {size}, missing {missing}")


def test_text_is_the_array_of_pyarrow():
    words = ["", "a", None, "żółw", "a longer one"]
    assert text_of(words).equals(pa.array(words))
    assert text_scalar("żółw").equals(pa.scalar("żółw"))
    assert text_of([]).equals(pa.array([], pa.string()))


@pytest.mark.parametrize("size", [0, 1, 8, 13])
def test_masks_and_integers_are_the_arrays_of_pyarrow(size):
    is_set = np.random.default_rng(size).random(size) < 0.5
    assert mask_of(is_set).equals(pa.array(is_set))
    integers = [2**62 - i if present else None for i, present in enumerate(is_set)]
    assert integers_of(integers).equals(pa.array(integers, pa.int64()))


def test_flags_and_indices_of_missing_values():
    assert flags(pa.array([True, None, False])).tolist() == [True, False, False]
    full_index = pa.array([*range(128), None], pa.int8())  # 128 more does not fit
    assert filled_indices(pa.DictionaryArray.from_arrays(full_index, pa.array(range(128))), 128).tolist() == [
        *range(129)
    ]


def ordered(values, listed):
    """An Arrow array of ordered categories; None is a missing value."""
    indices = [None if value is None else listed.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(listed), ordered=True)


def ranks_of(array):
    """The categories of an array with the rank of each."""
    column = with_declared_values(column_of_arrow(array, "the column"), array)
    return dict(zip(column.categories.tolist(), column.declared_ranks.tolist(), strict=True))


def test_ordered_categories_have_the_ranks_that_their_type_lists():
    sizes = ordered(["L", "S", None, "L"], ["S", "M", "L"])
    ranks = ranks_of(sizes)
    assert list(ranks) == ["L", "S"]
    assert ranks["S"] < ranks["L"]
    numbers = ranks_of(ordered([3, 1, 2], [2, 3, 1]))
    assert sorted(numbers, key=numbers.get) == [2, 3, 1]
    with_null = ranks_of(ordered(["L", "S"], ["S", None, "L"]))
    assert with_null["S"] < with_null["L"]
    unordered = pa.array(["L", "S"]).dictionary_encode()
    assert with_declared_values(column_of_arrow(unordered, "the column"), unordered).declared_ranks is None


def test_chunks_that_list_other_categories_have_no_order():
    small = ordered(["S", "L"], ["S", "L"])
    more = ordered(["S", "M", "L"], ["S", "M", "L"])
    equal = pa.chunked_array([more[:1], more])
    assert sorted(ranks_of(equal), key=ranks_of(equal).get) == ["S", "M", "L"]
    different = pa.chunked_array([small, more])
    column = with_declared_values(column_of_arrow(different, "the column"), different)
    assert column.declared_ranks is None
    assert column.categories[column.codes].tolist() == ["S", "L", "S", "M", "L"]
