"""Sentences about what changed between two selections."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.patients import patients

import bitsieve
from bitsieve.results.saved.changes import change_of_kinds, change_of_target
from bitsieve.results.selection import record_of

RECORD = record_of(bitsieve.select(patients(300), "ill", n_features_to_select=2))


@pytest.mark.parametrize(
    ("sizes", "text"), [((1, 2, 3, 4, 5), "1, 2, 3, 4, 5"), ((1000, 2, 3, 4, 5, 6), "1,000, 2, 3, 4, 5, ...")]
)
def test_the_sizes_of_five_classes_are_named(sizes, text):
    then = replace(RECORD.target, class_sizes=sizes)
    now = replace(RECORD.target, class_sizes=(7, 8))
    assert change_of_target(then, now) == f"the classes had {text} rows, and have 7, 8 now"


def test_columns_of_another_kind_are_named_and_no_others():
    then = replace(RECORD.data, names=("age", "dose", "city"), kinds="nnc", digest="then")
    now = replace(RECORD.data, names=("age", "dose", "city"), kinds="ncn", digest="now")
    assert change_of_kinds(then, now) == ("'dose': numbers then, categories now; 'city': categories then, numbers now")
