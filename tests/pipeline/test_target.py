"""Classes that may be misspellings of others."""

import numpy as np
import pandas as pd
import pytest

import bitsieve


def _notes(labels, code):
    table = pd.DataFrame({"x": np.arange(len(labels)) % 7, "y": labels})
    selection = bitsieve.select(table, "y", verbose=False)
    return [note for note in selection.diagnostics if note.code == code]


def test_a_class_of_a_single_row_is_named_with_the_class_that_may_be_meant():
    (note,) = _notes(["yes", "no"] * 20 + ["yess"], "single-row-class")
    assert "'yess'" in note.message
    assert "'yes'" in note.advice
    assert note.severity == "warning"


def test_a_number_of_a_single_row_beside_two_others_is_named_without_a_proposal():
    (note,) = _notes([0, 1] * 20 + [11], "single-row-class")
    assert "'11'" in note.message
    assert "for '1'" not in note.advice


def test_several_classes_of_a_single_row_are_one_warning():
    (note,) = _notes(["yes", "no"] * 20 + ["Total", "{mean}"], "single-row-class")
    assert "'Total', '{mean}'" in note.message


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", "no"] * 20,
        ["yes", "no"] * 20 + ["yess"] * 2,
        ["a", "b"] * 5 + ["c"],
        [*"ab" * 20, *"cdefghijk"],
        [0, 1, 2] * 20 + [3],
    ],
    ids=["none", "two rows", "few rows", "many such classes", "counts"],
)
def test_other_classes_have_no_warning_of_a_single_row(labels):
    assert not _notes(labels, "single-row-class")


def test_classes_that_differ_in_case_or_blanks_are_named():
    (note,) = _notes(["ill", "healthy", "Ill", "ill ", "healthy"] * 8, "classes-alike")
    assert "'Ill', 'ill', 'ill '" in note.message
    assert "healthy" not in note.message


def test_the_rows_in_batches_have_the_same_warnings(tmp_path):
    labels = ["ill", "healthy", "Ill"] * 20 + ["halthy"]
    table = pd.DataFrame({"x": np.arange(len(labels)) % 7, "y": labels})
    table.to_csv(tmp_path / "table.csv", index=False)
    whole, in_batches = [
        bitsieve.select(tmp_path / "table.csv", "y", verbose=False, memory=memory).diagnostics
        for memory in (None, "1GiB")
    ]
    codes = ["single-row-class", "classes-alike"]
    assert [note for note in in_batches if note.code in codes] == [note for note in whole if note.code in codes]
    assert {note.code for note in whole} >= {*codes}
