"""Numbers as people write them: with grouped thousands, a decimal comma, a currency or a unit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.arrow import flags, mask_of, numpy_of, text_of, text_scalar
from bitsieve.dataset.column_info import PLAIN_NUMBERS
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.encoding import MAX_EXACT_INTEGER
from bitsieve.dataset.number_parts import CURRENCY, SPACES, DigitStyle, NumberParts
from bitsieve.dataset.text_format import TextFormat
from bitsieve.utils.arrays import Flags, Integers
from bitsieve.utils.thousands import separates_thousands

_LEADING_ZERO = r"^\s*0[0-9]+\s*$"
_PHONE_NUMBER = r"^\s*\+[0-9]{8,}\s*$"
_IP_ADDRESS = r"^\s*(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:\.|\s*$)){4}"
_MIN_SHARE_OF_CODES = 0.01  # if so many rows have leading zeros, the column holds codes
#: Units that are often mixed in one column. Other words behind numbers may be anything: "12 A" is a seat.
_COMMON_UNITS = (
    r"%|‰|(?:[kmµuμn]?g|t|lbs?|oz)(?:/[dm]?[lL])?|[kcmµuμn]m|m|in|ft|yd|mi(?:les?)?|[dcmµuμ]?[lL]|"
    r"[mµuμn]?mol/[lL]|m?IU/m?[lL]|U/[lL]|°\s?[CF]|[KMGT]i?B|[kMG]?W|[kMG]?Wh|[kM]?Hz|[kM]?Pa|bar|mmHg|k?cal|k?J"
)
_POINTS_BETWEEN_THOUSANDS = DigitStyle(",", ".")
#: If several styles fit equally many rows, the first one is taken, unless a point can only separate thousands.
_STYLES = (
    DigitStyle(".", ","),
    _POINTS_BETWEEN_THOUSANDS,
    DigitStyle(".", "'’"),
    DigitStyle(",", SPACES),
    DigitStyle(".", SPACES),
)


@dataclass(frozen=True)
class Numbers(TextFormat):
    """Numbers that all have one unit, or none."""

    style: DigitStyle
    unit: str = ""  # a currency, "%", a unit, or empty
    are_integers: bool = False
    #: Whether numbers with a mark are read: "<200" and "200+" as 200, "12.5*" as 12.5, "12 k" as 12000, "1.2M" as
    #: 1200000. A limit is read as its number, which keeps its place among the others.
    reads_marks: bool = False
    unit_is_optional: bool = False  # whether numbers without the unit are read like those with it

    @property
    def what(self) -> str:
        if self.unit_is_optional:
            return f"numbers with and without the unit {self.unit!r}"
        if self.unit == "%":
            return "percentages"
        if pc.match_substring_regex(text_scalar(self.unit), f"^(?:{CURRENCY})$").as_py():
            return f"amounts of money in {self.unit!r}"
        if self.unit:
            return f"numbers with the unit {self.unit!r}"
        if self.style == _POINTS_BETWEEN_THOUSANDS and self.are_integers:
            return "numbers with points between thousands"
        if self.style.decimal == ",":
            return "numbers with a decimal comma"
        return PLAIN_NUMBERS

    def read(self, text: pa.Array) -> pa.Array:
        parts = NumberParts.of_text(text, self.reads_marks)
        floats = parts.numbers(self.style, parts.has_unit(self.unit, self.unit_is_optional))
        return floats.cast(pa.int64(), safe=False) if self.are_integers else floats

    @staticmethod
    def shows_marks(text: pa.Array) -> Flags:
        """Which texts have a mark between digits, and so show how numbers are written."""
        return flags(pc.match_substring_regex(text, rf"[0-9][.,'’{SPACES}][0-9]"))

    @classmethod
    def guess(cls, text: CountedText) -> Numbers | None:
        """The unit and the style that fit most rows; None for codes, IP addresses and phone numbers."""
        parts = NumberParts.of_text(text.values)
        if not parts.match.any():
            return None
        unit = _most_frequent_unit(parts, text.counts)
        unit_counts = np.where(parts.has_unit(unit), text.counts, 0)
        if are_codes(CountedText(parts.digits if unit else text.values, unit_counts)):
            return None
        numbers = cls._with_style(parts, unit_counts, unit)
        fits = (unit_counts > 0) & parts.fits(numbers.style)
        if not unit and numbers.style.group == SPACES and _are_spaced_phone_numbers(parts.digits, fits):
            return None
        return numbers

    @classmethod
    def guess_with_marks(cls, text: CountedText) -> Numbers | None:
        """The unit and the style that fit most rows, where numbers with a mark are read, too; None for no numbers.

        If only one unit occurs beside numbers without one, it is optional. A percentage is never read like a number
        without a unit.
        """
        parts = NumberParts.of_text(text.values, reads_marks=True)
        if not parts.match.any():
            return None
        unit = _most_frequent_unit(parts, text.counts)
        units = {*parts.unit.filter(mask_of(parts.match & (text.counts > 0))).unique().to_pylist()}
        unit_is_optional = len(units) == 2 and "" in units and "%" not in units
        if unit_is_optional:
            (unit,) = units - {""}
        unit_counts = np.where(parts.has_unit(unit, unit_is_optional), text.counts, 0)
        numbers = cls._with_style(parts, unit_counts, unit, unit_is_optional)
        return replace(numbers, reads_marks=True)

    @classmethod
    def _with_style(
        cls, parts: NumberParts, unit_counts: Integers, unit: str, unit_is_optional: bool = False
    ) -> Numbers:
        """Numbers of this unit in the style that fits most rows."""
        n_rows = [int(unit_counts[parts.fits(style)].sum()) for style in _STYLES]
        style = _STYLES[int(np.argmax(n_rows))]
        has_digits = parts.digits.filter(mask_of(unit_counts > 0))
        if style.decimal == "." and separates_thousands(".", has_digits.to_pylist()):
            style = _POINTS_BETWEEN_THOUSANDS
        fits = (unit_counts > 0) & parts.fits(style)
        floats = numpy_of(parts.numbers(style, parts.has_unit(unit, unit_is_optional)))[fits]
        has_decimals = flags(pc.match_substring_regex(parts.digits, f"[{style.decimal}]"))[fits].any()
        are_integers = _are_integers(floats) and not has_decimals
        return cls(style, unit, are_integers, unit_is_optional=unit_is_optional)


def mixed_units(text: CountedText) -> dict[str, int]:
    """The number of rows of every unit, if the numbers of a column have several units in common use; else none."""
    parts = NumberParts.of_text(text.values)
    n_rows_of_unit: dict[str, int] = {}
    for unit, is_number, n_rows in zip(parts.unit.to_pylist(), parts.match.tolist(), text.counts.tolist(), strict=True):
        if is_number and unit and n_rows:
            n_rows_of_unit[unit] = n_rows_of_unit.get(unit, 0) + n_rows
    units = list(n_rows_of_unit)
    is_common = flags(pc.match_substring_regex(text_of(units), rf"^(?:{_COMMON_UNITS}|{CURRENCY})$"))
    common_units = [units[i] for i in np.flatnonzero(is_common).tolist()]
    if len(common_units) < 2:
        return {}
    common_units.sort(key=lambda unit: (-n_rows_of_unit[unit], unit))
    return {unit: n_rows_of_unit[unit] for unit in common_units}


def fits_of_both_marks(text: pa.Array) -> tuple[Flags, Flags]:
    """Which texts are numbers without a unit with a point before the decimals, and which with a comma."""
    parts = NumberParts.of_text(text)
    has_no_unit = parts.has_unit("")
    return has_no_unit & parts.fits(_STYLES[0]), has_no_unit & parts.fits(_POINTS_BETWEEN_THOUSANDS)


def _most_frequent_unit(parts: NumberParts, counts: Integers) -> str:
    """The unit of most rows; of equally frequent units the alphabetically first."""
    units = parts.unit.dictionary_encode()
    n_rows = np.bincount(numpy_of(units.indices), np.where(parts.match, counts, 0), len(units.dictionary))
    _, unit = min(zip(-n_rows, units.dictionary.to_pylist(), strict=True))
    return str(unit)


def _are_spaced_phone_numbers(digits: pa.Array, fits: Flags) -> bool:
    """Whether all have the same number of spaces, two or more, and none has decimals."""
    n_spaces = numpy_of(pc.count_substring_regex(digits, f"[{SPACES}]"))[fits]
    has_decimals = flags(pc.match_substring_regex(digits, "[.,]"))[fits]
    return len(n_spaces) > 0 and n_spaces.min() == n_spaces.max() > 1 and not has_decimals.any()


def _are_integers(floats: np.ndarray) -> bool:
    if not len(floats):
        return False
    return bool((floats == np.rint(floats)).all() and (np.abs(floats) < MAX_EXACT_INTEGER).all())


def are_codes(text: CountedText) -> bool:
    """Whether text of digits is codes: some with leading zeros, most phone numbers with a plus, or IP addresses."""

    def n_rows_like(pattern: str) -> int:
        return text.n_rows_of(flags(pc.match_substring_regex(text.values, pattern)))

    if n_rows_like(_LEADING_ZERO) >= _MIN_SHARE_OF_CODES * text.n_rows > 0:
        return True
    return 2 * n_rows_like(_PHONE_NUMBER) > text.n_rows or 2 * n_rows_like(_IP_ADDRESS) > text.n_rows
