"""Read the columns of text of a table, and of a target, as what their text means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import arrow_of, filled_indices, is_text
from bitsieve.dataset.column_info import NO_DATES, NO_NUMBERS, TextParsing
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.data_kinds import is_arrow_column
from bitsieve.dataset.encoding import as_array
from bitsieve.dataset.plain_text import Plain, Words, may_begin_a_number
from bitsieve.dataset.target import split_target
from bitsieve.dataset.text_booleans import yes_or_no
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.diagnostics import NAME_ONLY, UserError
from bitsieve.io.dialect import MARKERS
from bitsieve.utils.arrays import Flags
from bitsieve.utils.types import ColumnLike

_MAX_WORDS = 100  # up to so many distinct words are looked at one by one
_N_COLUMNS_LISTED = 3  # the number of columns that an error lists
_MARKERS = frozenset(MARKERS)


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
    unread: dict[str, TextParsing] = {}
    for j, meaning in text_meanings.items():
        if meaning.parsing is not None and meaning.parsing.what in (NO_NUMBERS, NO_DATES):
            unread[names[j]] = meaning.parsing
    if not unread:
        return
    listed = " and ".join(
        f"{name!r}, which has {parsing.what} (its text is such as {parsing.example!r})"
        for name, parsing in list(unread.items())[:_N_COLUMNS_LISTED]
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
    if rules.formats is not None:
        text_format = rules.formats.get(j, Words())
        meaning = TextMeaning(text_format, is_plain=isinstance(text_format, Plain))
    elif kind is None and _are_plain_words(coded.dictionary):
        return coded, TextMeaning(Words())
    else:
        from bitsieve.dataset.text_meaning import meaning_of_text  # here, as it loads the functions of Arrow

        text = _counted(coded, rules.has_weight)
        meaning = meaning_of_text(text, repair=rules.repair, kind=kind, is_target=rules.are_targets)
    values = meaning.format.read(coded.dictionary.cast(pa.string()))
    if meaning.format == Plain() and not pa.types.is_string(values.type):
        meaning = TextMeaning(Plain(values.type), is_plain=True)
    if pa.types.is_string(values.type):
        return pa.DictionaryArray.from_arrays(coded.indices, values), meaning
    return values.take(coded.indices), meaning


def _counted(coded: pa.DictionaryArray, has_weight: Flags | None) -> CountedText:
    """The values of a dictionary, and how many rows with a weight hold each."""
    n_values = len(coded.dictionary)
    codes = filled_indices(coded, n_values)
    if has_weight is not None and len(has_weight) == len(codes):  # weights of another length are refused later
        codes = codes[has_weight]
    counts = np.bincount(codes, minlength=n_values + 1)  # the last count is of missing values
    return CountedText(coded.dictionary.cast(pa.string()), counts[:-1], has_missing=bool(counts[-1]))


def _are_plain_words(values: pa.Array) -> bool:
    """Whether values are clearly categories: few, without digits, and none means a missing value or a boolean."""
    if not len(values) or len(values) > _MAX_WORDS:
        return False
    words = values.to_pylist()
    if None in words or may_begin_a_number(words[0]) or not _MARKERS.isdisjoint(words):
        return False
    return all(yes_or_no(word) is None and not any(map(str.isdigit, word)) for word in words)


def target_with_text_read(y: ColumnLike, rules: ColumnRules) -> tuple[ColumnLike, dict[str, TextParsing]]:
    """Convert the columns of a target whose text is numbers or times; also return how they were read, by name."""
    columns = split_target(y)
    texts: dict[int, pa.Array] = {}
    for j, values in enumerate(columns.values()):
        text = target_text(values)
        if text is not None:
            texts[j] = text
    arrays, text_meanings = typed_columns([*texts.values()], [*texts], replace(rules, are_targets=True), {})
    converted: dict[int, pa.Array] = {}
    for j, array in zip(texts, arrays, strict=True):
        if text_meanings[j].format.converts_target:
            converted[j] = array
    if not converted:
        return y, {}
    names = list(columns)
    parsings = {}
    for j in converted:
        parsing = text_meanings[j].parsing
        if parsing is not None:
            parsings[names[j]] = parsing
    if len(columns) == 1:
        return converted[0], parsings
    columns_read = [converted.get(j, _arrow_array(values)) for j, values in enumerate(columns.values())]
    return pa.table(columns_read, names=names), parsings


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
