"""Diagnostics on the columns of a table before anything is counted: their text, their names, dropped columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bitsieve.dataset.column_info import (
    CODES,
    DATES_OF_BOTH_ORDERS,
    MARKED_NUMBERS,
    NUMBERS_OF_BOTH_MARKS,
    OPEN_DATES,
    ColumnInfo,
    TextParsing,
    empty_columns,
)
from bitsieve.dataset.dataset import Dataset
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.diagnostics import Diagnostic
from bitsieve.methods.constraints import Candidates, has_items
from bitsieve.pipeline.notes import column_notes, row_notes, text_notes
from bitsieve.utils.column_names import NumberedNames
from bitsieve.utils.spelling import alike_but_for_case_and_blanks
from bitsieve.utils.types import ColumnLike


def on_columns(
    table: Dataset, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
) -> list[Diagnostic]:
    """The notes on the number of rows and on the columns; none on a column that the user excluded."""
    empty = empty_columns(columns)
    dropped = {*empty, *dropped_identifiers, *excluded}
    remaining = [j for j in range(len(columns)) if j not in dropped]
    fix: dict[str, object] = {"include": [table.names[j] for j in dropped_identifiers[:5]]}
    return [
        *_on_few_rows(table),
        *_on_texts(table, columns, dropped_identifiers, excluded),
        *_on_names_alike(table, excluded),
        *_on_dropped(table, empty, dropped_identifiers, fix),
        *_on_sentinels(table, columns, remaining),
        *_on_names_of_codes(table, columns, remaining),
    ]


def _on_few_rows(table: Dataset) -> list[Diagnostic]:
    if table.n_samples >= FEW_ROWS:
        return []
    return [row_notes.few_rows(table.n_samples, FEW_ROWS)]


def _on_texts(
    table: Dataset, columns: Sequence[ColumnInfo], dropped_identifiers: Sequence[int], excluded: Collection[int]
) -> list[Diagnostic]:
    """How the text of columns was read; not of identifiers that stayed text."""
    diagnostics = []
    for j, column in enumerate(columns):
        if column.parsing is None or j in excluded:
            continue
        is_dropped_code = j in dropped_identifiers and column.parsing.what == CODES
        if not is_dropped_code:
            diagnostics.append(_on_text(str(table.names[j]), column.parsing))
    return diagnostics


def _on_names_alike(table: Dataset, excluded: Collection[int]) -> list[Diagnostic]:
    alike = _columns_named_alike(table.names, excluded)
    return [column_notes.names_alike(alike)] if alike else []


def _on_sentinels(table: Dataset, columns: Sequence[ColumnInfo], remaining: Sequence[int]) -> list[Diagnostic]:
    """Numbers that may stand for a missing value."""
    diagnostics = []
    for j in remaining:
        sentinels = columns[j].sentinels
        values = [sentinel.value for sentinel in sentinels]
        for sentinel in sentinels:
            name = str(table.names[j])
            diagnostics.append(
                column_notes.sentinel(name, sentinel.value, sentinel.n_rows, sentinel.low, sentinel.high, values)
            )
    return diagnostics


def _on_names_of_codes(table: Dataset, columns: Sequence[ColumnInfo], remaining: Sequence[int]) -> list[Diagnostic]:
    """Columns of whole numbers with a name such as "zip code"."""
    named_as_codes = [j for j in remaining if columns[j].has_name_of_code and columns[j].parsing is None]
    return [column_notes.named_like_identifier(name) for name in table.names_of(named_as_codes)]


def _columns_named_alike(names: Sequence[object], excluded: Collection[int]) -> list[list[str]]:
    """The groups of names that differ in upper and lower case or in blanks only."""
    if isinstance(names, NumberedNames):
        return []
    return alike_but_for_case_and_blanks(str(name) for j, name in enumerate(names) if j not in excluded)


def _on_dropped(
    table: Dataset, empty: Sequence[int], identifiers: Sequence[int], fix: dict[str, object]
) -> list[Diagnostic]:
    """The notes on empty columns and on identifiers; ``fix`` is the parameter that keeps an identifier."""
    diagnostics = []
    if empty:
        diagnostics.append(column_notes.empty(table.names_of(empty)))
    if identifiers:
        diagnostics.append(column_notes.identifier_dropped(table.names_of(identifiers), fix))
    return diagnostics


def _on_text(name: str, parsing: TextParsing) -> Diagnostic:
    """How the text of a column was read."""
    if parsing.what == CODES:
        return text_notes.text_as_categories(name, parsing)
    if parsing.what == OPEN_DATES:
        return text_notes.ambiguous_dates(name, parsing)
    if parsing.what in (DATES_OF_BOTH_ORDERS, NUMBERS_OF_BOTH_MARKS):
        return text_notes.two_formats(name, parsing)
    if len(parsing.units) > 1:
        return text_notes.mixed_units(name, parsing)
    if parsing.what == MARKED_NUMBERS or (parsing.marked and not parsing.marked_are_read):
        return text_notes.numbers_with_text(name, parsing)
    return text_notes.text_read(name, parsing)


def on_groups(groups: ColumnLike, candidates: Candidates) -> list[Diagnostic]:
    """The note on groups of a single column."""
    n_groups = len(groups) if has_items(groups) else 0
    n_groups_of_several = int((candidates.sizes > 1).sum())
    if n_groups <= n_groups_of_several:
        return []
    return [column_notes.group_of_one()]
