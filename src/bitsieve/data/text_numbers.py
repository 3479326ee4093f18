"""Text that is numbers as people write them: percentages, money, one unit, separators of thousands, decimal commas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bitsieve.data.arrow import numpy_of

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
MOST_WHOLE = float(1 << 53)


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
class Numbers:
    """Numbers that all have one unit, or none.

    Attributes
    ----------
    marks : Marks
    unit : str
        A currency, "%", a unit, or empty.
    whole : bool
        Whether all of them are whole numbers.
    grouped : bool
        Whether any of them has groups of digits.
    """

    marks: Marks
    unit: str = ""
    whole: bool = False
    grouped: bool = False

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
    def guess(cls, text: pa.Array, counts: NDArray[np.int64]) -> Numbers | None:
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
        whole = len(floats) > 0 and bool((floats == np.rint(floats)).all() and (np.abs(floats) < MOST_WHOLE).all())
        whole = whole and not flags(pc.match_substring_regex(parts.digits, f"[{marks.decimal}]"))[fit].any()
        return cls(marks, unit, whole, bool(grouped[fit].any()))


@dataclass(frozen=True)
class _Parts:
    """The parts of text that looks like numbers."""

    match: NDArray[np.bool_]
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

    def common_unit(self, counts: NDArray[np.int64]) -> str:
        """The unit of most rows; of several the first by name."""
        coded = self.unit.dictionary_encode()
        rows = np.bincount(numpy_of(coded.indices), np.where(self.match, counts, 0), len(coded.dictionary))
        units = coded.dictionary.to_pylist()
        return str(min(zip(-rows, units, strict=True))[1])

    def has_unit(self, unit: str) -> NDArray[np.bool_]:
        """Which have this unit; a bare zero has any."""
        with_unit = flags(pc.equal(self.unit, unit))
        if unit:
            with_unit |= flags(pc.and_(pc.equal(self.unit, ""), pc.match_substring_regex(self.digits, "^0$")))
        return self.match & with_unit

    def fit(self, marks: Marks) -> NDArray[np.bool_]:
        """Which have digits that are so written."""
        return self.match & flags(pc.match_substring_regex(self.digits, marks.pattern))

    def numbers(self, marks: Marks, unit: str) -> pa.Array:
        """As floats, null where they do not fit."""
        bare = pc.replace_substring_regex(self.digits, f"[{marks.group}]", "")
        bare = pc.replace_substring(bare, marks.decimal, ".")
        signed = pc.binary_join_element_wise(pc.if_else(self.negative, "-", ""), bare, self.exponent, "")
        fit = pa.array(self.fit(marks) & self.has_unit(unit))
        return pc.if_else(fit, signed, pa.scalar(None, pa.string())).cast(pa.float64())


def are_codes(text: pa.Array, counts: NDArray[np.int64]) -> bool:
    """Whether text of digits is codes: some with leading zeros, all phone numbers with a plus, or all IP addresses."""
    n_rows = counts.sum()
    if counts[flags(pc.match_substring_regex(text, _LEADING_ZERO))].sum() >= _FEW_CODES * n_rows > 0:
        return True
    return any(2 * counts[flags(pc.match_substring_regex(text, form))].sum() > n_rows for form in (_PHONE, _ADDRESS))


def _are_phone_numbers(digits: pa.Array, fit: NDArray[np.bool_]) -> bool:
    """Whether all have the same number of groups, more than two, and no decimals."""
    groups = numpy_of(pc.count_substring_regex(digits, f"[{_SPACES}]"))[fit]
    has_decimals = flags(pc.match_substring_regex(digits, "[.,]"))[fit]
    return len(groups) > 0 and bool(groups.min() == groups.max() > 1 and not has_decimals.any())


def flags(mask: Any) -> NDArray[np.bool_]:
    """A mask of Arrow as numpy has it; null is False."""
    found: NDArray[np.bool_] = numpy_of(pc.fill_null(mask, False))
    return found
