"""Attributes computed once, and no lock that a forked process could wait for."""

from __future__ import annotations

import copy
import logging
import pickle
import threading
import weakref

import numpy as np
import pytest

from bitsieve import BitsieveWarning, ForwardSelector
from bitsieve.utils.lazy import ColumnNames, Lazy, NumberedNames, cached_property


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


def test_a_lazy_value_is_computed_once_and_what_it_is_made_of_let_go():
    made, parts = [], np.arange(3)
    held = weakref.ref(parts)
    lazy = Lazy(lambda parts=parts: made.append(1) or parts.sum())
    del parts
    assert not made
    assert held() is not None
    assert (lazy.value, lazy.value, made) == (3, 3, [1])
    assert held() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda lazy: pickle.loads(pickle.dumps(lazy))])
def test_a_lazy_value_is_copied_and_pickled_as_the_value(copied):
    made = []
    lazy = Lazy(lambda: made.append(1) or 3)
    assert (copied(lazy).value, lazy.value, made) == (3, 3, [1])


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
    notes = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert notes[-1] == "the table has 2 features, fewer than the 9 requested: all are ranked"


@pytest.mark.parametrize("names", [ColumnNames(["a", "b", "c", "d"], [0, 2, 3]), NumberedNames(3)])
def test_lazy_names_are_a_sequence_like_a_tuple_of_them(names):
    as_tuple = tuple(names)
    assert as_tuple in {("a", "c", "d"), ("x0", "x1", "x2")}
    assert names == as_tuple == tuple(pickle.loads(pickle.dumps(names)))
    assert hash(names) == hash(as_tuple)
    assert (names[-1], names[1:], len(names)) == (as_tuple[-1], [*as_tuple[1:]], 3)
    assert names != as_tuple[:2]
    assert names != "acd"
    assert repr(names) == "<3 names>"
