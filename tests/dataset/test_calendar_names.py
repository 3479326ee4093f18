"""Names of months and of weekdays in the order of the calendar."""

import pytest

from bitsieve.dataset.calendar_names import MONTHS, WEEKDAYS, in_calendar_order


@pytest.mark.parametrize("words", [*MONTHS, *WEEKDAYS])
@pytest.mark.parametrize("n_letters", [4, 20])
def test_names_and_their_first_letters(words, n_letters):
    names = sorted(word[:n_letters] for word in words.split())
    if len(set(names)) < len(names):
        pytest.skip("an abbreviation of two names")
    order = in_calendar_order(names)
    assert [names[index] for index in order] == [word[:n_letters] for word in words.split()]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["apr", "feb", "jan"], ["jan", "feb", "apr"]),
        (["Dez.", "Jan.", "Mär."], ["Jan.", "Mär.", "Dez."]),
        (["Di", "Fr", "Mo"], ["Mo", "Di", "Fr"]),
        (["August", "May"], ["May", "August"]),
    ],
)
def test_some_of_them(names, expected):
    assert [names[index] for index in in_calendar_order(names)] == expected


@pytest.mark.parametrize("names", [["jan", "mario"], ["ja", "ju"], [1, 2], ["jan", "january"], ["jan", "2024"], ["j"]])
def test_other_names_have_no_such_order(names):
    assert in_calendar_order(names) is None
