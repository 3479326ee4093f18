"""What is known of the columns of a dense table in memory before anything is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bitsieve.dataset.column_info import ColumnInfo, Sentinel
from bitsieve.dataset.encoding import ColumnValues, are_categories
from bitsieve.dataset.identifiers import (
    MIN_ROWS_OF_IDENTIFIER,
    are_names_of_rows,
    are_numbers_of_rows,
    columns_whose_first_rows_differ,
    has_name_of_code,
)
from bitsieve.dataset.sentinels import SentinelCounts, may_have_sentinels
from bitsieve.dataset.text_format import TextMeaning
from bitsieve.dataset.value_ranges import MISSING, NUMBERS, TableColumns, ValueRanges


def describe_columns(
    columns: TableColumns, ranges: ValueRanges, text_meanings: Mapping[int, TextMeaning], names: Sequence[str] | None
) -> list[ColumnInfo]:
    """Describe every column. ``names`` are those that the user gave; None where columns are numbered."""
    n_features = columns.shape[1] if isinstance(columns, np.ndarray) else len(columns)
    empty = {*np.flatnonzero(~ranges.content & NUMBERS).tolist()}
    identifiers = _identifiers(columns)
    missing = {*ranges.columns_with(MISSING)}
    sentinels = _sentinels(ranges)
    codes = set() if names is None else _columns_named_as_codes(ranges, names)
    parsings = {j: meaning.parsing for j, meaning in text_meanings.items() if meaning.parsing is not None}
    described = [ColumnInfo()] * n_features  # one object for all ordinary columns, which may be very many
    for j in empty | identifiers | missing | codes | {*sentinels, *parsings}:
        described[j] = ColumnInfo(
            has_values=j not in empty,
            has_missing=j in missing,
            is_identifier=j in identifiers,
            has_name_of_code=j in codes,
            parsing=parsings.get(j),
            sentinels=sentinels.get(j, ()),
        )
    return described


def _identifiers(columns: TableColumns) -> set[int]:
    """The columns that have a name or a number for each row. Fractions are measurements."""
    if not isinstance(columns, np.ndarray):
        if len(columns[0]) < MIN_ROWS_OF_IDENTIFIER:
            return set()
        return {j for j, values in enumerate(columns) if values.dtype.kind != "f" and _is_identifier(values)}
    if columns.dtype.kind not in "iu" or len(columns) < MIN_ROWS_OF_IDENTIFIER:
        return set()
    candidates = np.flatnonzero(columns_whose_first_rows_differ(columns)).tolist()
    return {j for j in candidates if _is_identifier(columns[:, j])}


def _is_identifier(values: ColumnValues) -> bool:
    if are_categories(values):
        return are_names_of_rows(values.categories, int((values.codes >= 0).sum()))
    return are_numbers_of_rows(values)


def _sentinels(ranges: ValueRanges) -> dict[int, tuple[Sentinel, ...]]:
    """The numbers that may stand for a missing value, by the index of their column."""
    sentinels_by_column = {}
    for block, low, high in ranges.blocks:
        for position in np.flatnonzero(may_have_sentinels(low, high)).tolist():
            values = block.column(position)
            if values.dtype.kind == "f":
                values = values[~np.isnan(values)]
            sentinels = SentinelCounts.of_values(values, low[position], high[position]).sentinels
            if sentinels:
                sentinels_by_column[int(block.indices[position])] = sentinels
    return sentinels_by_column


def _columns_named_as_codes(ranges: ValueRanges, names: Sequence[str]) -> set[int]:
    """The columns of whole numbers that have a name such as "zip code"."""
    named_as_codes = set()
    for block, low, high in ranges.blocks:
        if low.dtype.kind not in "iu":
            continue
        for j, smallest, largest in zip(block.indices.tolist(), low, high, strict=True):
            if has_name_of_code(names[j], smallest, largest):
                named_as_codes.add(j)
    return named_as_codes
