"""Text as people write numbers, dates, durations and booleans: what is read as what, and what stays text."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.plain_text import Words
from bitsieve.dataset.text_meaning import meaning_of_text

N = range(100)
DAY = 86_400_000_000


def meaning_of(texts, **how):
    """What is decided of text, each of which is in one row or more."""
    values, counts = np.unique(np.array(texts, object), return_counts=True)
    return meaning_of_text(CountedText(pa.array(values.tolist()), counts), **how)


def read(texts, *first):
    """What the first texts are read as, in a column of these and others."""
    return meaning_of([*first, *texts]).format.read(pa.array(first)).to_pylist()


NUMBERS = {
    "percentages": (["12.3%", "5 %"], [12.3, 5.0], [f"{j}.5%" for j in N]),
    "amounts of money in '$'": (["$1,234.50", "-$2"], [1234.5, -2.0], [f"${j}.25" for j in N]),
    "amounts of money in 'EUR'": (["1.234,50 EUR", "EUR 7"], [1234.5, 7.0], [f"{j},25 EUR" for j in N]),
    "numbers with the unit 'kg'": (["50.1 kg", "0"], [50.1, 0.0], [f"{j}.5 kg" for j in N]),
    "numbers with a decimal comma": (["1,5", "1.234,5"], [1.5, 1234.5], [f"{j},25" for j in N]),
    "numbers": (["(12.5)", "1'234"], [-12.5, 1234.0], [f"{j}.75" for j in N]),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers(what):
    first, expected, others = NUMBERS[what]
    assert meaning_of([*first, *others]).parsing.what == what
    assert read(others, *first) == expected


TIMES = [
    ("31.01.2024", "dates", [f"{j % 28 + 1}.03.2024" for j in N], datetime.datetime(2024, 1, 31)),
    ("31/01/2024", "dates (day first)", [f"{j % 28 + 1}/03/2024" for j in N], datetime.datetime(2024, 1, 31)),
    ("1/31/24 2:05 PM", "dates (month first)", ["3/4/24"] * 9, datetime.datetime(2024, 1, 31, 14, 5)),
    ("Jan 31, 2024", "dates", [f"Mar {j % 28 + 1}, 2024" for j in N], datetime.datetime(2024, 1, 31)),
    ("31. Mai 2024", "dates", [f"{j % 28 + 1}. März 2024" for j in N], datetime.datetime(2024, 5, 31)),
    ("2:30 PM", "times of day", [f"{j % 12 + 1}:00 AM" for j in N], datetime.timedelta(hours=14.5)),
    ("36:15:00", "durations", [f"{j % 24}:00:00" for j in N], datetime.timedelta(hours=36.25)),
    ("1 h 30 min", "durations", [f"{j} min" for j in N] + ["2 h"] * 9, datetime.timedelta(hours=1.5)),
    ("PT1H30M", "durations", [f"PT{j}M" for j in N], datetime.timedelta(hours=1.5)),
]


@pytest.mark.parametrize(("first", "what", "others", "expected"), TIMES, ids=[time[0] for time in TIMES])
def test_dates_times_and_durations(first, what, others, expected):
    assert meaning_of([first, *others]).parsing.what == what
    assert read(others, first) == [expected]


@pytest.mark.parametrize(
    ("zone", "hours"),
    [
        *(("Z", 0), ("UTC", 0), ("GMT", 0), ("BST", 1), ("CET", 1), ("CEST", 2), ("EET", 2), ("EEST", 3)),
        *(("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)),
    ],
)
def test_names_of_time_zones(zone, hours):
    others = [f"Mon, {j % 28 + 1:02} Jan 2024 10:{j % 60:02}:05 {zone}" for j in N]
    (moment,) = read(others, f"Mon, 01 Jan 2024 12:00:00 {zone}")
    assert moment == datetime.datetime(2024, 1, 1, 12 - hours)


def test_times_with_a_zone_are_those_of_utc():
    others = [f"Mon, {j % 28 + 1:02} Jan 2024 10:00:00 GMT" for j in N]
    east, west = "Mon, 01 Jan 2024 10:00:00 +0200", "Mon, 01 Jan 2024 10:00:00 -0330"
    found = read(others, east, west, "2024-01-01 10:00:00 EST", "2024-01-01 10:00:00")
    day = datetime.datetime(2024, 1, 1)
    hours = [8, 13.5, 15]
    assert found == [*(day + datetime.timedelta(hours=hour) for hour in hours), None]


def test_an_hour_before_am_or_pm_is_at_most_12():
    hours = [f"{j % 12 + 1}:30 PM" for j in N]
    assert read(hours, "12 PM") == [datetime.timedelta(hours=12)]
    assert read(hours, "13 PM") == ["13 PM"]


STAYS = {
    "leading zeros": [f"{j:05}" for j in N],
    "leading zeros with a letter": [f"{j:05}X" for j in N],
    "versions": [f"1.{j}.3" for j in N],
    "addresses": [f"192.168.101.{100 + j}" for j in N],
    "phone numbers": [f"+49301234{j:03}" for j in N],
    "phone numbers in groups": [f"123 456 {100 + j}" for j in N],
    "ISBN": [f"978-3-16-1484{j:03}-0" for j in N],
    "open dates": [f"0{j % 9 + 1}/0{j % 8 + 1}/2024" for j in N],
    "days and months in both orders": ["13/01/2024", "01/13/2024"] * 50,
    "no calendar has it": [f"{j % 28 + 1}.13.2024" for j in N],
    "several units": [f"{j} {'kg' if j % 2 else 'lb'}" for j in N],
    "too few numbers": [*map(str, range(90)), *(f"grade {j}" for j in range(10))],
    "few numbers and a word": ["1", "2", "3"] * 33 + ["4+"],
    "one word for yes and one for no": ["yes", "no"] * 50,
    "names": [f"person {j}" for j in N],
}


@pytest.mark.parametrize("what", STAYS)
def test_what_stays_text(what):
    assert meaning_of(STAYS[what]).format == Words()


def test_accounts_of_what_stays_text():
    assert meaning_of(STAYS["leading zeros"]).parsing.what == meaning_of(STAYS["phone numbers"]).parsing.what == "codes"
    assert meaning_of(STAYS["open dates"]).parsing.what == "open dates"
    assert meaning_of(STAYS["leading zeros"], kind="number").format.read(pa.array(["00012"])).to_pylist() == [12]
    asked = meaning_of(STAYS["open dates"], kind="month-first").format
    assert asked.read(pa.array(["03/04/2024"])).to_pylist() == [datetime.datetime(2024, 3, 4)]


def test_stray_words_are_missing_and_counted():
    account = meaning_of([*map(str, range(90)), *["-"] * 9, "n/a", "high"]).parsing
    assert (account.what, account.n_read, account.n_unread) == ("numbers", 90, 10)
    assert account.unread == (("-", 9), ("high", 1))
    assert account.has_missing  # n/a is a marker of every text file


def test_booleans_that_are_written_in_several_ways():
    found = meaning_of(["Yes", "Y", "no", "No "] * 25 + ["unknown"])
    assert found.format.read(pa.array(["Y", "no", "unknown"])).to_pylist() == ["yes", "no", "unknown"]
    assert found.parsing.n_read == 100


def test_nothing_is_repaired_where_that_is_switched_off():
    others = NUMBERS["percentages"][2]
    assert meaning_of(others, repair=False).format == meaning_of(others, kind="category").format == Words()


@settings(max_examples=10)
@given(st.permutations([*[f"{j}.5%" for j in range(30)], "-", "n/a", "x"]), st.integers(1, 40))
def test_the_decision_hangs_on_no_order(values, rows):
    counts = {value: 1 + len(value) * rows for value in values}

    def meaning(ordered):
        return meaning_of_text(CountedText(pa.array(ordered), np.array([counts[value] for value in ordered])))

    assert meaning(values) == meaning(sorted(values))


BARE = [f"{j}.5" for j in N]
MARKS = [
    ("<200", 200.0),
    (">= 5", 5.0),
    ("≤ 5", 5.0),
    ("~7", 7.0),
    ("85+", 85.0),
    ("12.5*", 12.5),
    ("12 k", 12_000.0),
    ("1.2M", 1_200_000.0),
    ("$1.2M", 1_200_000.0),
    ("4.35 k", 4350.0),  # 4.35 * 1000 is another float
    ("2 Mrd", 2e9),
    ("5 mg", 5.0),
    ("50%", None),
    ("n/a*", None),
    ("10-20", None),
    ("1e3 k", None),
]


@pytest.mark.parametrize(("text", "number"), MARKS)
def test_the_type_number_reads_numbers_with_a_mark(text, number):
    meaning = meaning_of([*BARE, text], kind="number")
    assert meaning.format.read(pa.array([text, "0.5"])).to_pylist() == [number, 0.5]
    assert meaning.parsing.n_unread == (number is None)
    assert meaning.parsing.n_marked == (number is not None)


@pytest.mark.parametrize(("text", "number"), MARKS)
def test_a_reading_is_proposed_and_the_text_is_missing(text, number):
    meaning = meaning_of([*BARE, text])
    assert meaning.format.read(pa.array([text])).to_pylist() == [None]
    assert [marked.number for marked in meaning.parsing.marked] == ([] if number is None else [number])


def test_a_reading_is_proposed_where_few_numbers_stay_categories():
    meaning = meaning_of([*"1234" * 25, "<1", "<1", "x"])
    assert meaning.format == Words()
    assert meaning.parsing.what == "numbers with text"
    assert meaning.parsing.marked == (("<1", 2, 1.0),)
    assert meaning.parsing.unread == (("<1", 2), ("x", 1))


def test_units_are_named_and_not_merged():
    in_mg = [f"{j} mg" for j in N]
    mostly = meaning_of([*in_mg, "0.3 g"])
    assert mostly.parsing.units == (("mg", 100), ("g", 1))
    assert mostly.format.read(pa.array(["5 mg", "0.3 g"])).to_pylist() == [5, None]
    chosen = meaning_of([*in_mg, "0.3 g", "7"], kind="number")
    assert chosen.format.read(pa.array(["5 mg", "0.3 g", "7"])).to_pylist() == [5, None, None]
    half = meaning_of([*in_mg, *(f"0.{j} g" for j in N)])
    assert half.format == Words()
    assert half.parsing.what == "numbers in several units"
    assert half.parsing.n_read == 0
    assert meaning_of([*in_mg, *(f"0.{j} g" for j in N), "0.7 g"]).parsing.example == "0.7 g"  # the most frequent text
    assert meaning_of([f"{j} {letter}" for j in N for letter in "AB"]).parsing is None  # seats, say


@pytest.mark.parametrize(("kind", "what"), [("number", "no numbers"), ("day-first", "no dates")])
def test_text_that_is_nothing_of_the_chosen_type(kind, what):
    meaning = meaning_of(["red", "blue"] * 9, kind=kind)
    assert meaning.format == Words()
    assert meaning.parsing.what == what


@pytest.mark.parametrize("words", [["Total"], ["Total", "Mean", "*"]])
def test_numbers_of_rows_above_a_total_are_names(words):
    values = [*map(str, range(1001, 1101)), *words]
    assert isinstance(meaning_of(values).format, Words)
    assert not isinstance(meaning_of(values, kind="number").format, Words)
    assert not isinstance(meaning_of(values, is_target=True).format, Words)
    assert not isinstance(meaning_of([str(7 * (i % 50)) for i in range(100)] + words).format, Words)


def test_a_number_for_each_row_with_text_in_many_rows_is_a_number():
    values = [*map(str, range(1001, 1101)), *("n/k",) * 4]
    assert not isinstance(meaning_of(values).format, Words)


def test_seconds_of_a_time_count():
    others = [f"Mon, {j % 28 + 1:02} Jan 2024 10:{j % 60:02}:05 GMT" for j in N]
    first, second = read(others, "Mon, 01 Jan 2024 10:20:30 GMT", "Mon, 01 Jan 2024 10:21:31 GMT")
    assert second - first == datetime.timedelta(seconds=61)


@pytest.mark.parametrize(("texts", "are_integers"), [([f"{j} kg" for j in N], True), ([f"{j}.0 kg" for j in N], False)])
def test_numbers_without_decimals_are_integers(texts, are_integers):
    text_format = meaning_of(texts).format
    assert text_format.are_integers == are_integers
    assert pa.types.is_integer(text_format.read(pa.array(texts)).type) == are_integers
