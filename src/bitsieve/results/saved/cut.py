"""New data read and cut as a saved selection did: one way for ``transform``, for applying to files, and for checks.

The text of a column is read by the format that it had; a number gets the code of its interval, and a category that of
its rank. What cannot be coded gets -1, and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bitsieve.dataset.arrow import column_of_arrow, flags, is_text
from bitsieve.dataset.columns import read_columns
from bitsieve.dataset.dataset import InMemoryDataset, Values
from bitsieve.dataset.encoding import MAX_EXACT_INTEGER, Encoded, are_categories, encode_with_missing, is_missing
from bitsieve.dataset.text import Plain, meaning_of_text
from bitsieve.dataset.text_format import ColumnRules, TextFormat
from bitsieve.dataset.text_numbers import DigitStyle, Numbers
from bitsieve.diagnostics import Diagnostic
from bitsieve.results.saved.schema import ColumnKind, Cut, SavedColumn
from bitsieve.results.saved.text_formats import format_of
from bitsieve.results.saved.values import array_of_values
from bitsieve.utils.arrays import Flags
from bitsieve.utils.messages import quoted

NO_CODE = -1  # of a value that the saved cuts do not have
N_LISTED = 5  # values that a diagnostic names
PLAIN_NUMBERS = Numbers(DigitStyle(decimal=".", group=","))
_WORDS = {"number": "numbers", "date": "dates", "duration": "durations", "category": "categories"}


@dataclass(frozen=True, kw_only=True)
class ColumnCodes:
    """The codes of a column of new data, and what was different from the data that was selected from."""

    name: str
    codes: NDArray[np.int32]  # shape (n_samples,): NO_CODE where there is none
    kind_before: ColumnKind
    kind_now: ColumnKind
    n_missing: int  # rows without a value
    n_unread: int  # rows with text that the column's format cannot read, taken as missing
    unread: tuple[str, ...]  # some of that text
    n_unseen: int  # rows with a category that was not there before
    unseen: tuple[str, ...]  # some of these categories
    written_now: str  # how its values are written now; empty where that is as before
    has_missing_code: bool

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What a user should know of the column."""
        return [note for note in (self._on_kind(), self._on_text(), self._on_categories(), self._on_missing()) if note]

    def _on_kind(self) -> Diagnostic | None:
        if self.kind_now == self.kind_before and not self.written_now:
            return None
        holds = _WORDS[self.kind_now]
        what_is_done = "its values have no codes (-1)"
        if self.written_now:
            holds = self.written_now
            what_is_done = f"it is read as {_WORDS[self.kind_now]}: see that they are of the same unit"
        elif (self.codes != NO_CODE).any():
            what_is_done = "its values are compared with the saved ones as text"
        return Diagnostic(
            code="kind-changed",
            severity="warning",
            message=f"column {self.name!r} held {_WORDS[self.kind_before]} when it was selected, and holds {holds} now",
            advice=what_is_done,
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


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """The values of a column of new data, and how its text was read."""

    values: Values
    kind: ColumnKind
    is_unread: Flags  # rows with text that the format cannot read
    unread: tuple[str, ...] = ()  # some of that text
    written_now: str = ""  # how the values are written, where that is not as before


def cut_columns(columns: Sequence[SavedColumn], data: Any) -> list[ColumnCodes]:
    """Read and cut the columns of new data, which has these columns in this order and no others."""
    table = read_columns(data, rules=ColumnRules(formats={}))
    if table.is_sparse:
        table = table.dense()
    return [_cut_column(column, _read_column(column, table, j)) for j, column in enumerate(columns)]


def _read_column(column: SavedColumn, table: InMemoryDataset, j: int) -> _Reading:
    """A column of a table whose text was read as categories; that text is read by the format of the column."""
    values = table.values(j)
    if are_categories(values) and _holds_text(values):
        return _read_text(column, values)
    nothing_unread = np.zeros(len(values), bool)
    if are_categories(values):
        return _Reading(values=values, kind="category", is_unread=nothing_unread)
    meaning = table.meanings.get(j)
    time = None if meaning is None else meaning.format.time
    kind = _kind_of_time(time)
    was_formatted_text = column.parsing is not None and column.kind == kind == "number"
    written_now = "numbers that are no text" if was_formatted_text else ""
    return _Reading(values=values, kind=kind, is_unread=nothing_unread, written_now=written_now)


def _kind_of_time(time: str | None) -> ColumnKind:
    if time is None:
        return "number"
    return "date" if time == "dates" else "duration"


def _holds_text(values: Encoded) -> bool:
    return all(isinstance(category, str) for category in values.categories.tolist())


def _read_text(column: SavedColumn, words: Encoded) -> _Reading:
    """Read text by the format of its column; where that reads less than half, by the format that the text has.

    Text of which nothing can be read is categories.
    """
    text = pa.array(words.categories.tolist(), pa.string())
    if column.kind == "category":
        if column.parsing is not None:
            text = format_of(column.parsing).read(text)
        values = Encoded(words.codes, np.array(text.to_pylist(), object))
        return _Reading(values=values, kind="category", is_unread=np.zeros(len(words), bool))
    n_rows = np.bincount(words.codes[words.codes >= 0], minlength=len(text))
    reading = _read_by(Plain() if column.parsing is None else format_of(column.parsing), text, words)
    if column.parsing is None and column.kind == "number" and reading.is_unread.any():
        reading = _read_by(PLAIN_NUMBERS, text, words)  # of which some may be other text
    if 2 * reading.is_unread.sum() <= n_rows.sum():
        return reading
    other = _read_by(meaning_of_text(text, n_rows).format, text, words)
    if other.is_unread.sum() < reading.is_unread.sum():
        return replace(other, written_now="text" if column.parsing is None else "text of another format")
    if reading.is_unread.sum() == n_rows.sum():
        return _Reading(values=words, kind="category", is_unread=np.zeros(len(words), bool))
    return reading


def _read_by(text_format: TextFormat, text: pa.Array, words: Encoded) -> _Reading:
    """The numbers or times that text means in a format; text that is none is missing."""
    array = text_format.read(text)
    is_read = np.zeros(len(text), bool)
    numbers = np.full(len(text), np.nan)
    kind: ColumnKind = "number"
    if not is_text(array.type):
        is_read = flags(array.is_valid())
        numbers[is_read] = np.asarray(column_of_arrow(array, "the column"), np.float64)[is_read]
        kind = _kind_of_time(Plain(array.type).time)
    is_present = words.codes >= 0
    is_unread = is_present & ~np.append(is_read, True)[words.codes]
    unread = [word for word, is_number in zip(text.to_pylist(), is_read.tolist(), strict=True) if not is_number]
    return _Reading(
        values=np.append(numbers, np.nan)[words.codes],  # the code of missing values, -1, is that of the last
        kind=kind,
        is_unread=is_unread,
        unread=tuple(unread[:N_LISTED]),
    )


def _cut_column(column: SavedColumn, reading: _Reading) -> ColumnCodes:
    cut = column.cut
    missing = is_missing(reading.values)
    unseen: tuple[str, ...] = ()
    if cut.categories is not None:
        codes, unseen = _ranks(reading.values, array_of_values(cut.categories))
    elif are_categories(reading.values) or reading.kind != column.kind:
        codes = np.full(len(missing), NO_CODE, np.int32)
    else:
        codes = _intervals(reading.values, cut)
    is_unseen = (codes == NO_CODE) & ~missing & (cut.categories is not None)
    codes[missing] = NO_CODE if cut.missing_code is None else cut.missing_code
    n_unread = int(reading.is_unread.sum())
    return ColumnCodes(
        name=column.name,
        codes=codes,
        kind_before=column.kind,
        kind_now=_kind_now(column, reading),
        n_missing=int(missing.sum()) - n_unread,
        n_unread=n_unread,
        unread=reading.unread,
        n_unseen=int(is_unseen.sum()),
        unseen=unseen,
        written_now=reading.written_now,
        has_missing_code=cut.missing_code is not None,
    )


def _kind_now(column: SavedColumn, reading: _Reading) -> ColumnKind:
    """The kind of the new values: whole numbers stay categories where the saved categories are whole numbers."""
    categories = column.cut.categories
    is_empty = bool(is_missing(reading.values).all())
    are_codes = categories is not None and categories.dtype[1:2] in ("i", "u") and reading.kind == "number"
    return column.kind if is_empty or are_codes else reading.kind


def _intervals(numbers: NDArray[Any], cut: Cut) -> NDArray[np.int32]:
    """The code of the interval of every number."""
    values = np.asarray(numbers, np.float64)
    edges = np.array(cut.edges, np.float64)
    codes = np.searchsorted(edges, values, side="left" if cut.side == "left" else "right").astype(np.int32)
    if cut.zero_apart:
        codes = np.where(values == 0, 0, codes + 1).astype(np.int32)
    return codes


def _ranks(values: Values, saved: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The rank of every value among the saved categories, and some of the values that are not among them."""
    encoded = values if are_categories(values) else _encoded_numbers(values)
    ranks = _ranks_of_categories(encoded.categories, saved)
    codes = np.append(ranks, np.int32(NO_CODE))[encoded.codes]
    unseen = encoded.categories[ranks < 0]
    return codes, tuple(str(value) for value in unseen[:N_LISTED].tolist())


def _encoded_numbers(values: NDArray[Any]) -> Encoded:
    """Numbers as categories; whole numbers as integers, also where missing values made them floats."""
    encoded = encode_with_missing(values)
    categories = encoded.categories
    if categories.dtype.kind == "f" and bool(
        (np.abs(categories) <= MAX_EXACT_INTEGER).all() and (categories % 1 == 0).all()
    ):
        categories = categories.astype(np.int64)
    return Encoded(encoded.codes, categories)


def _ranks_of_categories(values: NDArray[Any], saved: NDArray[Any]) -> NDArray[np.int32]:
    """The rank of each value among the saved categories; values of another type are compared as text."""
    rank_of = {value: rank for rank, value in enumerate(saved.tolist())}
    rank_of_text = {str(value): rank for value, rank in rank_of.items()}
    ranks = [rank_of.get(value, rank_of_text.get(str(value), NO_CODE)) for value in values.tolist()]
    return np.array(ranks, np.int32)
