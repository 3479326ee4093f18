"""Text that is numbers, dates, times of day or durations as people write them; times become microseconds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.arrow import flags, numpy_of
from bitsieve.dataset.encoding import WHOLE
from bitsieve.dataset.text_format import TextFormat
from bitsieve.options import DAY_FIRST, MONTH_FIRST
from bitsieve.utils.arrays import Flags, Integers

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
class Numbers(TextFormat):
    """Numbers that all have one unit, or none."""

    marks: Marks
    unit: str = ""  # a currency, "%", a unit, or empty
    whole: bool = False  # whether all of them are whole numbers

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
        units = parts.unit.dictionary_encode()
        in_rows = np.bincount(numpy_of(units.indices), np.where(parts.match, counts, 0), len(units.dictionary))
        unit = str(min(zip(-in_rows, units.dictionary.to_pylist(), strict=True))[1])  # of several the first by name
        of_unit = np.where(parts.has_unit(unit), counts, 0)
        if are_codes(parts.digits if unit else text, of_unit):
            return None
        rows = [int(of_unit[parts.fit(marks)].sum()) for marks in _MARKS]
        marks = _MARKS[int(np.argmax(rows))]
        fit = (of_unit > 0) & parts.fit(marks)
        if not unit and marks.group == _SPACES:
            groups = numpy_of(pc.count_substring_regex(parts.digits, f"[{_SPACES}]"))[fit]
            has_decimals = flags(pc.match_substring_regex(parts.digits, "[.,]"))[fit]
            if len(groups) and groups.min() == groups.max() > 1 and not has_decimals.any():  # phone numbers
                return None
        floats = numpy_of(parts.numbers(marks, unit))[fit]
        whole = len(floats) > 0 and bool((floats == np.rint(floats)).all() and (np.abs(floats) < WHOLE).all())
        whole = whole and not flags(pc.match_substring_regex(parts.digits, f"[{marks.decimal}]"))[fit].any()
        return cls(marks, unit, whole)


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


def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of whole texts, in which only the letters and spaces of ASCII are classes."""
    return re.compile(pattern, re.ASCII | re.DOTALL)


UNDECIDED = "undecided"

_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
)
_ZONE = r"\s*(?P<zone>Z|UTC|GMT|BST|CES?T|EES?T|[ECMP][SD]T|[-+][0-9]{2}:?[0-9]{2})?"
_BEHIND = rf"(?:[T\s,]+{_CLOCK}{_ZONE})?\s*"
_NAME = r"[^\s0-9.,:/+-]+"
_BEFORE = rf"\s*(?:{_NAME}\.?,?\s+)?"  # the day of the week
_IN_DIGITS = _compiled(
    rf"{_BEFORE}(?P<first>[0-9]{{1,4}})(?P<mark>[-/.])\s?(?P<middle>[0-9]{{1,2}})(?P<mark2>[-/.])\s?"
    rf"(?P<last>[0-9]{{1,4}}){_BEHIND}"
)
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_MONTH = rf"(?P<month>{_NAME})\.?"
_DAY_MONTH = _compiled(rf"{_BEFORE}{_DAY}(?:[\s/-]+|\s*de\s+)?{_MONTH},?(?:[\s/-]+|\s*de\s+){_YEAR}{_BEHIND}")
_MONTH_DAY = _compiled(rf"{_BEFORE}{_MONTH}[\s-]+{_DAY},?[\s-]+{_YEAR}{_BEHIND}")
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


_SLASHED = _compiled(rf"{_BEFORE}[0-9]{{1,2}}[-/].*")
_DAY_LENGTH = 86_400_000_000
_FIRST_DAY = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Dates(TextFormat):
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
        return _array(map(self._microseconds, text.to_pylist())).cast(pa.timestamp("us"))

    def _microseconds(self, text: str | None) -> int | None:
        """Since 1970; None for what is no such date."""
        found, day = _date_of(text, self.order)
        if found is None or day is None or bool(found["zone"]) != self.zoned:
            return None
        clock = _clock_of(found, last_hour=23)
        if clock is None:
            return None
        zone = found["zone"] or ""
        ahead = _ZONES.get(zone, 0)  # minutes
        if zone[:1] in ("+", "-"):
            ahead = (-1 if zone[0] == "-" else 1) * (int(zone[1:3]) * 60 + int(zone[-2:]))
        return day * _DAY_LENGTH + clock - ahead * 60_000_000

    def is_open(self, text: pa.Array) -> bool:
        """Whether any date is another one where the month is first, and nothing decides which it is."""
        days = ([_date_of(word, order)[1] for order in (DAY_FIRST, MONTH_FIRST)] for word in text.to_pylist())
        return self.order == UNDECIDED and any(one != other and None not in (one, other) for one, other in days)

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Dates | None:
        """The order that the digits allow: undecided where all fit both, None where some fit one and some the other."""
        n_zoned, only, found_any = 0, {DAY_FIRST: 0, MONTH_FIRST: 0}, False
        for word, n in zip(text.to_pylist(), counts.tolist(), strict=True):
            found, day = _date_of(word, DAY_FIRST)
            if found is None:
                continue
            found_any, n_zoned = True, n_zoned + n * bool(found["zone"])
            of_month = _date_of(word, MONTH_FIRST)[1]
            if (day is None) != (of_month is None) and _SLASHED.fullmatch(word):
                only[MONTH_FIRST if day is None else DAY_FIRST] += n
        if not found_any or all(only.values()):
            return None
        order = next((order for order, n in only.items() if n), UNDECIDED)
        return cls(order, 2 * n_zoned > int(counts.sum()))


def _date_of(text: str | None, order: str) -> tuple[re.Match[str] | None, int | None]:
    """What is found in text that looks like a date, and its days since 1970, None where the calendar has none such."""
    if text is None:
        return None, None
    found = _IN_DIGITS.fullmatch(text)
    if found is None:
        found = _DAY_MONTH.fullmatch(text) or _MONTH_DAY.fullmatch(text)
        if found is None:
            return None, None
        name = found["month"].lower()
        return found, _days(found["year"], _MONTHS.get(name[:4]) or _MONTHS.get(name[:3]) or 0, int(found["day"]))
    first, middle, last = found["first"], int(found["middle"]), found["last"]
    if found["mark"] != found["mark2"]:
        return found, None
    if len(first) == 4 and len(last) <= 2:
        return found, _days(first, middle, int(last))
    if len(first) > 2 or len(last) not in (2, 4):
        return found, None
    day_is_first = found["mark"] == "." or order != MONTH_FIRST
    return found, _days(last, *((middle, int(first)) if day_is_first else (int(first), middle)))


def _days(year: str, month: int, day: int) -> int | None:
    """Days since 1970, where the calendar has the day; years of two digits are those from 1969 to 2068."""
    of_two = 2000 if int(year) < 69 else 1900
    try:
        return date(int(year) + (of_two if len(year) == 2 else 0), month, day).toordinal() - _FIRST_DAY
    except ValueError:
        return None


def _clock_of(found: re.Match[str], last_hour: int) -> int | None:
    """Microseconds since midnight, 0 where no time is given; None where it is none."""
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    half = (found["half"] or "")[:1].lower()
    if minute > 59 or second > 60 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + 12 * (half == "p")
    if hour > last_hour:
        return None
    fraction = (found["fraction"] or "").ljust(6, "0")[:6]
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + int(fraction)


_OF_DAY = _compiled(rf"\s*(?:(?P<days>[0-9]+)\s*d(?:ays?)?,?\s+)?{_CLOCK.replace('1,2', '1,5', 1)}\s*")
_HOUR_ONLY = _compiled(r"\s*(?P<hour>[0-9]{1,2})\s*(?P<half>[AaPp]\.?[Mm]\.?)\s*")
_LENGTH = r"(?:(?P<{}>[0-9]+(?:\.[0-9]+)?)\s*(?:{}),?\s*)?"
_WORDS = {
    "days": ("days?|d|Tage?|jours?", 86_400),
    "hours": ("hours?|hrs?\\.?|h|Stunden?|Std\\.?|heures?", 3600),
    "minutes": ("minutes?|mins?\\.?|m|Minuten?", 60),
    "seconds": ("seconds?|secs?\\.?|s|Sekunden?", 1),
}
_IN_WORDS = _compiled(r"\s*" + "".join(_LENGTH.format(name, words) for name, (words, _) in _WORDS.items()))
_DECIMAL = _compiled(r"[0-9]+(\.[0-9]+)?")
_ISO = _compiled(
    r"\s*P(?:(?P<days>[0-9.]+)D)?(?:T(?:(?P<hours>[0-9.]+)H)?(?:(?P<minutes>[0-9.]+)M)?"
    r"(?:(?P<seconds>[0-9.]+)S)?)?\s*"
)


@dataclass(frozen=True)
class Spans(TextFormat):
    """Times of day (``2:30 PM``), or durations (``36:15:00``, ``1 h 30 min``, ``PT90M``)."""

    of_day: bool = False
    time: ClassVar[Literal["durations"]] = "durations"

    @property
    def what(self) -> str:
        """What they are, in words."""
        return "times of day" if self.of_day else "durations"

    def read(self, text: pa.Array) -> pa.Array:
        """As durations since midnight, or since the beginning; null for what is none."""
        return _array(self._microseconds(word) for word in text.to_pylist()).cast(pa.duration("us"))

    def _microseconds(self, text: str | None) -> int | None:
        clock = None if text is None else _clock_alone(text)
        return _length(text) if clock is None and text is not None and not self.of_day else clock

    @classmethod
    def guess(cls, text: pa.Array, counts: Integers) -> Spans | None:
        """Times of day where no value is a day or longer, or is in words."""
        words = text.to_pylist()
        clocks = [_clock_alone(word) for word in words]
        n_clocks = sum(n for clock, n in zip(clocks, counts.tolist(), strict=True) if clock is not None)
        if not n_clocks and all(_length(word) is None for word in words):
            return None
        within = all(clock is None or clock < _DAY_LENGTH for clock in clocks)
        return cls(2 * n_clocks > int(counts.sum()) and within)


def _clock_alone(text: str) -> int | None:
    """Microseconds of ``hours:minutes``, with days before them or AM and PM behind."""
    found = _HOUR_ONLY.fullmatch(text)
    if found:
        hour = int(found["hour"])
        return (hour % 12 + 12 * (found["half"][0] in "pP")) * 3_600_000_000 if 1 <= hour <= 12 else None
    found = _OF_DAY.fullmatch(text)
    clock = None if found is None else _clock_of(found, last_hour=99_999)
    return None if found is None or clock is None else clock + int(found["days"] or 0) * _DAY_LENGTH


def _length(text: str) -> int | None:
    """Microseconds of a duration in words or by ISO 8601."""
    found = _IN_WORDS.fullmatch(text) or _ISO.fullmatch(text)
    parts = {} if found is None else found.groupdict()
    known = [float(part) * _WORDS[name][1] for name, part in parts.items() if part and _DECIMAL.fullmatch(part)]
    return round(sum(known) * 1_000_000) if known else None


def _array(values: Iterable[int | None]) -> pa.Array:
    """Whole numbers; null where there is none, or more than 64 bits hold."""
    return pa.array([value if value is not None and abs(value) < 1 << 63 else None for value in values], pa.int64())
