"""Marks between thousands that look like decimal marks."""

import pytest

from bitsieve.utils.thousands import separates_thousands

THOUSANDS = ["1.330", "2.417", "447", "778", "950"]


def test_points_in_a_part_of_the_numbers_and_a_zero_at_the_end_separate_thousands():
    assert separates_thousands(".", THOUSANDS)
    assert separates_thousands(",", [number.replace(".", ",") for number in THOUSANDS])
    assert separates_thousands(".", [*THOUSANDS, "-1.250.000", " 12 "])


@pytest.mark.parametrize(
    "numbers",
    [
        ["1.330", "2.417", "4.500"],
        ["1.331", "2.417", "447", "778", "950"],
        ["1.330", "2.41", "447", "778", "950"],
        ["1.330", "0.417", "447", "778", "950"],
        ["1.330", "2.417", "447", "778"],
        ["1.330", "2.417", "4470", "778", "950"],
        ["21.500", "22.125", "22", "23", "21"],
        ["447", "778", "950"],
        ["1,330", "447", "778", "950"],
        ["1.330", "447", "778", "950", "n"],
    ],
    ids=[
        "all with a mark",
        "zeros at the end left out",
        "two digits",
        "below one",
        "two without a mark",
        "four digits without a mark",
        "larger fractions",
        "no mark",
        "another mark",
        "a word",
    ],
)
def test_other_numbers_may_be_fractions(numbers):
    assert not separates_thousands(".", numbers)
