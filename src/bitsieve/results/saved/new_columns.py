"""The columns of new data, whose text is read by the formats that it had when the selection was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import column_of_arrow, flags, is_text
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import ColumnValues, Encoded, are_categories, with_nan
from bitsieve.dataset.missing_words import means_missing
from bitsieve.dataset.number_parts import DigitStyle
from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.text_format import ColumnRules, TextFormat
from bitsieve.dataset.text_meaning import meaning_of_text
from bitsieve.dataset.text_numbers import Numbers
from bitsieve.results.saved.column_changes import N_LISTED
from bitsieve.results.saved.schema import ColumnKind, SavedColumn
from bitsieve.results.saved.text_formats import format_of
from bitsieve.utils.arrays import Flags, Integers, Values
from bitsieve.utils.types import TableLike

NUMBERS_AMONG_TEXT = Numbers(DigitStyle(decimal=".", group=","))


@dataclass(frozen=True, kw_only=True)
class ChosenFormat:
    """The format by which the text of a column of new data is read."""

    format: TextFormat | None  # None: it is categories
    written_now: str = ""  # how the values are written, where that is not as before


@dataclass(frozen=True, kw_only=True)
class NewColumn:
    """The values of a column of new data, after its text was read."""

    values: ColumnValues
    kind: ColumnKind
    is_unread: Flags  # shape (n_samples,): rows with text that the format cannot read
    unread_texts: tuple[str, ...] = ()  # some of that text
    written_now: str = ""  # how the values are written, where that is not as before


def read_new_columns(
    columns: Sequence[SavedColumn], data: TableLike, formats: Sequence[ChosenFormat | None] | None = None
) -> Iterator[NewColumn]:
    """Read new data, which has these columns in this order and no others, one column after the other.

    ``formats`` are those of the text of each column where the data is a batch of more rows, None for a column without
    text; by default the text of the data decides.
    """
    if formats is None:
        formats = [None] * len(columns)
    table = _read_text_as_categories(data)
    for j, (column, chosen_format) in enumerate(zip(columns, formats, strict=True)):
        yield _without_missing_numbers(column, _read_column(column, table, j, chosen_format))


def choose_formats(columns: Sequence[SavedColumn], batches: Iterable[TableLike]) -> list[ChosenFormat | None]:
    """The format of each column, as the text of all batches decides; None for a column without text."""
    rows_by_text: list[Counter[str]] = [Counter() for _ in columns]
    for batch in batches:
        table = _read_text_as_categories(batch)
        for j, counter in enumerate(rows_by_text):
            values = table.values(j)
            if are_categories(values) and _holds_text(values):
                n_rows = _rows_of_categories(values).tolist()
                counter.update(dict(zip(values.categories.tolist(), n_rows, strict=True)))
    formats: list[ChosenFormat | None] = []
    for column, counter in zip(columns, rows_by_text, strict=True):
        if not counter:
            formats.append(None)
            continue
        texts = sorted(counter)
        n_rows = np.array([counter[text] for text in texts], np.int64)
        formats.append(_choose_format(column, CountedText(pa.array(texts, pa.string()), n_rows)))
    return formats


def _read_text_as_categories(data: TableLike) -> InMemoryDataset:
    table = read_columns(data, rules=ColumnRules(formats={}))
    return table.dense() if table.is_sparse else table


def _read_column(column: SavedColumn, table: InMemoryDataset, j: int, chosen_format: ChosenFormat | None) -> NewColumn:
    """Read column ``j`` of a table whose text was read as categories."""
    values = table.values(j)
    if are_categories(values) and _holds_text(values):
        return _read_text(column, values, chosen_format)
    is_unread = np.zeros(len(values), bool)
    if are_categories(values):
        return NewColumn(values=values, kind="category", is_unread=is_unread)
    meaning = table.text_meanings.get(j)
    kind: ColumnKind = "number" if meaning is None else _kind_in_format(meaning.format)
    was_text = column.parsing is not None
    written_now = ""
    if was_text and column.kind == "number" and kind == "number":
        written_now = "numbers that are no text"
    return NewColumn(values=values, kind=kind, is_unread=is_unread, written_now=written_now)


def _without_missing_numbers(column: SavedColumn, new: NewColumn) -> NewColumn:
    """The values with NaN in place of the numbers that mean a missing value."""
    if not column.missing_numbers or new.kind != "number" or are_categories(new.values):
        return new
    return replace(new, values=with_nan(new.values, column.missing_numbers, f"column {column.name!r}"))


def _kind_in_format(text_format: TextFormat) -> ColumnKind:
    """The kind of the values of a format that is not categories."""
    if text_format.time is None:
        return "number"
    return "date" if text_format.time == "dates" else "duration"


def _holds_text(values: Encoded) -> bool:
    return all(isinstance(category, str) for category in values.categories.tolist())


def _rows_of_categories(values: Encoded) -> Integers:
    return np.bincount(values.codes[values.codes >= 0], minlength=len(values.categories))


def _read_text(column: SavedColumn, words: Encoded, chosen_format: ChosenFormat | None) -> NewColumn:
    text = CountedText(pa.array(words.categories.tolist(), pa.string()), _rows_of_categories(words))
    if chosen_format is None:
        chosen_format = _choose_format(column, text)
    text_format = chosen_format.format
    if column.kind != "category" and text_format is not None:
        numbers = _numbers_in_format(text_format, text.values, words)
        return replace(numbers, written_now=chosen_format.written_now)
    if text_format is not None:  # booleans
        words = Encoded(words.codes, np.array(text_format.read(text.values).to_pylist(), object))
    return NewColumn(values=words, kind="category", is_unread=np.zeros(len(words), bool))


def _choose_format(column: SavedColumn, text: CountedText) -> ChosenFormat:
    """Choose the format of the saved column; where that reads less than half of the rows, the format of the text.

    Text of which nothing can be read stays categories.
    """
    if column.kind == "category":
        return ChosenFormat(format=None if column.parsing is None else format_of(column.parsing))
    saved_format = _saved_format(column, text)
    n_unread = _n_unread(saved_format, text)
    if 2 * n_unread <= text.n_rows:
        return ChosenFormat(format=saved_format)
    other_format = meaning_of_text(text).format
    if _n_unread(other_format, text) < n_unread:
        written_now = "text" if column.parsing is None else "text of another format"
        return ChosenFormat(format=other_format, written_now=written_now)
    if n_unread == text.n_rows:
        return ChosenFormat(format=None)
    return ChosenFormat(format=saved_format)


def _saved_format(column: SavedColumn, text: CountedText) -> TextFormat:
    """The format of a saved column that was no category. Plain numbers are also read among other text."""
    if column.parsing is not None:
        return format_of(column.parsing)
    plain = Plain()
    if column.kind == "number" and _n_unread(plain, text):
        return NUMBERS_AMONG_TEXT
    return plain


def _n_unread(text_format: TextFormat, text: CountedText) -> int:
    """The number of rows with text that a format cannot read."""
    values = text_format.read(text.values)
    if is_text(values.type):
        return text.n_rows
    return text.n_rows_of(~flags(values.is_valid()))


def _numbers_in_format(text_format: TextFormat, text: pa.Array, words: Encoded) -> NewColumn:
    """The numbers or times that text means in a format; text that the format cannot read is missing.

    ``text`` are the categories of ``words``. A word for a missing value, such as "-", counts as read.
    """
    array = text_format.read(text)
    is_read = np.zeros(len(text), bool)
    numbers = np.full(len(text), np.nan)
    kind: ColumnKind = "number"
    if not is_text(array.type):
        is_read = flags(array.is_valid())
        numbers[is_read] = np.asarray(column_of_arrow(array, "the column"), np.float64)[is_read]
        kind = _kind_in_format(Plain(array.type))
    is_unread = ~is_read & ~means_missing(text)
    unread_texts = text.filter(pa.array(is_unread)).to_pylist()
    return NewColumn(
        values=by_row(numbers, words.codes, missing=np.nan),
        kind=kind,
        is_unread=by_row(is_unread, words.codes, missing=False),
        unread_texts=tuple(unread_texts[:N_LISTED]),
    )


def by_row(values: Values, codes: Values, *, missing: float) -> Values:
    """The values of the categories, in the rows whose codes are given; ``missing`` for the code -1."""
    values_and_missing: Values = np.append(values, values.dtype.type(missing))
    values_by_row: Values = values_and_missing[codes]  # the index -1 is that of the last value
    return values_by_row
