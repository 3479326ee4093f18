"""The list of all messages is complete, and none has wording that readers stumbled over."""

from __future__ import annotations

import pytest
from tests.messages import main, messages

from bitsieve.codes import CODES
from bitsieve.utils.messages import advice_on_choice

STUMBLES = (
    "all the same",
    "columns of noise are alike",
    "a draw takes",
    "tells",
    "of the best of all columns",
)


@pytest.mark.slow("it runs every message")
def test_every_code_of_the_table_that_is_written_out_has_its_message_in_the_list():
    listed = {message.code for message in messages()}
    assert len(listed & set(CODES)) > 0.9 * len(CODES)


@pytest.mark.parametrize("wording", STUMBLES)
def test_no_message_has_wording_that_had_to_be_read_twice(wording):
    assert not [message for message in messages() if wording in message.text]


def test_the_list_is_printed_by_code(capsys):
    main()
    lines = capsys.readouterr().out.splitlines()
    assert "small-test" in lines
    assert any("[evaluate/plan.py:" in line for line in lines)


def test_a_name_that_is_like_no_other_is_given_no_guess():
    assert "did you mean" not in advice_on_choice("bin", ["select", "explain", "count"])
    assert advice_on_choice("explian", ["select", "explain"]).startswith("did you mean explain?")
