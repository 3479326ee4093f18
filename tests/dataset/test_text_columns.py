"""The columns of text of a table: which types they get, and which rows decide."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import bitsieve
from bitsieve.dataset.column_info import DATES_OF_BOTH_ORDERS, NUMBERS_OF_BOTH_MARKS
from bitsieve.dataset.plain_text import Plain, Words
from bitsieve.dataset.text_columns import typed_columns
from bitsieve.dataset.text_format import ColumnRules, TextMeaning
from bitsieve.dataset.text_numbers import Numbers


def test_columns_whose_type_is_known_from_all_rows():
    arrays = [pa.array(["1", "2"]), pa.array(["1", "2"]), pa.array([1.5, 2.5])]
    typed, _ = typed_columns(arrays, [3, 5, 6], ColumnRules(formats={3: Plain(pa.int64())}), {})
    assert [str(array.type).split("<")[0] for array in typed] == ["int64", "dictionary", "double"]
    assert typed_columns(arrays, [3, 5, 6], ColumnRules(), {})[0][1].to_pylist() == [1, 2]


@pytest.mark.parametrize(("kinds", "what"), [({}, None), ({0: "number"}, "no numbers"), ({0: "day-first"}, "no dates")])
def test_plain_words_are_held_against_the_chosen_type(kinds, what):
    _, meanings = typed_columns([pa.array(["red", "blue"] * 9)], [0], ColumnRules(), kinds)
    parsing = meanings[0].parsing
    assert (parsing and parsing.what) == what


def test_rows_without_weight_do_not_decide_what_text_means():
    texts = pa.array([f"{j},5" for j in range(20)] + ["red", "blue"] * 20)
    has_weight = np.arange(60) < 20
    assert [*typed_columns([texts], [0], ColumnRules(), {})[1].values()] == [TextMeaning(Words())]
    (meaning,) = typed_columns([texts], [0], ColumnRules(has_weight=has_weight), {})[1].values()
    assert isinstance(meaning.format, Numbers)
    for n in (59, 61):  # refused where the weights are read
        rules = ColumnRules(has_weight=np.arange(n) < 20)
        assert [*typed_columns([texts], [0], rules, {})[1].values()] == [TextMeaning(Words())]


def test_a_word_of_a_row_without_a_target_is_missing(tmp_path):
    """Such as "Total" among numbers, in the last row of a report."""
    rows = [f"{7 * i % 50},{'no' if i % 50 < 20 else 'yes'}" for i in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *rows, "Total,"]))
    (tmp_path / "without.csv").write_text("\n".join(["a,y", *rows]))
    selection, expected = (bitsieve.select(tmp_path / name, "y", binning="mdl") for name in ("t.csv", "without.csv"))
    assert selection.scores.tobytes() == expected.scores.tobytes()


GROUPED = ["1.330", "2.417", "447", "778", "950"]


@pytest.mark.parametrize("unit", ["", " €"])
def test_points_that_can_only_separate_thousands_are_no_decimal_marks(unit):
    texts = pa.array([number + unit for number in GROUPED])
    (array,), meanings = typed_columns([texts], [0], ColumnRules(), {})
    assert array.to_pylist() == [1330, 2417, 447, 778, 950]
    assert meanings[0].parsing.example == "1.330" + unit


@pytest.mark.parametrize("mark", [".", ","])
def test_a_file_with_marks_that_can_only_separate_thousands(tmp_path, mark):
    path = tmp_path / "prices.csv"
    lines = [f"{number.replace('.', mark)};{'ab'[i % 2]}" for i, number in enumerate(GROUPED * 20)]
    path.write_text("\n".join(["price;y", *lines]))
    for memory in (None, "1GB"):
        selection = bitsieve.select(path, "y", binning="uniform", n_bins=2, memory=memory, verbose=False)
        assert selection.required_evidence().binner.bin_edges_[0].tolist() == [1432.0]


def test_points_stay_decimal_marks_if_text_is_not_repaired():
    (array,), _ = typed_columns([pa.array(GROUPED)], [0], ColumnRules(repair=False), {})
    assert array.to_pylist() == [1.33, 2.417, 447, 778, 950]


BOTH_ORDERS = [f"{day}/{month}/2024" for day in range(13, 20) for month in (1, 2)] + ["2/25/2024"] * 2
BOTH_MARKS = [f"1,2{j:02d}.50" for j in range(20)] + [f"1.2{j:02d},50" for j in range(20)]


@pytest.mark.parametrize(
    ("texts", "examples"),
    [(BOTH_ORDERS, ("'13/1/2024' (42)", "'2/25/2024' (6)")), (BOTH_MARKS, ("'1,200.50' (60)", "'1.200,50' (60)"))],
    ids=["orders of day and month", "decimal marks"],
)
def test_text_in_two_formats_stays_categories_with_a_warning(texts, examples):
    table = {"value": pa.array(texts * 3), "y": pa.array([j % 2 for j in range(3 * len(texts))])}
    selection = bitsieve.select(pa.table(table), "y", verbose=False)
    (note,) = [note for note in selection.diagnostics if note.code == "two-formats"]
    assert note.severity == "warning"
    assert note.columns == ("value",)
    for example in examples:
        assert example in note.message


@pytest.mark.parametrize(
    "texts",
    [
        ["25/2/2024", "2/25/2024", "somewhere 7", "elsewhere 8", "nowhere 9"],
        ["1,234.50", "1.234,50", "12 A", "13 B", "14 C", "15 D"],
        ["192.168.1.1", "10.0.0.1"],
    ],
)
def test_other_text_is_in_no_two_formats(texts):
    _, meanings = typed_columns([pa.array(texts * 4)], [0], ColumnRules(), {})
    assert meanings[0].parsing is None or meanings[0].parsing.what not in (DATES_OF_BOTH_ORDERS, NUMBERS_OF_BOTH_MARKS)
