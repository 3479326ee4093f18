"""Dates, times of day and durations as people write them. All become microseconds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from bitsieve.dataset.arrow import integers_of
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.text_format import TextFormat
from bitsieve.options import DAY_FIRST, MONTH_FIRST

UNDECIDED = "undecided"
_SECOND = 1_000_000  # microseconds
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_EPOCH = date(1970, 1, 1).toordinal()


def _compiled(pattern: str) -> re.Pattern[str]:
    r"""A pattern in which white space does not count; ``\s`` and ``\d`` match ASCII only."""
    return re.compile(pattern, re.ASCII | re.DOTALL | re.VERBOSE)


# "14:05", "2:05 PM", "14:05:30,25"
_CLOCK = r"""
    (?P<hour>[0-9]{1,2}) : (?P<minute>[0-9]{2})
    (?: : (?P<second>[0-9]{2}) (?:[.,](?P<fraction>[0-9]{1,9}))? )?
    \s* (?P<half>[AaPp]\.?[Mm]\.?)?
"""
# "Z", "CEST", "+02:00"
_ZONE = r"\s* (?P<zone> Z | UTC | GMT | BST | CES?T | EES?T | [ECMP][SD]T | [-+][0-9]{2}:?[0-9]{2} )?"
_TIME_BEHIND = rf"(?: [T\s,]+ {_CLOCK} {_ZONE} )? \s*"
_NAME = r"[^\s0-9.,:/+-]{1,20}"  # of a weekday or a month; a limit, so that a text of millions of letters fails at once
_WEEKDAY_BEFORE = rf"\s* (?: {_NAME} \.? ,? \s+ )?"
_DAY_OF_MONTH = r"(?P<day>[0-9]{1,2}) (?:st|nd|rd|th|\.)?"
_MONTH = rf"(?P<month>{_NAME}) \.?"
_YEAR = r"(?P<year> [0-9]{4} | [0-9]{2} )"

# "2024-05-31", "31.05.2024", "Fri, 5/31/24 2:05 PM"
_DATE_IN_DIGITS = _compiled(
    rf"""
    {_WEEKDAY_BEFORE}
    (?P<first>[0-9]{{1,4}}) (?P<mark>[-/.]) \s?
    (?P<middle>[0-9]{{1,2}}) (?P<mark2>[-/.]) \s?
    (?P<last>[0-9]{{1,4}})
    {_TIME_BEHIND}
    """
)
# "31 May 2024", "31. Mai 2024", "31 de mayo de 2024", "31-May-24"
_DATE_DAY_MONTH_YEAR = _compiled(
    rf"""
    {_WEEKDAY_BEFORE}
    {_DAY_OF_MONTH} (?: [\s/-]+ | \s* de \s+ )?
    {_MONTH} ,? (?: [\s/-]+ | \s* de \s+ )
    {_YEAR}
    {_TIME_BEHIND}
    """
)
# "May 31, 2024"
_DATE_MONTH_DAY_YEAR = _compiled(
    rf"""
    {_WEEKDAY_BEFORE}
    {_MONTH} [\s-]+
    {_DAY_OF_MONTH} ,? [\s-]+
    {_YEAR}
    {_TIME_BEHIND}
    """
)
# "5/31": of such dates day and month may be either way round
_BEGINS_WITH_SLASH = _compiled(rf"{_WEEKDAY_BEFORE} [0-9]{{1,2}} [-/] .*")

_FIRST_LETTERS_OF_MONTHS = (  # in English, German, French, Spanish, Italian, Portuguese and Dutch
    ("jan", "ene", "gen", "jän"),
    ("feb", "fév", "fev"),
    ("mar", "mär", "mrt"),
    ("apr", "avr", "abr"),
    ("may", "mai", "mag", "mei"),
    ("jun", "juin", "giu"),
    ("jul", "juil", "lug"),
    ("aug", "aoû", "ago", "aou"),
    ("sep", "set"),
    ("oct", "okt", "ott", "out"),
    ("nov",),
    ("dec", "dez", "déc", "dic"),
)
_MONTHS: dict[str, int] = {}
for _month, _spellings in enumerate(_FIRST_LETTERS_OF_MONTHS, 1):
    _MONTHS.update(dict.fromkeys(_spellings, _month))
_MINUTES_AHEAD_OF_UTC = {
    "Z": 0,
    "UTC": 0,
    "GMT": 0,
    "BST": 60,
    "CET": 60,
    "CEST": 120,
    "EET": 120,
    "EEST": 180,
    "EDT": -240,
    "EST": -300,
    "CDT": -300,
    "CST": -360,
    "MDT": -360,
    "MST": -420,
    "PDT": -420,
    "PST": -480,
}


@dataclass(frozen=True)
class Dates(TextFormat):
    """Dates, with or without a time of day."""

    #: Whether the day or the month comes first in digits with "/" or "-": "day-first", "month-first" or "undecided".
    #: With "." the day is always first.
    order: str = DAY_FIRST
    zoned: bool = False  # whether the times have a time zone; they become UTC
    time: ClassVar[Literal["dates"]] = "dates"

    @property
    def what(self) -> str:
        details = []
        if self.order != UNDECIDED:
            details.append(self.order.replace("-", " "))
        if self.zoned:
            details.append("with a time zone")
        return f"dates ({', '.join(details)})" if details else "dates"

    def read(self, text: pa.Array) -> pa.Array:
        return _integers(map(self._microseconds, text.to_pylist())).cast(pa.timestamp("us"))

    def _microseconds(self, text: str | None) -> int | None:
        """Microseconds since 1970; None for text that is no date of this format."""
        date_in_text = None if text is None else _find_date(text, self.order)
        if date_in_text is None or date_in_text.day is None:
            return None
        zone = date_in_text.match["zone"] or ""
        time_of_day = _time_of_clock(date_in_text.match, last_hour=23)
        if time_of_day is None or bool(zone) != self.zoned:
            return None
        return date_in_text.day * _DAY + time_of_day - _minutes_ahead_of_utc(zone) * _MINUTE

    def is_open(self, text: pa.Array) -> bool:
        """Whether the order is undecided and some date would be another valid day with the month first."""
        return self.order == UNDECIDED and any(_is_ambiguous(word) for word in text.to_pylist())

    @classmethod
    def guess(cls, text: CountedText) -> Dates | None:
        """Decide by all rows whether the day or the month is first. None if no row is a date, or rows contradict."""
        n_dates = 0
        n_zoned = 0
        n_day_first = 0
        n_month_first = 0
        for word, n_rows in zip(text.values.to_pylist(), text.counts.tolist(), strict=True):
            day_first = _find_date(word, DAY_FIRST)
            if day_first is None:
                continue
            n_dates += 1
            if day_first.match["zone"]:
                n_zoned += n_rows
            order = _only_order(word)
            if order == DAY_FIRST:
                n_day_first += n_rows
            if order == MONTH_FIRST:
                n_month_first += n_rows
        if not n_dates or (n_day_first and n_month_first):
            return None
        order = UNDECIDED
        if n_day_first:
            order = DAY_FIRST
        if n_month_first:
            order = MONTH_FIRST
        return cls(order, zoned=2 * n_zoned > text.n_rows)


def only_orders(text: pa.Array) -> list[str]:
    """The only order of day and month in which each text is a date; "undecided" if both or none will do."""
    return [_only_order(word) for word in text.to_pylist()]


def _only_order(text: str) -> str:
    if not _BEGINS_WITH_SLASH.fullmatch(text):
        return UNDECIDED
    day_first = _find_date(text, DAY_FIRST)
    month_first = _find_date(text, MONTH_FIRST)
    if day_first is None or month_first is None:
        return UNDECIDED
    if day_first.day is None and month_first.day is not None:
        return MONTH_FIRST
    if day_first.day is not None and month_first.day is None:
        return DAY_FIRST
    return UNDECIDED


class _FoundDate(NamedTuple):
    """Text that looks like a date."""

    match: re.Match[str]
    day: int | None  # days since 1970; None if the calendar does not have the day


def _find_date(text: str, order: str) -> _FoundDate | None:
    """The date that a text looks like; None if it looks like none."""
    match = _DATE_IN_DIGITS.fullmatch(text)
    if match is not None:
        return _FoundDate(match, _day_of_digits(match, order))
    match = _DATE_DAY_MONTH_YEAR.fullmatch(text) or _DATE_MONTH_DAY_YEAR.fullmatch(text)
    if match is None:
        return None
    month_name = match["month"].lower()
    month = _MONTHS.get(month_name[:4]) or _MONTHS.get(month_name[:3]) or 0  # 0 is no month of the calendar
    return _FoundDate(match, _days_since_1970(match["year"], month, int(match["day"])))


def _day_of_digits(match: re.Match[str], order: str) -> int | None:
    """The day of a date in digits, since 1970; None if the digits are in no known order, or no day."""
    first = match["first"]
    middle = int(match["middle"])
    last = match["last"]
    if match["mark"] != match["mark2"]:
        return None
    if len(first) == 4 and len(last) <= 2:  # 2024-05-31
        return _days_since_1970(first, middle, int(last))
    if len(first) > 2 or len(last) not in (2, 4):
        return None
    if match["mark"] == "." or order != MONTH_FIRST:
        return _days_since_1970(last, month=middle, day=int(first))
    return _days_since_1970(last, month=int(first), day=middle)


def _days_since_1970(year: str, month: int, day: int) -> int | None:
    """Days since 1970, None if the calendar has no such day. Years of two digits are those from 1969 to 2068."""
    full_year = int(year)
    if len(year) == 2:
        full_year += 2000 if full_year < 69 else 1900
    try:
        return date(full_year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None


def _is_ambiguous(text: str) -> bool:
    """Whether a date is another valid day if the month is first."""
    day_first = _find_date(text, DAY_FIRST)
    month_first = _find_date(text, MONTH_FIRST)
    if day_first is None or month_first is None:
        return False
    if day_first.day is None or month_first.day is None:
        return False
    return day_first.day != month_first.day


def _minutes_ahead_of_utc(zone: str) -> int:
    if zone[:1] not in ("+", "-"):
        return _MINUTES_AHEAD_OF_UTC.get(zone, 0)
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


def _time_of_clock(match: re.Match[str], last_hour: int) -> int | None:
    """Microseconds since midnight, 0 if the text has no time; None for an invalid time."""
    hour = int(match["hour"] or 0)
    minute = int(match["minute"] or 0)
    second = int(match["second"] or 0)
    half = (match["half"] or "")[:1].lower()  # "a" of AM, "p" of PM
    if minute > 59 or second > 60:
        return None
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = _hour_of_day(hour, half)
    if hour > last_hour:
        return None
    fraction = (match["fraction"] or "").ljust(6, "0")[:6]
    return hour * _HOUR + minute * _MINUTE + second * _SECOND + int(fraction)


def _hour_of_day(hour: int, half: str) -> int:
    """Convert an hour of the 12-hour clock; ``half`` is "a" for AM or "p" for PM."""
    return hour % 12 + (12 if half == "p" else 0)


# "36:15:00", "2 days, 3:00:00": the hours of a duration may have five digits
_CLOCK_OF_DURATION = _compiled(
    r"""
    \s* (?: (?P<days>[0-9]+) \s* d(?:ays?)? ,? \s+ )?
    (?P<hour>[0-9]{1,5}) : (?P<minute>[0-9]{2})
    (?: : (?P<second>[0-9]{2}) (?:[.,](?P<fraction>[0-9]{1,9}))? )?
    \s* (?P<half>[AaPp]\.?[Mm]\.?)?
    \s*
    """
)
# "2 PM"
_HOUR_ALONE = _compiled(r"\s* (?P<hour>[0-9]{1,2}) \s* (?P<half>[AaPp]\.?[Mm]\.?) \s*")
# "1 h 30 min", "2 days", "5 Stunden"
_DURATION_IN_WORDS = _compiled(
    r"""
    \s*
    (?: (?P<days>    [0-9]+(?:\.[0-9]+)?) \s* (?: days? | d | Tage? | jours? )                             ,? \s* )?
    (?: (?P<hours>   [0-9]+(?:\.[0-9]+)?) \s* (?: hours? | hrs?\.? | h | Stunden? | Std\.? | heures? )     ,? \s* )?
    (?: (?P<minutes> [0-9]+(?:\.[0-9]+)?) \s* (?: minutes? | mins?\.? | m | Minuten? )                     ,? \s* )?
    (?: (?P<seconds> [0-9]+(?:\.[0-9]+)?) \s* (?: seconds? | secs?\.? | s | Sekunden? )                    ,? \s* )?
    """
)
# "PT1H30M", "P2D", by ISO 8601
_DURATION_OF_ISO = _compiled(
    r"""
    \s* P
    (?: (?P<days>[0-9.]+) D )?
    (?: T
        (?: (?P<hours>[0-9.]+) H )?
        (?: (?P<minutes>[0-9.]+) M )?
        (?: (?P<seconds>[0-9.]+) S )?
    )?
    \s*
    """
)
_DECIMAL = _compiled(r"[0-9]+ (\.[0-9]+)?")
_SECONDS_IN = {"days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}


@dataclass(frozen=True)
class Durations(TextFormat):
    """Times of day (``2:30 PM``), or durations (``36:15:00``, ``1 h 30 min``, ``PT90M``)."""

    are_times_of_day: bool = False
    time: ClassVar[Literal["durations"]] = "durations"

    @property
    def what(self) -> str:
        return "times of day" if self.are_times_of_day else "durations"

    def read(self, text: pa.Array) -> pa.Array:
        """Durations since midnight, or since the beginning; null for what is none."""
        return _integers(map(self._microseconds, text.to_pylist())).cast(pa.duration("us"))

    def _microseconds(self, text: str | None) -> int | None:
        if text is None:
            return None
        clock_time = _duration_by_clock(text)
        if clock_time is not None or self.are_times_of_day:
            return clock_time
        return _duration_in_words(text)

    @classmethod
    def guess(cls, text: CountedText) -> Durations | None:
        """Times of day where most values are by the clock and none is a day or longer."""
        words = text.values.to_pylist()
        clock_times = [_duration_by_clock(word) for word in words]
        n_by_clock = text.n_rows_of(np.array([duration is not None for duration in clock_times], bool))
        if not n_by_clock and all(_duration_in_words(word) is None for word in words):
            return None
        all_within_a_day = all(duration is None or duration < _DAY for duration in clock_times)
        return cls(are_times_of_day=all_within_a_day and 2 * n_by_clock > text.n_rows)


def _duration_by_clock(text: str) -> int | None:
    """Microseconds of ``hours:minutes``, with days before them or AM and PM behind."""
    match = _HOUR_ALONE.fullmatch(text)
    if match is not None:
        hour = int(match["hour"])
        half = match["half"][0].lower()
        return _hour_of_day(hour, half) * _HOUR if 1 <= hour <= 12 else None
    match = _CLOCK_OF_DURATION.fullmatch(text)
    if match is None:
        return None
    clock = _time_of_clock(match, last_hour=99_999)
    return None if clock is None else int(match["days"] or 0) * _DAY + clock


def _duration_in_words(text: str) -> int | None:
    """Microseconds of a duration in words or by ISO 8601."""
    match = _DURATION_IN_WORDS.fullmatch(text) or _DURATION_OF_ISO.fullmatch(text)
    if match is None:
        return None
    seconds = [
        float(number) * _SECONDS_IN[unit]
        for unit, number in match.groupdict().items()
        if number and _DECIMAL.fullmatch(number)
    ]
    return round(sum(seconds) * 1_000_000) if seconds else None


def _integers(values: Iterable[int | None]) -> pa.Array:
    """An Arrow array of integers; null for None and for numbers beyond 64 bits."""
    fitting = [value if value is not None and abs(value) < 1 << 63 else None for value in values]
    return integers_of(fitting)
