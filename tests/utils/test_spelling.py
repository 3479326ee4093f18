"""Texts that are nearly the same."""

from bitsieve.utils.spelling import alike_but_for_case_and_blanks


def test_texts_that_differ_in_case_or_blanks_are_one_group():
    assert alike_but_for_case_and_blanks(["Bern", " bern", "Graz", "BERN", "B ern"]) == [
        ["Bern", " bern", "BERN", "B ern"]
    ]


def test_other_texts_are_in_no_group():
    assert alike_but_for_case_and_blanks(["Bern", "Berne", "Graz"]) == []
