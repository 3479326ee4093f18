"""The parts of numbers as people write them: sign, digits, exponent, and a currency or a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bitsieve.dataset.arrow import flags, mask_of, numpy_of, text_of, text_scalar
from bitsieve.utils.arrays import Flags

SPACES = " \u00a0\u2009\u202f"  # a space, and those that do not break, are thin, or both
_CURRENCY_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|ZAR|KRW|TRY|SGD|HKD|THB|ILS"
)
_CURRENCY_SIGNS = r"(?:US|AU|CA|HK|NZ|[ASRC])?[$€£¥₹₽₩₪฿₺₫₴]"
CURRENCY = rf"{_CURRENCY_SIGNS}|{_CURRENCY_CODES}|kr\.?|zł|Kč|Rs\.?|Fr\.?"

# The regular expressions of Arrow (RE2) take no comments, so that the parts are joined here.
_NUMBER = "".join(
    [
        r"^\s*",
        r"(?P<open>\(?)",  # "(12.50)" is -12.50, as accountants write it
        r"(?P<sign>[-+−]?)\s*",  # "-12"
        rf"(?P<before>{CURRENCY})?\s*",  # "EUR 12"
        r"(?P<second>[-+−]?)",  # "$-12"
        rf"(?P<digits>[0-9](?:[0-9.,'’{SPACES}]*[0-9])?\.?|[.,][0-9]+)",  # "1,234.5", "12." or ".5"
        r"(?P<exponent>[eE][-+]?[0-9]+)?",  # "1.2e-3"
        r"\s*(?P<last>[-−]?)",  # "12-"
        r"(?P<after>[^\s0-9.,'()+−-][^0-9()]{0,15})?",  # "12 kg" or "12 %"
        r"(?P<close>\)?)",
        r"\s*$",
    ]
)
_COMPARISON_BEFORE = r"^\s*(?:[<>]=?|[≤≥~≈])\s*"  # "<200", ">= 5"
_MARK_BEHIND = r"\s*[*†‡+]+\s*$"  # "12.5*", "85+"
_THOUSANDS = r"^(?:k|K)$"  # "12 k"
_MILLIONS = r"^(?:M|mn|mln|Mio\.?)$"  # "1.2M"
_BILLIONS = r"^(?:B|bn|Mrd\.?)$"
_EMPTY = text_scalar("")


class DigitStyle(NamedTuple):
    """The mark before the decimals, and the marks between groups of three digits."""

    decimal: str
    group: str

    @property
    def pattern(self) -> str:
        """The regular expression of digits in this style."""
        grouped = rf"[1-9][0-9]{{0,2}}(?:[{self.group}][0-9]{{3}})+"
        plain = "[0-9]*"
        decimals = rf"(?:[{self.decimal}][0-9]*)?"
        return rf"^(?:{grouped}|{plain}){decimals}$"


@dataclass(frozen=True)
class NumberParts:
    """The parts of text that looks like numbers."""

    match: Flags  # whether the text is a number; the other fields are empty where it is none
    digits: pa.Array  # with the marks between them, such as "1,234.5"
    exponent: pa.Array  # such as "e-3", or empty
    is_negative: pa.Array
    unit: pa.Array

    @classmethod
    def of_text(cls, text: pa.Array, reads_marks: bool = False) -> NumberParts:
        if reads_marks:
            text = pc.replace_substring_regex(text, _COMPARISON_BEFORE, "")
            text = pc.replace_substring_regex(text, _MARK_BEHIND, "")
        groups = pc.extract_regex(text, _NUMBER)

        def group(name: str) -> pa.Array:
            return pc.fill_null(groups.field(name), _EMPTY)

        signs = pc.binary_join_element_wise(group("sign"), group("second"), group("last"), _EMPTY)
        has_one_sign_at_most = numpy_of(pc.utf8_length(signs)) <= 1
        is_balanced = pc.equal(pc.utf8_length(group("open")), pc.utf8_length(group("close")))
        is_bracketed = pc.equal(group("open"), text_scalar("("))
        match = flags(pc.and_(groups.is_valid(), is_balanced)) & has_one_sign_at_most
        exponent = group("exponent")
        unit_behind = pc.utf8_trim_whitespace(group("after"))
        if reads_marks:
            power = _power_of_ten(unit_behind)
            unit_behind = pc.if_else(pc.equal(power, _EMPTY), unit_behind, _EMPTY)
            exponent = pc.binary_join_element_wise(exponent, power, _EMPTY)
            match &= numpy_of(pc.count_substring_regex(exponent, "[eE]")) <= 1  # "1e3 k" has two exponents
        return cls(
            match=match,
            digits=group("digits"),
            exponent=exponent,
            is_negative=pc.or_(pc.is_in(signs, text_of(["-", "−"])), is_bracketed),
            unit=pc.utf8_trim_whitespace(pc.binary_join_element_wise(group("before"), unit_behind, text_scalar(" "))),
        )

    def has_unit(self, unit: str, is_optional: bool = False) -> Flags:
        """Which numbers have this unit, or none where it is optional. A zero without a unit fits every unit."""
        has_unit = flags(pc.equal(self.unit, text_scalar(unit)))
        is_bare = flags(pc.equal(self.unit, _EMPTY))
        if is_optional:
            has_unit |= is_bare
        elif unit:
            has_unit |= is_bare & flags(pc.match_substring_regex(self.digits, "^0$"))
        return self.match & has_unit

    def fits(self, style: DigitStyle) -> Flags:
        """Which texts have digits in this style."""
        return self.match & flags(pc.match_substring_regex(self.digits, style.pattern))

    def numbers(self, style: DigitStyle, has_unit: Flags) -> pa.Array:
        """The numbers as floats, null where the style or the unit differs."""
        digits = pc.replace_substring_regex(self.digits, f"[{style.group}]", "")
        digits = pc.replace_substring(digits, style.decimal, ".")
        sign = pc.if_else(self.is_negative, text_scalar("-"), _EMPTY)
        number = pc.binary_join_element_wise(sign, digits, self.exponent, _EMPTY)
        fits = mask_of(self.fits(style) & has_unit)
        return pc.if_else(fits, number, pa.NULL).cast(pa.float64())


def _power_of_ten(unit: pa.Array) -> pa.Array:
    """The exponent that a word behind a number means, such as "e3" for "k"; empty for other words."""
    power = pc.if_else(pc.match_substring_regex(unit, _THOUSANDS), text_scalar("e3"), _EMPTY)
    power = pc.if_else(pc.match_substring_regex(unit, _MILLIONS), text_scalar("e6"), power)
    return pc.if_else(pc.match_substring_regex(unit, _BILLIONS), text_scalar("e9"), power)
