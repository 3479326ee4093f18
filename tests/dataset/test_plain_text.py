"""Text in a table in memory is read as the same text in a CSV file is."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv

from bitsieve.dataset.plain_text import Plain, typed_text
from bitsieve.io.read import read_table

WORDS = ["1", "-2", "+3", " 4", "2.50", "1e3", "1,234", ".5", "nan", "inf", "?", "NA", "", "NULL", "-", "true", "False"]
WORDS += ["2024-01-31", "2024-02-30", "2024-01-31 10:20:30", "2024-01-31T10:20", "12:30:00", "01/02/2024", "x", "3 4"]
WORDS += ["0x10", "1_000", "9" * 25, "9223372036854775808", 'a "quoted" word', "a\nb", "naïve"]


def of_file(texts, folder):
    """The column as a CSV file with these texts has it; a second column keeps empty lines."""
    path = folder / "rows.csv"
    csv.write_csv(pa.table({"value": texts, "row": pa.array(range(len(texts)))}), path)
    return read_table(path)["value"].combine_chunks()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5))
def test_text_is_what_a_file_makes_of_it(tmp_path, texts):
    texts = pa.array(texts)
    found, expected = typed_text(texts), of_file(texts, tmp_path)
    if pa.types.is_boolean(expected.type) or expected.null_count == len(texts):
        # truth values are categories, as text is; where nothing is known, any type will do
        assert pa.types.is_string(found.type)
        assert found.null_count == expected.null_count
    else:
        assert (found.type, str(found.to_pylist())) == (expected.type, str(expected.to_pylist()))


@pytest.mark.parametrize(
    ("texts", "kind"), [(["1", "2"], pa.int64()), (["1.5", "?"], pa.float64()), (["2024-01-31", ""], pa.date32())]
)
def test_parts_of_text_have_the_type_of_all_rows(texts, kind):
    assert typed_text(pa.array(texts)).type == kind
    for text in texts:
        assert (
            Plain(kind).read(pa.array([text])).to_pylist()
            == typed_text(pa.array(texts)).to_pylist()[texts.index(text) : texts.index(text) + 1]
        )


@pytest.mark.parametrize("text", [" 4", "+4", "4 ", "-4", "4.0"])
def test_numbers_beside_one_with_a_comma(tmp_path, text):
    found = typed_text(pa.array(["1,234", text]))
    assert found.to_pylist() == [1234, abs(int(float(text))) * (-1 if "-" in text else 1)]
    assert found == of_file(pa.array(["1,234", text]), tmp_path)


@pytest.mark.parametrize(
    ("kind", "time"),
    [
        (None, None),
        (pa.int64(), None),
        (pa.date32(), "dates"),
        (pa.timestamp("us"), "dates"),
        (pa.duration("us"), "durations"),
        (pa.time64("us"), "durations"),
    ],
)
def test_what_times_a_plain_column_holds(kind, time):
    assert Plain(kind).time == time
