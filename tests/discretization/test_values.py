"""What is known of columns is a value: nobody changes it."""

from __future__ import annotations

import pytest
from tests.values import can_be_changed, data_classes


@pytest.mark.parametrize("kind", data_classes("bitsieve.discretization"))
def test_nothing_can_be_changed(kind):
    assert not can_be_changed(kind)
