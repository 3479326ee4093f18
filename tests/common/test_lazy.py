"""Attributes computed once, and no lock that a forked process could wait for."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pytest

from bitsieve import BitsieveWarning, ForwardSelector
from bitsieve.common.lazy import cached_property


class Counted:
    def __init__(self):
        self.calls = 0

    @cached_property
    def value(self):
        """How often it was computed."""
        self.calls += 1
        return self.calls


def test_computed_once_for_each_object():
    one, other = Counted(), Counted()
    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert (one.calls, other.calls) == (1, 1)
    assert Counted.value.__doc__ == "How often it was computed."


def test_one_thread_does_not_wait_for_another():
    """While one computes for its object, others compute for theirs: the class holds no lock."""
    inside, leave = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, wait):
            self.wait = wait

        @cached_property
        def value(self):
            if self.wait:
                inside.set()
                assert leave.wait(30)
            return 1

    slow = threading.Thread(target=lambda: Slow(True).value)
    slow.start()
    assert inside.wait(30)
    assert Slow(False).value == 1
    leave.set()
    slow.join()


def test_phases_and_notes_are_logged(caplog):
    """Under the name of the package, so that a program switches them on and off like those of any other."""
    with caplog.at_level(logging.INFO, logger="bitsieve"), pytest.warns(BitsieveWarning):
        ForwardSelector(9, binning="none").fit(np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 1, 1, 0])
    assert {record.name for record in caplog.records} == {"bitsieve"}
    assert ("INFO", "ranking") in [(record.levelname, record.message) for record in caplog.records]
    note = "the table has 2 features, fewer than n_features_to_select=9: all of them are taken"
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [note]
