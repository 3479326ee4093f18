"""Decide what the text of a column means: numbers, times, booleans or categories. All of its values decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.arrow import flags, mask_of, numpy_of
from bitsieve.dataset.column_info import (
    CODES,
    DATES_OF_BOTH_ORDERS,
    MARKED_NUMBERS,
    NO_DATES,
    NO_NUMBERS,
    NUMBERS_OF_BOTH_MARKS,
    OPEN_DATES,
    SEVERAL_UNITS,
    MarkedNumber,
    TextParsing,
)
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.identifiers import are_counts_of_identifier
from bitsieve.dataset.missing_words import means_missing
from bitsieve.dataset.plain_text import Plain, Words, typed_text
from bitsieve.dataset.text_booleans import Booleans, yes_or_no
from bitsieve.dataset.text_format import TextFormat, TextMeaning
from bitsieve.dataset.text_numbers import Numbers, are_codes, fits_of_both_marks, mixed_units
from bitsieve.dataset.text_times import Dates, Durations, only_orders
from bitsieve.options import DAY_FIRST, MONTH_FIRST
from bitsieve.utils.arrays import Flags
from bitsieve.utils.thousands import separates_thousands

_MIN_SHARE = 0.95  # the share of the rows with a value that must be of one format
_MIN_DISTINCT = 20  # so many distinct numbers or times must fit before other text is read as missing
_MAX_LENGTH = 64  # the largest number of characters of a number or a time
_MAX_ROWS_OF_TOTALS = 3  # rows such as "Total" and "Mean" that a report has below its data
_N_LISTED = 3  # the number of texts that a diagnostic lists
_CATEGORIES = TextMeaning(Words())


def meaning_of_text(
    text: CountedText, *, repair: bool = True, kind: str | None = None, is_target: bool = False
) -> TextMeaning:
    """Decide what the text of a column means.

    Parameters
    ----------
    text : CountedText
        The distinct values of the column, in any order.
    repair : bool
        Whether text that is almost numbers, times or booleans is read as such.
    kind : str, optional
        The kind of values that the user chose for the column, one of ``COLUMN_TYPES``.
    is_target : bool
        Whether the column is a target, which is never an identifier.
    """
    if kind == "category":
        return _CATEGORIES
    text = _without_missing(text)
    if not len(text):
        return _CATEGORIES
    plain_type = typed_text(text.values).type
    is_plain = not pa.types.is_string(plain_type) and not (repair and _has_points_between_thousands(text, plain_type))
    if is_plain and kind not in (DAY_FIRST, MONTH_FIRST):
        return _meaning_of_plain_text(text, plain_type, kind)
    if kind in (DAY_FIRST, MONTH_FIRST):
        return _meaning_as_dates(text, kind)
    if kind is not None:
        return _meaning_as_numbers(text)
    if not repair or (not is_target and _are_row_numbers_and_totals(text)):
        return _CATEGORIES
    return _detected_meaning(text)


def _has_points_between_thousands(text: CountedText, plain_type: pa.DataType) -> bool:
    """Whether text that looks like plain fractions is whole numbers such as "1.330" and "447"."""
    return bool(pa.types.is_floating(plain_type)) and separates_thousands(".", text.values.to_pylist())


def _without_missing(text: CountedText) -> CountedText:
    """The values of at least one row that are not missing."""
    has_value = flags(Words().read(text.values).is_valid()) & (text.counts > 0)
    has_missing = text.has_missing or bool(text.counts[~has_value].any())
    return replace(text.where(has_value), has_missing=has_missing)


def _meaning_of_plain_text(text: CountedText, plain_type: pa.DataType, kind: str | None) -> TextMeaning:
    """Numbers or times, unless the numbers look like codes: "007" is no 7."""
    if kind is None and not pa.types.is_temporal(plain_type) and are_codes(text):
        example = min(text.values.to_pylist())
        return TextMeaning(Words(), TextParsing(CODES, example, text.n_rows))
    return TextMeaning(Plain(plain_type))


def _meaning_as_dates(text: CountedText, order: str) -> TextMeaning:
    """Dates, as the user chose."""
    guessed_dates = Dates.guess(text)
    dates = Dates(order, guessed_dates is not None and guessed_dates.zoned)
    if not _is_of_format(text.values, dates).any():
        return _unread_meaning(NO_DATES, text)
    return _meaning_by(dates, text)


def _meaning_as_numbers(text: CountedText) -> TextMeaning:
    """Numbers, as the user chose."""
    numbers = Numbers.guess_with_marks(text)
    return _unread_meaning(NO_NUMBERS, text) if numbers is None else _meaning_by(numbers, text)


def _unread_meaning(what: str, text: CountedText) -> TextMeaning:
    """The meaning of text none of which is what the user chose. It is refused where the name of the column is known."""
    return TextMeaning(Words(), TextParsing(what, _most_frequent_value(text), 0))


def _detected_meaning(text: CountedText) -> TextMeaning:
    """What text means that is no plain number or time."""
    if Booleans.guess(text) is not None:
        return _meaning_as_booleans(text)
    has_digit = flags(pc.match_substring_regex(text.values, "[0-9]"))
    is_short = numpy_of(pc.utf8_length(text.values)) <= _MAX_LENGTH
    if 2 * text.n_rows_of(has_digit & is_short) < _MIN_SHARE * text.n_rows:
        return _CATEGORIES
    for guess in (Numbers.guess, Dates.guess, Durations.guess):
        text_format = guess(text)
        if text_format is not None and _are_enough(text, _is_of_format(text.values, text_format)):
            return _meaning_by(text_format, text)
    return _meaning_of_unread_numbers(text) or _meaning_in_two_formats(text) or _CATEGORIES


def _meaning_as_booleans(text: CountedText) -> TextMeaning:
    """Booleans. Other words are not listed as unread: they stay categories."""
    are_booleans = np.array([yes_or_no(word) is not None for word in text.values.to_pylist()])
    spellings = text.where(are_booleans)
    return TextMeaning(Booleans(), _parsing_of(Booleans(), spellings, np.ones(len(spellings), bool)))


def _are_row_numbers_and_totals(text: CountedText) -> bool:
    """Whether text is whole numbers that number the rows, and words such as "Total" in a few rows at the end."""
    is_integer = flags(pc.match_substring_regex(text.values, "^[0-9]{1,15}$"))
    if text.n_rows_of(~is_integer) > _MAX_ROWS_OF_TOTALS:
        return False
    numbers = numpy_of(text.values.filter(mask_of(is_integer)).cast(pa.int64()))
    return are_counts_of_identifier(numbers, text.counts[is_integer])


def _meaning_of_unread_numbers(text: CountedText) -> TextMeaning | None:
    """Categories that are nearly all numbers with a mark, or numbers in several units; None for other text."""
    if are_codes(text):
        return None
    units = mixed_units(text)
    if units and sum(units.values()) >= _MIN_SHARE * text.n_rows:
        parsing = TextParsing(SEVERAL_UNITS, _most_frequent_value(text), 0, units=tuple(units.items()))
        return TextMeaning(Words(), parsing)
    bare_numbers = Numbers.guess(text)
    marked_numbers = Numbers.guess_with_marks(text)
    if bare_numbers is None or marked_numbers is None or bare_numbers.unit:
        return None  # "12 A" and "12 B" may be seats
    is_bare = _is_of_format(text.values, bare_numbers)
    fits = _is_of_format(text.values, marked_numbers)
    if 2 * text.n_rows_of(is_bare) < text.n_rows_of(fits) or not _are_nearly_all(text, fits):
        return None
    parsing = _parsing_of(bare_numbers, text, is_bare)
    return TextMeaning(Words(), replace(parsing, what=MARKED_NUMBERS, has_missing=False))


def _meaning_in_two_formats(text: CountedText) -> TextMeaning | None:
    """Categories that are dates of both orders of day and month, or numbers of both decimal marks; else None."""
    orders = np.array(only_orders(text.values))
    day_first = orders == DAY_FIRST
    month_first = orders == MONTH_FIRST
    if day_first.any() and month_first.any():
        are_dates = _is_of_format(text.values, Dates(DAY_FIRST)) | _is_of_format(text.values, Dates(MONTH_FIRST))
        if _are_nearly_all(text, are_dates):
            return _categories_in_two_formats(DATES_OF_BOTH_ORDERS, text, day_first, month_first)
    with_point, with_comma = fits_of_both_marks(text.values)
    only_point = with_point & ~with_comma
    only_comma = with_comma & ~with_point
    if only_point.any() and only_comma.any() and _are_nearly_all(text, with_point | with_comma):
        return _categories_in_two_formats(NUMBERS_OF_BOTH_MARKS, text, only_point, only_comma)
    return None


def _categories_in_two_formats(what: str, text: CountedText, first: Flags, second: Flags) -> TextMeaning:
    """Categories, with the rows and examples of the text that is of one of two formats only."""
    ((example, _),) = text.most_frequent(first, 1)
    parsing = TextParsing(
        what=what,
        example=example,
        n_read=text.n_rows_of(first),
        n_unread=text.n_rows_of(second),
        unread=tuple(text.most_frequent(second, _N_LISTED)),
    )
    return TextMeaning(Words(), parsing)


def _is_of_format(values: pa.Array, text_format: TextFormat) -> Flags:
    """Which values a format can read."""
    return flags(text_format.read(values).is_valid())


def _are_enough(text: CountedText, fits: Flags) -> bool:
    """Whether so much of the text fits a format that the rest can be read as missing."""
    if not _are_nearly_all(text, fits):
        return False
    n_others = text.n_rows_of(~fits & ~means_missing(text.values))
    return n_others == 0 or int(fits.sum()) >= _MIN_DISTINCT


def _are_nearly_all(text: CountedText, fits: Flags) -> bool:
    """Whether 95 % of the rows fit, not counting those of words for a missing value, which may be no more than fit."""
    is_missing = means_missing(text.values) & ~fits
    n_fit = text.n_rows_of(fits)
    n_missing = text.n_rows_of(is_missing)
    n_others = text.n_rows_of(~fits & ~is_missing)
    return n_fit > 0 and n_fit >= _MIN_SHARE * (n_fit + n_others) and n_fit >= n_missing


def _meaning_by(text_format: TextFormat, text: CountedText) -> TextMeaning:
    """The meaning of text by a format; dates whose order of day and month is open stay categories."""
    parsing = _parsing_of(text_format, text, _is_of_format(text.values, text_format))
    if isinstance(text_format, Dates) and text_format.is_open(text.values):
        return TextMeaning(Words(), TextParsing(OPEN_DATES, parsing.example, parsing.n_read))
    return TextMeaning(text_format, parsing)


def _parsing_of(text_format: TextFormat, text: CountedText, fits: Flags) -> TextParsing:
    """How text is read by a format, and the most frequent text that is not read. ``fits`` is what the format reads."""
    examples = text.most_frequent(fits, 1)
    if isinstance(text_format, Numbers):
        examples = text.most_frequent(fits & text_format.shows_marks(text.values), 1) or examples
    parsing = TextParsing(
        what=text_format.what,
        example=examples[0][0] if examples else "",
        n_read=text.n_rows_of(fits),
        n_unread=text.n_rows_of(~fits),
        unread=tuple(text.most_frequent(~fits, _N_LISTED)),
        has_missing=text.has_missing,
    )
    if isinstance(text_format, Numbers) and (parsing.n_unread or text_format.reads_marks):
        return _with_marked_numbers(parsing, text_format, text)
    return parsing


def _with_marked_numbers(parsing: TextParsing, numbers: Numbers, text: CountedText) -> TextParsing:
    """Add the numbers with a mark, and the units of numbers in several units."""
    parsing = replace(parsing, units=tuple(mixed_units(text).items()), marked_are_read=numbers.reads_marks)
    bare_numbers = Numbers.guess(text)
    marked_numbers = numbers if numbers.reads_marks else Numbers.guess_with_marks(text)
    if bare_numbers is None or marked_numbers is None:
        return parsing
    values = marked_numbers.read(text.values)
    is_marked = flags(values.is_valid()) & ~_is_of_format(text.values, bare_numbers)
    number_of_text = dict(zip(text.values.to_pylist(), values.to_pylist(), strict=True))
    marked = []
    for value, n_rows in text.most_frequent(is_marked, _N_LISTED):
        marked.append(MarkedNumber(value, n_rows, float(number_of_text[value])))
    return replace(parsing, marked=tuple(marked), n_marked=text.n_rows_of(is_marked))


def _most_frequent_value(text: CountedText) -> str:
    ((value, _),) = text.most_frequent(np.ones(len(text), bool), 1)
    return value
