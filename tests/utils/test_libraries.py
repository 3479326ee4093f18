"""The log of a program, which is used only where the program has imported logging."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from bitsieve import BitsieveWarning, ForwardSelector


def test_phases_and_notes_are_logged(caplog):
    """Under the name of the package, so that a program switches them on and off like those of any other."""
    with caplog.at_level(logging.INFO, logger="bitsieve"), pytest.warns(BitsieveWarning):
        ForwardSelector(9, binning="none").fit(np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 1, 1, 0])
    assert {record.name for record in caplog.records} == {"bitsieve"}
    assert ("INFO", "ranking") in [(record.levelname, record.message) for record in caplog.records]
    notes = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert notes[-1] == "the table has 2 features, fewer than the 9 requested: all are ranked"
