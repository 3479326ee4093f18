"""Decide what the text of a column means: numbers, times, booleans or categories. All of its values decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pyarrow import csv

from bitsieve.dataset.arrow import arrow_of, filled_indices, flags, is_text, mask_of, numpy_of, text_of, without_markers
from bitsieve.dataset.column_info import (
    BOOLEANS_IN_WORDS,
    CODES,
    MARKED_NUMBERS,
    NO_DATES,
    NO_NUMBERS,
    OPEN_DATES,
    SEVERAL_UNITS,
    MarkedNumber,
    TextParsing,
)
from bitsieve.dataset.data_kinds import is_arrow_column
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.identifiers import are_counts_of_identifier
from bitsieve.dataset.target import split_target
from bitsieve.dataset.text_format import ColumnRules, TextFormat, TextMeaning
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.io.text import without_commas
from bitsieve.options import DAY_FIRST, MONTH_FIRST
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.types import ColumnLike

if TYPE_CHECKING:
    from bitsieve.dataset.text_numbers import Numbers

_MIN_SHARE = 0.95  # the share of the rows with a value that must be of one format
_MIN_DISTINCT = 20  # so many distinct numbers or times must fit before other text is read as missing
_MAX_LENGTH = 64  # the largest number of characters of a number or a time
_MAX_WORDS = 100  # up to so many distinct words are looked at one by one
_MAY_BEGIN_A_NUMBER = frozenset(" +-.0123456789niNI")  # also a date, "nan" and "inf"
_MAX_ROWS_OF_TOTALS = 3  # rows such as "Total" and "Mean" that a report has below its data
_N_UNREAD_LISTED = 3  # the number of unread texts that a diagnostic lists
#: Words that mean a missing value in a column of numbers or times, in lower case.
_MISSING_WORDS = (
    *("-", "--", "---", "–", "—", ".", "..", "...", "*", "**", "n.a.", "n.a", "na.", "n/d", "nd", "n/k", "none"),
    *("nil", "missing", "unknown", "unk", "undefined", "not available", "not applicable", "no data", "tbd", "tba"),
    *("#value!", "#div/0!", "#ref!", "#name?", "#num!", "k.a.", "k. a.", "n. a.", "null", "nan", "na", "n/a"),
)
_TRUE = frozenset(
    ["yes", "y", "true", "t", "on", "1", "ja", "j", "oui", "vrai", "si", "sí", "sim", "да", "wahr", "vero", "verdadero"]
)
_FALSE = frozenset(["no", "n", "false", "f", "off", "0", "nein", "non", "faux", "não", "nao", "нет", "falsch", "falso"])
_MARKERS = frozenset(MARKERS)
_MISSING_WORDS_IN_ARROW = text_of(_MISSING_WORDS)


@dataclass(frozen=True)
class Words(TextFormat):
    """Categories."""

    what: ClassVar[str] = "categories"
    converts_target: ClassVar[bool] = False

    def read(self, text: pa.Array) -> pa.Array:
        """The text, null where it means a missing value."""
        return without_markers(text)


@dataclass(frozen=True)
class Plain(TextFormat):
    """Numbers or times as every text file has them."""

    kind: pa.DataType | None = None  # None: the type is detected in the text itself
    what: ClassVar[str] = "numbers or times"

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        if self.kind is None or not pa.types.is_temporal(self.kind):
            return None
        if pa.types.is_timestamp(self.kind) or pa.types.is_date(self.kind):
            return "dates"
        return "durations"

    @property
    def converts_target(self) -> bool:
        return self.time is not None or (self.kind is not None and bool(pa.types.is_floating(self.kind)))

    def read(self, text: pa.Array) -> pa.Array:
        """The values."""
        text = Words().read(text)
        if self.kind is None:
            return typed_text(text)
        if text.null_count == len(text):
            return pa.nulls(len(text), self.kind)
        if pa.types.is_integer(self.kind) or pa.types.is_floating(self.kind):
            import pyarrow.compute as pc

            text = pc.replace_substring(text, ",", "")  # commas between thousands
        return _parsed_or_null(text, self.kind)


@dataclass(frozen=True)
class Truths(TextFormat):
    """Booleans in several spellings, such as "yes", "Y" and "no". Other words stay categories."""

    what: ClassVar[str] = BOOLEANS_IN_WORDS

    def read(self, text: pa.Array) -> pa.Array:
        """The text with every spelling of a boolean replaced by "yes" or "no"."""

        def replaced(word: str | None) -> str | None:
            return None if word is None else _truth(word) or word

        return text_of([replaced(word) for word in Words().read(text).to_pylist()])

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Truths | None:
        """Booleans, if nearly all words are spellings of yes and no, and there are more than two spellings.

        Returns None otherwise: two words are good categories as they are. ``counts`` are the rows that have each word.
        """
        if len(text) > _MAX_WORDS:
            return None
        words = text.to_pylist()
        truths = [_truth(word) for word in words]
        n_yes = truths.count("yes")
        n_no = truths.count("no")
        if not n_yes or not n_no or n_yes + n_no == 2:
            return None
        pairs = list(zip(words, truths, strict=True))
        if all(truth is None or word.strip().isdigit() for word, truth in pairs):
            return None  # 0 and 1 alone are numbers
        n_rows = sum(int(count) for count, truth in zip(counts, truths, strict=True) if truth is not None)
        return cls() if n_rows >= _MIN_SHARE * counts.sum() else None


def _truth(word: str) -> str | None:
    """ "yes" or "no" if a word is a spelling of it, else None."""
    plain = word.strip().casefold()
    if plain in _TRUE:
        return "yes"
    if plain in _FALSE:
        return "no"
    return None


def meaning_of_text(
    text: pa.Array,
    counts: Integers,
    *,
    repair: bool = True,
    kind: str | None = None,
    has_null: bool = False,
    is_target: bool = False,
) -> TextMeaning:
    """Decide what the text of a column means.

    Parameters
    ----------
    text : pyarrow.Array
        The distinct values, in any order; null is a missing value.
    counts : array of shape (n_values,)
        How many rows have each value.
    repair : bool
        Whether text that is almost numbers, times or booleans is read as such.
    kind : str, optional
        The kind of values that the user chose for the column, one of ``COLUMN_TYPES``.
    has_null : bool
        Whether more rows have no value.
    is_target : bool
        Whether the column is a target, which is never an identifier.
    """
    if kind == "category":
        return TextMeaning(Words())
    has_value = flags(Words().read(text).is_valid()) & (counts > 0)
    has_missing = has_null or bool(counts[~has_value].any())
    text = text.filter(mask_of(has_value))
    counts = counts[has_value]
    if not len(text):
        return TextMeaning(Words())
    plain_type = typed_text(text).type
    is_plain = not pa.types.is_string(plain_type)
    if is_plain and kind not in (DAY_FIRST, MONTH_FIRST):
        return _meaning_of_plain_text(text, counts, plain_type, kind)
    if not repair and not kind:
        return TextMeaning(Words())
    if kind is None and not is_target and _are_row_numbers_and_totals(text, counts):
        return TextMeaning(Words())
    return _repaired(text, counts, has_missing, kind) or TextMeaning(Words())


def _meaning_of_plain_text(text: pa.Array, counts: Integers, plain_type: pa.DataType, kind: str | None) -> TextMeaning:
    """Numbers or times, unless the numbers look like codes: "007" is no 7."""
    from bitsieve.dataset.text_numbers import are_codes

    if kind is None and not pa.types.is_temporal(plain_type) and are_codes(text, counts):
        example = min(text.to_pylist())
        return TextMeaning(Words(), TextParsing(CODES, example, int(counts.sum())))
    return TextMeaning(Plain(plain_type))


def _repaired(text: pa.Array, counts: Integers, has_missing: bool, kind: str | None) -> TextMeaning | None:
    """What text means that is no plain number or time; None for categories."""
    from bitsieve.dataset.text_numbers import Numbers
    from bitsieve.dataset.text_times import Dates, Durations

    if kind in (DAY_FIRST, MONTH_FIRST):
        guessed_dates = Dates.guess(text, counts)
        dates = Dates(kind, guessed_dates is not None and guessed_dates.zoned)
        fits = _values_of_format(dates, text)
        if not fits.any():
            return _not_read(NO_DATES, text, counts)
        return _meaning_by(dates, text, counts, fits, has_missing)
    if kind is not None:
        numbers = Numbers.guess_with_marks(text, counts)
        if numbers is None:
            return _not_read(NO_NUMBERS, text, counts)
        return _meaning_by(numbers, text, counts, _values_of_format(numbers, text), has_missing)
    if Truths.guess(text, counts) is not None:
        are_truths = np.array([_truth(word) is not None for word in text.to_pylist()])
        truth_counts = np.where(are_truths, counts, 0)  # other words are not listed as unread: they stay
        return TextMeaning(Truths(), _parsing_of(Truths(), text, truth_counts, are_truths, has_missing))
    import pyarrow.compute as pc

    has_digit = pc.match_substring_regex(text, "[0-9]")
    is_short = numpy_of(pc.utf8_length(text)) <= _MAX_LENGTH
    can_be_read = flags(has_digit) & is_short
    if 2 * counts[can_be_read].sum() < _MIN_SHARE * counts.sum():
        return None
    for guess in (Numbers.guess, Dates.guess, Durations.guess):
        text_format = guess(text, counts)
        if text_format is None:
            continue
        fits = _values_of_format(text_format, text)
        if _are_enough(fits, text, counts):
            return _meaning_by(text_format, text, counts, fits, has_missing)
    return _unread_numbers(text, counts)


def _are_row_numbers_and_totals(text: pa.Array, counts: Integers) -> bool:
    """Whether text is whole numbers that number the rows, and words such as "Total" in a few rows at the end."""
    import pyarrow.compute as pc

    is_integer = flags(pc.match_substring_regex(text, "^[0-9]{1,15}$"))
    if counts[~is_integer].sum() > _MAX_ROWS_OF_TOTALS:
        return False
    numbers = numpy_of(text.filter(mask_of(is_integer)).cast(pa.int64()))
    return are_counts_of_identifier(numbers, counts[is_integer])


def _unread_numbers(text: pa.Array, counts: Integers) -> TextMeaning | None:
    """Categories nearly all of which are numbers with a mark, or numbers in several units; None for other text."""
    from bitsieve.dataset.text_numbers import Numbers, are_codes, mixed_units

    if are_codes(text, counts):
        return None
    units = mixed_units(text, counts)
    if units and sum(units.values()) >= _MIN_SHARE * counts.sum():
        example = _most_frequent(text, counts, np.ones(len(text), bool))[0][0]
        return TextMeaning(Words(), TextParsing(SEVERAL_UNITS, example, 0, units=tuple(units.items())))
    bare_numbers = Numbers.guess(text, counts)
    marked_numbers = Numbers.guess_with_marks(text, counts)
    if bare_numbers is None or marked_numbers is None or bare_numbers.unit:
        return None  # "12 A" and "12 B" may be seats
    is_bare = _values_of_format(bare_numbers, text)
    fits = _values_of_format(marked_numbers, text)
    if 2 * counts[is_bare].sum() < counts[fits].sum() or not _are_nearly_all(fits, text, counts):
        return None
    parsing = _parsing_of(bare_numbers, text, counts, is_bare, has_missing=False)
    return TextMeaning(Words(), replace(parsing, what=MARKED_NUMBERS))


def _not_read(what: str, text: pa.Array, counts: Integers) -> TextMeaning:
    """The meaning of text none of which is what the user chose. It is refused where the name of the column is known."""
    example = _most_frequent(text, counts, np.ones(len(text), bool))[0][0]
    return TextMeaning(Words(), TextParsing(what, example, 0))


def _values_of_format(text_format: TextFormat, text: pa.Array) -> Flags:
    """Which values a format can read."""
    return flags(text_format.read(text).is_valid())


def _are_enough(fits: Flags, text: pa.Array, counts: Integers) -> bool:
    """Whether so much of the text fits a format that the rest can be read as missing."""
    if not _are_nearly_all(fits, text, counts):
        return False
    n_others = int(counts[~fits & ~means_missing(text)].sum())
    return n_others == 0 or int(fits.sum()) >= _MIN_DISTINCT


def _are_nearly_all(fits: Flags, text: pa.Array, counts: Integers) -> bool:
    """Whether 95 % of the rows fit, those aside whose word means a missing value, and no more rows mean that."""
    are_missing = means_missing(text) & ~fits
    n_fit = int(counts[fits].sum())
    n_missing = int(counts[are_missing].sum())
    n_others = int(counts[~fits & ~are_missing].sum())
    return n_fit > 0 and n_fit >= _MIN_SHARE * (n_fit + n_others) and n_fit >= n_missing


def means_missing(text: pa.Array) -> Flags:
    """Which text is a word that means a missing value."""
    import pyarrow.compute as pc

    words = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    return flags(pc.is_in(words, _MISSING_WORDS_IN_ARROW))


def _meaning_by(
    text_format: TextFormat, text: pa.Array, counts: Integers, fits: Flags, has_missing: bool
) -> TextMeaning:
    """The meaning of text by a format; dates whose order of day and month is open stay categories."""
    from bitsieve.dataset.text_times import Dates

    parsing = _parsing_of(text_format, text, counts, fits, has_missing)
    if isinstance(text_format, Dates) and text_format.is_open(text):
        return TextMeaning(Words(), TextParsing(OPEN_DATES, parsing.example, parsing.n_read))
    return TextMeaning(text_format, parsing)


def _parsing_of(
    text_format: TextFormat, text: pa.Array, counts: Integers, fits: Flags, has_missing: bool
) -> TextParsing:
    """How text is read by a format, and the most frequent text that is not read."""
    from bitsieve.dataset.text_numbers import Numbers

    read = _most_frequent(text, counts, fits)
    parsing = TextParsing(
        what=text_format.what,
        example=read[0][0] if read else "",
        n_read=int(counts[fits].sum()),
        n_unread=int(counts[~fits].sum()),
        unread=tuple(_most_frequent(text, counts, ~fits)),
        has_missing=has_missing,
    )
    if isinstance(text_format, Numbers) and (parsing.n_unread or text_format.reads_marks):
        return _with_marked_numbers(parsing, text_format, text, counts)
    return parsing


def _with_marked_numbers(parsing: TextParsing, numbers: Numbers, text: pa.Array, counts: Integers) -> TextParsing:
    """Add the numbers with a mark, and the units of numbers in several units."""
    from bitsieve.dataset.text_numbers import Numbers, mixed_units

    bare_numbers = Numbers.guess(text, counts)
    marked_numbers = numbers if numbers.reads_marks else Numbers.guess_with_marks(text, counts)
    units = tuple(mixed_units(text, counts).items())
    if bare_numbers is None or marked_numbers is None:
        return replace(parsing, units=units, marked_are_read=numbers.reads_marks)
    values = marked_numbers.read(text)
    is_marked = flags(values.is_valid()) & ~_values_of_format(bare_numbers, text)
    number_of = dict(zip(text.to_pylist(), values.to_pylist(), strict=True))
    marked = [
        MarkedNumber(value, n_rows, float(number_of[value]))
        for value, n_rows in _most_frequent(text, counts, is_marked)
    ]
    return replace(
        parsing,
        marked=tuple(marked),
        n_marked=int(counts[is_marked].sum()),
        marked_are_read=numbers.reads_marks,
        units=units,
    )


def _most_frequent(text: pa.Array, counts: Integers, mask: Flags) -> list[tuple[str, int]]:
    """The most frequent texts of a mask, and the number of rows of each; equally frequent ones alphabetically."""
    values = text.to_pylist()
    indices = np.flatnonzero(mask & (counts > 0)).tolist()
    ordered = sorted(indices, key=lambda i: (-int(counts[i]), values[i]))
    return [(values[i], int(counts[i])) for i in ordered[:_N_UNREAD_LISTED]]


def typed_text(values: pa.Array) -> pa.Array:
    """Read text as text files are read: numbers or times where all of it is such; booleans stay text."""
    text = Words().read(values.cast(pa.string()))
    present = text.drop_null()
    if not len(present) or present[0].as_py()[:1] not in _MAY_BEGIN_A_NUMBER:
        return text
    column = without_commas(_parsed(text))
    if len(column) != len(text) or pa.types.is_string(column.type) or pa.types.is_boolean(column.type):
        return text
    return column.combine_chunks()


def _parsed(text: pa.Array, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Read text as values of a type; None: of the type that the reader of text files detects."""
    buffer = BytesIO()
    csv.write_csv(pa.Table.from_arrays([text], ["value"]), buffer, csv.WriteOptions(include_header=False))
    block_size = buffer.tell() + (1 << 16)  # one block, so that the type is detected in all values
    column_types = None if kind is None else {"value": kind}
    table = csv.read_csv(
        pa.BufferReader(buffer.getvalue()),
        read_options=csv.ReadOptions(column_names=["value"], use_threads=False, block_size=block_size),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(strings_can_be_null=True, null_values=[""], column_types=column_types),
    )
    return table.column(0)


def _parsed_or_null(text: pa.Array, kind: pa.DataType) -> pa.Array:
    """Read text as values of a type; text that is none, such as a word in a row that is left out, is null."""
    try:
        return _parsed(text, kind).combine_chunks()
    except pa.ArrowInvalid:
        if len(text) == 1:
            return pa.nulls(1, kind)
    middle = len(text) // 2
    return pa.concat_arrays([_parsed_or_null(text[:middle], kind), _parsed_or_null(text[middle:], kind)])


def typed_columns(
    arrays: Sequence[pa.Array], indices: Sequence[int], rules: ColumnRules, kinds: Mapping[int, str]
) -> tuple[list[pa.Array], dict[int, TextMeaning]]:
    """Read the text among columns as what it means; also return these meanings, by column index.

    ``indices`` are those of the arrays in their table; ``kinds`` are those that the user chose, by index.
    """
    typed_arrays = list(arrays)
    text_meanings = {}
    for i, (array, j) in enumerate(zip(arrays, indices, strict=True)):
        if is_text(array.type):
            typed_arrays[i], text_meanings[j] = _typed_column(array, j, rules, kinds.get(j))
    return typed_arrays, text_meanings


def check_types_read(text_meanings: Mapping[int, TextMeaning], names: Sequence[str]) -> None:
    """Refuse columns none of whose text is what the user chose by ``column_types``."""
    unread = {
        names[j]: meaning.parsing
        for j, meaning in text_meanings.items()
        if meaning.parsing is not None and meaning.parsing.what in (NO_NUMBERS, NO_DATES)
    }
    if not unread:
        return
    listed = " and ".join(
        f"{name!r}, which has {parsing.what} (its text is such as {parsing.example!r})"
        for name, parsing in list(unread.items())[:_N_UNREAD_LISTED]
    )
    raise UserError(
        code="column-type-not-read",
        message=f"does not go with column {listed}",
        advice="leave them out of {column_types}",
        columns=list(unread),
        parameters={"column_types": NAME_ONLY},
    )


def _typed_column(array: pa.Array, j: int, rules: ColumnRules, kind: str | None) -> tuple[pa.Array, TextMeaning]:
    coded = array.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    if rules.formats is None and kind is None and _are_plain_words(coded.dictionary):
        return coded, TextMeaning(Words())
    text = coded.dictionary.cast(pa.string())
    if rules.formats is not None:
        text_format = rules.formats.get(j, Words())
        meaning = TextMeaning(text_format, is_plain=isinstance(text_format, Plain))
    else:
        counts, has_null = _counts_of_values(coded, rules.has_weight)
        meaning = meaning_of_text(
            text, counts, repair=rules.repair, kind=kind, has_null=has_null, is_target=rules.are_targets
        )
    values = meaning.format.read(text)
    if pa.types.is_string(values.type):
        return pa.DictionaryArray.from_arrays(coded.indices, values), meaning
    return values.take(coded.indices), meaning


def _counts_of_values(coded: pa.DictionaryArray, mask: Flags | None) -> tuple[Integers, bool]:
    """How many rows of a mask have each value of a dictionary, and whether any of them has none."""
    n_values = len(coded.dictionary)
    codes = filled_indices(coded, n_values)
    if mask is not None and len(mask) == len(codes):  # weights of another length are refused later
        codes = codes[mask]
    counts = np.bincount(codes, minlength=n_values + 1)
    return counts[:-1], bool(counts[-1])


def _are_plain_words(values: pa.Array) -> bool:
    """Whether values are clearly categories: few, without digits, and none means a missing value or a boolean."""
    if not len(values) or len(values) > _MAX_WORDS:
        return False
    words = values.to_pylist()
    if None in words or words[0][:1] in _MAY_BEGIN_A_NUMBER or not _MARKERS.isdisjoint(words):
        return False
    return all(_truth(word) is None and not any(map(str.isdigit, word)) for word in words)


def target_with_text_read(y: ColumnLike, rules: ColumnRules) -> tuple[ColumnLike, dict[str, TextParsing]]:
    """Convert the columns of a target whose text is numbers or times; also return how they were read, by name."""
    columns = split_target(y)
    texts: dict[int, pa.Array] = {}
    for j, values in enumerate(columns.values()):
        text = target_text(values)
        if text is not None:
            texts[j] = text
    typed_arrays, text_meanings = typed_columns([*texts.values()], [*texts], replace(rules, are_targets=True), {})
    typed_by_index = {}
    for j, array in zip(texts, typed_arrays, strict=True):
        if text_meanings[j].format.converts_target:
            typed_by_index[j] = array
    if not typed_by_index:
        return y, {}
    parsings = {}
    for j, name in enumerate(columns):
        parsing = text_meanings[j].parsing if j in typed_by_index else None
        if parsing is not None:
            parsings[name] = parsing
    if len(columns) == 1:
        return typed_by_index[0], parsings
    arrays = [typed_by_index.get(j, _arrow_array(values)) for j, values in enumerate(columns.values())]
    return pa.table(arrays, names=list(columns)), parsings


def _arrow_array(values: ColumnLike) -> pa.Array | pa.ChunkedArray:
    if is_arrow_column(values):
        return values
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, series_only=True)
    return series.to_arrow() if isinstance(series, nw.Series) else pa.array(series)


def target_text(values: ColumnLike) -> pa.Array | None:
    """A column of a target as Arrow text, if it holds text; numbers among the text become text. Else None."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values if is_text(values.type) else None
    import narwhals as nw

    column = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(column, nw.Series) and column.dtype not in (nw.String, nw.Object):
        return None
    if not isinstance(column, nw.Series):
        column = as_array(column)
        if column.dtype.kind not in "OUS" or column.ndim != 1:
            return None
    try:
        array, *_ = arrow_of(column, "the target")
    except ValueError:  # of other kinds, which are refused elsewhere
        return None
    return array if is_text(array.type) else None
