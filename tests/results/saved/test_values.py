"""Labels as plain values that a file can hold."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from bitsieve.results.saved.values import label_of


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (None, None),
        ("a", "a"),
        (True, True),
        (b"a", b"a"),
        (np.int8(3), 3),
        (date(2024, 1, 31), "2024-01-31"),
        ((1, None, date(2024, 1, 31)), (1, None, "2024-01-31")),
    ],
)
def test_plain_values_stay_and_others_are_their_text(value, label):
    assert label_of(value) == label
    assert type(label_of(value)) is type(label)
