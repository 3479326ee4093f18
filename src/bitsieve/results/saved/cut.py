"""New data read and cut as a saved selection did: one way for ``transform``, for applying to files, and for checks.

The text of a column is read by the format that it had; a number gets the code of its interval, and a category that of
its rank. What cannot be coded gets -1, and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.dataset.arrow import column_of_arrow, flags, is_text
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.dataset.encoding import (
    MAX_EXACT_INTEGER,
    ColumnValues,
    Encoded,
    are_categories,
    encode_with_missing,
    is_missing,
    with_nan,
)
from bitsieve.dataset.text import Plain, meaning_of_text, means_missing
from bitsieve.dataset.text_format import ColumnRules, TextFormat
from bitsieve.dataset.text_numbers import DigitStyle, Numbers
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, UserError
from bitsieve.results.saved.schema import ColumnKind, Cut, SavedColumn
from bitsieve.results.saved.text_formats import format_of
from bitsieve.results.saved.values import array_of_values
from bitsieve.utils.arrays import Flags, Values
from bitsieve.utils.messages import quoted
from bitsieve.utils.types import TableLike

NO_CODE = -1  # of a value that the saved cuts do not have
N_LISTED = 5  # values that a diagnostic names
PLAIN_NUMBERS = Numbers(DigitStyle(decimal=".", group=","))
_WORDS = {"number": "numbers", "date": "dates", "duration": "durations", "category": "categories"}


@dataclass(frozen=True, kw_only=True)
class ColumnChanges:
    """How a column of new data differs from the data that was selected from."""

    name: str
    kind_before: ColumnKind
    kind_now: ColumnKind
    n_rows: int
    code_counts: NDArray[np.int64]  # shape (n_codes + 1,): rows of every code; the last, of values without a code
    n_missing: int  # rows without a value
    n_unread: int  # rows with text that the column's format cannot read, taken as missing
    unread: tuple[str, ...]  # some of that text
    n_unseen: int  # rows with a category that was not there before
    unseen: tuple[str, ...]  # some of these categories
    written_now: str  # how its values are written now; empty where that is as before
    has_missing_code: bool
    n_outside: int  # rows with a number below the smallest or above the largest one before; 0 where these are not known

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a user should know of the column, the values of which are coded."""
        notes = [self._on_kind_and_codes(), self._on_text(), self._on_categories(), self._on_missing()]
        return [note for note in notes if note is not None]

    def _on_kind_and_codes(self) -> Diagnostic | None:
        if self.written_now:
            return self.on_kind(f"it is read as {_WORDS[self.kind_now]}: see that they are of the same unit")
        if self.code_counts[:-1].any():
            return self.on_kind("its values are compared with the saved ones as text")
        return self.on_kind("its values have no codes (-1)")

    def on_kind(self, treatment: str) -> Diagnostic | None:
        """The diagnostic that the column holds another kind of values; None where it does not."""
        if self.kind_now == self.kind_before and not self.written_now:
            return None
        holds = self.written_now or _WORDS[self.kind_now]
        return Diagnostic(
            code="kind-changed",
            severity="warning",
            message=f"column {self.name!r} held {_WORDS[self.kind_before]} when it was selected, and holds {holds} now",
            advice=treatment,
            columns=(self.name,),
        )

    def _on_text(self) -> Diagnostic | None:
        if not self.n_unread:
            return None
        return Diagnostic(
            code="text-not-read",
            severity="warning",
            message=(
                f"column {self.name!r} has text that is none of its {_WORDS[self.kind_before]} in "
                f"{self.n_unread:,} rows ({quoted(self.unread)})"
            ),
            advice="it is taken as missing",
            columns=(self.name,),
        )

    def _on_categories(self) -> Diagnostic | None:
        if not self.n_unseen:
            return None
        return Diagnostic(
            code="unseen-categories",
            severity="warning",
            message=(
                f"column {self.name!r} has categories that were not there when it was selected, in {self.n_unseen:,} "
                f"rows ({quoted(self.unseen)})"
            ),
            advice="they have no code (-1)",
            columns=(self.name,),
        )

    def _on_missing(self) -> Diagnostic | None:
        if self.has_missing_code or not self.n_missing:
            return None
        return Diagnostic(
            code="missing-without-code",
            severity="warning",
            message=f"column {self.name!r} had no missing values when it was selected, and has {self.n_missing:,} now",
            advice="they have no code (-1)",
            columns=(self.name,),
        )


def check_edges_are_saved(columns: Sequence[SavedColumn]) -> None:
    """Refuse codes of columns in which each stratum had bins of its own: these are not saved, nor are the strata."""
    names = [column.name for column in columns if column.cut.within_strata]
    if names:
        raise UserError(
            code="no-bins-saved",
            message=f"{quoted(names)}: each stratum had bins of its own, and new rows have no strata here",
            advice="take the columns without codes, scores and checks, or select again without {bins_within}",
            fix={"bins_within": NAME_ONLY},
            columns=names,
        )


def merged_changes(batches: Sequence[ColumnChanges]) -> ColumnChanges:
    """The changes of a column in all rows, from those in batches of the rows."""
    first = batches[0]
    different_kinds = [batch.kind_now for batch in batches if batch.kind_now != batch.kind_before]
    ways_of_writing = [batch.written_now for batch in batches if batch.written_now]
    unread = dict.fromkeys(chain.from_iterable(batch.unread for batch in batches))
    unseen = dict.fromkeys(chain.from_iterable(batch.unseen for batch in batches))
    return replace(
        first,
        kind_now=different_kinds[0] if different_kinds else first.kind_before,
        n_rows=sum(batch.n_rows for batch in batches),
        code_counts=sum((batch.code_counts for batch in batches[1:]), first.code_counts),
        n_missing=sum(batch.n_missing for batch in batches),
        n_unread=sum(batch.n_unread for batch in batches),
        unread=tuple(unread)[:N_LISTED],
        n_unseen=sum(batch.n_unseen for batch in batches),
        n_outside=sum(batch.n_outside for batch in batches),
        unseen=tuple(unseen)[:N_LISTED],
        written_now=ways_of_writing[0] if ways_of_writing else "",
    )


@dataclass(frozen=True, kw_only=True)
class ColumnCodes:
    """The codes of a column of new data, and what was different from the data that was selected from."""

    codes: NDArray[np.int32]  # shape (n_samples,): NO_CODE where there is none
    changes: ColumnChanges


@dataclass(frozen=True, kw_only=True)
class ChosenFormat:
    """The format by which the text of a column of new data is read."""

    format: TextFormat | None  # None: it is categories
    written_now: str = ""  # how the values are written, where that is not as before


@dataclass(frozen=True, kw_only=True)
class _ColumnValues:
    """The values of a column of new data, after its text was read."""

    values: ColumnValues
    kind: ColumnKind
    is_unread: Flags  # shape (n_samples,): rows with text that the format cannot read
    unread: tuple[str, ...] = ()  # some of that text
    written_now: str = ""  # how the values are written, where that is not as before


def cut_columns(
    columns: Sequence[SavedColumn], data: TableLike, formats: Sequence[ChosenFormat | None] | None = None
) -> list[ColumnCodes]:
    """Read and cut the columns of new data, which has these columns in this order and no others.

    ``formats`` are those of the text of each column where the data is a batch of more rows, None for a column without
    text; by default the text of the data decides.
    """
    if formats is None:
        formats = [None] * len(columns)
    table = _read_without_formats(data)
    cut = []
    for j, (column, chosen_format) in enumerate(zip(columns, formats, strict=True)):
        new = _read_column(column, table, j, chosen_format)
        cut.append(_cut_column(column, _without_missing_numbers(column, new)))
    return cut


def choose_formats(columns: Sequence[SavedColumn], batches: Iterable[Any]) -> list[ChosenFormat | None]:
    """The format of each column, as the text of all batches decides; None for a column without text."""
    rows_by_text: list[Counter[str]] = [Counter() for _ in columns]
    for batch in batches:
        table = _read_without_formats(batch)
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
        rows_of_texts = np.array([counter[text] for text in texts], np.int64)
        formats.append(_choose_format(column, pa.array(texts, pa.string()), rows_of_texts))
    return formats


def _read_without_formats(data: TableLike) -> InMemoryDataset:
    """A table whose text is read as categories."""
    table = read_columns(data, rules=ColumnRules(formats={}))
    return table.dense() if table.is_sparse else table


def _read_column(
    column: SavedColumn, table: InMemoryDataset, j: int, chosen_format: ChosenFormat | None = None
) -> _ColumnValues:
    """A column of a table whose text was read as categories; that text is read by the format of the column."""
    values = table.values(j)
    if are_categories(values) and _holds_text(values):
        return _read_text(column, values, chosen_format)
    nothing_unread = np.zeros(len(values), bool)
    if are_categories(values):
        return _ColumnValues(values=values, kind="category", is_unread=nothing_unread)
    meaning = table.text_meanings.get(j)
    time = None if meaning is None else meaning.format.time
    kind = _kind_of_time(time)
    written_now = ""
    if kind == "number" and column.kind == "number" and column.parsing is not None:  # it was text of a format
        written_now = "numbers that are no text"
    return _ColumnValues(values=values, kind=kind, is_unread=nothing_unread, written_now=written_now)


def _without_missing_numbers(column: SavedColumn, new: _ColumnValues) -> _ColumnValues:
    """The values with NaN in place of the numbers that mean a missing value."""
    if not column.missing_numbers or new.kind != "number" or are_categories(new.values):
        return new
    return replace(new, values=with_nan(new.values, column.missing_numbers, f"column {column.name!r}"))


def _kind_of_time(time: str | None) -> ColumnKind:
    if time is None:
        return "number"
    return "date" if time == "dates" else "duration"


def _holds_text(values: Encoded) -> bool:
    return all(isinstance(category, str) for category in values.categories.tolist())


def _rows_of_categories(values: Encoded) -> NDArray[np.int64]:
    return np.bincount(values.codes[values.codes >= 0], minlength=len(values.categories))


def _read_text(column: SavedColumn, words: Encoded, chosen_format: ChosenFormat | None) -> _ColumnValues:
    text = pa.array(words.categories.tolist(), pa.string())
    if chosen_format is None:
        chosen_format = _choose_format(column, text, _rows_of_categories(words))
    text_format = chosen_format.format
    if column.kind != "category" and text_format is not None:
        numbers = _numbers_of_text(text_format, text, words)
        return replace(numbers, written_now=chosen_format.written_now)
    if text_format is not None:  # booleans
        words = Encoded(words.codes, np.array(text_format.read(text).to_pylist(), object))
    return _ColumnValues(values=words, kind="category", is_unread=np.zeros(len(words), bool))


def _choose_format(column: SavedColumn, text: pa.Array, n_rows: NDArray[np.int64]) -> ChosenFormat:
    """Read text by the format of its column; where that reads less than half, by the format that the text has.

    Text of which nothing can be read is categories. ``n_rows`` says in how many rows each text stands.
    """
    if column.kind == "category":
        return ChosenFormat(format=None if column.parsing is None else format_of(column.parsing))
    saved_format = Plain() if column.parsing is None else format_of(column.parsing)
    n_unread = _n_unread(saved_format, text, n_rows)
    if column.parsing is None and column.kind == "number" and n_unread:
        saved_format = PLAIN_NUMBERS  # reads numbers among other text
        n_unread = _n_unread(saved_format, text, n_rows)
    if 2 * n_unread <= n_rows.sum():
        return ChosenFormat(format=saved_format)
    other_format = meaning_of_text(text, n_rows).format
    if _n_unread(other_format, text, n_rows) < n_unread:
        written_now = "text" if column.parsing is None else "text of another format"
        return ChosenFormat(format=other_format, written_now=written_now)
    if n_unread == n_rows.sum():
        return ChosenFormat(format=None)
    return ChosenFormat(format=saved_format)


def _n_unread(text_format: TextFormat, text: pa.Array, n_rows: NDArray[np.int64]) -> int:
    """In how many rows stands text that a format cannot read."""
    array = text_format.read(text)
    if is_text(array.type):
        return int(n_rows.sum())
    return int(n_rows[~flags(array.is_valid())].sum())


def _numbers_of_text(text_format: TextFormat, text: pa.Array, words: Encoded) -> _ColumnValues:
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
        kind = _kind_of_time(Plain(array.type).time)
    is_unread = ~is_read & ~means_missing(text)
    unread = [word for word, cannot_be_read in zip(text.to_pylist(), is_unread.tolist(), strict=True) if cannot_be_read]
    return _ColumnValues(
        values=_by_row(numbers, words.codes, missing=np.nan),
        kind=kind,
        is_unread=_by_row(is_unread, words.codes, missing=False),
        unread=tuple(unread[:N_LISTED]),
    )


def _by_row(values: Values, codes: Values, *, missing: float) -> Values:
    """The value of every row, given those of the categories and the code of each row; ``missing`` for the code -1."""
    values_and_missing: Values = np.append(values, values.dtype.type(missing))
    by_row: Values = values_and_missing[codes]  # the index -1 is that of the last value
    return by_row


def _cut_column(column: SavedColumn, new: _ColumnValues) -> ColumnCodes:
    cut = column.cut
    missing = is_missing(new.values)
    unseen: tuple[str, ...] = ()
    n_unseen = 0
    if cut.categories is not None:
        codes, unseen = _ranks(new.values, array_of_values(cut.categories))
        n_unseen = int(((codes == NO_CODE) & ~missing).sum())
    elif are_categories(new.values) or new.kind != column.kind:
        codes = np.full(len(missing), NO_CODE, np.int32)
    else:
        codes = _intervals(new.values, cut)
    codes[missing] = NO_CODE if cut.missing_code is None else cut.missing_code
    n_unread = int(new.is_unread.sum())
    n_codes = cut.n_codes
    changes = ColumnChanges(
        name=column.name,
        kind_before=column.kind,
        kind_now=_kind_now(column, new),
        n_rows=len(codes),
        code_counts=np.bincount(np.where(codes == NO_CODE, n_codes, codes), minlength=n_codes + 1),
        n_missing=int(missing.sum()) - n_unread,
        n_unread=n_unread,
        unread=new.unread,
        n_unseen=n_unseen,
        unseen=unseen,
        written_now=new.written_now,
        has_missing_code=cut.missing_code is not None,
        n_outside=_n_outside(column, new),
    )
    return ColumnCodes(codes=codes, changes=changes)


def _n_outside(column: SavedColumn, new: _ColumnValues) -> int:
    """In how many rows a number is outside the range that the column had."""
    if column.smallest is None or column.largest is None or are_categories(new.values):
        return 0
    if new.kind != column.kind:
        return 0
    numbers = np.asarray(new.values, np.float64)
    return int(((numbers < column.smallest) | (numbers > column.largest)).sum())


def _kind_now(column: SavedColumn, new: _ColumnValues) -> ColumnKind:
    """The kind of the new values. Numbers stay categories where the saved categories are whole numbers."""
    if bool(is_missing(new.values).all()):
        return column.kind
    categories = column.cut.categories
    if new.kind == "number" and categories is not None and categories.dtype[1:2] in ("i", "u"):  # such as "<i8"
        return column.kind
    return new.kind


def _intervals(numbers: Values, cut: Cut) -> NDArray[np.int32]:
    """The code of the interval of every number."""
    values = np.asarray(numbers, np.float64)
    edges = np.array(cut.edges, np.float64)
    codes = np.searchsorted(edges, values, side="left" if cut.side == "left" else "right").astype(np.int32)
    if cut.zero_apart:
        codes = np.where(values == 0, 0, codes + 1).astype(np.int32)
    return codes


def _ranks(values: ColumnValues, saved: Values) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The rank of every value among the saved categories, and some of the values that are not among them."""
    encoded = values if are_categories(values) else _encoded_numbers(values)
    ranks = _ranks_of_categories(encoded.categories, saved)
    codes = _by_row(ranks, encoded.codes, missing=NO_CODE)
    unseen = encoded.categories[ranks < 0]
    return codes, tuple(str(value) for value in unseen[:N_LISTED].tolist())


def _encoded_numbers(values: Values) -> Encoded:
    """Numbers as categories; whole numbers as integers, also where missing values made them floats."""
    encoded = encode_with_missing(values)
    categories = encoded.categories
    if categories.dtype.kind == "f" and _are_exact_integers(categories):
        categories = categories.astype(np.int64)
    return Encoded(encoded.codes, categories)


def _are_exact_integers(numbers: Values) -> bool:
    """Whether all floats are whole numbers, none of which float64 rounds."""
    if (np.abs(numbers) > MAX_EXACT_INTEGER).any():
        return False
    return bool((numbers % 1 == 0).all())


def _ranks_of_categories(values: Values, saved: Values) -> NDArray[np.int32]:
    """The rank of each value among the saved categories; values of another type are compared as text."""
    rank_of = {value: rank for rank, value in enumerate(saved.tolist())}
    rank_of_text = {str(value): rank for value, rank in rank_of.items()}
    ranks = [rank_of.get(value, rank_of_text.get(str(value), NO_CODE)) for value in values.tolist()]
    return np.array(ranks, np.int32)
