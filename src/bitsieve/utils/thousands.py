"""Marks between thousands that look like decimal marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

MIN_SMALL_NUMBERS = 3


def separates_thousands(mark: str, numbers: Iterable[str]) -> bool:
    """Whether a point or a comma in numbers can only stand between thousands.

    Programs write fractions with the same number of digits throughout, or without zeros at the end. Neither is true of
    "1.330" beside "447": so every number with a mark must have groups of three digits behind it, one of them must end
    with 0, and at least three different numbers must have no mark. At least half of these must be larger than all
    others would be if the mark was that of decimals, so that "21.500" beside "22" stays a fraction.
    """
    pattern = _pattern(mark)
    grouped_numbers = set()
    small_numbers = set()
    for number in numbers:
        match = pattern.fullmatch(number)
        if match is None:
            return False
        if match["grouped"] is None:
            small_numbers.add(int(match["small"]))
        else:
            grouped_numbers.add(match["grouped"])
    if len(small_numbers) < MIN_SMALL_NUMBERS or not any(number.endswith("0") for number in grouped_numbers):
        return False
    largest_fraction = max(float(".".join(number.split(mark)[:2])) for number in grouped_numbers)
    n_larger = sum(number > largest_fraction for number in small_numbers)
    return 2 * n_larger >= len(small_numbers)


@cache
def _pattern(mark: str) -> re.Pattern[str]:
    grouped = rf"[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+"
    return re.compile(rf"\s*[-+−]?\s*(?:(?P<grouped>{grouped})|(?P<small>0|[1-9][0-9]{{0,2}}))\s*")
