"""Text that is numbers, dates, times of day or durations as people write them; times become microseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.common.arrays import Flags, Integers
from bitsieve.data.arrow import numpy_of
from bitsieve.data.encoding import WHOLE
from bitsieve.data.given import DAY_FIRST, MONTH_FIRST, Form

_SPACES = " \u00a0\u2009\u202f"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|KRW|TRY|SGD|HKD|THB|ILS"
_SIGNS = r"(?:US|AU|CA|HK|NZ|[ASRC])?[$€£¥₹₽₩₪฿₺₫₴]"
_MONEY = rf"{_SIGNS}|{_CODES}|kr\.?|zł|Kč|Rs\.?|Fr\.?"
_NUMBER = (
    rf"^\s*(?P<open>\(?)(?P<sign>[-+−]?)\s*(?P<before>{_MONEY})?\s*(?P<second>[-+−]?)"
    rf"(?P<digits>[0-9](?:[0-9.,'’{_SPACES}]*[0-9])?\.?|[.,][0-9]+)(?P<exponent>[eE][-+]?[0-9]+)?"
    r"\s*(?P<last>[-−]?)(?P<after>[^\s0-9.,'()+−-][^0-9()]{0,15})?(?P<close>\)?)\s*$"
)
_LEADING_ZERO = r"^\s*0[0-9]+\s*$"
_PHONE = r"^\s*\+[0-9]{8,}\s*$"
_ADDRESS = r"^\s*(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?:\.|\s*$)){4}"
_FEW_CODES = 0.01  # of the rows; from here on leading zeros are those of codes


class Marks(NamedTuple):
    """How digits are grouped, and what is before their decimals."""

    decimal: str
    group: str

    @property
    def pattern(self) -> str:
        """What digits look like that are so written."""
        decimal, group = f"[{self.decimal}]", f"[{self.group}]"
        return rf"^(?:[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+|[0-9]*)(?:{decimal}[0-9]*)?$"


#: In the order in which they are preferred where several fit as many rows.
_MARKS = (Marks(".", ","), Marks(",", "."), Marks(".", "'’"), Marks(",", _SPACES), Marks(".", _SPACES))


@dataclass(frozen=True)
class Numbers(Form):
    """Numbers that all have one unit, or none."""

    marks: Marks
    unit: str = ""  # a currency, "%", a unit, or empty
    whole: bool = False  # whether all of them are whole numbers
    grouped: bool = False  # whether any of them has groups of digits

    @property
    def what(self) -> str:
        """What they are, in words."""
        if self.unit == "%":
            return "percentages"
        if pc.match_substring_regex(self.unit, f"^(?:{_MONEY})$").as_py():
            return f"amounts of money in {self.unit!r}"
        if self.unit:
            return f"numbers with the unit {self.unit!r}"
        return "numbers with a decimal comma" if self.marks.decimal == "," else "numbers"

    def read(self, text: pa.Array) -> pa.Array:
        """The numbers; null for what is none with this unit."""
        parts = _Parts.of(text)
        floats = parts.numbers(self.marks, self.unit)
        return floats.cast(pa.int64(), safe=False) if self.whole else floats

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Numbers | None:
        """The unit and the marks that fit most rows; None for codes, addresses and phone numbers."""
        parts = _Parts.of(text)
        if not parts.match.any():
            return None
        unit = parts.common_unit(counts)
        of_unit = np.where(parts.has_unit(unit), counts, 0)
        if are_codes(parts.digits if unit else text, of_unit):
            return None
        rows = [int(of_unit[parts.fit(marks)].sum()) for marks in _MARKS]
        marks = _MARKS[int(np.argmax(rows))]
        grouped = flags(pc.match_substring_regex(parts.digits, f"[0-9][{marks.group}][0-9]"))
        fit = (of_unit > 0) & parts.fit(marks)
        if not unit and marks.group == _SPACES and _are_phone_numbers(parts.digits, fit):
            return None
        floats = numpy_of(parts.numbers(marks, unit))[fit]
        whole = len(floats) > 0 and bool((floats == np.rint(floats)).all() and (np.abs(floats) < WHOLE).all())
        whole = whole and not flags(pc.match_substring_regex(parts.digits, f"[{marks.decimal}]"))[fit].any()
        return cls(marks, unit, whole, bool(grouped[fit].any()))


@dataclass(frozen=True)
class _Parts:
    """The parts of text that looks like numbers."""

    match: Flags
    digits: pa.Array
    exponent: pa.Array
    negative: pa.Array
    unit: pa.Array

    @classmethod
    def of(cls, text: pa.Array) -> _Parts:
        found = pc.extract_regex(text, _NUMBER)
        open_, sign, before, second, digits, exponent, last, after, close = (
            pc.fill_null(found.field(j), "") for j in range(found.type.num_fields)
        )
        signs = pc.binary_join_element_wise(sign, second, last, "")
        signs_fit = pc.less_equal(pc.utf8_length(signs), 1)
        match = pc.and_(pc.and_(found.is_valid(), pc.equal(pc.utf8_length(open_), pc.utf8_length(close))), signs_fit)
        negative = pc.or_(pc.is_in(signs, pa.array(["-", "−"])), pc.equal(open_, "("))
        unit = pc.utf8_trim_whitespace(pc.binary_join_element_wise(before, pc.utf8_trim_whitespace(after), " "))
        return cls(flags(match), digits, exponent, negative, unit)

    def common_unit(self, counts: Integers) -> str:
        """The unit of most rows; of several the first by name."""
        coded = self.unit.dictionary_encode()
        rows = np.bincount(numpy_of(coded.indices), np.where(self.match, counts, 0), len(coded.dictionary))
        units = coded.dictionary.to_pylist()
        return str(min(zip(-rows, units, strict=True))[1])

    def has_unit(self, unit: str) -> Flags:
        """Which have this unit; a bare zero has any."""
        with_unit = flags(pc.equal(self.unit, unit))
        if unit:
            with_unit |= flags(pc.and_(pc.equal(self.unit, ""), pc.match_substring_regex(self.digits, "^0$")))
        return self.match & with_unit

    def fit(self, marks: Marks) -> Flags:
        """Which have digits that are so written."""
        return self.match & flags(pc.match_substring_regex(self.digits, marks.pattern))

    def numbers(self, marks: Marks, unit: str) -> pa.Array:
        """As floats, null where they do not fit."""
        bare = pc.replace_substring_regex(self.digits, f"[{marks.group}]", "")
        bare = pc.replace_substring(bare, marks.decimal, ".")
        signed = pc.binary_join_element_wise(pc.if_else(self.negative, "-", ""), bare, self.exponent, "")
        fit = pa.array(self.fit(marks) & self.has_unit(unit))
        return pc.if_else(fit, signed, pa.scalar(None, pa.string())).cast(pa.float64())


def are_codes(text: pa.Array, counts: Integers) -> bool:
    """Whether text of digits is codes: some with leading zeros, all phone numbers with a plus, or all IP addresses."""
    n_rows = counts.sum()
    if counts[flags(pc.match_substring_regex(text, _LEADING_ZERO))].sum() >= _FEW_CODES * n_rows > 0:
        return True
    return any(2 * counts[flags(pc.match_substring_regex(text, form))].sum() > n_rows for form in (_PHONE, _ADDRESS))


def _are_phone_numbers(digits: pa.Array, fit: Flags) -> bool:
    """Whether all have the same number of groups, more than two, and no decimals."""
    groups = numpy_of(pc.count_substring_regex(digits, f"[{_SPACES}]"))[fit]
    has_decimals = flags(pc.match_substring_regex(digits, "[.,]"))[fit]
    return len(groups) > 0 and bool(groups.min() == groups.max() > 1 and not has_decimals.any())


def flags(mask: Any) -> Flags:
    """A mask of Arrow as numpy has it; null is False."""
    found: Flags = numpy_of(pc.fill_null(mask, False))
    return found


UNDECIDED = "undecided"

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
)
_ZONE = r"\s*(?P<zone>Z|UTC|GMT|BST|CES?T|EES?T|[ECMP][SD]T|[-+][0-9]{2}:?[0-9]{2})?"
_BEHIND = rf"(?:[T\s,]+{_CLOCK}{_ZONE})?\s*$"
_NAME = r"[^\s0-9.,:/+-]+"
_BEFORE = rf"^\s*(?:{_NAME}\.?,?\s+)?"  # the day of the week
_IN_DIGITS = (
    rf"{_BEFORE}(?P<first>[0-9]{{1,4}})(?P<mark>[-/.])\s?(?P<middle>[0-9]{{1,2}})(?P<mark2>[-/.])\s?"
    rf"(?P<last>[0-9]{{1,4}}){_BEHIND}"
)
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_MONTH = rf"(?P<month>{_NAME})\.?"
_DAY_MONTH = rf"{_BEFORE}{_DAY}(?:[\s/-]+|\s*de\s+)?{_MONTH},?(?:[\s/-]+|\s*de\s+){_YEAR}{_BEHIND}"
_MONTH_DAY = rf"{_BEFORE}{_MONTH}[\s-]+{_DAY},?[\s-]+{_YEAR}{_BEHIND}"
_MONTHS = {  # the first letters of months in English, German, French, Spanish, Italian, Portuguese and Dutch
    prefix: number
    for number, prefixes in enumerate(
        [
            "jan ene gen jän",
            "feb fév fev",
            "mar mär mrt",
            "apr avr abr",
            "may mai mag mei",
            "jun juin giu",
            "jul juil lug",
            "aug aoû ago aou",
            "sep set",
            "oct okt ott out",
            "nov",
            "dec dez déc dic",
        ],
        1,
    )
    for prefix in prefixes.split()
}
_ZONES = {"Z": 0, "UTC": 0, "GMT": 0, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180}
_ZONES |= {f"{letter}ST": -60 * hours for letter, hours in zip("ECMP", (5, 6, 7, 8), strict=True)}
_ZONES |= {f"{letter}DT": -60 * hours for letter, hours in zip("ECMP", (4, 5, 6, 7), strict=True)}


@dataclass(frozen=True)
class Dates(Form):
    """Dates, with or without a time of day."""

    # {"day-first", "month-first", "undecided"}: of days and months that are digits with "/" or "-" between them; with
    # "." the day is first
    order: str = DAY_FIRST
    zoned: bool = False  # whether the times are of a time zone; they become UTC
    time: ClassVar[Literal["dates"]] = "dates"

    @property
    def what(self) -> str:
        """What they are, in words."""
        facts = [self.order.replace("-", " ")] * (self.order != UNDECIDED) + ["with a time zone"] * self.zoned
        return f"dates ({', '.join(facts)})" if facts else "dates"

    def read(self, text: pa.Array) -> pa.Array:
        """The dates as timestamps; null for what is none."""
        days, known = _days_in_digits(text, self.order)
        clock, has_zone = _clock_of(text, _IN_DIGITS)
        for pattern in (_DAY_MONTH, _MONTH_DAY):
            named, fit = _days_with_names(text, pattern)
            of_day, zoned = _clock_of(text, pattern)
            days, clock = np.where(fit, named, days), np.where(fit, of_day, clock)
            known, has_zone = known | fit, np.where(fit, zoned, has_zone)
        known &= (has_zone == self.zoned) & (clock > _NO_TIME)
        microseconds = days * 86_400_000_000 + clock
        return _array(microseconds, known).cast(pa.timestamp("us"))

    def is_open(self, text: pa.Array) -> bool:
        """Whether any date is another one where the month is first, and nothing decides which it is."""
        if self.order != UNDECIDED:
            return False
        (day, is_one), (month, is_other) = (_days_in_digits(text, order) for order in (DAY_FIRST, MONTH_FIRST))
        return bool((is_one & is_other & (day != month)).any())

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Dates | None:
        """The order that the digits allow: undecided where all fit both, None where some fit one and some the other."""
        several = [pattern for pattern in (_IN_DIGITS, _DAY_MONTH, _MONTH_DAY) if _matches(text, pattern).any()]
        if not several:
            return None
        zoned = sum(int(counts[_clock_of(text, pattern)[1]].sum()) for pattern in several)
        order = _order(text, counts)
        return None if order is None else cls(order, 2 * zoned > int(counts.sum()))


_NO_TIME = -(1 << 62)


def _order(text: pa.Array, counts: Integers) -> str | None:
    """The order of day and month in digits; undecided where digits leave both open, None where they contradict."""
    day, month = _days_in_digits(text, DAY_FIRST)[1], _days_in_digits(text, MONTH_FIRST)[1]
    slashed = flags(pc.match_substring_regex(text, rf"{_BEFORE}[0-9]{{1,2}}[-/]"))
    only_day, only_month = (counts[slashed & one & ~other].sum() for one, other in ((day, month), (month, day)))
    if only_day and only_month:
        return None
    return DAY_FIRST if only_day else MONTH_FIRST if only_month else UNDECIDED


def _matches(text: pa.Array, pattern: str) -> Flags:
    return flags(pc.match_substring_regex(text, pattern))


def _days_in_digits(text: pa.Array, order: str) -> tuple[Integers, Flags]:
    """Days since 1970 of dates in digits, and which are dates."""
    found = pc.extract_regex(text, _IN_DIGITS)
    first, middle, last = (_whole(found, name) for name in ("first", "middle", "last"))
    mark = pc.struct_field(found, "mark")
    same = flags(pc.equal(mark, pc.struct_field(found, "mark2")))
    lengths = {name: _filled(pc.utf8_length(pc.struct_field(found, name))) for name in ("first", "last")}
    year_first = (lengths["first"] == 4) & (lengths["last"] <= 2)
    year_last = (lengths["first"] <= 2) & np.isin(lengths["last"], (2, 4))
    day_is_first = flags(pc.equal(mark, ".")) | (order != MONTH_FIRST)
    day = np.where(year_first, last, np.where(day_is_first, first, middle))
    month = np.where(year_first, middle, np.where(day_is_first, middle, first))
    year = np.where(year_first, first, _full_years(last, lengths["last"]))
    days, real = _days(year, month, day)
    return days, same & (year_first | year_last) & real


def _days_with_names(text: pa.Array, pattern: str) -> tuple[Integers, Flags]:
    """Days since 1970 of dates with the name of the month, and which are dates."""
    found = pc.extract_regex(text, pattern)
    coded = pc.utf8_lower(pc.struct_field(found, "month")).dictionary_encode()
    numbers = np.array([_month(name) for name in coded.dictionary.to_pylist()] or [0], np.int64)
    month = numbers[np.maximum(_filled(coded.indices), 0)]
    year = _full_years(_whole(found, "year"), _filled(pc.utf8_length(pc.struct_field(found, "year"))))
    days, real = _days(year, month, _whole(found, "day"))
    return days, flags(found.is_valid()) & real


def _month(name: str) -> int:
    """The number of a month by its name; 0 for another word."""
    return _MONTHS.get(name[:4]) or _MONTHS.get(name[:3]) or 0


def _full_years(year: Integers, length: Integers) -> Integers:
    """Years of two digits as those from 1969 to 2068."""
    return np.where(length == 2, year + np.where(year < 69, 2000, 1900), year)


def _days(year: Integers, month: Integers, day: Integers) -> tuple[Integers, Flags]:
    """Days since 1970, and which of them the calendar has."""
    real = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(real, (year - 1970) * 12 + month - 1, 0)
    first = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
    length = (months + 1).astype("M8[M]").astype("M8[D]").astype(np.int64) - first
    return first + day - 1, real & (day <= length)


def _clock_of(text: pa.Array, pattern: str) -> tuple[Integers, Flags]:
    """Microseconds since midnight, in UTC where there is a zone, and which have one; no time where it is none."""
    found = pc.extract_regex(text, pattern)
    hour, minute, second = (_whole(found, name) for name in ("hour", "minute", "second"))
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(pc.struct_field(found, "fraction"), 6, "0"), 0, 6)
    half = pc.utf8_slice_codeunits(pc.utf8_lower(pc.struct_field(found, "half")), 0, 1)
    in_halves = _filled(pc.utf8_length(half)) == 1
    wrong = (minute > 59) | (second > 60) | (in_halves & ((hour > 12) | (hour < 1)))
    hour = np.where(in_halves, hour % 12 + 12 * flags(pc.equal(half, "p")), hour)
    clock = ((hour * 60 + minute) * 60 + second) * 1_000_000 + _ints(fraction)
    if "zone" not in [field.name for field in found.type]:
        return np.where(wrong, _NO_TIME, clock), np.zeros(len(text), bool)
    coded = pc.struct_field(found, "zone").dictionary_encode()
    ahead = np.array([_minutes_ahead(zone) for zone in coded.dictionary.to_pylist()] or [0], np.int64)
    offset = ahead[np.maximum(_filled(coded.indices), 0)]
    zoned = _filled(pc.utf8_length(pc.struct_field(found, "zone"))) > 0
    clock -= np.where(zoned, offset, 0) * 60_000_000
    return np.where(wrong | (hour > 23), _NO_TIME, clock), zoned


def _minutes_ahead(zone: str) -> int:
    """How many minutes a zone is ahead of UTC."""
    if zone[:1] not in ("+", "-"):
        return _ZONES.get(zone, 0)
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


_OF_DAY = rf"^\s*(?:(?P<days>[0-9]+)\s*d(?:ays?)?,?\s+)?{_CLOCK.replace('1,2', '1,5', 1)}\s*$"
_HOUR_ONLY = r"^\s*(?P<hour>[0-9]{1,2})\s*(?P<half>[AaPp]\.?[Mm]\.?)\s*$"
_LENGTH = r"(?:(?P<{}>[0-9]+(?:\.[0-9]+)?)\s*(?:{}),?\s*)?"
_WORDS = {
    "days": ("days?|d|Tage?|jours?", 86_400),
    "hours": ("hours?|hrs?\\.?|h|Stunden?|Std\\.?|heures?", 3600),
    "minutes": ("minutes?|mins?\\.?|m|Minuten?", 60),
    "seconds": ("seconds?|secs?\\.?|s|Sekunden?", 1),
}
_IN_WORDS = r"^\s*" + "".join(_LENGTH.format(name, words) for name, (words, _) in _WORDS.items()) + "$"
_ISO = (
    r"^\s*P(?:(?P<days>[0-9.]+)D)?(?:T(?:(?P<hours>[0-9.]+)H)?(?:(?P<minutes>[0-9.]+)M)?"
    r"(?:(?P<seconds>[0-9.]+)S)?)?\s*$"
)


@dataclass(frozen=True)
class Spans(Form):
    """Times of day (``2:30 PM``), or durations (``36:15:00``, ``1 h 30 min``, ``PT90M``)."""

    of_day: bool = False
    time: ClassVar[Literal["durations"]] = "durations"

    @property
    def what(self) -> str:
        """What they are, in words."""
        return "times of day" if self.of_day else "durations"

    def read(self, text: pa.Array) -> pa.Array:
        """As durations since midnight, or since the beginning; null for what is none."""
        values, known = _clocks(text)
        if not self.of_day:
            for pattern in (_IN_WORDS, _ISO):
                lengths, fit = _lengths(text, pattern)
                values, known = np.where(fit & ~known, lengths, values), known | fit
        return _array(values, known).cast(pa.duration("us"))

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Spans | None:
        """Times of day where no value is a day or longer, or is in words."""
        clocks, known = _clocks(text)
        if not known.any() and not any(_lengths(text, pattern)[1].any() for pattern in (_IN_WORDS, _ISO)):
            return None
        return cls(bool(2 * counts[known].sum() > counts.sum() and (clocks[known] < 86_400_000_000).all()))


def _clocks(text: pa.Array) -> tuple[Integers, Flags]:
    """Microseconds of ``hours:minutes``, with days before them or AM and PM behind, and which are such."""
    clock, _ = _clock_of(text, _OF_DAY)
    days = _whole(pc.extract_regex(text, _OF_DAY), "days")
    hour = pc.extract_regex(text, _HOUR_ONLY)
    hours, is_hour = _whole(hour, "hour"), flags(hour.is_valid())
    afternoon = flags(pc.equal(pc.utf8_slice_codeunits(pc.utf8_lower(pc.struct_field(hour, "half")), 0, 1), "p"))
    whole_hours = (hours % 12 + 12 * afternoon) * 3_600_000_000
    known = (_matches(text, _OF_DAY) & (clock > _NO_TIME)) | (is_hour & (hours >= 1) & (hours <= 12))
    return np.where(is_hour, whole_hours, clock + days * 86_400_000_000), known


def _lengths(text: pa.Array, pattern: str) -> tuple[Integers, Flags]:
    """Microseconds of durations in words or by ISO 8601, and which are such."""
    found = pc.extract_regex(text, pattern)
    seconds, parts = np.zeros(len(text)), np.zeros(len(text), np.int64)
    for name, (_, length) in _WORDS.items():
        part = pc.struct_field(found, name)
        given = flags(pc.match_substring_regex(part, r"^[0-9]+(\.[0-9]+)?$"))
        number = numpy_of(pc.if_else(pa.array(given), part, "0").cast(pa.float64()))
        seconds, parts = seconds + number * length, parts + given
    return np.rint(seconds * 1_000_000).astype(np.int64), flags(found.is_valid()) & (parts > 0)


def _whole(found: pa.Array, name: str) -> Integers:
    """A part of a match as whole numbers, 0 where it is not there."""
    return _ints(pc.struct_field(found, name))


def _ints(text: pa.Array) -> Integers:
    filled = pc.if_else(pc.fill_null(pc.equal(text, ""), True), "0", text)
    numbers: Integers = numpy_of(filled.cast(pa.int64()))
    return numbers


def _filled(numbers: pa.Array) -> Integers:
    """Numbers with -1 in the place of null."""
    filled: Integers = numpy_of(pc.fill_null(numbers.cast(pa.int64()), -1))
    return filled


def _array(values: Integers, known: Flags) -> pa.Array:
    return pc.if_else(pa.array(known), pa.array(np.where(known, values, 0)), pa.scalar(None, pa.int64()))
