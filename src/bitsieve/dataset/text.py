"""What the text of a column means: numbers, times, booleans or categories, decided once from all its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, ClassVar, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from bitsieve.dataset.arrow import arrow_of, flags, is_text, numpy_of, text_of, without_markers
from bitsieve.dataset.column_info import TextParsing
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.target import split_target
from bitsieve.dataset.text_format import ColumnRules, TextFormat, TextMeaning
from bitsieve.io.dialect import MARKERS
from bitsieve.io.text import without_commas
from bitsieve.options import DAY_FIRST, MONTH_FIRST
from bitsieve.utils.arrays import Flags, Integers

_MOST = 0.95  # of the rows with a value must be of one form
_MANY_NUMBERS = 20  # different ones, from which on other words among them are read as missing
_LONGEST = 64  # characters of a number or a time
_FEW_WORDS = 100  # that are looked at one by one
_MAY_BEGIN_A_NUMBER = frozenset(" +-.0123456789niNI")  # or a date; and nan, inf
_LISTED = 3  # values that are read as missing
#: Words in a column of numbers or times that mean a missing value; any case.
_TOKENS = (
    *("-", "--", "---", "–", "—", ".", "..", "...", "*", "**", "n.a.", "n.a", "na.", "n/d", "nd", "n/k", "none"),
    *("nil", "missing", "unknown", "unk", "undefined", "not available", "not applicable", "no data", "tbd", "tba"),
    *("#value!", "#div/0!", "#ref!", "#name?", "#num!", "k.a.", "k. a.", "n. a.", "null", "nan", "na", "n/a"),
)
_TRUE = frozenset(
    ["yes", "y", "true", "t", "on", "1", "ja", "j", "oui", "vrai", "si", "sí", "sim", "да", "wahr", "vero", "verdadero"]
)
_FALSE = frozenset(["no", "n", "false", "f", "off", "0", "nein", "non", "faux", "não", "nao", "нет", "falsch", "falso"])


_MARKED = frozenset(MARKERS)
_TOKEN_VALUES = text_of(_TOKENS)


@dataclass(frozen=True)
class Words(TextFormat):
    """Categories."""

    what: ClassVar[str] = "categories"
    no_class: ClassVar[bool] = False

    def read(self, text: pa.Array) -> pa.Array:
        """The text, null where it means a missing value."""
        return without_markers(text)


@dataclass(frozen=True)
class Plain(TextFormat):
    """Numbers or times as every file of text has them; None: of the type that some text has by itself."""

    kind: pa.DataType | None = None
    what: ClassVar[str] = "numbers or times"

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        if self.kind is None or not pa.types.is_temporal(self.kind):
            return None
        return "dates" if pa.types.is_timestamp(self.kind) or pa.types.is_date(self.kind) else "durations"

    @property
    def no_class(self) -> bool:
        return self.time is not None or (self.kind is not None and bool(pa.types.is_floating(self.kind)))

    def read(self, text: pa.Array) -> pa.Array:
        """The values."""
        kind, text = self.kind, Words().read(text)
        if kind is None:
            return typed_text(text)
        if text.null_count == len(text):
            return pa.nulls(len(text), kind)
        plain = pc.replace_substring(text, ",", "") if pa.types.is_integer(kind) or pa.types.is_floating(kind) else text
        return _parsed(plain, kind).combine_chunks()


@dataclass(frozen=True)
class Truths(TextFormat):
    """Booleans in words, each of which is written in more than one way; other words stay what they are."""

    what: ClassVar[str] = "booleans in words"

    def read(self, text: pa.Array) -> pa.Array:
        """``yes``, ``no`` and what is neither."""
        words = [None if word is None else _truth(word) or word for word in Words().read(text).to_pylist()]
        return pa.array(words, pa.string(), from_pandas=False)

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Truths | None:
        """None where there are other words in many rows, or one for yes and one for no, as categories have."""
        if len(text) > _FEW_WORDS:
            return None
        words = text.to_pylist()
        meant = [_truth(word) for word in words]
        n_words = [meant.count("yes"), meant.count("no")]
        known = sum(int(n) for n, truth in zip(counts, meant, strict=True) if truth is not None)
        in_words = any(truth and not word.strip().isdigit() for word, truth in zip(words, meant, strict=True))
        return cls() if min(n_words) and max(n_words) > 1 and in_words and known >= _MOST * counts.sum() else None


def _truth(word: str) -> str | None:
    """``yes`` or ``no``, where a word means that."""
    plain = word.strip().casefold()
    return "yes" if plain in _TRUE else "no" if plain in _FALSE else None


def understood(
    text: pa.Array,  # the distinct values, in any order; null is a missing value
    counts: Integers,  # how many rows have each
    *,
    repair: bool = True,
    wanted: str | None = None,  # one of ``COLUMN_TYPES``, which then is what it means
    has_null: bool = False,  # whether other rows have no value
) -> TextMeaning:
    """What the text of a column means."""
    if wanted == "category":
        return TextMeaning(Words())
    known = flags(Words().read(text).is_valid()) & (counts > 0)
    has_missing = has_null or bool(counts[~known].any())
    text, counts = text.filter(pa.array(known)), counts[known]
    plain = typed_text(text).type
    if len(text) and not pa.types.is_string(plain) and wanted not in (DAY_FIRST, MONTH_FIRST):
        from bitsieve.dataset.text_numbers import are_codes

        if wanted is None and not pa.types.is_temporal(plain) and are_codes(text, counts):
            return TextMeaning(Words(), TextParsing("codes", min(text.to_pylist()), int(counts.sum())))
        return TextMeaning(Plain(plain))
    if not len(text) or not (repair or wanted):
        return TextMeaning(Words())
    return _repaired(text, counts, has_missing, wanted) or TextMeaning(Words())


def _repaired(text: pa.Array, counts: Integers, has_missing: bool, wanted: str | None) -> TextMeaning | None:
    """What text means that is not plain."""
    from bitsieve.dataset.text_numbers import Numbers
    from bitsieve.dataset.text_times import Dates, Durations

    if wanted in (DAY_FIRST, MONTH_FIRST):
        guessed = Dates.guess(text, counts)
        form: TextFormat = Dates(wanted, guessed is not None and guessed.zoned)
        return _accepted(form, text, counts, has_missing)
    if wanted is None:
        if Truths.guess(text, counts) is not None:
            are_truths = np.array([_truth(word) is not None for word in text.to_pylist()])
            counts = np.where(are_truths, counts, 0)
            return TextMeaning(Truths(), _parsing_of(Truths(), text, counts, are_truths, has_missing))
        may_be = pc.and_(pc.match_substring_regex(text, "[0-9]"), pc.less_equal(pc.utf8_length(text), _LONGEST))
        if 2 * counts[flags(may_be)].sum() < _MOST * counts.sum():
            return None
    for kind in (Numbers,) if wanted else (Numbers, Dates, Durations):
        guess = kind.guess(text, counts)
        found = None if guess is None else _accepted(guess, text, counts, has_missing, bool(wanted))
        if found is not None:
            return found
    return None


def _accepted(
    form: TextFormat, text: pa.Array, counts: Integers, has_missing: bool, always: bool = True
) -> TextMeaning | None:
    """The form with its parsing; None where too much of the text is not of it."""
    from bitsieve.dataset.text_times import Dates

    fits = flags(form.read(text).is_valid())
    tokens = flags(pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(text)), _TOKEN_VALUES)) & ~fits
    others = ~fits & ~tokens
    n_fit, n_others = int(counts[fits].sum()), int(counts[others].sum())
    enough = n_fit >= _MOST * (n_fit + n_others) and n_fit >= int(counts[tokens].sum())
    if not always and not (n_fit and enough and (not n_others or int(fits.sum()) >= _MANY_NUMBERS)):
        return None
    parsing = _parsing_of(form, text, counts, fits, has_missing)
    if isinstance(form, Dates) and form.is_open(text):
        return TextMeaning(Words(), TextParsing("open dates", parsing.example, parsing.n_read))
    return TextMeaning(form, parsing)


def _parsing_of(form: TextFormat, text: pa.Array, counts: Integers, fits: Flags, has_missing: bool) -> TextParsing:
    """How often text is read and what is not: the most frequent first, then by name."""
    values = text.to_pylist()

    def most_frequent(chosen: Flags) -> list[tuple[str, int]]:
        found = sorted((-int(counts[j]), values[j]) for j in np.flatnonzero(chosen & (counts > 0)).tolist())
        return [(value, -rows) for rows, value in found[:_LISTED]]

    example = most_frequent(fits)[:1]
    n_read, n_unread = int(counts[fits].sum()), int(counts[~fits].sum())
    return TextParsing(
        form.what, example[0][0] if example else "", n_read, n_unread, tuple(most_frequent(~fits)), has_missing
    )


def typed_text(values: pa.Array) -> pa.Array:
    """Text as files of text are read: numbers or times where all of it is such; truth values stay text."""
    text = Words().read(values.cast(pa.string()))
    known = text.drop_null()
    if not len(known) or known[0].as_py()[:1] not in _MAY_BEGIN_A_NUMBER:
        return text
    column = without_commas(_parsed(text))
    if len(column) != len(text) or pa.types.is_string(column.type) or pa.types.is_boolean(column.type):
        return text
    return column.combine_chunks()


def _parsed(text: pa.Array, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Text as values of a type; None: the one that a file of text would find."""
    buffer = BytesIO()
    csv.write_csv(pa.table({"value": text}), buffer, csv.WriteOptions(include_header=False))
    read = csv.read_csv(
        pa.BufferReader(buffer.getvalue()),
        read_options=csv.ReadOptions(column_names=["value"], use_threads=False, block_size=buffer.tell() + (1 << 16)),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(
            strings_can_be_null=True, null_values=[""], column_types=None if kind is None else {"value": kind}
        ),
    )
    (column,) = read.columns
    return column


def typed_columns(
    arrays: Sequence[pa.Array], places: Sequence[int], rules: ColumnRules, wanted: Mapping[int, str]
) -> tuple[list[pa.Array], dict[int, TextMeaning]]:
    """Arrays at some places of a table with text as what it means, and what that is; ``wanted``: types asked for."""
    typed, meanings = list(arrays), {}
    for j, (array, place) in enumerate(zip(arrays, places, strict=True)):
        if is_text(array.type):
            typed[j], meanings[place] = _typed_column(array, place, rules, wanted.get(place))
    return typed, meanings


def _typed_column(array: pa.Array, place: int, rules: ColumnRules, wanted: str | None) -> tuple[pa.Array, TextMeaning]:
    coded = pc.dictionary_encode(array)
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    if rules.formats is not None:
        form = rules.formats.get(place, Words())
        meaning = TextMeaning(form, is_plain=isinstance(form, Plain))
    elif wanted is None and _are_plain_words(coded.dictionary):
        return coded, TextMeaning(Words())
    else:
        rows, has_null = _rows(coded, rules.counted)
        text = coded.dictionary.cast(pa.string())
        meaning = understood(text, rows, repair=rules.repair, wanted=wanted, has_null=has_null)
    values = meaning.format.read(coded.dictionary.cast(pa.string()))
    if pa.types.is_string(values.type):
        return pa.DictionaryArray.from_arrays(coded.indices, values), meaning
    return values.take(coded.indices), meaning


def _rows(coded: pa.DictionaryArray, counted: Flags | None) -> tuple[Integers, bool]:
    """How many rows that count have each value of a dictionary, and whether any of them has none."""
    places = numpy_of(pc.fill_null(coded.indices.cast(pa.int64()), len(coded.dictionary)))
    counts_all = counted is None or len(counted) != len(places)  # weights of another length are refused later
    rows = np.bincount(places if counts_all else places[counted], minlength=len(coded.dictionary) + 1)
    return rows[:-1], bool(rows[-1])


def _are_plain_words(values: pa.Array) -> bool:
    """Whether a few values are text of which none has a digit, means a missing value or is a boolean."""
    if not len(values) or len(values) > _FEW_WORDS:
        return False
    words = values.to_pylist()
    if None in words or words[0][:1] in _MAY_BEGIN_A_NUMBER or not _MARKED.isdisjoint(words):
        return False
    return all(_truth(word) is None and not any(map(str.isdigit, word)) for word in words)


def target_with_text_read(y: Any, rules: ColumnRules) -> tuple[Any, dict[str, TextParsing]]:
    """A target with its text as :func:`typed_columns` reads it where that is no class; by column how it was read."""
    columns = split_target(y)
    texts = {place: target_text(values) for place, values in enumerate(columns.values())}
    texts = {place: text for place, text in texts.items() if text is not None}
    typed, meanings = typed_columns([*texts.values()], [*texts], rules, {})
    read = {place: array for place, array in zip(texts, typed, strict=True) if meanings[place].format.no_class}
    if not read:
        return y, {}
    if len(columns) == 1:
        read_y = read[0]
    else:
        series = [nw.from_native(values, pass_through=True, series_only=True) for values in columns.values()]
        arrays = [one.to_arrow() if isinstance(one, nw.Series) else pa.array(one) for one in series]
        read_y = pa.table([read.get(place, array) for place, array in enumerate(arrays)], names=list(columns))
    parsings = {name: meanings[place].parsing for place, name in enumerate(columns) if place in read}
    return read_y, {name: parsing for name, parsing in parsings.items() if parsing is not None}


def target_text(values: Any) -> pa.Array | None:
    """A column of a target as Arrow text, numbers among text as text, too; None where it is of another kind."""
    found = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(found, nw.Series) and found.dtype not in (nw.String, nw.Object):
        return None
    if not isinstance(found, (nw.Series, pa.Array, pa.ChunkedArray)):
        found = as_array(found)
        if found.dtype.kind not in "OUS" or found.ndim != 1:
            return None
    try:
        array = found if isinstance(found, (pa.Array, pa.ChunkedArray)) else arrow_of(found, "the target")[0]
    except ValueError:  # of other kinds, which are refused elsewhere
        return None
    return array if is_text(array.type) else None
