"""What is known of one column, by summaries of parts of its rows."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.dataset.column_summary import ColumnSummary, Distinct, union_of_categories
from bitsieve.dataset.sentinels import SentinelCounts
from bitsieve.dataset.value_ranges import MISSING, NUMBERS
from bitsieve.diagnostics import UserError

INTEGERS = np.dtype(np.int64)


def summary_of(values, kind=INTEGERS, content=NUMBERS):
    """The summary of distinct values, of which each is in one row."""
    counts = np.ones((len(values), 1), np.int64)
    return ColumnSummary(content, kind, distinct=Distinct(np.array(values), counts))


@pytest.mark.parametrize(
    ("values", "others", "expected"),
    [
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        ([1, 2], [3, 4], False),
        ([1, 3], [1, 2, 3], True),
        ([1, 4], [1, 2, 3], False),
        ([1, 2, 3], [1, 2], False),
    ],
)
def test_values_that_occur_in_another_part_add_no_code(values, others, expected):
    assert summary_of(values).adds_no_code_to(summary_of(others)) is expected
    texts = [np.array([f"v{value}" for value in part], object) for part in (values, others)]
    first, second = (summary_of(part, kind=None) for part in texts)
    assert first.adds_no_code_to(second) is expected


def test_missing_values_and_another_kind_add_a_code():
    plain = summary_of([1, 2])
    with_missing = summary_of([1, 2], content=NUMBERS | MISSING)
    assert plain.adds_no_code_to(with_missing)
    assert not with_missing.adds_no_code_to(plain)
    assert not summary_of([1.0, 2.0], np.dtype(np.float64)).adds_no_code_to(plain)
    assert not ColumnSummary(NUMBERS, INTEGERS).adds_no_code_to(plain)


@pytest.mark.parametrize(("max_cells", "is_counted"), [(6, True), (5, False)])
def test_as_many_cells_are_counted_as_allowed(max_cells, is_counted):
    values = np.array([1, 2, 3] * 4)
    distinct = Distinct.of_samples(values, np.arange(12) % 2, 2, None, max_cells)
    assert (distinct is not None) == is_counted
    if is_counted:
        assert distinct.values.tolist() == [1, 2, 3]
        assert distinct.counts.tolist() == [[2, 2]] * 3


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (ColumnSummary(NUMBERS, INTEGERS, low=3, high=3), True),
        (ColumnSummary(NUMBERS, INTEGERS, low=3, high=4), False),
        (ColumnSummary(NUMBERS | MISSING, INTEGERS, low=3, high=3, n_missing=1), False),
        (ColumnSummary(MISSING, INTEGERS, n_missing=9), True),
        (summary_of(["a"], kind=None), True),
        (summary_of(["a", "b"], kind=None), False),
    ],
)
def test_missing_is_a_value_of_a_constant(summary, expected):
    assert summary.is_constant is expected


def test_only_numbers_have_sentinels():
    sentinels = SentinelCounts.of_values(np.array([-999.0, 1.0, 2.0, 3.0]), -999.0, 3.0)
    assert ColumnSummary(NUMBERS, INTEGERS, sentinels=sentinels).info("a", 4).sentinels == sentinels.sentinels
    assert ColumnSummary(MISSING, INTEGERS).info("a", 4).sentinels == ()


def test_categories_of_several_types_are_refused():
    parts = [np.array(["a", "b"], object), np.array([1, 2], object)]
    with pytest.raises(UserError) as caught:
        union_of_categories(parts, "column 'x'")
    assert caught.value.diagnostic.code == "mixed-values"
    assert union_of_categories([parts[0], np.array(["c"], object)], "column 'x'").tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (ColumnSummary(NUMBERS, INTEGERS), True),
        (summary_of([1, 2]), False),
        (ColumnSummary(MISSING, INTEGERS), False),
        (ColumnSummary(NUMBERS, None), False),
    ],
)
def test_numbers_are_uncounted_where_there_are_some_without_counts(summary, expected):
    assert summary.has_uncounted is expected


@pytest.mark.parametrize(("name", "expected"), [("zip code", True), ("amount", False), (None, False)])
def test_whole_numbers_may_have_a_name_of_codes(name, expected):
    whole_numbers = ColumnSummary(NUMBERS, INTEGERS, low=10_115, high=99_000)
    assert whole_numbers.info(name, 100).has_name_of_code is expected
    fractions = ColumnSummary(NUMBERS, np.dtype(np.float64), low=10_115.0, high=99_000.0)
    assert fractions.info(name, 100).has_name_of_code is False


@pytest.mark.parametrize(("n_rows_of_each", "expected"), [(1, True), (5, False)])
def test_categories_are_an_identifier_if_each_is_in_one_row(n_rows_of_each, expected):
    counts = np.full((40, 1), n_rows_of_each)
    distinct = Distinct(np.array([f"name {j:02}" for j in range(40)], object), counts)
    assert ColumnSummary(NUMBERS, None, distinct=distinct).is_identifier(40 * n_rows_of_each) is expected
