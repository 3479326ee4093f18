"""The study of notes that warn of a column, in small form."""

import pytest

from benchmarks import warning_notes


@pytest.mark.parametrize(
    ("design", "code"),
    [
        ("nothing", None),
        ("chance", "mostly-chance"),
        ("subjects", "rows-of-one-value"),
        ("encoding", "target-encoding"),
        ("smoothed encoding", "target-encoding"),
    ],
)
def test_each_design_has_its_note_and_no_other_of_these(design, code):
    codes = warning_notes.codes_of_notes(design, 1)
    assert codes & {*warning_notes.CODES} == ({code} if code else set())


def test_a_share_has_the_error_of_a_binomial_count():
    assert warning_notes.share_with_error(25, 100) == "0.25 ± 0.04"
